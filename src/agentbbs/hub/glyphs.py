"""What a character is shown as where it can't be shown: in CP437, and in ASCII for terminals of which nothing is known.

Only the printable bytes of CP437 are used: its smileys and suits are control characters on the wire.
"""

# ruff: noqa: RUF001 - the characters that look like others are what this file is about

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

from tty_agent.terminal.charset import CP437_GLYPHS

_ENCODABLE: Final = frozenset(CP437_GLYPHS[0x20:0x7F] + CP437_GLYPHS[0x80:0xFF])


def _all(chars: str, shown: str) -> dict[str, str]:
    return dict.fromkeys(chars, shown)


def _pairs(chars: str, shown: str) -> dict[str, str]:
    """Each of `chars` and what stands at its place in `shown`: a character each, or words between blanks."""
    return dict(zip(chars, shown.split(" ") if " " in shown else shown, strict=True))


_TYPOGRAPHY: Final = (
    _all("‘’‚‛′", "'")
    | _all("“”„‟″", '"')
    | _all("‐‑‒–—―−", "-")
    | _all("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " ")
    | _pairs("…→←↔⇒⇐×©®™€‼§¶¦", "... -> <- <-> => <= x (c) (r) (tm) EUR !! S. P. |")
    | _pairs("‹›✓✔✗✘★☆♥☺☻", "< > √ √ x x * * <3 :) :)")
    | _pairs("↑▲△↓▼▽►▶▷◄◀◁", "^^^vvv>>><<<")
    | _pairs("●◉⚫○◯◎⚪", "OOOoooo")
    | _pairs("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPkqrbnp")
    | _pairs("øØłŁđĐı", "oOlLdDi")
    | _all("•‣∙", "·")
    | _all("□▢◻▫", "░")
    | _all("▪◼", "■")
)
"""For CP437. What is a letter with a mark is not here: it loses the mark."""
_HEAVY: Final = _pairs("━┃┏┓┗┛┣┫┳┻╋╭╮╰╯┄┅┈┉┆┇┊┋╴╶╵╷", "─│┌┐└┘├┤┬┴┼┌┐└┘────││││──││")
"""Lines that CP437 has in one weight only."""
_SEVEN_BIT: Final = (
    _pairs("─═│║", "-=||")
    | _all("┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬╒╓╕╖╘╙╛╜╞╟╡╢╤╥╧╨╪╫", "+")
    | _pairs("░▒▓█▄▀▌▐■", ".:#######")
    | _pairs("·√°÷±≤≥≈¿¡«»£ßæÆ", "* v o / +- <= >= ~ ? ! << >> GBP ss ae AE")
)
"""For ASCII, before `_TYPOGRAPHY`."""


def fit_cp437(text: str) -> str:
    """`text`, which must be inert but for LF, in characters that CP437 has printable bytes for."""
    return text if text.isascii() else "".join(map(_in_cp437, unicodedata.normalize("NFC", text)))


def fit_ascii(text: str) -> str:
    """`text`, which must be inert but for LF, in ASCII."""
    return text if text.isascii() else "".join(map(_in_ascii, unicodedata.normalize("NFC", text)))


@lru_cache(maxsize=4096)
def _in_cp437(char: str) -> str:
    if char.isascii() or char in _ENCODABLE:
        return char
    known = _TYPOGRAPHY.get(char) or _HEAVY.get(char)
    if known is not None:
        return known
    plainer = _without_marks(char)
    return plainer if plainer and _ENCODABLE.issuperset(plainer) else _named(char)


@lru_cache(maxsize=4096)
def _in_ascii(char: str) -> str:
    if char.isascii():
        return char
    char = _HEAVY.get(char, char)
    known = _SEVEN_BIT.get(char) or _TYPOGRAPHY.get(char)
    if known is not None:
        return known if known.isascii() else "".join(map(_in_ascii, known))
    plainer = _without_marks(char)
    return plainer if plainer and plainer.isascii() else _named(char)


def _without_marks(char: str) -> str:
    """The letters that it is made of: `e` of an `e` with an accent; "" if that is no printable text."""
    parts = "".join(part for part in unicodedata.normalize("NFKD", char) if not unicodedata.combining(part))
    return parts.replace("\u2044", "/") if parts.isprintable() else ""


def _named(char: str) -> str:
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
