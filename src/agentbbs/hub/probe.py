"""Finding out what a terminal is, by asking where its cursor is. Pure.

A terminal that answers `ESC[6n` knows ANSI. Sent to its far corner first, it tells its size. After the three bytes of a
byte order mark at the left edge it tells its encoding: who counts no column (or one) takes UTF-8, who counts three
takes bytes for characters. All is asked in one write, with blanks over what a terminal without ANSI shows of it.
"""

from __future__ import annotations

from typing import Final

from agentbbs.calls.line import Size
from agentbbs.hub.keys import CursorReport
from tty_agent.terminal.dialect import Encoding

PROBE_S: Final = 1.0
"""An answer that comes later tells nothing, and is dropped."""

FIRST_ANSWER_S: Final = 0.1
"""So long the first prompt waits for the first answer; who answers nothing has its prompt within 300 ms."""

DUMB: Final = frozenset({"dumb", "unknown-dumb", "teletype", "tty33"})
"""Terminal names that say that there is nothing to ask."""

_SIZE: Final = b"\x1b[s\x1b[999;999H\x1b[6n\x1b[u"
_ENCODING: Final = b"\r\xef\xbb\xbf\x1b[6n"
_OVER: Final = b"\r" + b" " * 39 + b"\r"
"""Narrower than any screen, wider than what a terminal without ANSI shows of the questions."""

_CP437_NAMES: Final = ("syncterm", "ansi", "pcansi", "ansi-bbs", "scoansi", "netrunner", "mtelnet", "qodem", "cp437")
_UTF_8_NAMES: Final = (
    "xterm", "linux", "screen", "tmux", "rxvt", "vte", "gnome", "konsole", "kitty", "alacritty", "foot", "wezterm",
    "putty", "iterm", "st", "vt100", "vt220",
)  # fmt: skip
_UTF_8_HINTS: Final = ("utf8", "utf-8")


class Probe:
    """One round of questions: send `question`, then give it the reports in their order."""

    def __init__(self, *, size_known: bool) -> None:
        self._waits = ["encoding"] if size_known else ["size", "encoding"]
        self.question: Final = (b"" if size_known else _SIZE) + _ENCODING + _OVER
        """What to send; it ends at the left edge."""
        self.answered = False
        """The terminal knows ANSI."""
        self.size: Size | None = None
        """What it told."""
        self.encoding: Encoding | None = None
        """What it counted."""

    @property
    def due(self) -> int:
        """Reports that are missing."""
        return len(self._waits)

    def report(self, report: CursorReport) -> None:
        """Take an answer. One too many changes nothing."""
        if not self._waits:
            return
        self.answered = True
        if self._waits.pop(0) == "size":
            self.size = Size.told(report.column, report.row)
        else:
            self.encoding = Encoding.UTF_8 if report.column < 3 else Encoding.CP437


def told_encoding(terminal: str) -> Encoding | None:
    """What the name of a terminal says about its characters; None if nothing."""
    name = terminal.lower()
    if any(hint in name for hint in _UTF_8_HINTS):
        return Encoding.UTF_8
    word = name.split("/")[0]
    if word in _CP437_NAMES or word.startswith(("syncterm", "ansi")):
        return Encoding.CP437
    if word.startswith("xterm") or word.split("-")[0] in _UTF_8_NAMES:
        return Encoding.UTF_8
    return None
