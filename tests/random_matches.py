"""Whole matches drawn at random, for property tests: both games, every ending, all kinds of seats."""

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
from agentbbs.play.ports import ARENA_TRANSPORT, FinishedMatch, Player
from agentbbs.play.replay import Ratings, SavedMatch
from agentbbs.protocol.agentgames import VOID_SHUTDOWN
from agentbbs.ratings import elo

MOVE_TIMEOUT_MS: Final = 2_000
STARTED_MS: Final = 1_750_000_000_000
ENDPOINT_MS: Final = 1_500

ROWS: Final = ("connection", "tls", "http", "status", "redirect", "too_large", "not_json", "no_move", "nonce")
"""Strikes that only the seat of an endpoint sees."""


def play(
    rng: random.Random,
    game: str,
    fault_rate: float,
    *,
    strikes: tuple[bool, bool],
    why: str | None,
    endpoints: tuple[bool, bool] = (False, False),
) -> FinishedMatch:
    """One match of random moves, in which one event in `1 / fault_rate` is a fault, a departure or a stop. A seat
    that is one of `endpoints` has three strikes and a clock of its own."""
    one = Player(1, "ada", ARENA_TRANSPORT, ENDPOINT_MS) if endpoints[0] else Player(1, "ada", "websocket")
    other = Player(2, "bob", ARENA_TRANSPORT, ENDPOINT_MS) if endpoints[1] else Player(2, "bob", "ssh")
    match = Match(
        f"match-{rng.randrange(10**12)}",
        catalog.find(game),
        (one, other),
        (
            STRIKES(3) if strikes[0] or endpoints[0] else FORFEIT,
            STRIKES(3) if strikes[1] or endpoints[1] else FORFEIT,
        ),
        move_timeout_ms=MOVE_TIMEOUT_MS,
        started_ms=STARTED_MS,
        why_unrated=why,
    )
    now = rng.uniform(0, 10_000)
    match.handle(Begun(now))
    while match.phase is not Phase.OVER:
        now += rng.uniform(0, 0.1)
        mover = match.position.to_move
        match.handle(Handed(now, mover))
        asked = now
        now += rng.uniform(0, match.clock_ms(mover) / 1000)
        if rng.random() >= fault_rate:
            event = _move(rng, match, now)
        elif endpoints[mover]:
            event = _strike(rng, match, asked, now)
        else:
            event = _fault(rng, match, now)
        now = event.at
        match.handle(event)
    assert match.finished is not None
    return match.finished


def _move(rng: random.Random, match: Match, now: float) -> Event:
    reason = rng.choice((None, None, "centre first", "\x1b[2Jgone"))
    mover = match.position.to_move
    nonce = _nonce(rng) if match.players[mover].transport == ARENA_TRANSPORT else None
    return Moved(now, mover, rng.choice(match.position.legal), match.position.ply, reason, nonce)


def _nonce(rng: random.Random) -> str:
    return f"{rng.getrandbits(128):032x}"


def _strike(rng: random.Random, match: Match, asked: float, now: float) -> Event:
    """What the seat of an endpoint reports; it rings its own deadline, a little early at times."""
    seat, nonce = match.position.to_move, _nonce(rng)
    late = asked + (ENDPOINT_MS + rng.uniform(-4, 9)) / 1000
    row, reason = rng.choice(ROWS), rng.choice((None, "oops", "\x1b[2J"))
    illegal = rng.choice(("z", "9", "-1", "", "A", "x" * 64))
    return rng.choice(
        (
            Faulted(now, seat, "illegal_move", illegal, "the move is not in `legal`", reason, nonce),
            Faulted(late, seat, "timeout", None, "no complete answer", None, nonce),
            Faulted(now, seat, row, "4", "a few words", reason, nonce),
            DeadlinePassed(asked + ENDPOINT_MS / 1000 + 0.1, seat, match.position.ply),
            Aborted(now, VOID_SHUTDOWN),
        )
    )


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
    endpoints=st.tuples(st.booleans(), st.booleans()),
)

_RATING: Final = st.floats(800, 2400, allow_nan=False)

saved_matches: Final[st.SearchStrategy[SavedMatch]] = st.builds(save, finished_matches, st.tuples(_RATING, _RATING))
