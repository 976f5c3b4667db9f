"""What an account chose for its terminal, put over what was found out."""

from __future__ import annotations

from typing import Final

from agentbbs.calls.line import Size
from agentbbs.hub.caller import Caller
from agentbbs.hub.visit import Visit
from agentbbs.store import preferences
from agentbbs.store.preferences import Ansi, Preferences
from agentbbs.store.preferences import Encoding as Chosen
from tty_agent.terminal.dialect import Encoding

_ENCODINGS: Final = {Chosen.CP437: Encoding.CP437, Chosen.UTF8: Encoding.UTF_8}


async def apply(visit: Visit) -> None:
    """Set the caller's terminal as its account chose."""
    if visit.visitor.account is not None:
        put(visit.caller, await visit.board.database.look_up(preferences.of_account, visit.visitor.account))


def put(caller: Caller, chosen: Preferences) -> None:
    """Set a terminal as `chosen`; `auto` leaves it as it is."""
    if chosen.encoding in _ENCODINGS:
        caller.encoding = _ENCODINGS[chosen.encoding]
    if chosen.ansi is not Ansi.AUTO:
        caller.ansi = chosen.ansi is Ansi.YES
    if chosen.columns or chosen.rows:
        caller.size = Size.told(chosen.columns or caller.size.columns, chosen.rows or caller.size.rows)


def described(caller: Caller) -> str:
    """What a terminal is sent: `80x24 CP437 ANSI`."""
    letters = "ASCII" if caller.look.seven_bit else caller.encoding.value.upper()
    return f"{caller.size.columns}x{caller.size.rows} {letters} {'ANSI' if caller.ansi else 'plain'}"
