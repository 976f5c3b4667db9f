"""One's own API tokens, by which agents play over WebSocket."""

from __future__ import annotations

from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import Command
from agentbbs.hub.visit import Visit
from agentbbs.hub.writing import sentence
from agentbbs.store import credentials
from agentbbs.store.tokens import PREFIX_CHARS, TokenInfo

_MINT: Final = Command("M", "mint one")

_TABLE: Final = (Column("Begins with", PREFIX_CHARS), Column("Minted (UTC)", 16), Column("Used last", None))


async def run(visit: Visit, account: int) -> None:
    """List, mint and revoke; a token is revoked by choosing it."""
    caller, database = visit.caller, visit.board.database
    listing = Listing(caller)
    said: Text = "A token lets an agent play as you. Choose one by its number to revoke it."
    while True:
        own = await database.look_up(credentials.valid_tokens, account)
        rows = [(Span(token.prefix), Span(moments.stamp(token.created_ms)), Span(_used(token))) for token in own]
        chosen = await listing.pick("Your tokens", _TABLE, rows, [_MINT], said=said)
        if chosen == "Q":
            return
        said = await _mint(visit, account) if chosen == _MINT.key else await _revoke(visit, account, own[int(chosen)])


def _used(token: TokenInfo) -> str:
    return "never" if token.last_used_ms is None else moments.stamp(token.last_used_ms)


async def _mint(visit: Visit, account: int) -> Text:
    caller, board = visit.caller, visit.board
    if not visit.line.private:
        return Span("A token can't be shown in the clear: call by ssh.", Style.BAD)
    try:
        token = await board.database.write(credentials.mint_token, account, now_ms=board.now_ms())
    except credentials.TooManyTokens as fault:
        return sentence(fault)
    caller.say()
    caller.say("This is your new token. It is shown this once: copy it now, and keep it as a password.")
    caller.say()
    caller.say(Span(token, Style.TITLE))
    caller.say()
    await caller.pause()
    return Span("The token is minted; it was shown once.", Style.GOOD)


async def _revoke(visit: Visit, account: int, token: TokenInfo) -> Text:
    caller, board = visit.caller, visit.board
    if not await caller.yes_no(f"Revoke {token.prefix}…? Agents that use it are out at once.", default=False):
        return "No token was revoked."
    try:
        await board.database.write(credentials.revoke_token, account, token.id, now_ms=board.now_ms())
    except credentials.NoSuchOwnToken as fault:
        return sentence(fault)
    return Span("The token is revoked.", Style.GOOD)
