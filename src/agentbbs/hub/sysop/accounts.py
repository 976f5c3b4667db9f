"""The accounts: found, given another password, banned, removed."""

from __future__ import annotations

import secrets
from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.sysop.asking import ask_ban_length, ask_reason
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import QUIT, Command, command, heading
from agentbbs.hub.visit import Visit
from agentbbs.hub.writing import sentence
from agentbbs.store import accounts, bans, credentials, keys, visits
from agentbbs.store.accounts import Account, NoSuchAccount
from agentbbs.store.bans import BanFault
from agentbbs.store.logins import TooBusy
from agentbbs.store.names import MAX_CHARS
from agentbbs.store.wording import TextFault

PASSWORD_BYTES: Final = 12
"""Of a password that the house makes up: 16 characters, 96 random bits."""

_FIND: Final = Command("F", "find")
_PASSWORD: Final = Command("P", "new password")
_BAN: Final = Command("B", "ban")
_REMOVE: Final = Command("X", "remove")

_TABLE: Final = (Column("Name", MAX_CHARS), Column("Sysop", 5), Column("Password", 8), Column("Since (UTC)", None))


async def run(visit: Visit, sysop: int) -> None:
    """The list; one is chosen by its number."""
    caller, database = visit.caller, visit.board.database
    listing = Listing(caller)
    part = ""
    while True:
        every = await database.read(accounts.all_accounts)
        found = [one for one in every if part in one.name.lower()]
        rows = [
            (
                Span(one.name, Style.NAME),
                Span("yes" if one.sysop else ""),
                Span("yes" if one.password_hash else ""),
                Span(moments.stamp(one.created_ms)),
            )
            for one in found
        ]
        said = f"Those with {part!r} in their names." if part else ""
        chosen = await listing.pick("Accounts", _TABLE, rows, [_FIND], right=f"{len(found)} of {len(every)}", said=said)
        if chosen == QUIT.key:
            return
        if chosen == _FIND.key:
            part = (await caller.ask("Part of the name (Enter: all): ") or "").lower()
            listing.from_the_top()
        else:
            await _one(visit, sysop, found[int(chosen)])


async def _one(visit: Visit, sysop: int, account: Account) -> None:
    caller, database = visit.caller, visit.board.database
    commands = (_PASSWORD, _BAN, _REMOVE, QUIT)
    heading(caller, "An account", commands, right=account.name)
    seen = await database.look_up(visits.last_seen_ms, account.id)
    key_count = len(await database.look_up(keys.of_account, account.id))
    tokens = len(await database.look_up(credentials.valid_tokens, account.id))
    caller.say(Span(account.name, Style.NAME), f", number {account.id}, since {moments.stamp(account.created_ms)} UTC")
    caller.say(f"Keys: {key_count}. Tokens: {tokens}. Last call: {'never' if seen is None else moments.stamp(seen)}.")
    key = await command(caller, commands)
    if key == QUIT.key:
        return
    if key == _PASSWORD.key:
        said = await _new_password(visit, sysop, account)
    elif key == _BAN.key:
        said = await ban(visit, sysop, account.name)
    else:
        said = await _remove(visit, sysop, account)
    caller.say(said)
    await caller.pause()


async def _new_password(visit: Visit, sysop: int, account: Account) -> Text:
    caller, board = visit.caller, visit.board
    if not await caller.yes_no(f"Give {account.name} a new password, in place of the old one?", default=False):
        return "Nothing was changed."
    password = secrets.token_urlsafe(PASSWORD_BYTES)
    try:
        password_hash = await board.passwords.hash(password, visit.line.address)
        await board.database.write(credentials.set_password, account.id, password_hash, by=sysop, now_ms=board.now_ms())
    except (TooBusy, NoSuchAccount) as fault:
        return sentence(fault)
    return ("The new password, shown this once: ", Span(password, Style.TITLE))


async def ban(visit: Visit, sysop: int, name: str) -> Text:
    """Ban an account and end its visits; how it went."""
    caller, board = visit.caller, visit.board
    until = await ask_ban_length(caller, board.now_ms())
    reason = None if until is None else await ask_reason(caller)
    if until is None or not reason:
        return "Nobody was banned."
    try:
        await board.database.write(
            bans.ban_account, sysop, name, reason=reason, until_ms=until.at_ms, now_ms=board.now_ms()
        )
    except (NoSuchAccount, BanFault, TextFault) as fault:
        return sentence(fault)
    await board.recheck()
    return Span(f"{name} is banned.", Style.GOOD)


async def _remove(visit: Visit, sysop: int, account: Account) -> Text:
    caller, board = visit.caller, visit.board
    caller.say("The account's keys, tokens and mail go; its matches and posts stay, and so does its name's place.")
    typed = await caller.ask(f"Type the name to remove {account.name}: ")
    if typed != account.name:
        return "Nobody was removed."
    try:
        await board.database.write(credentials.remove_account, sysop, account.name, now_ms=board.now_ms())
    except (NoSuchAccount, credentials.OwnAccount) as fault:
        return sentence(fault)
    await board.recheck()
    return Span(f"{account.name} is removed.", Style.GOOD)
