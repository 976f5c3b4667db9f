"""Writing a trace: whole lines in order, also when the process is killed or the disk is full."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.tty_agent.trace_samples import a_decision, a_header, an_event

from tty_agent.trace import records
from tty_agent.trace.index import ENTRY_BYTES, TraceFile, sidecar
from tty_agent.trace.records import Record, read_trace
from tty_agent.trace.writer import LineTooLong, TraceExists, TraceWriter, encode_line


def test_what_is_written_can_be_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "runs" / "run-1" / "trace.jsonl"
    records: list[Record] = [a_header(), an_event("run_started"), a_decision(1), a_decision(2)]
    with TraceWriter(path) as trace:
        for number, record in enumerate(records, start=1):
            trace.write(record)
            assert list(read_trace(path)) == records[:number]


def test_write_tells_where_the_line_begins(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "trace.jsonl") as trace:
        assert trace.write(a_header()) == 0
        place = trace.write(a_decision(1))
    assert (tmp_path / "trace.jsonl").read_bytes()[place:].startswith(b'{"type":"decision"')


def test_a_trace_is_never_written_over(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "trace.jsonl"):
        pass
    with pytest.raises(TraceExists, match="give the run another name"):
        TraceWriter(tmp_path / "trace.jsonl")


def test_the_header_comes_first_and_once(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "trace.jsonl") as trace:
        with pytest.raises(ValueError, match="begins with a header"):
            trace.write(a_decision(1))
        trace.write(a_header())
        with pytest.raises(ValueError, match="begins with a header"):
            trace.write(a_header())


def test_a_line_longer_than_any_reader_reads_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_LINE_BYTES", 3000)
    with TraceWriter(tmp_path / "t.jsonl") as trace:
        trace.write(a_header())
        with pytest.raises(LineTooLong, match="more than a trace takes"):
            trace.write(a_decision(1, prompt="x" * 3000))
    assert list(read_trace(tmp_path / "t.jsonl")) == [a_header()]


def test_steps_have_no_gaps(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "trace.jsonl") as trace:
        trace.write(a_header())
        trace.write(a_decision(1))
        with pytest.raises(ValueError, match="step 3 after step 1"):
            trace.write(a_decision(3))


def test_a_full_disk_leaves_no_part_of_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "trace.jsonl"
    write = os.write
    with TraceWriter(path) as trace:
        trace.write(a_header())

        def full(fd: int, data: bytes) -> int:
            if len(data) > 10:
                return write(fd, bytes(data[:10]))
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        def first_part_then_full(fd: int, data: bytes) -> int:
            monkeypatch.setattr(os, "write", no_room)
            return full(fd, data)

        def no_room(fd: int, data: bytes) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "write", first_part_then_full)
        with pytest.raises(OSError, match="No space left"):
            trace.write(a_decision(1))
        monkeypatch.undo()
        assert list(read_trace(path)) == [a_header()]


def test_a_failing_index_does_not_lose_the_run(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    sidecar(path).mkdir()
    with TraceWriter(path) as trace:
        trace.write(a_header())
        trace.write(a_decision(1))
    assert list(read_trace(path)) == [a_header(), a_decision(1)]


def test_the_index_has_eight_bytes_a_line(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    with TraceWriter(path) as trace:
        trace.write(a_header())
        before = sidecar(path).stat().st_size
        trace.write(a_decision(1))
        trace.write(an_event())
    assert sidecar(path).stat().st_size - before == 2 * ENTRY_BYTES == 16


KILLED = """
import sys
from tests.tty_agent.trace_samples import a_decision, a_header
from tty_agent.trace.writer import TraceWriter
trace = TraceWriter(sys.argv[1])
trace.write(a_header())
step = 0
while True:
    step += 1
    trace.write(a_decision(step))
    if step == 50:
        print("running", flush=True)
"""


def test_a_killed_writer_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], cwd=root, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "running\n"
        writer.send_signal(signal.SIGKILL)
    records = list(read_trace(path))
    assert len(records) > 50
    with TraceFile(path) as trace:
        assert trace.lines == len(records)
        assert trace.torn_bytes < len(encode_line(a_decision(10**9)))
