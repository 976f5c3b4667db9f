"""Bytes of a terminal as text for people: each control character by its name, `<ESC>[2J<CR><LF>`."""

from __future__ import annotations

from typing import Final

from tty_agent.terminal.dialect import Dialect, Encoding
from tty_agent.terminal.inert import inert

_C0_NAMES: Final = (
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF", "VT", "FF", "CR", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
)  # fmt: skip
"""ECMA-48."""

_MARKERS: Final = {code: f"<{name}>" for code, name in enumerate(_C0_NAMES)} | {0x7F: "<DEL>"}


def control_markers(data: bytes, dialect: Dialect) -> str:
    """The bytes as one line of inert text. What is no character of the encoding becomes U+FFFD."""
    encoding = "cp437" if dialect.encoding is Encoding.CP437 else "utf-8"
    return marked(data.decode(encoding, "replace"))


def marked(text: str) -> str:
    """The same for text. A `<` of the text stays as it is: this is for reading, not for reading back."""
    return inert(text.translate(_MARKERS))
