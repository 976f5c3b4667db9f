"""How an end reads."""

from __future__ import annotations

import signal

import pytest

from agentbbs.doors.ending import DoorEnd, EndKind, ended_by_itself, told_status


@pytest.mark.parametrize(
    ("code", "kind", "detail", "fault"),
    [
        (0, EndKind.EXITED, "it ended", False),
        (3, EndKind.EXITED, "it ended with status 3", True),
        (126, EndKind.EXITED, "its command can't be run (status 126)", True),
        (127, EndKind.EXITED, "its command was not found (status 127)", True),
        (-11, EndKind.CRASHED, "it crashed (SIGSEGV)", True),
        (-40, EndKind.CRASHED, "it crashed (signal 40)", True),
        (None, EndKind.HUNG, "it let go of its terminal and went on", True),
    ],
)
def test_an_end_by_itself(code: int | None, kind: EndKind, detail: str, fault: bool) -> None:
    end = ended_by_itself(code, 1.5)
    assert (end.kind, end.detail, end.code, end.seconds, end.fault) == (kind, detail, code, 1.5, fault)


@pytest.mark.parametrize("kind", [EndKind.TIME_LIMIT, EndKind.IDLE, EndKind.HUNG_UP, EndKind.BUSY])
def test_what_a_caller_does_is_no_fault_of_the_door(kind: EndKind) -> None:
    assert not DoorEnd(kind, "", -signal.SIGHUP).fault


def test_the_cage_tells_of_signals_as_shells_do() -> None:
    assert told_status(128 + signal.SIGSEGV, caged=True) == -signal.SIGSEGV
    assert told_status(128 + signal.SIGSEGV, caged=False) == 128 + signal.SIGSEGV
    assert told_status(128, caged=True) == 128
    assert told_status(255, caged=True) == 255
    assert told_status(-9, caged=True) == -9
