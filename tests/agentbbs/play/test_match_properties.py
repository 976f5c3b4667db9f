"""Whatever happens to a match, in whatever order: what always holds."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agentbbs.play.table import BEGUN_AT, STARTED_MS, TIMEOUT_MS, new_match

from agentbbs.games.c4 import C4
from agentbbs.games.game import Game
from agentbbs.games.ttt import TTT
from agentbbs.play.match import (
    FORFEIT,
    STRIKES,
    TRANSITIONS,
    Aborted,
    Ask,
    Begun,
    DeadlinePassed,
    Disconnected,
    Effect,
    Event,
    Faulted,
    Finished,
    Handed,
    Match,
    Moved,
    Phase,
    Policy,
    Refuse,
    Resigned,
    SetDeadline,
    Show,
)
from agentbbs.play.ports import FinishedMatch
from agentbbs.protocol.agentgames import Termination

Deed = tuple[str, int, int, float]
"""What happens next: a kind, a number for it (a move, a ply), a seat, and the seconds since the last."""

COMMON = ("move", "handed")
RARE = ("illegal", "out of turn", "any ply", "repeated", "deadline", "old deadline", "fault", "begun")
LAST = ("resign", "disconnect", "abort")

deeds = st.lists(
    st.tuples(
        st.sampled_from(COMMON * 20 + RARE * 3 + LAST),
        st.integers(-3, 50),
        st.integers(0, 1),
        st.sampled_from((0.0, 0.001, 0.4, 15.0, 20.0)),
    ),
    max_size=70,
)
games = st.sampled_from((TTT, C4))
policies = st.tuples(*[st.sampled_from((FORFEIT, STRIKES(2), STRIKES(3)))] * 2)


def event(match: Match, deed: Deed, at: float) -> Event:
    """The deed as an event for the match as it stands."""
    kind, number, seat, _ = deed
    position = match.position
    mover = max(0, position.to_move)
    legal = position.legal or ("0",)
    known: dict[str, Event] = {
        "move": Moved(at, mover, legal[number % len(legal)]),
        "illegal": Moved(at, seat, "nonsense"),
        "out of turn": Moved(at, 1 - mover, legal[0]),
        "any ply": Moved(at, seat, legal[0], number),
        "repeated": Moved(at, seat, match.plies[-1].move if match.plies else "0", position.ply - 1),
        "handed": Handed(at, mover if number % 4 else seat),
        "deadline": DeadlinePassed(at, mover, position.ply),
        "old deadline": DeadlinePassed(at, seat, number),
        "fault": Faulted(at, seat, "redirect", "302"),
        "begun": Begun(at),
        "resign": Resigned(at, seat),
        "disconnect": Disconnected(at, seat),
        "abort": Aborted(at, "void: server error"),
    }
    return known[kind]


Step = tuple[Phase, int, Event, tuple[Effect, ...]]


def referee(game: Game, both: tuple[Policy, ...], story: list[Deed]) -> tuple[Match, list[Step]]:
    """A match in which all of that happened; for each event the phase and ply before it and its effects."""
    match = new_match(game, (both[0], both[1]))
    at = BEGUN_AT
    steps: list[Step] = []
    for deed in [("begun", 0, 0, 0.0), *story]:
        at += deed[3]
        happened = event(match, deed, at)
        before = match.phase, match.position.ply
        steps.append((*before, happened, match.handle(happened)))
    return match, steps


def effects_of(steps: list[Step]) -> list[Effect]:
    """All effects in order."""
    return [effect for step in steps for effect in step[3]]


@settings(deadline=None, max_examples=300)
@given(games, policies, deeds)
def test_a_match_keeps_to_its_table(game: Game, both: tuple[Policy, ...], story: list[Deed]) -> None:
    match, steps = referee(game, both, story)
    phases = [step[0] for step in steps] + [match.phase]
    for (phase, _, happened, effects), after in zip(steps, phases[1:], strict=True):
        row = TRANSITIONS.get((phase, type(happened)))
        if row is None:
            assert (effects, after) == ((), phase)
        else:
            assert {type(effect) for effect in effects} <= set(row.effects)
            assert after in row.to or (after is phase and effects == ())


@settings(deadline=None, max_examples=300)
@given(games, policies, deeds)
def test_the_ply_is_the_number_of_moves_and_they_replay(
    game: Game, both: tuple[Policy, ...], story: list[Deed]
) -> None:
    match, steps = referee(game, both, story)
    plies = [step[1] for step in steps] + [match.position.ply]
    assert all(after - before in (0, 1) for before, after in pairwise(plies))
    replayed = game.initial()
    for ply in match.plies:
        replayed = replayed.play(ply.move)
    assert replayed == match.position
    assert match.position.ply == len(match.plies)


@settings(deadline=None, max_examples=300)
@given(games, policies, deeds)
def test_an_accepted_move_is_answered_once(game: Game, both: tuple[Policy, ...], story: list[Deed]) -> None:
    """By the next question or by the end, and the other seat sees the position too."""
    match, steps = referee(game, both, story)
    plies = [step[1] for step in steps] + [match.position.ply]
    for (_, before, _, effects), after in zip(steps, plies[1:], strict=True):
        kinds = [type(effect) for effect in effects]
        if after > before:
            assert kinds in ([Ask, Show], [Show, Show, Finished])
            seats = [effect.seat for effect in effects if isinstance(effect, Ask | Show)]
            assert sorted(seats) == [0, 1]
        assert kinds.count(Ask) + kinds.count(Finished) <= 1
        assert kinds.count(Refuse) == 0 or kinds == [Refuse]


@settings(deadline=None, max_examples=300)
@given(games, policies, deeds)
def test_a_match_ends_once_and_stays_ended(game: Game, both: tuple[Policy, ...], story: list[Deed]) -> None:
    match, steps = referee(game, both, story)
    ends = [effect for effect in effects_of(steps) if isinstance(effect, Finished)]
    assert [end.match for end in ends] == ([] if match.finished is None else [match.finished])
    assert (match.phase is Phase.OVER) is (match.finished is not None)
    for phase, _, happened, effects in steps:
        if phase is Phase.OVER:
            assert [type(effect) for effect in effects] == ([Refuse] if isinstance(happened, Moved) else [])


@settings(deadline=None, max_examples=300)
@given(games, policies, deeds)
def test_whoever_is_asked_is_to_move_and_whoever_is_shown_is_not(
    game: Game, both: tuple[Policy, ...], story: list[Deed]
) -> None:
    _, steps = referee(game, both, story)
    for effect in effects_of(steps):
        if isinstance(effect, Ask):
            assert effect.state.your_turn
            assert effect.state.ply % 2 == effect.seat
            assert effect.state.remaining_ms == TIMEOUT_MS
        elif isinstance(effect, Show):
            assert not effect.state.your_turn
        elif isinstance(effect, SetDeadline):
            assert effect.ply % 2 == effect.seat


@settings(deadline=None, max_examples=300)
@given(games, policies, deeds)
def test_a_finished_match_is_consistent(game: Game, both: tuple[Policy, ...], story: list[Deed]) -> None:
    match, _ = referee(game, both, [*story, ("disconnect", 0, 0, 0.0)])
    finished = match.finished
    assert finished is not None
    assert finished.plies == match.plies
    assert finished.rated is (finished.termination is not Termination.SERVER)
    assert (finished.why is None) is finished.rated
    assert finished.ended_ms >= finished.started_ms == STARTED_MS
    assert finished.winner in ((0, 1, -1) if finished.termination is Termination.NORMAL else ending(finished))
    outcome = match.position.outcome
    assert (outcome is not None) is (finished.termination is Termination.NORMAL)
    if outcome is not None:
        assert finished.winner == outcome.winner
    strikes = [0, 0]
    for index, ply in enumerate(finished.plies):
        strikes[index % 2] += len(ply.strikes)
    strikes[len(finished.plies) % 2] += len(finished.unplayed)
    assert all(count <= policy.faults for count, policy in zip(strikes, both, strict=True))
    struck_out = [count == policy.faults for count, policy in zip(strikes, both, strict=True)]
    by_fault = (Termination.ILLEGAL_MOVE, Termination.TIMEOUT, Termination.STRIKES)
    assert any(struck_out) is (finished.termination in by_fault)
    if any(struck_out):
        assert finished.winner == 1 - struck_out.index(True)


def ending(finished: FinishedMatch) -> tuple[int, ...]:
    """Who can win a match that ended by something else than the rules: never nobody, unless it is void."""
    return (-1,) if finished.termination is Termination.SERVER else (0, 1)


@settings(deadline=None, max_examples=200)
@given(games, policies, deeds)
def test_the_same_events_make_the_same_match(game: Game, both: tuple[Policy, ...], story: list[Deed]) -> None:
    story = [*story, ("disconnect", 0, 0, 0.0)]
    first, steps = referee(game, both, story)
    again = new_match(game, (both[0], both[1]))
    assert [again.handle(step[2]) for step in steps] == [step[3] for step in steps]
    assert again.finished == first.finished


@settings(deadline=None, max_examples=200)
@given(games, st.lists(st.tuples(st.integers(0, 6), st.floats(0.0, 14.0)), min_size=42, max_size=42))
def test_a_random_match_refereed_again_from_its_record_is_the_same(
    game: Game, choices: list[tuple[int, float]]
) -> None:
    """The record alone (moves and the ms they took) leads to an equal record."""
    played = new_match(game)
    at = BEGUN_AT
    played.handle(Begun(at))
    for choice, took_s in choices:
        if played.finished is None:
            seat, legal = played.position.to_move, played.position.legal
            played.handle(Handed(at, seat))
            at += round(took_s, 3)
            played.handle(Moved(at, seat, legal[choice % len(legal)]))
    assert played.finished is not None

    again = new_match(game)
    now_ms = 0
    again.handle(Begun(0.0))
    for index, ply in enumerate(played.finished.plies):
        again.handle(Handed(now_ms / 1000, index % 2))
        now_ms += ply.ms
        again.handle(Moved(now_ms / 1000, index % 2, ply.move))
    assert again.finished == played.finished
