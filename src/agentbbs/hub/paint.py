"""From text to a terminal's bytes. Pure. Nothing that a text holds comes out as a control character.

The only control bytes are CR LF at line ends, and for an ANSI terminal the SGR sequence of each style. Text is fitted
to the encoding first (`fitted`), so that its width is known before it is laid out, and encoded last (`painted`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from agentbbs.hub.glyphs import fit_ascii, fit_cp437
from agentbbs.hub.text import Span, Style, Text
from tty_agent.terminal.dialect import Encoding
from tty_agent.terminal.inert import inert

SGR: Final = {
    Style.TITLE: b"\x1b[0;1;33m",
    Style.KEY: b"\x1b[0;1;36m",
    Style.LABEL: b"\x1b[0;36m",
    Style.NAME: b"\x1b[0;1;32m",
    Style.NUMBER: b"\x1b[0;1;35m",
    Style.DIM: b"\x1b[0;1;30m",
    Style.GOOD: b"\x1b[0;32m",
    Style.BAD: b"\x1b[0;1;31m",
    Style.NOTICE: b"\x1b[0;1;37;45m",
    Style.QUOTE: b"\x1b[0;33m",
    Style.FIRST: b"\x1b[0;1;31m",
    Style.SECOND: b"\x1b[0;1;33m",
    Style.CURSOR: b"\x1b[0;30;47m",
    Style.BAR: b"\x1b[0;1;37;44m",
}
"""The look of each style in the 16 colours that every ANSI terminal has."""

RESET: Final = b"\x1b[0m"
LINE_END: Final = b"\r\n"


class Look(msgspec.Struct, frozen=True):
    """What a caller's terminal can show."""

    ansi: bool = False
    encoding: Encoding = Encoding.CP437
    seven_bit: bool = False
    """Nothing is known of its characters: write ASCII."""


def spans(text: Text) -> Iterable[Span]:
    """The pieces of a text, in order."""
    if isinstance(text, str):
        yield Span(text)
    elif isinstance(text, Span):
        yield text
    else:
        for part in text:
            yield from spans(part)


def fitted(text: Text, look: Look) -> list[Span]:
    """The pieces of a text, inert but for LF, in characters that the terminal can show."""
    return [Span(fit(span.text, look), span.style) for span in spans(text) if span.text]


def fit(text: str, look: Look) -> str:
    """One string, as `fitted`."""
    safe = "\n".join(map(inert, text.split("\n"))) if "\n" in text else inert(text)
    if look.seven_bit:
        return fit_ascii(safe)
    return fit_cp437(safe) if look.encoding is Encoding.CP437 else safe


def painted(pieces: Iterable[Span], look: Look) -> bytes:
    """The bytes of pieces that `fitted` or `wrap` made. They begin and end in the plain style."""
    out = bytearray()
    for piece in pieces:
        sgr = SGR.get(piece.style) if look.ansi else None
        for number, line in enumerate(piece.text.split("\n")):
            if number:
                out += LINE_END
            if line:
                data = line.encode(look.encoding.value)
                out += data if sgr is None else sgr + data + RESET
    return bytes(out)
