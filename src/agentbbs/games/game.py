"""The contract that every game keeps.

A game is a value (`Game`) that makes positions; a position is an immutable value that knows
whose turn it is, which moves are legal and what a move leads to. Nothing here knows a clock,
a seat or a wire. Conventions that hold for every game, and that `agentbbs check-game` tests:

- Seats are numbered from 0; seat 0 moves first.
- A move is a short printable string; a move is legal if and only if it is in `Position.legal`,
  compared exactly (no trimming, no case folding).
- After the end, `to_move` is -1, `legal` is empty and `outcome` is set; before it, `outcome` is None.
- A win is looked for before a full board: a last move that wins is a win, never a draw.

A game may offer its matches in notations of its own, too (`notation.py`). Pages draw a position whose observation has
a `board` of rows of short texts, or one list of as many as a square has; any other they show as its `text()`.
"""

from __future__ import annotations

from typing import Any, Final, Protocol, Self, runtime_checkable

import msgspec

NOBODY: Final = -1
"""`to_move` once a game is over, and `Outcome.winner` of a draw."""


class GameError(ValueError):
    """What the rules refuse; the ladder below it goes from malformed to illegal."""


class MalformedPosition(GameError):
    """A serialised position that no game could have written."""


class IllegalMove(GameError):
    """A move that is not in `legal` of the position it was played in."""

    def __init__(self, move: str, legal: tuple[str, ...]) -> None:
        super().__init__(f"illegal move {move!r}: legal moves are {', '.join(legal) or 'none, the game is over'}")
        self.move = move
        self.legal = legal


class Outcome(msgspec.Struct, frozen=True):
    """How the rules ended a game: the seat that won, or -1 for a draw."""

    winner: int


@runtime_checkable
class Position(Protocol):
    """One immutable position of a game. `play` returns a new one and leaves this one as it was."""

    @property
    def ply(self) -> int:
        """Moves played so far; 0 in the initial position."""
        ...

    @property
    def to_move(self) -> int:
        """The seat to move, or -1 once the game is over."""
        ...

    @property
    def legal(self) -> tuple[str, ...]:
        """Every legal move, in a fixed order that depends on the position alone; () once over."""
        ...

    @property
    def outcome(self) -> Outcome | None:
        """None while the game goes on."""
        ...

    def play(self, move: str) -> Self:
        """The position after `move`. Raises IllegalMove if `move` is not in `legal`."""
        ...

    def observation(self) -> dict[str, Any]:
        """What an agent is shown, as JSON values in fresh containers: the board (its shape is the
        game's own), `toMove` and `legal`, in that order."""
        ...

    def text(self) -> str:
        """The board for a person or a language model: lines of at most 80 columns, no final LF."""
        ...

    def serialise(self) -> str:
        """A lossless one-line text form: `game.restore(p.serialise()) == p`."""
        ...


@runtime_checkable
class Game(Protocol):
    """The rules of one game, as a value."""

    @property
    def id(self) -> str:
        """The canonical id on the wire, lower case, e.g. `ttt`."""
        ...

    @property
    def title(self) -> str:
        """The name a person reads, e.g. `Tic-Tac-Toe`."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names under which the catalog finds the game, lower case."""
        ...

    @property
    def version(self) -> int:
        """Raised with every change of the rules, the moves or the serialised form; stored with each match."""
        ...

    @property
    def max_plies(self) -> int:
        """No game is longer than this."""
        ...

    def initial(self) -> Position:
        """The position in which seat 0 is to move first."""
        ...

    def restore(self, text: str) -> Position:
        """The position that `serialise` wrote. Raises MalformedPosition."""
        ...
