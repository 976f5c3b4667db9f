"""A person plays: the board with a cursor, the move typed or pointed at, until the result."""

from __future__ import annotations

from typing import Final

from agentbbs.games.catalog import GAMES
from agentbbs.games.game import Position
from agentbbs.hub import moments
from agentbbs.hub.caller import Caller, Key
from agentbbs.hub.games.drawing import STYLES, board
from agentbbs.hub.games.grid import Place, grid, middle, move_at, stepped
from agentbbs.hub.games.human_seat import HumanSeat
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import put_bar
from agentbbs.play.frames import MARKS

MAX_MOVE_CHARS: Final = 32
"""Of a move that is typed; no game has longer ones."""

_ARROWS: Final = frozenset({"left", "right", "up", "down", "home", "end"})
_LEAVE: Final = frozenset({"escape", "ctrl-c"})
_GIVE_UP: Final = frozenset({"q", "quit", "resign"})

_OUTCOMES: Final = {
    "win": ("You win", Style.GOOD),
    "loss": ("You lose", Style.BAD),
    "draw": ("A draw", Style.NOTICE),
    "void": ("The match is void", Style.NOTICE),
}


async def play(caller: Caller, seat: HumanSeat) -> None:
    """Play a match that has begun with `seat`, to its end. Who hangs up leaves it. Raises LineGone."""
    try:
        await _Table(caller, seat).run()
    finally:
        seat.leave()


class _Table:
    """One person at one match."""

    def __init__(self, caller: Caller, seat: HumanSeat) -> None:
        self._caller = caller
        self._seat = seat
        self._cursor: Place | None = None
        self._typed = ""
        self._said = ""
        self._shown: object = None
        """What is on the screen, as `_view` has it."""

    async def run(self) -> None:
        seat, caller = self._seat, self._caller
        caller.forget_typed()
        while not seat.ended:
            self._show()
            key = await caller.key(notices=True)
            if key is not None and not seat.over:
                await self._press(key)
        self._show()
        await caller.pause()

    @property
    def _game(self) -> str:
        return "" if self._seat.hello is None else self._seat.hello.game

    # The screen

    def _show(self) -> None:
        """Draw, if anything is to be seen that was not there before."""
        position = self._seat.position
        if position is None:
            return
        seat = self._seat
        if seat.mine:
            places = grid(self._game, position)
            self._cursor = stepped(self._cursor or middle(places), "", places)  # an edge may have moved
        self._said, seat.refused = seat.refused or self._said, ""
        view = (position.ply, seat.mine, seat.over, seat.ended, self._cursor, self._said, self._caller.size)
        if view != self._shown:
            self._draw(position)
            self._shown = view

    def _draw(self, position: Position) -> None:
        caller, seat = self._caller, self._seat
        caller.clear()
        put_bar(caller, GAMES[self._game].title, "not rated")
        caller.say(*self._players())
        caller.say()
        last = None if seat.state is None else seat.state.last_move
        pointing = seat.mine and caller.ansi
        for row in board(self._game, position, self._cursor if pointing else None, last):
            caller.say(row)
        caller.say()
        if self._said:
            caller.say(Span(self._said, Style.BAD))
        if seat.ended or seat.over:
            self._say_end()
        elif seat.mine:
            caller.say(Span(self._how_to(), Style.DIM))
            self._prompt()
        else:
            caller.write(Span("Your opponent thinks. ", Style.LABEL), Span("Esc resigns. ", Style.DIM))

    def _players(self) -> list[Text]:
        hello = self._seat.hello
        if hello is None:
            return []
        names = [self._seat.player.name, hello.opponent]
        if hello.player:
            names.reverse()
        shown: list[Text] = []
        for number, (mark, name) in enumerate(zip(MARKS, names, strict=True)):
            you = " (you)" if number == hello.player else ""
            shown += ["   " if number else "", Span(mark, STYLES[mark]), " ", Span(name, Style.NAME), you]
        return [*shown, Span(f"   {moments.span(hello.move_timeout_ms)} a move", Style.DIM)]

    def _how_to(self) -> str:
        pointing = "Arrows and Enter, or type a move. " if self._caller.ansi else "Type a move and Enter. "
        return pointing + "? lists the moves, Esc resigns."

    def _prompt(self) -> None:
        self._caller.write(Span("Your move: ", Style.LABEL), self._typed)

    def _say_end(self) -> None:
        caller, result = self._caller, self._seat.result
        if result is not None:
            text, style = _OUTCOMES[result.outcome]
            reason = "" if result.reason is None else f" ({result.reason})"
            caller.say(Span(f"{text}{reason}.", style))
            caller.say(Span(f"To see it again: match {result.match}", Style.DIM))
        elif self._seat.lost:
            caller.say(
                Span("The match is over; its result could not be stored yet. It is kept and retried.", Style.BAD)
            )
        else:
            caller.say("The match is over; it is being stored.")

    # The keys

    async def _press(self, key: Key) -> None:
        position = self._seat.position
        if position is None:
            return
        if key.name in _LEAVE and not self._typed:
            await self._resign()
        elif not self._seat.mine:
            return
        elif key.name in _ARROWS and self._caller.ansi:
            places = grid(self._game, position)
            self._cursor = stepped(self._cursor or middle(places), key.name, places)
            self._said = ""
        elif key.name == "enter":
            await self._enter(position)
        elif key.name in _LEAVE or key.name == "backspace":
            self._typed = "" if key.name in _LEAVE else self._typed[:-1]
            self._caller.erase_line()
            self._prompt()
        elif key.text and len(self._typed) < MAX_MOVE_CHARS:
            self._typed += key.text
            self._caller.write(key.text)

    async def _enter(self, position: Position) -> None:
        """A move was typed, or is under the cursor."""
        typed, self._typed = self._typed.strip(), ""
        self._shown = None
        self._said = ""
        pointed = self._cursor if self._caller.ansi else None
        if typed in position.legal:
            self._seat.play(typed)
        elif typed.lower() in _GIVE_UP:
            await self._resign()
        elif typed == "?" or (not typed and pointed is None):
            self._said = f"Legal moves: {' '.join(position.legal)}"
        elif typed:
            self._said = f"{typed} is no legal move: ? lists them."
        elif pointed is not None:
            move = move_at(self._game, position, pointed)
            if move is not None and move in position.legal:
                self._seat.play(move)
            else:
                self._said = "You can't play there."

    async def _resign(self) -> None:
        self._shown = None
        self._caller.erase_line()
        if await self._caller.yes_no("Resign this match?", default=False):
            self._seat.resign()
