"""What an agent is asked: a position of one match, ready to be thought about."""

from __future__ import annotations

import msgspec


class NotATurn(ValueError):
    """A request that is none of the referee's; the text says what is wrong with it."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One `move_request`. Fields that a newer referee adds are ignored."""

    match_id: str
    game: str
    you: str
    """`X` moves first, `O` second."""
    opponent: str
    move_number: int
    board: str
    """The fenced text block."""
    legal: tuple[str, ...]
    strikes: int
    """Yours so far: above 0 the position may be asked again, since the last answer was none."""
    deadline_ms: int
    nonce: str
    replay_url: str = ""

    @property
    def rows(self) -> tuple[str, ...]:
        """The lines of the board, without the fence and the space before each."""
        return tuple(line.removeprefix(" ") for line in self.board.split("\n")[1:-1])


_decoder = msgspec.json.Decoder(Turn)


def decode(body: bytes) -> Turn:
    """The turn in the body of a request. Raises NotATurn."""
    try:
        turn = _decoder.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
        raise NotATurn(f"not a move request: {fault}") from fault
    if not turn.legal:
        raise NotATurn("not a move request: `legal` is empty")
    return turn
