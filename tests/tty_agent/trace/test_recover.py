"""A trace after a crash: what is whole, what is torn, and nothing is lost in cutting."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tty_agent.trace_samples import a_decision, a_header, an_event

from tty_agent.trace import records
from tty_agent.trace.records import NotATrace, read_trace
from tty_agent.trace.recover import cut, inspect
from tty_agent.trace.writer import encode_line

WHOLE = encode_line(a_header()) + encode_line(a_decision(1)) + encode_line(a_decision(2))


def a_file(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(content)
    return path


def test_a_whole_run(tmp_path: Path) -> None:
    found = inspect(a_file(tmp_path, WHOLE + encode_line(an_event("run_finished", 2))))
    assert (found.lines, found.steps, found.last_step, found.finished) == (4, 2, 2, True)
    assert (found.torn_bytes, found.damaged) == (0, ())


def test_a_killed_run(tmp_path: Path) -> None:
    found = inspect(a_file(tmp_path, WHOLE + b'{"type":"deci'))
    assert (found.steps, found.finished, found.whole_bytes, found.torn_bytes) == (2, False, len(WHOLE), 13)


@given(tail=st.binary(max_size=60))
@settings(max_examples=60, deadline=None)
def test_cutting_keeps_the_whole_lines_and_a_copy_of_the_rest(
    tmp_path_factory: pytest.TempPathFactory, tail: bytes
) -> None:
    path = a_file(tmp_path_factory.mktemp("torn"), WHOLE + tail)
    copy = cut(path)
    assert path.read_bytes() == WHOLE
    assert (copy.read_bytes() if copy else b"") == tail
    assert len(list(read_trace(path))) == 3
    assert cut(path) is None


def test_an_earlier_copy_is_kept(tmp_path: Path) -> None:
    copies = [cut(a_file(tmp_path, WHOLE + tail)) for tail in (b"one", b"two", b"three")]
    assert [copy.name for copy in copies if copy] == ["trace.jsonl.torn", "trace.jsonl.torn.1", "trace.jsonl.torn.2"]
    assert [copy.read_bytes() for copy in copies if copy] == [b"one", b"two", b"three"]


def test_blocks_of_zeros_after_a_power_cut_are_a_torn_tail(tmp_path: Path) -> None:
    path = a_file(tmp_path, WHOLE + b"\0" * 4096 + b"\n" + b"\0" * 100)
    assert inspect(path).torn_bytes == 4197
    cut(path)
    assert path.read_bytes() == WHOLE


def test_damage_in_the_middle_is_told_and_stays(tmp_path: Path) -> None:
    content = WHOLE + b"oops\n" + encode_line(a_decision(3)) + b"torn"
    path = a_file(tmp_path, content)
    found = inspect(path)
    assert [damage.offset for damage in found.damaged] == [len(WHOLE)]
    assert (found.last_step, found.torn_bytes) == (3, 4)
    cut(path)
    assert path.read_bytes() == content[:-4]


@pytest.mark.parametrize("after", [b"", encode_line(a_decision(4))])
def test_a_whole_line_too_long_to_be_read_is_not_torn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: bytes
) -> None:
    long = encode_line(a_decision(3, prompt="x" * 3000))
    monkeypatch.setattr(records, "MAX_LINE_BYTES", len(long) - 1)
    path = a_file(tmp_path, WHOLE + long + after + b"torn")
    found = inspect(path)
    assert [(damage.offset, "longer than" in damage.fault) for damage in found.damaged] == [(len(WHOLE), True)]
    assert (found.torn_bytes, found.last_step) == (4, 4 if after else 2)
    cut(path)
    assert path.read_bytes() == WHOLE + long + after


def test_what_is_no_trace_is_not_touched(tmp_path: Path) -> None:
    path = a_file(tmp_path, b"my only copy of a poem\nand its end")
    for recover in (inspect, cut):
        with pytest.raises(NotATrace):
            recover(path)
    assert path.read_bytes() == b"my only copy of a poem\nand its end"
