"""Keys by name, and the bytes that a terminal sends for them.

A key is one printable character in its own case, or a name. Names are case-free and have aliases: `Enter`, `return`,
`PgUp`, `page down`, `Ctrl+C`, `C-c`, `^C`, `alt-x`, `F1`. The names are the same in every dialect, the bytes are not:

- ansi-bbs: what SyncTERM sends with its defaults (`ansi_keys` of its cterm.c; DECBKM is set, so Backspace is BS
  and Delete is DEL).
- xterm: the entry `xterm-256color` of terminfo. Its cursor keys have two forms, and a program that has switched to
  application mode (CSI ? 1 h, as everything on ncurses does) understands only the second.

Enter is CR everywhere; a line discipline that wants LF maps it itself.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from tty_agent.actions.errors import Unencodable, UnknownKey
from tty_agent.terminal.dialect import XTERM, Dialect, Encoding

_TYPED: Final = frozenset({"Zs", "Cs"})
"""Blanks such as U+00A0, which are typed like other characters; and surrogates, of which the encoding says more."""

_CONTROL_SIGNS: Final = "@abcdefghijklmnopqrstuvwxyz[\\]^_"
"""Ctrl with the sign at place n is the character n."""

_CONTROLS: Final = {f"ctrl-{sign}": bytes([code]) for code, sign in enumerate(_CONTROL_SIGNS)}

_SAME_EVERYWHERE: Final = {
    "enter": b"\r",
    "escape": b"\x1b",
    "tab": b"\t",
    "backtab": b"\x1b[Z",
    "space": b" ",
    "up": b"\x1b[A",
    "down": b"\x1b[B",
    "right": b"\x1b[C",
    "left": b"\x1b[D",
    "home": b"\x1b[H",
    "f5": b"\x1b[15~",
    "f6": b"\x1b[17~",
    "f7": b"\x1b[18~",
    "f8": b"\x1b[19~",
    "f9": b"\x1b[20~",
    "f10": b"\x1b[21~",
    "f11": b"\x1b[23~",
    "f12": b"\x1b[24~",
    **_CONTROLS,
}

_ANSI_BBS: Final = {
    **_SAME_EVERYWHERE,
    "backspace": b"\x08",
    "delete": b"\x7f",
    "insert": b"\x1b[@",
    "end": b"\x1b[K",
    "page_up": b"\x1b[V",
    "page_down": b"\x1b[U",
    "f1": b"\x1b[11~",
    "f2": b"\x1b[12~",
    "f3": b"\x1b[13~",
    "f4": b"\x1b[14~",
}

_XTERM: Final = {
    **_SAME_EVERYWHERE,
    "backspace": b"\x7f",
    "delete": b"\x1b[3~",
    "insert": b"\x1b[2~",
    "end": b"\x1b[F",
    "page_up": b"\x1b[5~",
    "page_down": b"\x1b[6~",
    "f1": b"\x1bOP",
    "f2": b"\x1bOQ",
    "f3": b"\x1bOR",
    "f4": b"\x1bOS",
}

_XTERM_APPLICATION: Final = {
    **_XTERM,
    "up": b"\x1bOA",
    "down": b"\x1bOB",
    "right": b"\x1bOC",
    "left": b"\x1bOD",
    "home": b"\x1bOH",
    "end": b"\x1bOF",
}

KEY_NAMES: Final = (
    *("enter", "escape", "tab", "backtab", "space", "backspace", "delete", "insert"),
    *("up", "down", "left", "right", "home", "end", "page_up", "page_down"),
    *(f"f{number}" for number in range(1, 13)),
    *_CONTROLS,
)
"""Every name, in the order in which they are shown; `alt-` goes before any character, too."""

_ALIASES: Final = {
    "return": "enter",
    "ret": "enter",
    "cr": "enter",
    "newline": "enter",
    "esc": "escape",
    "shifttab": "backtab",
    "spacebar": "space",
    "spc": "space",
    "bksp": "backspace",
    "bs": "backspace",
    "del": "delete",
    "ins": "insert",
    "arrowup": "up",
    "arrowdown": "down",
    "arrowleft": "left",
    "arrowright": "right",
    "uparrow": "up",
    "downarrow": "down",
    "leftarrow": "left",
    "rightarrow": "right",
    "pgup": "page_up",
    "pageup": "page_up",
    "prior": "page_up",
    "pgdn": "page_down",
    "pgdown": "page_down",
    "pagedn": "page_down",
    "pagedown": "page_down",
    "next": "page_down",
    **{name: name for name in KEY_NAMES if "-" not in name and "_" not in name},
}
"""Names without what may separate their words."""

_CONTROL_CHARACTERS: Final = {
    "\r": "enter",
    "\n": "enter",
    "\t": "tab",
    "\x1b": "escape",
    "\b": "backspace",
    "\x7f": "delete",
}
"""What models mean by a control character in place of a name; the others are Ctrl with their sign."""

_CONTROL: Final = re.compile(r"(?:(?:ctrl|control)[-+_ ]?|c[-+]|\^)(.|space)", re.IGNORECASE)
_ALT: Final = re.compile(r"(?:(?:alt|meta)[-+_ ]|m[-+])(.+)", re.IGNORECASE | re.DOTALL)
_SEPARATORS: Final = re.compile(r"[-+_\s]+")

_MAX_NAME_CHARS: Final = 24
"""No name is longer; what is can't be near to one, and is not compared."""


class KeyTable(msgspec.Struct, frozen=True):
    """The keys of one terminal."""

    encoding: Encoding
    names: Mapping[str, bytes]
    """Bytes by name, for every name of KEY_NAMES."""

    @property
    def enter(self) -> bytes:
        """The Enter key."""
        return self.names["enter"]

    def encode(self, key: str) -> bytes:
        """What pressing `key` sends. Raises UnknownKey, and Unencodable for a character that the encoding lacks."""
        name = key_name(key)
        named = self.names.get(name)
        if named is not None:
            return named
        if len(name) > 1:  # alt-…
            return b"\x1b" + self.encode(name.removeprefix("alt-"))
        return encode(name, self.encoding)


def keys_for(dialect: Dialect, *, application: bool = False) -> KeyTable:
    """The keys of a terminal of this dialect. `application`: the program asked for application cursor keys
    (CSI ? 1 h); a terminal of the BBS dialect does not know that mode."""
    if dialect.name != XTERM.name:
        return KeyTable(dialect.encoding, MappingProxyType(_ANSI_BBS))
    return KeyTable(dialect.encoding, MappingProxyType(_XTERM_APPLICATION if application else _XTERM))


def key_name(key: str) -> str:
    """The one name of `key`: a printable character stays itself, `Ctrl+C` is `ctrl-c`. Raises UnknownKey."""
    if len(key) == 1:
        return _character(key)
    name = _name(key.strip())
    if name is None:
        raise UnknownKey(key, _near(key))
    return name


def encode(text: str, encoding: Encoding) -> bytes:
    """`text` in bytes. Raises Unencodable with every character that `encoding` lacks: nothing becomes a `?`.

    The characters 0x01 to 0x1F of CP437 have glyphs on the screen; they can't be typed as those, for as input they
    are control characters.
    """
    try:
        return text.encode(encoding.value)
    except UnicodeEncodeError:
        raise Unencodable((char for char in text if not _encodable(char, encoding)), encoding.value) from None


def _encodable(char: str, encoding: Encoding) -> bool:
    try:
        char.encode(encoding.value)
    except UnicodeEncodeError:
        return False
    return True


def _character(char: str) -> str:
    if char == " ":
        return "space"
    if char in _CONTROL_CHARACTERS:
        return _CONTROL_CHARACTERS[char]
    if char < " ":
        return f"ctrl-{_CONTROL_SIGNS[ord(char)]}"
    if char.isprintable() or unicodedata.category(char) in _TYPED:
        return char
    raise UnknownKey(char)


def _name(key: str) -> str | None:
    if not key or len(key) > _MAX_NAME_CHARS:
        return None
    if control := _CONTROL.fullmatch(key):
        return _control_name(control[1].lower())
    if alt := _ALT.fullmatch(key):
        rest = alt[1] if len(alt[1]) == 1 else _name(alt[1])
        return _alt_name(rest)
    bare = key[1:-1] if (key[0], key[-1]) in {("<", ">"), ("[", "]"), ("{", "}")} and len(key) > 2 else key
    word = _SEPARATORS.sub("", bare.lower()).removeprefix("key")
    return _ALIASES.get(word)


def _control_name(sign: str) -> str | None:
    if sign == "?":
        return "delete"
    name = "ctrl-" + ("@" if sign in {" ", "space"} else sign)
    return name if name in _CONTROLS else None


def _alt_name(rest: str | None) -> str | None:
    """Alt puts ESC before a key that is one character; other keys with Alt are no use to any program here."""
    if rest is None:
        return None
    return f"alt-{rest}" if len(rest) == 1 or len(_ANSI_BBS.get(rest, b"--")) == 1 else None


def _near(key: str) -> list[str]:
    if len(key) > _MAX_NAME_CHARS:
        return []
    return difflib.get_close_matches(key.strip().lower(), KEY_NAMES, n=3)
