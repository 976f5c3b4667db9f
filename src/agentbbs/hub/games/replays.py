"""A finished match, ply by ply, by hand or by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentbbs.games.catalog import GAMES
from agentbbs.hub import moments
from agentbbs.hub.caller import Caller, Key
from agentbbs.hub.games.drawing import board
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import put_bar
from agentbbs.hub.visit import Visit
from agentbbs.hub.wrapping import Row, clip
from agentbbs.play.frames import Frame, frames
from agentbbs.play.replay import SavedMatch
from agentbbs.play.stepping import Step, step

AUTOPLAY_S: Final = 1.5
"""A ply on the screen when it goes on by itself: long enough to read a short reason."""

KEYS: Final = "Space: next  P: back  Home, End  A: autoplay  Q: quit"
STOP: Final = "A: stop  Q: quit"

_BAR_AND_KEYS_ROWS: Final = 2
_CUT: Final = " ..."

_QUIT: Final = frozenset({"q", "escape", "ctrl-c"})
_STEPS: Final = {
    **dict.fromkeys((" ", "n", "enter", "right", "down", "page_down"), Step.NEXT),
    **dict.fromkeys(("p", "b", "backspace", "left", "up", "page_up"), Step.BACK),
    **dict.fromkeys(("home", "g", "f"), Step.FIRST),
    **dict.fromkeys(("end", "e", "l"), Step.LAST),
}


async def show_replay(visit: Visit, saved: SavedMatch) -> None:
    """Step through a match until the caller has seen enough. Raises NotAReplay if its rules are not here."""
    moves = [ply.move for ply in saved.plies]
    shown = frames(saved, f"{moments.stamp(saved.started)} UTC")
    await _Replay(visit.caller, saved.game, shown, moves).run()


class _Replay:
    """One caller's walk through a match."""

    def __init__(self, caller: Caller, game: str, shown: Sequence[Frame], moves: Sequence[str]) -> None:
        self._caller = caller
        self._game = game
        self._frames = shown
        self._moves = moves
        self._at = 0
        self._auto = False

    async def run(self) -> None:
        self._draw()
        while True:
            before = (self._at, self._auto)
            key = await self._caller.key(AUTOPLAY_S if self._auto else None, notices=True)
            if key is None:
                self._go_on()
            elif key.name.lower() in _QUIT:
                self._caller.write("\n")
                return
            else:
                self._press(key)
            if (self._at, self._auto) != before:
                self._draw()

    @property
    def _last(self) -> int:
        return len(self._frames) - 1

    def _go_on(self) -> None:
        if self._auto:
            self._at = step(self._at, Step.NEXT, self._last)
            self._auto = self._at < self._last

    def _press(self, key: Key) -> None:
        name = key.name.lower()
        wanted = _STEPS.get(name)
        if wanted is not None:
            self._auto = False
            self._at = step(self._at, wanted, self._last)
        elif name == "a" and not self._auto:
            self._auto = True
            self._at = 0 if self._at == self._last else self._at
        elif name == "a":
            self._auto = False

    def _draw(self) -> None:
        caller, frame = self._caller, self._frames[self._at]
        game = GAMES.get(self._game)
        last = self._moves[self._at - 1] if self._at else None
        parts: list[list[Text]] = [
            [Span(frame.head[0], Style.DIM), Span(frame.head[1], Style.NAME)],
            [Span(line, _style(line, Style.PLAIN)) for line in frame.how],
            board(self._game, frame.position, last=last),
            [Span(line, _style(line, Style.LABEL)) for line in frame.foot],
        ]
        wrapped = [[caller.rows(text) for text in part] for part in parts]
        _shorten(wrapped, caller.size.rows - _BAR_AND_KEYS_ROWS, caller.columns)
        rows = [[row for text in part for row in text] for part in wrapped]
        roomy = sum(map(len, rows)) + len(rows) + 1 <= caller.size.rows
        caller.clear()
        put_bar(caller, "Replay" if game is None else f"Replay: {game.title}", f"{self._at} / {self._last}")
        for number, part_rows in enumerate(rows):
            if number and roomy:
                caller.say()
            caller.put_rows(part_rows)
        caller.write(Span(STOP if self._auto else KEYS, Style.KEY), " ")


def _shorten(parts: list[list[list[Row]]], room: int, columns: int) -> None:
    """Take rows off the longest texts until all have room, then the words of agents: the board stays on the screen."""
    texts = [text for part in parts for text in part]
    excess = sum(map(len, texts)) - room
    for _ in range(excess):
        longest = max(texts, key=len)
        if len(longest) > 1:
            del longest[-1]
            longest[-1] = (*clip(longest[-1], columns - len(_CUT), mark=""), Span(_CUT))
            continue
        words = next((text for text in texts if text and text[0] and text[0][0].style is Style.QUOTE), None)
        if words is None:
            return
        words.clear()


def _style(line: str, otherwise: Style) -> Style:
    """Of a line of a frame: those that are set in are a strike, or what the agent said."""
    if line.startswith("  strike"):
        return Style.BAD
    return Style.QUOTE if line.startswith("  ") else otherwise
