"""Whole matches drawn at random, for property tests: both games, every ending, both failure policies."""

from __future__ import annotations

import random
from typing import Final

from hypothesis import strategies as st

from agentbbs.games import catalog
from agentbbs.play import replay
from agentbbs.play.match import (
    FORFEIT,
    STRIKES,
    Aborted,
    Begun,
    DeadlinePassed,
    Disconnected,
    Event,
    Faulted,
    Handed,
    Match,
    Moved,
    Phase,
    Resigned,
)
from agentbbs.play.ports import FinishedMatch, Player
from agentbbs.play.replay import Ratings, SavedMatch
from agentbbs.protocol.agentgames import VOID_SHUTDOWN
from agentbbs.ratings import elo

MOVE_TIMEOUT_MS: Final = 2_000
STARTED_MS: Final = 1_750_000_000_000


def play(
    rng: random.Random, game: str, fault_rate: float, *, strikes: tuple[bool, bool], why: str | None
) -> FinishedMatch:
    """One match of random moves, in which one event in `1 / fault_rate` is a fault, a departure or a stop."""
    match = Match(
        f"match-{rng.randrange(10**12)}",
        catalog.find(game),
        (Player(1, "ada", "websocket"), Player(2, "bob", "ssh")),
        (STRIKES(3) if strikes[0] else FORFEIT, STRIKES(3) if strikes[1] else FORFEIT),
        move_timeout_ms=MOVE_TIMEOUT_MS,
        started_ms=STARTED_MS,
        why_unrated=why,
    )
    now = rng.uniform(0, 10_000)
    match.handle(Begun(now))
    while match.phase is not Phase.OVER:
        now += rng.uniform(0, 0.1)
        match.handle(Handed(now, match.position.to_move))
        now += rng.uniform(0, MOVE_TIMEOUT_MS / 1000)
        event = _fault(rng, match, now) if rng.random() < fault_rate else _move(rng, match, now)
        now = event.at
        match.handle(event)
    assert match.finished is not None
    return match.finished


def _move(rng: random.Random, match: Match, now: float) -> Event:
    reason = rng.choice((None, None, "centre first", "\x1b[2Jgone"))
    return Moved(now, match.position.to_move, rng.choice(match.position.legal), match.position.ply, reason)


def _fault(rng: random.Random, match: Match, now: float) -> Event:
    seat, ply = match.position.to_move, match.position.ply
    late = now + MOVE_TIMEOUT_MS / 1000
    return rng.choice(
        (
            Moved(now, seat, rng.choice(("9", "-1", "", "a ", "9" * 100))),
            DeadlinePassed(late, seat, ply),
            Faulted(now, seat, "redirect", None),
            Resigned(now, rng.randrange(2)),
            Disconnected(now, rng.randrange(2)),
            Aborted(now, VOID_SHUTDOWN),
        )
    )


def ratings(match: FinishedMatch, before: tuple[float, float]) -> tuple[Ratings, Ratings]:
    """The ratings before and after, as a ladder that stood at `before` would have them."""
    if not match.rated:
        return before, before
    return before, elo.updated(*before, {0: 1.0, 1: 0.0, -1: 0.5}[match.winner])


def save(match: FinishedMatch, before: tuple[float, float] = (1500.0, 1500.0)) -> SavedMatch:
    """The saved match, its ratings right."""
    return replay.of(match, *ratings(match, before))


finished_matches: Final[st.SearchStrategy[FinishedMatch]] = st.builds(
    play,
    st.integers(0, 2**32).map(random.Random),
    st.sampled_from(("ttt", "c4")),
    st.sampled_from((0.0, 0.05, 0.2, 1.0)),
    strikes=st.tuples(st.booleans(), st.booleans()),
    why=st.sampled_from((None, None, "practice")),
)

_RATING: Final = st.floats(800, 2400, allow_nan=False)

saved_matches: Final[st.SearchStrategy[SavedMatch]] = st.builds(save, finished_matches, st.tuples(_RATING, _RATING))
