"""One's own SSH keys."""

from __future__ import annotations

from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import Command
from agentbbs.hub.visit import Visit
from agentbbs.hub.writing import sentence
from agentbbs.store import credentials, keys
from agentbbs.store.keys import MAX_LINE_CHARS, KeyFault, StoredKey

_ADD: Final = Command("A", "add a key")

_TABLE: Final = (Column("Added", 10), Column("Fingerprint", 50), Column("Comment", None))


async def run(visit: Visit, account: int) -> None:
    """List, add and remove; a key is removed by choosing it."""
    caller, database = visit.caller, visit.board.database
    listing = Listing(caller)
    said: Text = "Choose a key by its number to remove it."
    while True:
        own = await database.look_up(keys.of_account, account)
        rows = [(Span(moments.stamp(key.added_ms)[:10]), Span(key.fingerprint), Span(key.comment)) for key in own]
        chosen = await listing.pick("Your SSH keys", _TABLE, rows, [_ADD], said=said)
        if chosen == "Q":
            return
        said = await _add(visit, account) if chosen == _ADD.key else await _remove(visit, account, own[int(chosen)])


async def _add(visit: Visit, account: int) -> Text:
    caller, board = visit.caller, visit.board
    caller.say("Paste the line of your .pub file: it begins with a word such as ssh-ed25519. Escape: back.")
    line = await caller.ask("Key: ", max_chars=MAX_LINE_CHARS)
    if not line:
        return "No key was added."
    try:
        added = await board.database.write(credentials.add_key, account, keys.parse(line), now_ms=board.now_ms())
    except KeyFault as fault:
        return sentence(fault)
    return Span(f"Added {added.fingerprint}.", Style.GOOD)


async def _remove(visit: Visit, account: int, key: StoredKey) -> Text:
    caller, board = visit.caller, visit.board
    if not await caller.yes_no(f"Remove {key.fingerprint}?", default=False):
        return "No key was removed."
    try:
        await board.database.write(credentials.remove_key, account, key.id, now_ms=board.now_ms())
    except KeyFault as fault:
        return sentence(fault)
    return Span("The key is removed.", Style.GOOD)
