"""A stream as plain text, for whoever reads what a program wrote rather than what its screen shows."""

from __future__ import annotations

import re
from typing import Final

from tty_agent.terminal.charset import REPLACEMENT, Decoder
from tty_agent.terminal.dialect import Dialect
from tty_agent.terminal.modes import begins_tune
from tty_agent.terminal.page import Page
from tty_agent.terminal.parser import CONTROL, CSI, ESCAPE, NEW_LINE, PLAIN_CSI, TEXT, TOKEN, Parser, State, numbers

_MAX_SPACES: Final = 132
"""That a cursor movement may stand for: the width of the widest usual screen."""

_LINE_MOVES: Final = frozenset("HfABEFdekr")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_INVISIBLE: Final = re.compile("[\x80-\x9f\ufeff]")


class PlainText:
    """Control sequences, control strings and tunes removed; what is left is text with LF between lines.

    CR LF, LF and CR are one line end each, and so is a movement of the cursor to another place, which would else
    join words that never stood together; several in a row after one line end add nothing. A movement to the
    right within a line becomes blanks. Tabs stay, other control characters go. `max_chars` is the most that one
    `feed` returns: the newest end of it. Cut the bytes anywhere: the pieces join to the same text, as long as
    `max_chars` cuts none.
    """

    __slots__ = ("_decoder", "_fresh_line", "_max_chars", "_music", "_parser", "_pieces", "_return")

    def __init__(self, dialect: Dialect, max_chars: int) -> None:
        self._decoder = Decoder(dialect)
        self._parser = Parser(cterm=dialect.cterm)
        self._music = Page(1, 1, dialect, 0)
        self._max_chars = max_chars
        self._pieces: list[str] = []
        self._fresh_line = True
        self._return = False

    def feed(self, data: bytes) -> str:
        """The text in `data`."""
        text = self._decoder.decode(data)
        at, end, parser = 0, len(text), self._parser
        while at < end:
            at = self._run(text, at) if parser.state is State.GROUND else parser.resume(text, at, self)
        whole = "".join(self._pieces)
        self._pieces = []
        return whole[-self._max_chars :] if self._max_chars > 0 else ""

    def _run(self, text: str, at: int) -> int:
        for token in TOKEN.finditer(text, at):
            kind = token.lastindex
            if kind == TEXT:
                self._write(_visible(token[1]))
            elif kind == PLAIN_CSI:
                self.csi("", token[2], "", token[3], token.end())
            elif kind == NEW_LINE:
                if not self._return:
                    self._pieces.append("\n")
                self._fresh_line, self._return = True, False
            elif kind == CONTROL:
                self.control(token[9], 0)
            elif kind == CSI:
                self.csi(token[4], token[5], token[6], token[7], token.end())
                if self._parser.state is not State.GROUND:
                    return token.end()
            elif kind != ESCAPE:
                self._parser.begin()
                return token.end()
        return len(text)

    def _write(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self._fresh_line = self._return = False

    def _break(self) -> None:
        if not self._fresh_line:
            self._pieces.append("\n")
            self._fresh_line = True

    def control(self, char: str, at: int) -> None:  # noqa: ARG002 - one shape for all of a sink
        """A control character."""
        if char == "\n":
            if not self._return:
                self._pieces.append("\n")
            self._fresh_line, self._return = True, False
        elif char == "\r":
            if not self._return:
                self._return = not self._fresh_line
                self._break()
        elif char == "\x0c":
            self._break()
        elif char == "\t":
            self._write("\t")

    def escape(self, intermediates: str, final: str) -> None:
        """No text."""

    def csi(self, private: str, parameters: str, intermediates: str, final: str, at: int) -> None:  # noqa: ARG002
        """A movement is a line end or blanks; all else is nothing."""
        if final == "m":
            return  # most are
        if private == "=" and final == "M":
            self._music.music = numbers(parameters)[0]
        elif not private and not intermediates:
            if begins_tune(self._music, final, parameters):
                self._parser.begin_tune()
            elif final in _LINE_MOVES or (final == "J" and parameters == "2"):
                self._break()
            elif final in "Ca" and not self._fresh_line:
                self._write(" " * min(numbers(parameters)[0] or 1, _MAX_SPACES))

    def string(self, kind: str, content: str) -> None:
        """No text."""

    def tune(self, content: str, at: int) -> None:
        """No text."""


def _visible(run: str) -> str:
    return run if run.isascii() else _INVISIBLE.sub("", _SURROGATE.sub(REPLACEMENT, run))


def plain_text(data: bytes, dialect: Dialect) -> str:
    """All the text in `data`; the beginning of a character at its very end is left out."""
    return PlainText(dialect, max(len(data) * _MAX_SPACES, 1)).feed(data)
