"""How ports haggle, and that it pays to listen."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starlane.dice import Dice
from starlane.goods import Good
from starlane.records import Bargain
from starlane.reports import Haggle
from starlane.rules.haggling import (
    MAX_SPOILT,
    Mood,
    answer,
    best_reserve,
    open_bargain,
    repriced,
    worst_opening,
)

sides = st.booleans()
worths = st.integers(7, 1_000_000)
states = st.integers(0, 2**64 - 1)


def _bargain(*, buying: bool = True, ask: int = 1_020, reserve: int = 990, patience: int = 3, best: int = 0) -> Bargain:
    if not buying:
        ask, reserve = 2_000 - ask, 2_000 - reserve
    terms = {"fair": 1_000, "ask": ask, "reserve": reserve, "patience": patience, "best": best, "quantity": 20}
    return msgspec.convert({"pilot": 1, "sector": 2, "good": "tools", "buying": buying, **terms}, Bargain)


def _named(offer: int, *, buying: bool) -> int:
    """An offer for a bargain of `_bargain`, mirrored where the pilot sells."""
    return offer if buying else 2_000 - offer


@given(states, worths, sides, st.integers(0, MAX_SPOILT))
def test_a_port_opens_beyond_its_reserve_and_within_its_bounds(
    state: int, fair: int, buying: bool, spoilt: int
) -> None:
    first = open_bargain(Dice(state), fair, buying=buying, spoilt=spoilt)
    worst, best = (bound(fair, buying=buying, spoilt=spoilt) for bound in (worst_opening, best_reserve))
    order = (best, first.reserve, first.ask, worst)
    assert list(order) == sorted(order, reverse=not buying)
    assert 2 <= first.patience <= 5
    assert worst > 0


@pytest.mark.parametrize("buying", [True, False])
class TestAnswers:
    def test_to_name_the_ports_price_is_to_accept(self, buying: bool) -> None:
        said = answer(Dice(1), _bargain(buying=buying), _named(1_020, buying=buying))
        assert said.state is Haggle.DEAL
        assert said.bargain.ask == _named(1_020, buying=buying)

    def test_who_offers_more_than_the_port_wants_pays_what_it_wants(self, buying: bool) -> None:
        said = answer(Dice(1), _bargain(buying=buying), _named(1_500, buying=buying))
        assert said.bargain.ask == _named(1_020, buying=buying)

    def test_an_offer_at_the_reserve_is_taken_as_it_stands(self, buying: bool) -> None:
        said = answer(Dice(1), _bargain(buying=buying), _named(990, buying=buying))
        assert said.state is Haggle.DEAL
        assert said.bargain.ask == _named(990, buying=buying)

    @pytest.mark.parametrize(
        ("offer", "mood", "patience"),
        [(988, Mood.NEAR, 3), (960, Mood.SENSIBLE, 3), (930, Mood.SOUR, 2)],
    )
    def test_the_farther_off_the_worse_the_mood(self, buying: bool, offer: int, mood: Mood, patience: int) -> None:
        said = answer(Dice(1), _bargain(buying=buying, patience=4), _named(offer, buying=buying))
        assert (said.state, said.mood, said.bargain.patience) == (Haggle.OPEN, mood, patience)

    def test_a_sensible_offer_moves_the_port_and_a_sour_one_does_not(self, buying: bool) -> None:
        near, far, sour = (
            abs(answer(Dice(5), _bargain(buying=buying), _named(offer, buying=buying)).bargain.ask - 1_000)
            for offer in (988, 965, 930)
        )
        assert near < far < sour == 20

    def test_an_offer_no_better_than_before_costs_patience_for_nothing(self, buying: bool) -> None:
        heard = _bargain(buying=buying, best=_named(980, buying=buying))
        for offer in (980, 970):
            said = answer(Dice(1), heard, _named(offer, buying=buying))
            assert (said.mood, said.bargain.ask) == (Mood.STALE, heard.ask)
            assert said.bargain.patience == 1

    def test_the_last_sensible_offer_is_answered_with_the_last_word(self, buying: bool) -> None:
        said = answer(Dice(1), _bargain(buying=buying, patience=1), _named(980, buying=buying))
        assert (said.state, said.bargain.patience) == (Haggle.FINAL, 0)
        taken = answer(Dice(1), said.bargain, said.bargain.ask)
        assert taken.state is Haggle.DEAL

    def test_after_the_last_word_even_the_reserve_is_refused(self, buying: bool) -> None:
        said = answer(Dice(1), _bargain(buying=buying, patience=0), _named(995, buying=buying))
        assert (said.state, said.mood) == (Haggle.BROKEN, Mood.FIRM)

    def test_an_insult_ends_the_bargain_or_all_but(self, buying: bool) -> None:
        bargain = _bargain(buying=buying, patience=5)
        said = [answer(Dice(state), bargain, _named(880, buying=buying)) for state in range(40)]
        assert {each.state for each in said} == {Haggle.BROKEN, Haggle.FINAL}
        assert {(each.mood, each.bargain.patience, each.bargain.ask) for each in said} == {
            (Mood.INSULTED, 0, bargain.ask)
        }

    def test_prices_move_with_the_worth_of_the_goods(self, buying: bool) -> None:
        moved = repriced(_bargain(buying=buying), 2_000)
        assert (moved.fair, moved.ask) == (2_000, 2 * _named(1_020, buying=buying))
        assert moved.reserve == 2 * _named(990, buying=buying)


def test_one_credit_off_is_near_however_small_the_trade() -> None:
    tiny = msgspec.structs.replace(_bargain(), quantity=1, fair=8, ask=9, reserve=8)
    assert answer(Dice(1), tiny, 7).mood is Mood.NEAR


@given(states, worths, sides, st.lists(st.integers(0, 2_000_000), max_size=8))
def test_no_offers_push_a_port_beyond_its_reserve_or_make_it_ask_for_more(
    state: int, fair: int, buying: bool, offers: list[int]
) -> None:
    dice = Dice(state)
    first = open_bargain(dice, fair, buying=buying)
    bargain = Bargain(
        pilot=1,
        sector=2,
        good=Good.ICE,
        buying=buying,
        quantity=1,
        fair=fair,
        ask=first.ask,
        reserve=first.reserve,
        patience=first.patience,
    )
    for offer in offers:
        said = answer(dice, bargain, offer)
        order = (first.reserve, said.bargain.ask, bargain.ask)
        assert list(order) == sorted(order, reverse=not buying)
        if said.state in (Haggle.DEAL, Haggle.BROKEN):
            break
        assert (said.state is Haggle.FINAL) == (said.bargain.patience == 0)
        assert said.bargain.patience < bargain.patience
        bargain = said.bargain
