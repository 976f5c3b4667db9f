"""The transcript: what was received is on disk, whatever happens next."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tty_agent.transcript.marks import Closed, Opened, Received, Resized, Sender, Sent, Torn, Unmarked, sidecar_of
from tty_agent.transcript.transcript import (
    MAX_ANSWER_MARKS,
    RECEIVED_MARK_S,
    Transcript,
    TranscriptBusy,
    TranscriptFailed,
    read_marks,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runtime" / "transcripts" / "agent-001.raw"


@pytest.fixture
def transcript(path: Path) -> Iterator[Transcript]:
    with Transcript(path, wall=lambda: 1_700_000_000.5) as transcript:
        yield transcript


def test_bytes_are_in_the_file_as_soon_as_they_came(transcript: Transcript, path: Path) -> None:
    transcript.received(b"Login: \xff\x00", 1.0)
    assert path.read_bytes() == b"Login: \xff\x00"
    assert transcript.offset == 9


def test_a_second_session_appends_and_offsets_are_those_of_the_file(path: Path) -> None:
    with Transcript(path) as first:
        first.received(b"first session", 1.0)
    with Transcript(path) as second:
        assert second.offset == 13
        second.begin(7.0, columns=80, rows=24, dialect="ansi-bbs")
        second.received(b", second", 7.5)
    assert path.read_bytes() == b"first session, second"
    assert [mark.offset for mark in read_marks(path) if isinstance(mark, Received)] == [0, 13]


def test_nobody_else_reads_it(transcript: Transcript, path: Path) -> None:
    assert path.stat().st_mode & 0o077 == 0
    assert sidecar_of(path).stat().st_mode & 0o077 == 0


def test_marks_say_what_happened_where_and_when(transcript: Transcript, path: Path) -> None:
    transcript.begin(1.0, columns=80, rows=24, dialect="ansi-bbs", metadata={"transport": "telnet"})
    transcript.received(b"Password: ", 1.25)
    transcript.sent(b"hunter2\r", 1.5, by=Sender.LOGIN, secret=True)
    transcript.sent(b"\x1b[24;80R", 1.75, by=Sender.TERMINAL, offset=4)
    transcript.resized(132, 37, 2.0)
    transcript.end(3.0, kind="eof", detail="the other side closed")
    assert list(read_marks(path)) == [
        Opened(
            t=1.0,
            wall=1_700_000_000.5,
            offset=0,
            columns=80,
            rows=24,
            dialect="ansi-bbs",
            metadata={"transport": "telnet"},
        ),
        Received(1.25, 0),
        Sent(t=1.5, wall=1_700_000_000.5, offset=10, by=Sender.LOGIN, secret_bytes=8),
        Sent(t=1.75, wall=1_700_000_000.5, offset=4, by=Sender.TERMINAL, text="\x1b[24;80R"),
        Resized(2.0, 10, 132, 37),
        Closed(t=3.0, wall=1_700_000_000.5, offset=10, kind="eof", detail="the other side closed"),
    ]
    assert b"hunter2" not in sidecar_of(path).read_bytes()


@given(data=st.binary(max_size=60))
def test_what_was_sent_reads_back_byte_for_byte(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("sent") / "a.raw"
    with Transcript(path) as transcript:
        transcript.sent(data, 1.0, by=Sender.AGENT)
    (mark,) = read_marks(path)
    assert isinstance(mark, Sent)
    assert mark.text is not None
    assert mark.text.encode("latin-1") == data


def test_a_byte_a_packet_does_not_fill_the_sidecar(transcript: Transcript, path: Path) -> None:
    for packet in range(1000):
        transcript.received(b"x", packet * RECEIVED_MARK_S / 10)
    marks = list(read_marks(path))
    assert 90 <= len(marks) <= 101
    for mark in marks:
        assert isinstance(mark, Received)
        assert mark.t == pytest.approx(mark.offset * RECEIVED_MARK_S / 10)


@settings(deadline=None, max_examples=30)
@given(cut=st.integers(min_value=1, max_value=60))
def test_a_torn_line_is_told_of_and_swallows_no_other(cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("torn") / "a.raw"
    with Transcript(path) as first:
        first.sent(b"x", 1.0, by=Sender.AGENT)
        first.sent(b"y", 2.0, by=Sender.AGENT)
    sidecar = sidecar_of(path)
    sidecar.write_bytes(sidecar.read_bytes()[:-cut])
    kept, torn = read_marks(path)
    assert isinstance(kept, Sent)
    assert isinstance(torn, Torn) or (cut == 1 and isinstance(torn, Sent))
    with Transcript(path) as second:
        second.sent(b"z", 3.0, by=Sender.AGENT)
    assert list(read_marks(path))[:2] == [kept, torn]
    last = list(read_marks(path))[2]
    assert isinstance(last, Sent)
    assert last.text == "z"


def test_no_sidecar_is_no_marks(tmp_path: Path) -> None:
    assert list(read_marks(tmp_path / "none.raw")) == []


def test_a_second_writer_is_told_to_wait(transcript: Transcript, path: Path) -> None:
    with pytest.raises(TranscriptBusy, match="another session is writing"):
        Transcript(path)


def test_after_close_another_may_write_and_we_may_not(path: Path) -> None:
    first = Transcript(path)
    first.close()
    first.close()
    assert first.closed
    with Transcript(path), pytest.raises(TranscriptFailed, match="closed"):
        first.received(b"x", 1.0)


def test_a_full_disk_is_an_error_with_a_remedy(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(TranscriptFailed, match=r"No space left on device.*Make room"):
        transcript.received(b"x", 1.0)
    assert transcript.offset == 0


@pytest.mark.parametrize("name", ["agent.raw", "agent.raw.sent.jsonl"])
def test_a_link_is_not_followed(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to(tmp_path / "precious")
    with pytest.raises(TranscriptFailed, match="is a symbolic link"):
        Transcript(tmp_path / "agent.raw")
    assert not (tmp_path / "precious").exists()


def test_answers_without_end_are_counted_and_what_the_agent_types_is_kept(transcript: Transcript, path: Path) -> None:
    for number in range(10_000):
        transcript.answered(b"\x1b[1;1R", number / 1000, offset=number)
        if number % 100 == 0:
            transcript.sent(b"x", number / 1000, by=Sender.AGENT)
    transcript.end(10.0, kind="eof", detail="")
    sent = [mark.by for mark in read_marks(path) if isinstance(mark, Sent)]
    unmarked = [mark.answers for mark in read_marks(path) if isinstance(mark, Unmarked)]
    assert sent.count(Sender.AGENT) == 100
    assert sent.count(Sender.TERMINAL) == 10 * MAX_ANSWER_MARKS
    assert unmarked == [1000 - MAX_ANSWER_MARKS] * 10


def test_a_full_disk_in_the_middle_keeps_the_offset_true(
    transcript: Transcript, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    budget = 4

    def small_disk(descriptor: int, data: bytes) -> int:
        nonlocal budget
        if budget == 0:
            raise OSError(28, "No space left on device")
        written = write(descriptor, bytes(data)[: min(budget, 3)])
        budget -= written
        return written

    monkeypatch.setattr(os, "write", small_disk)
    with pytest.raises(TranscriptFailed, match="whole up to byte 4"):
        transcript.received(b"abcdefgh", 1.0)
    assert transcript.offset == 4
    assert path.read_bytes() == b"abcd"


def test_a_line_of_brackets_without_end_is_torn(transcript: Transcript, path: Path) -> None:
    deep = '{"mark":"open","metadata":' + "[" * 100_000
    sidecar_of(path).write_text(deep + "\n")
    transcript.sent(b"x", 1.0, by=Sender.AGENT)
    torn, sent = read_marks(path)
    assert torn == Torn(1, deep)
    assert isinstance(sent, Sent)


def test_a_path_that_cannot_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(TranscriptFailed, match="cannot open"):
        Transcript(tmp_path / "file" / "a.raw")


_WRITER = """
import itertools, sys
from tty_agent.transcript.transcript import Sender, Transcript
transcript = Transcript(sys.argv[1])
transcript.begin(0.0, columns=80, rows=24, dialect="ansi-bbs")
for number in itertools.count():
    transcript.received(b"%08d\\n" % number, float(number))
    transcript.sent(b"y", float(number), by=Sender.AGENT)
    sys.stdout.write("%d\\n" % number)
    sys.stdout.flush()
"""


def test_kill_9_loses_nothing_that_was_told_of(path: Path) -> None:
    """Case 129: two sessions, the first killed; both are there and the offsets are right."""
    with subprocess.Popen([sys.executable, "-c", _WRITER, path], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        told = [int(writer.stdout.readline()) for _ in range(200)]
        writer.send_signal(signal.SIGKILL)
        writer.wait(10)
    lines = path.read_bytes().splitlines()
    assert [int(line) for line in lines[: len(told)]] == told
    with Transcript(path) as second:
        before = second.offset
        assert before == path.stat().st_size
        second.begin(5.0, columns=80, rows=24, dialect="ansi-bbs")
        second.received(b"second session", 5.0)
    assert path.read_bytes()[before:] == b"second session"
    marks = [mark for mark in read_marks(path) if isinstance(mark, Opened)]
    assert [mark.offset for mark in marks] == [0, before]
    sent = [mark for mark in read_marks(path) if isinstance(mark, Sent)]
    assert [mark.offset for mark in sent[:200]] == [9 * (number + 1) for number in told]
