"""What a terminal makes of the bytes where terminals differ, as a value with named switches.

Two dialects are named: `ANSI_BBS`, what BBSes send and SyncTERM shows, and `XTERM`, what full-screen programs
of a Unix expect. A caller that needs something between takes one and changes a switch with
`msgspec.structs.replace`: an `.ans` file with a SAUCE record, for example, is `ANSI_BBS` with the wrap pending.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec


class Encoding(StrEnum):
    """How characters are spelled in bytes."""

    CP437 = "cp437"
    UTF_8 = "utf-8"


class Wrap(StrEnum):
    """Where the cursor is after a character in the last column."""

    IMMEDIATE = "immediate"
    """On the next line, at once; at the foot of the region that scrolls."""
    PENDING = "pending"
    """Still in the last column; the next character goes to the next line."""


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """The switches."""

    name: str
    encoding: Encoding
    wrap: Wrap
    clear_homes: bool
    """CSI 2 J moves the cursor to the top left."""
    form_feed_clears: bool
    """FF clears the screen and homes the cursor; else it is a line feed."""
    control_glyphs: bool
    """Control characters that have no function here are shown as the glyphs of CP437."""
    ansi_music: bool
    """CSI | and CSI N (and CSI M after CSI = 2 M) begin a tune, which ends at 0x0E."""
    ice_colors: bool
    """Blink means a bright background from the start; CSI ? 33 h and l change it at any time."""
    cterm: bool = False
    """Queries are answered as SyncTERM's CTerm does, its private sequences (CSI = …, CSI … t) are known, and a
    control string is cut by a byte that cannot be in one; else all of this is as in a VT220 and xterm."""


ANSI_BBS: Final = Dialect(
    name="ansi-bbs",
    encoding=Encoding.CP437,
    wrap=Wrap.IMMEDIATE,
    clear_homes=True,
    form_feed_clears=True,
    control_glyphs=True,
    ansi_music=True,
    ice_colors=False,
    cterm=True,
)
"""SyncTERM's cterm, as BBSes know it."""

XTERM: Final = Dialect(
    name="xterm",
    encoding=Encoding.UTF_8,
    wrap=Wrap.PENDING,
    clear_homes=False,
    form_feed_clears=False,
    control_glyphs=False,
    ansi_music=False,
    ice_colors=False,
)
"""xterm in a UTF-8 locale."""

DIALECTS: Final = {dialect.name: dialect for dialect in (ANSI_BBS, XTERM)}
"""By name, as settings and traces write them."""
