"""A second reader of JSON, straight from the grammar of RFC 8259: slow, and sharing nothing with the one that rules."""

from __future__ import annotations

import re
from typing import Final

import msgspec

_SPACE: Final = " \t\n\r"
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_ESCAPES: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class NoJson(Exception):
    """The text is not in the grammar, has a key twice, or is nested more than the arena allows."""


class Number(msgspec.Struct, frozen=True):
    """A number, whatever its value."""

    text: str


class Reader:
    """Reads one text."""

    def __init__(self, text: str, max_depth: int) -> None:
        self._text = text
        self._at = 0
        self._max_depth = max_depth

    def read(self) -> object:
        """The value; raises NoJson."""
        found = self._value(0)
        self._skip()
        if self._at != len(self._text):
            raise NoJson
        return found

    def _skip(self) -> None:
        while self._at < len(self._text) and self._text[self._at] in _SPACE:
            self._at += 1

    def _take(self, expected: str) -> bool:
        if self._text.startswith(expected, self._at):
            self._at += len(expected)
            return True
        return False

    def _need(self, expected: str) -> None:
        if not self._take(expected):
            raise NoJson

    def _value(self, depth: int) -> object:
        self._skip()
        for word, value in (("true", True), ("false", False), ("null", None)):
            if self._take(word):
                return value
        if self._take('"'):
            return self._string()
        if self._take("{"):
            return self._object(depth + 1)
        if self._take("["):
            return self._list(depth + 1)
        number = _NUMBER.match(self._text, self._at)
        if number is None:
            raise NoJson
        self._at = number.end()
        return Number(number[0])

    def _object(self, depth: int) -> dict[str, object]:
        self._deep(depth)
        found: dict[str, object] = {}
        self._skip()
        if self._take("}"):
            return found
        while True:
            self._skip()
            self._need('"')
            key = self._string()
            if key in found:
                raise NoJson
            self._skip()
            self._need(":")
            found[key] = self._value(depth)
            self._skip()
            if self._take("}"):
                return found
            self._need(",")

    def _list(self, depth: int) -> list[object]:
        self._deep(depth)
        found: list[object] = []
        self._skip()
        if self._take("]"):
            return found
        while True:
            found.append(self._value(depth))
            self._skip()
            if self._take("]"):
                return found
            self._need(",")

    def _deep(self, depth: int) -> None:
        if depth > self._max_depth:
            raise NoJson

    def _string(self) -> str:
        units: list[str] = []
        while True:
            if self._at >= len(self._text):
                raise NoJson
            char = self._text[self._at]
            self._at += 1
            if char == '"':
                return "".join(units).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
            if char < " ":
                raise NoJson
            units.append(self._escaped() if char == "\\" else char)

    def _escaped(self) -> str:
        char = self._text[self._at : self._at + 1]
        self._at += 1
        if char == "u":
            digits = self._text[self._at : self._at + 4]
            if re.fullmatch("[0-9a-fA-F]{4}", digits) is None:
                raise NoJson
            self._at += 4
            return chr(int(digits, 16))
        if char not in _ESCAPES or not char:
            raise NoJson
        return _ESCAPES[char]
