"""What comes out of a screen beside its picture."""

from __future__ import annotations

import msgspec


class Reply(msgspec.Struct, frozen=True):
    """The terminal's answer to a query, made from the state of that point in the stream.

    Whoever has the line sends `data` at once. Who replays a transcript does not.
    """

    offset: int
    """Bytes fed to the screen up to and with the query's last one."""
    data: bytes


class Music(msgspec.Struct, frozen=True):
    """A tune in ANSI music that was swallowed."""

    offset: int
    """As in `Reply`, of its last byte."""
    tune: str
    """At most `MAX_STRING_BYTES` (parser.py) of it."""


Event = Reply | Music
