"""The wall: a line for those who come next."""

from __future__ import annotations

from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.listing import Listing
from agentbbs.hub.plugin import Access
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import Command, cell
from agentbbs.hub.visit import Visit
from agentbbs.hub.writing import sentence
from agentbbs.store import oneliners
from agentbbs.store.oneliners import MAX_CHARS, NoSuchOneliner, Oneliner, TooManyOneliners
from agentbbs.store.wording import TextFault

_WRITE: Final = Command("W", "write one")
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
        listing = Listing(caller)
        said: Text = ""
        while True:
            wall = await board.database.read(oneliners.newest)
            commands = ([] if account is None else [_WRITE]) + ([_STRIKE] if visit.visitor.sysop else [])
            rows: list[Text] = [
                (
                    cell(caller, one.author, 12, Style.NAME),
                    Span(f" {moments.stamp(one.written_ms)[5:10]} ", Style.DIM),
                    one.text,
                )
                for one in wall
            ]
            chosen = await listing.pick(self.title, "", rows, commands, said=said)
            said = ""
            if chosen == "Q":
                return
            if chosen == _WRITE.key and account is not None:
                said = await self._write(visit, account)
            elif chosen == _STRIKE.key:
                said = await self._strike(visit, wall)
            elif isinstance(chosen, int):
                said = (Span(wall[chosen].author, Style.NAME), ": ", Span(wall[chosen].text, Style.QUOTE))

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


PLUGIN: Final = Oneliners()
