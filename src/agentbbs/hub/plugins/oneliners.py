"""The wall: a line for those who come next."""

from __future__ import annotations

from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.plugin import Access
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import QUIT, Command, command, heading
from agentbbs.hub.visit import Visit
from agentbbs.hub.writing import sentence
from agentbbs.store import oneliners
from agentbbs.store.oneliners import MAX_CHARS, NoSuchOneliner, Oneliner, TooManyOneliners
from agentbbs.store.wording import TextFault

FRAME_ROWS: Final = 7
"""The bar, the hotkeys, an empty row, what is said, the prompt, and a little for lines that wrap."""

_WRITE: Final = Command("W", "write one")
_ALL: Final = Command("A", "all of them")
_STRIKE: Final = Command("X", "take one off")


class Oneliners:
    """The plugin."""

    id = "oneliners"
    title = "One-liners"
    key = "O"
    access = Access.GUEST

    async def run(self, visit: Visit) -> None:
        """Read and write, until the caller wants back."""
        caller, board, account = visit.caller, visit.board, visit.visitor.account
        commands = [*([] if account is None else [_WRITE]), _ALL, *([_STRIKE] if visit.visitor.sysop else []), QUIT]
        board.presence.set_doing(visit.node, "at the wall")
        said: Text = ""
        whole = False
        while True:
            wall = await board.database.read(oneliners.newest)
            heading(caller, self.title, commands)
            shown = wall if whole else wall[: max(caller.size.rows - FRAME_ROWS, 1)]
            lines = [_line(one, number + 1, numbered=visit.visitor.sysop) for number, one in enumerate(shown)]
            await caller.show(lines[::-1] or [Span("Nobody has written here yet.", Style.DIM)])
            caller.say(said)
            chosen = await command(caller, commands)
            said, whole = "", chosen == _ALL.key
            if chosen == QUIT.key:
                return
            if chosen == _WRITE.key and account is not None:
                said = await self._write(visit, account)
            elif chosen == _STRIKE.key:
                said = await self._strike(visit, wall)

    async def _write(self, visit: Visit, account: int) -> Text:
        text = await visit.caller.ask("> ", max_chars=MAX_CHARS)
        if not text:
            return Span("Nothing was written.", Style.DIM)
        try:
            await visit.board.database.write(oneliners.write, account, text, now_ms=visit.board.now_ms())
        except (TextFault, TooManyOneliners) as fault:
            return sentence(fault)
        return Span("It is on the wall.", Style.GOOD)

    async def _strike(self, visit: Visit, wall: tuple[Oneliner, ...]) -> Text:
        number = await visit.caller.ask("Take which off (number)? ", max_chars=4)
        if not number or not number.isascii() or not number.isdigit() or not 1 <= int(number) <= len(wall):
            return Span("There is no such one.", Style.BAD)
        one = wall[int(number) - 1]
        try:
            await visit.board.database.write(
                oneliners.remove, visit.visitor.account or 0, one.id, now_ms=visit.board.now_ms()
            )
        except NoSuchOneliner as fault:
            return sentence(fault)
        return Span("It is off the wall.", Style.GOOD)


def _line(one: Oneliner, number: int, *, numbered: bool) -> Text:
    when = Span(moments.stamp(one.written_ms)[5:10], Style.DIM)
    before = Span(f"{number:>3} ", Style.NUMBER) if numbered else ""
    return (before, when, " ", Span(one.author, Style.NAME), f": {one.text}")


PLUGIN: Final = Oneliners()
