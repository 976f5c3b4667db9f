"""How an rlogin line begins (RFC 1282), and the window's size in the midst of it, without the line.

The client sends NUL, then three fields, each ended by NUL. The RFC calls them the client's user, the server's user
and TERM/SPEED. BBSes of Synchronet's kin, and this one, read the first as the **password** and the second as the
user's name. Whoever swaps them offers a password as a name, so neither is ever shown or logged.

The server answers with one NUL, and asks by the urgent byte 0x80 for the size of the window, which then comes in band
as 0xFF 0xFF `s` `s` and four numbers of two bytes: rows, columns, and two of pixels. Any other 0xFF is data.
"""

from __future__ import annotations

from typing import Final

import msgspec

ACKNOWLEDGEMENT: Final = b"\0"

WINDOW_SIZE_REQUEST: Final = b"\x80"
"""Sent as urgent data."""

MAX_FIELD_BYTES: Final = 256
"""Of each field: far more than a name, a password or a terminal's name has."""

DOOR_PREFIX: Final = "xtrn="
"""In the terminal's field: what follows is the door to go into at once, as at Synchronet."""

_FIELDS: Final = 3
_MESSAGE: Final = b"\xff\xffss"
_MESSAGE_BYTES: Final = 12


class Greeting(msgspec.Struct, frozen=True):
    """What the client sent first. Its repr holds neither name nor password."""

    password: str
    name: str
    terminal: str
    """Without the speed; "" where a door is named in its place."""
    door: str | None

    def __repr__(self) -> str:
        return "Greeting(...)"


class BadHandshake(ValueError):
    """This is no rlogin. The text says why, and holds nothing of what came."""


class Handshake:
    """Takes the first bytes of a connection, cut anywhere."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def receive(self, data: bytes) -> tuple[Greeting, bytes] | None:
        """The greeting and what follows it, or None until it is complete. Raises BadHandshake. Call it no more after
        either."""
        self._pending += data
        if not self._pending:
            return None
        if self._pending[0] != 0:
            raise BadHandshake("its first byte is not NUL")
        fields = self._pending[1:].split(b"\0", _FIELDS)
        whole = fields[:_FIELDS]
        if any(len(field) > MAX_FIELD_BYTES for field in whole):
            raise BadHandshake("one of its fields is too long")
        if len(fields) <= _FIELDS:
            return None
        self._pending.clear()
        return _greeting(*(_text(bytes(field)) for field in whole)), bytes(fields[_FIELDS])

    def __repr__(self) -> str:
        return "Handshake(...)"


class WindowSizes:
    """Takes the sizes out of what comes after the handshake, cut anywhere.

    A 0xFF at the end of a piece may begin a size, and is kept until more comes; if nothing does, `flush` gives it back.
    """

    def __init__(self) -> None:
        self.size: tuple[int, int] | None = None
        """Columns and rows as last told; None before."""
        self._pending = b""

    @property
    def waits(self) -> bool:
        """Whether something is kept."""
        return bool(self._pending)

    def receive(self, data: bytes) -> bytes:
        """The terminal bytes among these and what was kept."""
        data, self._pending = self._pending + data, b""
        found = data.find(_MESSAGE[0])
        if found < 0:
            return data
        terminal, position = bytearray(), 0
        while found >= 0:
            message = data[found : found + _MESSAGE_BYTES]
            terminal += data[position:found]
            position = found
            if not message.startswith(_MESSAGE[: len(message)]):  # the part of it that is there
                terminal += data[found : found + 1]
                position = found + 1
            elif len(message) < _MESSAGE_BYTES:
                self._pending = message
                return bytes(terminal)
            else:
                self.size = (int.from_bytes(message[6:8], "big"), int.from_bytes(message[4:6], "big"))
                position = found + _MESSAGE_BYTES
            found = data.find(_MESSAGE[0], position)
        return bytes(terminal + data[position:])

    def flush(self) -> bytes:
        """What was kept, as data: no size followed."""
        kept, self._pending = self._pending, b""
        return kept


def _greeting(password: str, name: str, terminal: str) -> Greeting:
    terminal = terminal.partition("/")[0]
    if terminal[: len(DOOR_PREFIX)].lower() == DOOR_PREFIX:
        return Greeting(password, name, "", terminal[len(DOOR_PREFIX) :] or None)
    return Greeting(password, name, terminal, None)


def _text(field: bytes) -> str:
    """UTF-8, or what cannot be that: Latin-1."""
    try:
        return field.decode("utf-8")
    except UnicodeDecodeError:
        return field.decode("latin-1")
