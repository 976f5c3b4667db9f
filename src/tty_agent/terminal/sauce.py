"""SAUCE: the record at the end of an `.ans` file that says how its art is to be shown.

The last 128 bytes of a file, behind a 0x1A (EOF); comments may stand between. Source: SAUCE 00.5 by ACiD.
"""

from __future__ import annotations

from typing import Final

import msgspec

from tty_agent.terminal.dialect import ANSI_BBS, Dialect, Wrap

RECORD_BYTES: Final = 128
COMMENT_BYTES: Final = 64
"""Of one line of comment; a block of them begins with `COMNT`."""

DEFAULT_COLUMNS: Final = 80
MAX_COLUMNS: Final = 1000
"""A record that says more is wrong, and its width is not believed."""

_EOF: Final = b"\x1a"
_ICE_FLAG: Final = 0x01


class Sauce(msgspec.Struct, frozen=True):
    """What a record says."""

    title: str
    author: str
    group: str
    date: str
    """CCYYMMDD."""
    columns: int
    rows: int
    """Lines of the art, 0 if not told."""
    ice_colors: bool

    @property
    def dialect(self) -> Dialect:
        """How the art was drawn: as on a BBS, but with the wrap pending."""
        return msgspec.structs.replace(ANSI_BBS, wrap=Wrap.PENDING, ice_colors=self.ice_colors)


def read_sauce(data: bytes) -> tuple[bytes, Sauce | None]:
    """The art of a file without its record and comments, and what the record says; None if there is none."""
    record = data[-RECORD_BYTES:]
    if len(record) < RECORD_BYTES or not record.startswith(b"SAUCE"):
        return data.removesuffix(_EOF), None
    art = data[:-RECORD_BYTES]
    comments = record[104] * COMMENT_BYTES + 5
    if record[104] and art[-comments:].startswith(b"COMNT"):
        art = art[:-comments]
    columns = int.from_bytes(record[96:98], "little")
    return art.removesuffix(_EOF), Sauce(
        title=_text(record[7:42]),
        author=_text(record[42:62]),
        group=_text(record[62:82]),
        date=_text(record[82:90]),
        columns=columns if 0 < columns <= MAX_COLUMNS else DEFAULT_COLUMNS,
        rows=int.from_bytes(record[98:100], "little"),
        ice_colors=bool(record[105] & _ICE_FLAG),
    )


def _text(field: bytes) -> str:
    return field.rstrip(b"\x00 ").decode("cp437")
