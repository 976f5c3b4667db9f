"""`greedy`: takes a win, blocks a loss, likes the centre, and looks no further."""

from __future__ import annotations

import random
import time
from typing import Final

from agentbbs.bots.bot import centre_first
from agentbbs.games.game import Outcome, Position


class Greedy:
    """One ply of its own and one of the opponent's, in any game.

    Takes a move that wins. Else it takes the move that leaves the opponent the fewest ways to win at
    once, so it blocks a single threat and steps into none. Among equals it takes the one nearest to
    the middle of the list of legal moves.
    """

    __slots__ = ()

    name: Final = "greedy"
    blurb: Final = "Wins when it can, blocks when it must, and sees one move ahead."

    def choose(self, position: Position, rng: random.Random, budget_s: float) -> str:
        """As `Bot.choose`. Where the time does not last for all moves, those looked at decide."""
        deadline = time.monotonic() + budget_s
        moves = centre_first(position, rng)
        seat = position.to_move
        after = {}
        for move in moves:
            after[move] = position.play(move)
            if after[move].outcome == Outcome(seat):
                return move
            if time.monotonic() >= deadline:
                break
        best, fewest = moves[0], None
        for move, reached in after.items():
            losses = _ways_to_lose(reached, seat)
            if fewest is None or losses < fewest:
                best, fewest = move, losses
            if fewest == 0 or time.monotonic() >= deadline:
                break
        return best


def _ways_to_lose(position: Position, seat: int) -> int:
    """How many moves in `position` win at once for another seat than `seat`; 1 if one has won already."""
    if position.outcome is not None:
        return int(position.outcome.winner not in (seat, -1))
    if position.to_move == seat:
        return 0
    won = Outcome(position.to_move)
    return sum(position.play(move).outcome == won for move in position.legal)


GREEDY: Final = Greedy()
