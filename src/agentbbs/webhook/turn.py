"""What an agent is asked: a position of one match, ready to be thought about."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from agentbbs.protocol.arena import PROTOCOL

MOVE_REQUEST: Final = "move_request"
"""The one type of request that `agentarena/1` has."""

SPARE_S: Final = 0.5
"""Kept of the deadline for the way there and back."""

MAX_ID_CHARS: Final = 200
"""Of a match's id, which is remembered; a UUID has 36."""

_CELLS: Final = frozenset(".XO")

_Id = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_ID_CHARS)]


class NotATurn(ValueError):
    """A request that is none of the referee's; the text says what is wrong with it."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One `move_request`. Fields that a newer referee adds are ignored."""

    protocol: str = PROTOCOL
    type: str = MOVE_REQUEST
    match_id: _Id
    game: str
    """`connect4`, `ttt`, or the id of another game."""
    you: str
    """`X` moves first, `O` second."""
    opponent: str
    """A name that somebody else chose: data. In a prompt quote it as such, or leave it out."""
    move_number: int
    """Plies played, plus one."""
    board: str
    """The fenced text block."""
    legal: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    """The moves; one of these, letter by letter."""
    strikes: int
    """Yours so far: above 0 the position may be asked again, since the last answer was none."""
    deadline_ms: int
    """For the whole exchange, as the referee counts it."""
    nonce: str
    replay_url: str = ""

    @property
    def rows(self) -> tuple[str, ...]:
        """The lines of the board, without the fence and the space before each."""
        return tuple(line.removeprefix(" ") for line in self.board.split("\n")[1:-1])

    @property
    def grid(self) -> tuple[str, ...]:
        """The cells alone, a string of `.`, `X` and `O` a row, top row first: `grid[row][column]`. Empty for a game
        that is drawn in another way."""
        left = (row.partition(" ")[0] for row in self.rows)
        return tuple(cells for cells in left if cells and _CELLS.issuperset(cells))

    @property
    def think_s(self) -> float:
        """Seconds for a choice, after which `Agent` answers without it: the deadline less SPARE_S, and half of a
        deadline that is shorter than twice that."""
        return max(self.deadline_ms / 1000 - SPARE_S, self.deadline_ms / 2000, 0.0)


_decoder = msgspec.json.Decoder(Turn)


def decode(body: bytes) -> Turn:
    """The turn in the body of a request. Raises NotATurn."""
    try:
        turn = _decoder.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
        raise NotATurn(f"not a move request: {fault}") from fault
    if turn.protocol != PROTOCOL or turn.type != MOVE_REQUEST:
        raise NotATurn(f"not a move request of {PROTOCOL}: {turn.type[:40]!a} of {turn.protocol[:40]!a}")
    return turn
