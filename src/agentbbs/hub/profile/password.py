"""A new password for oneself."""

from __future__ import annotations

import math

from agentbbs.hub.registration import choose_password
from agentbbs.hub.text import Span, Style
from agentbbs.hub.visit import Visit
from agentbbs.store import accounts, credentials, proofs
from agentbbs.store.passwords import MAX_CHARS, MIN_CHARS


async def change(visit: Visit, account: int) -> None:
    """Ask for the old one, if there is one, then twice for the new one."""
    caller, board = visit.caller, visit.board
    caller.say()
    if not visit.line.private:
        caller.say(Span("A password can't be chosen in the clear: call by ssh.", Style.BAD))
    elif await _proved(visit, account):
        caller.say(f"Choose a password of at least {MIN_CHARS} characters. It is not shown. Escape: back.")
        password_hash, _ = await choose_password(caller, board.passwords, visit.line.address, optional=False)
        if password_hash is None:
            caller.say("Your password is as it was.")
        else:
            _keep_in(visit, password_hash)
            await board.database.write(
                credentials.set_password, account, password_hash, by=account, now_ms=board.now_ms()
            )
            caller.say(Span("Your password is changed.", Style.GOOD))
    await caller.pause()


def _keep_in(visit: Visit, password_hash: str) -> None:
    """Whoever came in by the old password stays: before the new one is stored, for at once others are expelled."""
    presence = visit.board.presence
    present = presence.on_node(visit.node)
    if present is not None and any(map(proofs.is_password, present.proofs)):
        presence.set_proofs(visit.node, (*present.proofs, proofs.of_password(password_hash)))


async def _proved(visit: Visit, account: int) -> bool:
    """Whether the old password was given, or there is none: somebody may have left a terminal alone."""
    caller, board = visit.caller, visit.board
    own = await board.database.look_up(accounts.get, account)
    if own.password_hash is None:
        return True
    old = await caller.ask("Your password now: ", mask=True, max_chars=MAX_CHARS, strip=False)
    if old is None:
        return False
    login = await board.passwords.check(own.name, old, visit.line.address)
    if login.account == account:
        return True
    if login.wait_s > 0:
        caller.say(Span(f"Too many tries have failed. Wait {math.ceil(login.wait_s)} s.", Style.BAD))
    else:
        caller.say(Span("That is not your password.", Style.BAD))
    return False
