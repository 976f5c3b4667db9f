"""A stay in a door: the caller's line handed over, and what is said when it ends. For the menu's doors and rlogin's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Final

import structlog

from agentbbs.calls.line import Line, LineGone, Size
from agentbbs.doors.config import Door
from agentbbs.doors.dropfiles import SYSOP_SECURITY, DropfileFacts
from agentbbs.doors.ending import DoorEnd, EndKind
from agentbbs.doors.runner import DoorRunner
from agentbbs.hub.caller import Caller
from agentbbs.hub.terminal import Raw
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.visit import Visit

MEMBER_SECURITY: Final = 50
"""Of whoever is no sysop, in dropfiles; as on a Synchronet board."""

_log = structlog.get_logger("doors")

_SAID: Final = {
    EndKind.EXITED: "{title}: good-bye.",
    EndKind.CRASHED: "{title} crashed.",
    EndKind.HUNG: "{title} did not go on, and was ended.",
    EndKind.TIME_LIMIT: "Your time in {title} is up.",
    EndKind.IDLE: "You typed nothing for too long: {title} was ended.",
    EndKind.BUSY: "{title} is not free: {detail}.",
    EndKind.REFUSED: "{title} can't be run at the moment.",
}
_REPORTED: Final = " The sysop finds the reason in the log."


def find_door(runner: DoorRunner, name: str) -> Door | None:
    """The door that a caller names, as in rlogin's `xtrn=DOOR`: by its id, in any case."""
    return runner.doors.get(name.strip().lower())


async def enter(visit: Visit, door: Door) -> DoorEnd:
    """One stay, reported to the caller and in the log. Raises LineGone when the line went."""
    caller = visit.caller
    runner: DoorRunner = visit.board.doors
    caller.clear()
    size, encoding = caller.size, caller.encoding
    async with caller.raw() as raw:
        end = await runner.run(
            door,
            _facts(visit, runner),
            _RawLine(raw, visit.line, caller),
            encoding=encoding,
            size=size,
            terminal=visit.line.terminal,
        )
    say = _log.warning if end.fault else _log.info
    say(
        "door_ended",
        door=door.id,
        node=visit.node,
        account=visit.visitor.name,
        kind=end.kind.value,
        detail=end.detail,
        code=end.code,
        seconds=round(end.seconds, 1),
    )
    if end.kind is EndKind.HUNG_UP:
        raise LineGone(end.detail)
    caller.say()
    caller.say(*_report(door, end, sysop=visit.visitor.sysop))
    return end


def _report(door: Door, end: DoorEnd, *, sysop: bool) -> tuple[Text, ...]:
    text = _SAID[end.kind].format(title=door.title, detail=end.detail)
    if not end.fault:
        return (text,)
    return (Span(text, Style.BAD), f" {end.detail}." if sysop else _REPORTED)


def _facts(visit: Visit, runner: DoorRunner) -> DropfileFacts:
    visitor, caller = visit.visitor, visit.caller
    return DropfileFacts(
        board=runner.board,
        sysop=runner.sysop,
        node=visit.node,
        record=visitor.account or 0,
        handle=visitor.name,
        security=SYSOP_SECURITY if visitor.sysop else MEMBER_SECURITY,
        now=datetime.fromtimestamp(visit.began_ms / 1000, tz=UTC).astimezone(),
        ansi=caller.ansi,
        columns=caller.size.columns,
        rows=caller.size.rows,
    )


class _RawLine:
    """The line while the caller's terminal rests: its bytes through `raw`, and its size to both."""

    def __init__(self, raw: Raw, line: Line, caller: Caller) -> None:
        self.read: Callable[[], Awaitable[bytes]] = raw.read
        self.write: Callable[[bytes], None] = raw.write
        self.drain: Callable[[], Awaitable[None]] = raw.drain
        self._line = line
        self._caller = caller

    def on_resize(self, told: Callable[[Size], None] | None) -> None:
        """As `DoorLine` says; the caller's terminal goes on to hear of it too."""

        def both(size: Size) -> None:
            self._caller.size = size
            if told is not None:
                told(size)

        self._line.on_resize(both)
