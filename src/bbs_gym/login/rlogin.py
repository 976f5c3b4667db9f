"""Rlogin: name and password as fields of the connection, and the door to go straight into, if any.

RFC 1282 calls the fields the client's user, the server's user and TERM/SPEED. Synchronet and the house read them alike,
the **password** first and the name second. The order is `tty_agent`'s to keep: it takes both by name. A terminal
`xtrn=CODE` leads into a door without menus, and the end of the door is the end of the call.
"""

from __future__ import annotations

import re
from typing import Final

from bbs_gym.hosts.host import Endpoint
from bbs_gym.login.call import Call
from bbs_gym.login.dialogue import Dialogue, Stage
from bbs_gym.login.fault import FaultKind, LoginFault, untypable
from bbs_gym.login.prompts import Manners
from tty_agent.transports.rlogin import DEFAULT_TERMINAL_TYPE, Rlogin

SPEED: Final = 115200
"""Bits a second; BBSes want one behind the terminal, and none does anything with it."""

_CODE: Final = re.compile(r"[A-Za-z0-9_.-]{1,32}")
"""Of a door: anything else would be another field, or a speed."""


def rlogin_call(
    alias: str, password: str | None, endpoint: Endpoint, manners: Manners, *, door: str | None = None
) -> Call:
    """A call by rlogin. Without a password the field is empty: some BBSes let certain addresses in by name alone.
    Raises LoginFault for a door's code that can be none, and for characters that the fields can't carry."""
    if not all(_fits(text) for text in (alias, password or "")):
        raise untypable(alias)
    return Call(
        transport=Rlogin(
            endpoint.host,
            endpoint.port,
            user=alias,
            password=password or "",
            terminal_type=terminal_type(door),
        ),
        dialogue=Dialogue(
            manners,
            name=alias,
            stage=Stage.CHECKING,
            has_password=password is not None,
            to_door=door is not None,
            named_by_line=True,
        ),
        alias=alias,
    )


def _fits(field: str) -> bool:
    """The fields are Latin-1, and a NUL ends them."""
    return "\0" not in field and all(ord(character) < 0x100 for character in field)


def terminal_type(door: str | None) -> str:
    """The third field. Raises LoginFault."""
    if door is None:
        return DEFAULT_TERMINAL_TYPE
    if not _CODE.fullmatch(door):
        raise LoginFault(FaultKind.NO_DOOR, "a door's code is up to 32 letters, digits, dots, dashes and underscores")
    return f"xtrn={door}/{SPEED}"
