"""The fold over finished matches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.play.ports import Standing
from agentbbs.ratings import elo
from agentbbs.ratings.ladder import Fold, after_match

MATCHES = st.lists(
    st.tuples(
        st.sampled_from(["ttt", "c4"]),
        st.lists(st.integers(1, 5), min_size=2, max_size=2, unique=True),
        st.sampled_from([-1, 0, 1]),
    ),
    max_size=40,
)


def test_a_win_of_the_first_mover() -> None:
    won, lost = after_match(Standing(), Standing(), 0)
    assert won == Standing(rating=1516.0, played=1, wins=1, firsts=1)
    assert lost == Standing(rating=1484.0, played=1, losses=1)


def test_a_win_of_the_second_mover() -> None:
    lost, won = after_match(Standing(), Standing(), 1)
    assert lost == Standing(rating=1484.0, played=1, losses=1, firsts=1)
    assert won == Standing(rating=1516.0, played=1, wins=1)


def test_a_draw() -> None:
    first, second = after_match(Standing(rating=1600.0), Standing(rating=1400.0), -1)
    assert (first.draws, second.draws) == (1, 1)
    assert (first.firsts, second.firsts) == (1, 0)
    assert first.rating < 1600
    assert second.rating > 1400


def test_games_have_ladders_of_their_own() -> None:
    fold = Fold(Standing())
    fold.apply("ttt", 1, 2, 0)
    assert fold.of("c4", 1) == Standing()
    assert fold.of("ttt", 1).rating == 1516.0


def test_an_account_can_not_be_rated_against_itself() -> None:
    fold = Fold(Standing())
    with pytest.raises(ValueError, match="two accounts"):
        fold.apply("ttt", 7, 7, 0)
    assert fold.records == {}


@given(MATCHES)
def test_the_fold_keeps_the_books(matches: list[tuple[str, list[int], int]]) -> None:
    fold = Fold(Standing())
    for game, (first, second), winner in matches:
        before = fold.of(game, first).rating, fold.of(game, second).rating
        after = fold.apply(game, first, second, winner)
        # The same arithmetic by hand, from the definition.
        score = {0: 1.0, 1: 0.0, -1: 0.5}[winner]
        gain = 32 * (score - 1 / (1 + 10 ** ((before[1] - before[0]) / 400)))
        assert (after[0].rating, after[1].rating) == (before[0] + gain, before[1] - gain)
        assert after == (fold.of(game, first), fold.of(game, second))
    for game in ("ttt", "c4"):
        records = [record for (of, _), record in fold.records.items() if of == game]
        played = sum(1 for of, _, _ in matches if of == game)
        assert sum(record.played for record in records) == 2 * played
        assert sum(record.firsts for record in records) == played
        assert sum(record.wins for record in records) == sum(record.losses for record in records)
        assert all(record.played == record.wins + record.draws + record.losses for record in records)
        assert sum(record.rating for record in records) == pytest.approx(elo.START * len(records))
