"""The audit log, the newest first."""

from __future__ import annotations

from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import QUIT, Command
from agentbbs.hub.visit import Visit
from agentbbs.store import audit
from agentbbs.store.audit import PAGE

_OLDER: Final = Command("O", "older")
_NEWEST: Final = Command("N", "newest")

_TABLE: Final = (Column("When (UTC)", 16), Column("Who", 16), Column("What", 18), Column("Whom", None))


async def run(visit: Visit, _sysop: int) -> None:
    """Pages of entries; one that is chosen is shown whole."""
    caller, database = visit.caller, visit.board.database
    listing = Listing(caller)
    before: int | None = None
    said: Text = ""
    while True:
        entries = await database.read(audit.entries, before=before)
        rows = [
            (Span(moments.stamp(one.at_ms)), Span(one.actor, Style.NAME), Span(one.action.value), Span(one.target))
            for one in entries
        ]
        commands = ([_OLDER] if len(entries) == PAGE else []) + ([] if before is None else [_NEWEST])
        chosen = await listing.pick("Audit log", _TABLE, rows, commands, said=said)
        said = ""
        if chosen == QUIT.key:
            return
        if isinstance(chosen, int):
            one = entries[chosen]
            said = (Span(f"{one.actor}: {one.action.value}", Style.NAME), f" {one.target}  {one.detail}")
        else:
            before = entries[-1].id if chosen == _OLDER.key else None
            listing.from_the_top()
