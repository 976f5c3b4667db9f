"""How an rlogin line begins (RFC 1282), without the line.

The client sends NUL, then three fields, each ended by NUL. The RFC calls them the client's user, the server's user
and TERM/SPEED. BBSes of Synchronet's kin read the first as the **password** and the second as the user's name;
swapped, the password is shown on the screen and written to the server's log as an unknown name. The server
acknowledges with one NUL before anything else, which not every server sends.
"""

from __future__ import annotations

WINDOW_SIZE_REQUEST = 0x80
"""Sent by the server as urgent data: from now on the client tells the size of its window."""


def greeting(*, user: str, password: str, terminal_type: str) -> bytes:
    """What the client sends first. `terminal_type` is TERM/SPEED, or `xtrn=CODE/SPEED` for a door.

    Fields are Latin-1. Raises ValueError, without the value, for a field that holds a NUL or another character
    that has no place in it.
    """
    fields = (("password", password), ("user", user), ("terminal type", terminal_type))
    return b"\0" + b"".join(_field(name, value) + b"\0" for name, value in fields)


def _field(name: str, value: str) -> bytes:
    try:
        encoded = value.encode("latin-1")
    except UnicodeEncodeError:
        raise ValueError(f"the {name} has a character that rlogin cannot send: use Latin-1") from None
    if b"\0" in encoded:
        raise ValueError(f"the {name} has a NUL in it, which would end the field")
    return encoded


class Acknowledgement:
    """Takes the server's NUL away: the very first byte, if it is one; never a later one."""

    def __init__(self) -> None:
        self._first = True

    def receive(self, data: bytes) -> bytes:
        """The terminal bytes of a piece of the stream, cut anywhere."""
        if not self._first or not data:
            return data
        self._first = False
        return data[1:] if data[0] == 0 else data


def window_size(columns: int, rows: int) -> bytes:
    """The window-size message, in band. Send it only after `WINDOW_SIZE_REQUEST` came: else it is typed text."""
    sides = (rows, columns, 0, 0)  # the last two are pixels, which we do not have
    return b"\xff\xffss" + b"".join(min(max(side, 0), 0xFFFF).to_bytes(2, "big") for side in sides)
