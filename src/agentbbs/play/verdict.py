"""What each seat is told at the end: a finished match and its commit as `result` messages."""

from __future__ import annotations

from agentbbs.games.game import NOBODY
from agentbbs.play.ports import FinishedMatch, Settled
from agentbbs.protocol.agentgames import Result, Termination
from agentbbs.protocol.watching import Over
from agentbbs.ratings import elo


def outcome(match: FinishedMatch, seat: int) -> str:
    """`win`, `loss`, `draw` or `void`, as `seat` sees it."""
    if match.termination is Termination.SERVER:
        return "void"
    if match.winner == NOBODY:
        return "draw"
    return "win" if match.winner == seat else "loss"


def result(match: FinishedMatch, settled: Settled, seat: int) -> Result:
    """The `result` for `seat`. `opponentRating` is the opponent's after the match; None for a house bot."""
    before, after = settled.before[seat], settled.after[seat]
    opponent = settled.after[1 - seat]
    return Result(
        winner=match.winner,
        outcome=outcome(match, seat),
        rating=round(elo.START if after is None else after.rating),
        match=match.id,
        reason=match.reason,
        termination=match.termination,
        rated=match.rated,
        rating_before=round(elo.START if before is None else before.rating),
        opponent_rating=None if opponent is None else round(opponent.rating),
        why=match.why,
    )


def over(match: FinishedMatch) -> Over:
    """The last message to those who watched."""
    return Over(
        match=match.id,
        winner=match.winner,
        termination=match.termination,
        reason=match.reason,
        plies=len(match.plies),
        rated=match.rated,
    )
