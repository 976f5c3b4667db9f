"""Any step at once: the index as the writer leaves it, missing, stale, foreign or spoilt."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tty_agent.trace_samples import a_decision, a_header, an_event

from tty_agent.trace import records
from tty_agent.trace.index import ENTRY_BYTES, NoSuchStep, TraceFile, sidecar
from tty_agent.trace.records import DamagedTrace, NotATrace, Record
from tty_agent.trace.writer import TraceWriter, encode_line

STEPS = 7


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A trace of seven steps with an event before each, and its index."""
    place = tmp_path / "trace.jsonl"
    with TraceWriter(place) as trace:
        trace.write(a_header())
        for step in range(1, STEPS + 1):
            trace.write(an_event("thinking", step - 1))
            trace.write(a_decision(step))
    return place


def check(path: Path, steps: int = STEPS) -> None:
    with TraceFile(path) as trace:
        assert trace.steps == steps
        assert [trace.step(number).step for number in range(1, steps + 1)] == list(range(1, steps + 1))
        assert trace.header() == a_header()


def test_every_step_is_found(path: Path) -> None:
    check(path)


def test_a_page_is_cut_at_the_ends(path: Path) -> None:
    with TraceFile(path) as trace:
        assert [record.step for record in trace.page(6, 10)] == [6, 7]
        assert [record.step for record in trace.page(-1, 4)] == [1, 2]
        assert trace.page(8, 3) == []


def test_records_go_on_from_any_line(path: Path) -> None:
    with TraceFile(path) as trace:
        assert trace.lines == 1 + 2 * STEPS
        assert len(list(trace.records())) == trace.lines
        assert list(trace.records(trace.lines - 1)) == [a_decision(STEPS)]


@pytest.mark.parametrize("number", [0, -1, STEPS + 1])
def test_a_step_that_is_not_there_says_which_are(path: Path, number: int) -> None:
    with TraceFile(path) as trace, pytest.raises(NoSuchStep, match=f"it has steps 1 to {STEPS}"):
        trace.step(number)


def _missing(index: Path) -> None:
    index.unlink()


def _foreign(index: Path) -> None:
    index.write_bytes(index.read_bytes()[:11] + b"\x00" * 5 + index.read_bytes()[16:])


def _behind(index: Path) -> None:
    index.write_bytes(index.read_bytes()[:-20])


def _shuffled(index: Path) -> None:
    data = index.read_bytes()
    index.write_bytes(data[:16] + data[-8:] + data[24:])


def _shifted(index: Path) -> None:
    data = index.read_bytes()
    index.write_bytes(data[:-8] + bytes([data[-8] + 1]) + data[-7:])


def _noise(index: Path) -> None:
    index.write_bytes(b"\x9f" * 500)


def _other_kinds(index: Path) -> None:
    """Each event is called a decision, and the other way round."""
    data = bytearray(index.read_bytes())
    for at in range(16 + ENTRY_BYTES + 7, len(data), ENTRY_BYTES):
        data[at] ^= 3
    index.write_bytes(data)


def _one_step_less(index: Path) -> None:
    data = bytearray(index.read_bytes())
    data[16 + 2 * ENTRY_BYTES + 7] = 2
    index.write_bytes(data)


@pytest.mark.parametrize("spoil", [_missing, _foreign, _behind, _shuffled, _shifted, _noise])
def test_an_index_that_is_not_true_is_made_anew(path: Path, spoil: Callable[[Path], None]) -> None:
    whole = sidecar(path).read_bytes()
    spoil(sidecar(path))
    check(path)
    assert sidecar(path).read_bytes() == whole


@pytest.mark.parametrize("spoil", [_other_kinds, _one_step_less])
@pytest.mark.parametrize("number", [1, STEPS])
def test_kinds_of_lines_are_those_of_the_trace(path: Path, spoil: Callable[[Path], None], number: int) -> None:
    whole = sidecar(path).read_bytes()
    spoil(sidecar(path))
    with TraceFile(path) as trace:
        assert trace.step(number).step == number
        assert trace.steps == STEPS
    assert sidecar(path).read_bytes() == whole


def test_a_line_too_long_to_be_read_hides_no_other_step(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = encode_line(a_decision(STEPS + 1, prompt="x" * 3000))
    with path.open("ab") as file:
        file.write(long + encode_line(a_decision(STEPS + 2)))
    monkeypatch.setattr(records, "MAX_LINE_BYTES", len(long) - 100)
    with TraceFile(path) as trace:
        with pytest.raises(DamagedTrace, match="longer than"):
            trace.step(STEPS + 1)
        assert trace.step(STEPS + 2).step == STEPS + 2


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_a_trace_cut_anywhere_gives_its_whole_steps(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("cut") / "trace.jsonl"
    lines = [encode_line(a_header()), *(encode_line(a_decision(step)) for step in range(1, 4))]
    whole = b"".join(lines)
    with TraceWriter(path) as trace:
        trace.write(a_header())
        for step in range(1, 4):
            trace.write(a_decision(step))
    size = data.draw(st.integers(len(lines[0]), len(whole)))
    path.write_bytes(whole[:size])
    with TraceFile(path) as cut:
        assert cut.steps == whole[:size].count(b"\n") - 1
        assert cut.torn_bytes == size - whole[:size].rfind(b"\n") - 1


def test_a_trace_that_grew_is_read_on(path: Path) -> None:
    check(path)
    with path.open("ab") as file:
        file.write(encode_line(a_decision(STEPS + 1)))
    check(path, STEPS + 1)


def test_a_file_put_in_its_place_is_not_read_by_the_old_index(path: Path) -> None:
    path.write_bytes(encode_line(a_header(run_id="other")) + encode_line(a_decision(1)) * 1)
    with TraceFile(path) as trace:
        assert trace.header().run_id == "other"
        assert trace.steps == 1


def test_a_trace_written_by_another_program_has_steps_too(tmp_path: Path) -> None:
    import json  # noqa: PLC0415 - its blanks are the point

    path = tmp_path / "other.jsonl"
    records: list[Record] = [a_header(), a_decision(1), an_event()]
    path.write_text("".join(json.dumps(json.loads(encode_line(record))) + "\n" for record in records))
    check(path, 1)


def test_a_folder_that_takes_no_index_is_no_fault(path: Path) -> None:
    sidecar(path).unlink()
    sidecar(path).mkdir()
    check(path)


def test_a_link_in_the_place_of_the_index_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"kept")
    sidecar(tmp_path / "t.jsonl").symlink_to(precious)
    with TraceWriter(tmp_path / "t.jsonl") as trace:
        trace.write(a_header())
        trace.write(a_decision(1))
    assert precious.read_bytes() == b"kept"
    with TraceFile(tmp_path / "t.jsonl") as opened:
        assert opened.steps == 1
    assert precious.read_bytes() == b"kept"


def test_damage_shows_at_the_step_and_the_others_are_there(path: Path) -> None:
    data = path.read_bytes()
    at = data.index(b'{"type":"decision"')
    path.write_bytes(data[: at + 40] + b"\x00" * 30 + data[at + 70 :])
    with TraceFile(path) as trace:
        with pytest.raises(DamagedTrace, match=f"at byte {at}"):
            trace.step(1)
        assert trace.step(2).step == 2


@pytest.mark.parametrize("content", [b"", b"\x7fELF\n", b'{"type":"header"'])
def test_what_is_no_trace_is_refused_and_closed(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(NotATrace):
        TraceFile(path)
    assert not sidecar(path).exists()


LONG = """
import re, sys
from pathlib import Path
from tty_agent.trace.index import TraceFile
with TraceFile(sys.argv[1]) as trace:
    page = trace.page(1, 50)
    step = trace.step(77_777).step
    peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
    print(trace.steps, len(page), step, peak[1])
"""


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of 100,000 steps, without an index."""
    path = tmp_path_factory.mktemp("long") / "long.jsonl"
    before, after = encode_line(a_decision(1)).split(b'"step":1,')
    with path.open("wb") as file:
        file.write(encode_line(a_header()))
        file.writelines(before + b'"step":%d,' % step + after for step in range(1, 100_001))
    return path


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from Linux's /proc")
def test_a_hundred_thousand_steps_open_in_little_memory(long: Path, *, indexed: bool) -> None:
    """Case 133; `bench/trace.py` has the time."""
    if not indexed:
        sidecar(long).unlink(missing_ok=True)
    told = subprocess.run(
        [sys.executable, "-c", LONG, str(long)], check=True, capture_output=True, text=True, timeout=60
    ).stdout.split()
    assert told[:3] == ["100000", "50", "77777"]
    assert int(told[3]) < 200 * 1024
    assert sidecar(long).stat().st_size > 100_000 * ENTRY_BYTES
