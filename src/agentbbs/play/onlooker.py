"""What one who watches a match sees: the venue's messages as screens. Pure; what comes in is not trusted."""

from __future__ import annotations

import math
from typing import Any, Final

import msgspec

from agentbbs.games import catalog
from agentbbs.games.game import NOBODY, Game, Position
from agentbbs.play.frames import MARKS
from agentbbs.protocol.agentgames import Termination
from agentbbs.protocol.watching import Over, Watching
from tty_agent.terminal.inert import inert

MAX_SHOWN_CHARS: Final = 4_000
"""How much of a board that we can't draw ourselves is shown."""


class NotOfAVenue(ValueError):
    """What was heard is nothing that a venue says."""


class Seen(msgspec.Struct, frozen=True, tag_field="type", tag="state", rename="camel"):
    """A `state` as a venue sends it; the observation is the game's own."""

    observation: dict[str, Any]
    ply: int
    last_move: str | None
    remaining_ms: int


_decoder: Final = msgspec.json.Decoder(Watching | Seen | Over)


class Onlooker:
    """One who watches. `title` says which match it is, `over` is set once it has ended. All texts are inert.

    A position is known from its moves. Who misses a ply sees the board as the observation has it from then
    on."""

    def __init__(self) -> None:
        self.over = False
        self.title = ""
        self.position: Position | None = None
        """None where it is not known by our own rules."""
        self.last_move: str | None = None
        self.status = ""
        """Who is to move and how long it has, or how the match ended."""
        self._game: Game | None = None
        self._names = ("?", "?")

    def hear(self, message: str | bytes) -> str:
        """The screen after a message. Raises NotOfAVenue for what no venue says."""
        try:
            said = _decoder.decode(message)
        except (msgspec.MsgspecError, ValueError) as fault:
            raise NotOfAVenue(f"what was sent is no message of a venue: {fault}") from fault
        if isinstance(said, Watching):
            return self._begin(said)
        return self._state(said) if isinstance(said, Seen) else self._end(said)

    def _begin(self, said: Watching) -> str:
        self._game = catalog.GAMES.get(said.game)
        self.position = None if self._game is None else _after(self._game, said.moves)
        self._names = (_cell(said.players[0]), _cell(said.players[1]))
        rated = "rated" if said.rated else "not rated"
        limit = f"{said.move_timeout_ms / 1000:g} s a move"
        self.title = f"{_cell(said.game)}  {_cell(said.match)}\n{self._who(0)}   {self._who(1)}   {limit}, {rated}"
        return self.title

    def _state(self, said: Seen) -> str:
        self.position = self._follow(said)
        board = _drawn(said.observation.get("board")) if self.position is None else self.position.text()
        self.last_move = None if said.last_move is None else _cell(said.last_move)
        self.status = ""
        to_move = said.observation.get("toMove", NOBODY)
        if to_move in (0, 1):
            self.status = f"{self._who(to_move)} to move, {said.remaining_ms / 1000:.0f} s left"
        last = "" if self.last_move is None else f": {self.last_move}"
        return f"ply {said.ply}{last}\n\n{board}\n\n{self.status}".rstrip()

    def _follow(self, said: Seen) -> Position | None:
        """The position that `said` shows, if it follows from what was seen before."""
        before = self.position
        if self._game is None:
            return None
        if before is None or said.ply == before.ply:
            return before
        if said.ply == before.ply + 1 and said.last_move in before.legal:
            return before.play(said.last_move)
        return None

    def _end(self, said: Over) -> str:
        self.over = True
        if said.winner in (0, 1):
            text = f"{self._who(said.winner)} wins"
        else:
            text = "void" if said.termination is Termination.SERVER else "draw"
        reason = "" if said.reason is None else f" ({_cell(said.reason)})"
        self.status = f"{text}{reason} after {said.plies} plies"
        return self.status

    def _who(self, seat: int) -> str:
        return f"{MARKS[seat]} {self._names[seat]}"


def _after(game: Game, moves: tuple[str, ...]) -> Position | None:
    """The position after `moves`; None where they are none of our rules'."""
    position = game.initial()
    for move in moves:
        if move not in position.legal:
            return None
        position = position.play(move)
    return position


def _drawn(board: object) -> str:
    """A board of a game that can't be drawn by its own rules: rows of cells, as far as it has such."""
    if not isinstance(board, list):
        return _cell(board)[:MAX_SHOWN_CHARS]
    rows: list[object] = board
    side = math.isqrt(len(board))
    if side and side * side == len(board) and not any(isinstance(row, list) for row in board):
        rows = [board[start : start + side] for start in range(0, len(board), side)]
    lines = [" ".join(map(_cell, row)) if isinstance(row, list) else _cell(row) for row in rows]
    return "\n".join(lines)[:MAX_SHOWN_CHARS]


def _cell(value: object) -> str:
    """A value as inert text; nothing for None."""
    return "" if value is None else inert(str(value))
