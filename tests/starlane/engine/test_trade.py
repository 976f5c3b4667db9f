"""Docking and bargains, in a world made by hand: Haven (port BSS) and Lantern (port SBB), full or empty of 500 each."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.starlane.worlds import change, enroll, pilot, place, six_sectors

from starlane.engine.refusal import Refused
from starlane.engine.trade import max_quantity
from starlane.goods import TRADE_GOODS, Good
from starlane.orders import Actor, Ask, Dock, Offer, Order, Walk
from starlane.records import Bargain, Port, Seen
from starlane.reports import Docked, Done, Haggle, Haggled
from starlane.rules.haggling import MAX_SPOILT
from starlane.settings import MAX_AMOUNT
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    universe = six_sectors()
    yield universe
    assert universe.verify() == []
    universe.close()


@pytest.fixture
def ada(universe: Universe) -> Actor:
    """In port at Haven, which sells grain and tools and buys ice, with ten ice aboard."""
    ada = enroll(universe, "ada")
    place(universe, ada, ice=10, docked=True)
    return ada


def ask(universe: Universe, who: Actor, good: Good, quantity: int) -> Haggled:
    return haggled(universe, who, Ask(good=good, quantity=quantity))


def offer(universe: Universe, who: Actor, amount: int) -> Haggled:
    return haggled(universe, who, Offer(credits=amount))


def haggled(universe: Universe, who: Actor, order: Order) -> Haggled:
    report = universe.perform(who, order)
    assert isinstance(report, Haggled)
    return report


def bargain(universe: Universe, who: Actor) -> Bargain | None:
    with universe.look() as sky:
        return sky.get(Bargain, who.pilot)


def port(universe: Universe, sector: int = 1) -> Port:
    with universe.look() as sky:
        found = sky.get(Port, sector)
    assert found is not None
    return found


class TestDock:
    def test_costs_a_turn_and_notes_what_the_port_has(self, universe: Universe) -> None:
        ada = enroll(universe, "ada")
        with universe.transaction() as world:
            if not world.find(Seen, pilot=ada.pilot, sector=1):
                world.add(Seen(id=0, pilot=ada.pilot, sector=1))
        before = pilot(universe, ada)
        assert universe.perform(ada, Dock()) == Docked(port="Haven")
        after = pilot(universe, ada)
        assert after.docked
        assert after.turns == before.turns - 1
        with universe.look() as sky:
            (seen,) = sky.find(Seen, pilot=ada.pilot, sector=1)
        assert (seen.day, seen.ice_stock, seen.grain_stock, seen.tools_stock) == (0, 0, 500, 500)

    def test_lifts_off_first(self, universe: Universe) -> None:
        ada = enroll(universe, "ada")
        place(universe, ada, planet=1)
        universe.perform(ada, Dock())
        assert pilot(universe, ada).planet == 0

    def test_needs_a_port_and_a_turn(self, universe: Universe) -> None:
        ada = enroll(universe, "ada")
        place(universe, ada, sector=4)
        with pytest.raises(Refused, match="no port"):
            universe.perform(ada, Dock())
        place(universe, ada, sector=2, turns=0)
        with pytest.raises(Refused, match="no turns"):
            universe.perform(ada, Dock())

    def test_once_more_is_refused_unless_the_port_is_to_forget(self, universe: Universe, ada: Actor) -> None:
        with pytest.raises(Refused, match="already"):
            universe.perform(ada, Dock())
        ask(universe, ada, Good.TOOLS, 5)
        universe.perform(ada, Dock())
        assert pilot(universe, ada).spoilt == 0
        assert bargain(universe, ada) is None


class TestAsk:
    def test_the_port_names_its_price(self, universe: Universe, ada: Actor) -> None:
        place(universe, ada, holds=30)
        first = ask(universe, ada, Good.TOOLS, 20)
        assert (first.state, first.buying, first.quantity) == (Haggle.OPEN, True, 20)
        assert first.text.endswith(f" We'll sell them for {first.ask}.")
        assert 560 < first.ask < 600, "20 of 40 credits at 70 percent, and a little more"
        assert ask(universe, ada, Good.ICE, 10).text.endswith(f" We'll pay {bargain(universe, ada).ask}.")  # type: ignore[union-attr]  # there is one

    def test_needs_a_port(self, universe: Universe, ada: Actor) -> None:
        place(universe, ada, docked=False)
        with pytest.raises(Refused, match="dock first"):
            ask(universe, ada, Good.TOOLS, 1)

    @pytest.mark.parametrize("good", sorted({*Good} - {*TRADE_GOODS}))
    def test_ports_trade_nothing_else(self, universe: Universe, ada: Actor, good: Good) -> None:
        with pytest.raises(Refused, match="ice, grain and tools only"):
            ask(universe, ada, good, 1)

    @pytest.mark.parametrize("quantity", [-1, 0, 11])
    def test_a_quantity_beyond_what_can_be_is_refused_with_the_range(
        self, universe: Universe, ada: Actor, quantity: int
    ) -> None:
        for good, verb in ((Good.TOOLS, "buy"), (Good.ICE, "sell")):
            with pytest.raises(Refused, match=f"You can {verb} 1 to 10 {good} here"):
                ask(universe, ada, good, quantity)

    def test_what_the_purse_can_never_pay_is_refused_with_what_it_might(self, universe: Universe, ada: Actor) -> None:
        place(universe, ada, credits=100)
        with pytest.raises(
            Refused, match=r"10 tools cost \d+ credits at the very least; you have 100, enough for 3 at"
        ):
            ask(universe, ada, Good.TOOLS, 10)
        assert ask(universe, ada, Good.TOOLS, 3).state is Haggle.OPEN
        place(universe, ada, credits=5)
        with pytest.raises(Refused, match=r"you have 5\.$"):
            ask(universe, ada, Good.TOOLS, 10)

    def test_nothing_to_trade_is_said(self, universe: Universe, ada: Actor) -> None:
        place(universe, ada, ice=0, grain=20)
        with pytest.raises(Refused, match="no free holds"):
            ask(universe, ada, Good.TOOLS, 1)
        with pytest.raises(Refused, match="no ice aboard"):
            ask(universe, ada, Good.ICE, 1)
        change(universe, port(universe), tools_stock=0, ice_stock=500)
        with pytest.raises(Refused, match="sold out of tools"):
            ask(universe, ada, Good.TOOLS, 1)
        with pytest.raises(Refused, match="full of ice"):
            ask(universe, ada, Good.ICE, 1)

    def test_who_asks_again_and_again_hears_ever_worse_prices_and_then_none(
        self, universe: Universe, ada: Actor
    ) -> None:
        asks = [ask(universe, ada, Good.TOOLS, 10).ask for _ in range(MAX_SPOILT)]
        assert asks == sorted(set(asks))
        with pytest.raises(Refused, match="tired of you"):
            ask(universe, ada, Good.TOOLS, 10)

    def test_walking_out_and_a_new_session_do_not_make_the_port_forget(self, universe: Universe, ada: Actor) -> None:
        ask(universe, ada, Good.TOOLS, 10)
        universe.perform(ada, Walk())
        assert pilot(universe, ada).spoilt == 1
        change(universe, pilot(universe, ada).with_more(session=1))
        ask(universe, msgspec.structs.replace(ada, session=ada.session + 1), Good.TOOLS, 10)
        assert pilot(universe, ada).spoilt == 2


class TestOffer:
    def test_a_purchase(self, universe: Universe, ada: Actor) -> None:
        first = ask(universe, ada, Good.TOOLS, 10)
        deal = offer(universe, ada, first.ask)
        assert (deal.state, deal.ask) == (Haggle.DEAL, first.ask)
        assert f"You have bought 10 tools for {first.ask} credits." in deal.text
        after = pilot(universe, ada)
        assert (after.tools, after.credits, after.spoilt) == (10, 2_000 - first.ask, 0)
        assert port(universe).tools_stock == 490
        assert bargain(universe, ada) is None

    def test_a_sale(self, universe: Universe, ada: Actor) -> None:
        first = ask(universe, ada, Good.ICE, 4)
        deal = offer(universe, ada, 1)
        assert (deal.state, deal.ask) == (Haggle.DEAL, first.ask), "a slip of the pen costs nothing"
        after = pilot(universe, ada)
        assert (after.ice, after.credits) == (6, 2_000 + first.ask)
        assert port(universe).ice_stock == 4

    def test_a_deal_is_noted_as_seen(self, universe: Universe, ada: Actor) -> None:
        place(universe, ada, docked=False)
        universe.perform(ada, Dock())
        with universe.transaction() as world:
            if not world.find(Seen, pilot=ada.pilot, sector=1):
                world.add(Seen(id=0, pilot=ada.pilot, sector=1))
        offer(universe, ada, ask(universe, ada, Good.TOOLS, 10).ask)
        with universe.look() as sky:
            (seen,) = sky.find(Seen, pilot=ada.pilot, sector=1)
        assert seen.tools_stock == 490

    def test_between_the_prices_the_port_gives_way_until_its_last_word(self, universe: Universe, ada: Actor) -> None:
        first = ask(universe, ada, Good.TOOLS, 10)
        named = [first]
        for permille in range(960, 1000, 2):
            named.append(offer(universe, ada, first.ask * permille // 1000))
            if named[-1].state is not Haggle.OPEN:
                break
        assert named[-1].state is Haggle.FINAL
        assert named[-1].text.endswith(f"Our last word: {named[-1].ask}.")
        assert [each.ask for each in named] == sorted((each.ask for each in named), reverse=True)
        assert offer(universe, ada, named[-1].ask).state is Haggle.DEAL

    def test_a_refused_last_word_breaks_the_bargain_and_nothing_is_lost(self, universe: Universe, ada: Actor) -> None:
        first = ask(universe, ada, Good.TOOLS, 10)
        before = pilot(universe, ada)
        said = first
        while said.state in (Haggle.OPEN, Haggle.FINAL):
            said = offer(universe, ada, 1)
        assert said.state is Haggle.BROKEN
        assert said.text.endswith("This talk is over; no deal.")
        assert pilot(universe, ada) == before
        assert bargain(universe, ada) is None

    def test_needs_a_bargain(self, universe: Universe, ada: Actor) -> None:
        with pytest.raises(Refused, match="in no bargain"):
            offer(universe, ada, 10)
        with pytest.raises(Refused, match="in no bargain"):
            universe.perform(ada, Walk())

    def test_an_offer_that_can_not_be_paid_is_refused_and_the_port_does_not_mind(
        self, universe: Universe, ada: Actor
    ) -> None:
        first = ask(universe, ada, Good.TOOLS, 10)
        before = bargain(universe, ada)
        place(universe, ada, credits=1_234 - 1_000)
        with pytest.raises(Refused, match="only 234 credits"):
            offer(universe, ada, first.ask)
        for wrong in (0, -5, MAX_AMOUNT + 1):
            with pytest.raises(Refused, match="Name a price from 1 to 1,000,000,000"):
                offer(universe, ada, wrong)
        assert bargain(universe, ada) == before

    def test_who_has_too_much_money_can_not_sell(self, universe: Universe, ada: Actor) -> None:
        place(universe, ada, credits=MAX_AMOUNT)
        first = ask(universe, ada, Good.ICE, 4)
        with pytest.raises(Refused, match="bank"):
            offer(universe, ada, first.ask)

    def test_if_others_were_faster_there_is_no_deal_and_no_grudge(self, universe: Universe, ada: Actor) -> None:
        first = ask(universe, ada, Good.TOOLS, 10)
        change(universe, port(universe), tools_stock=3)
        said = offer(universe, ada, first.ask)
        assert said.state is Haggle.BROKEN
        assert said.text == "Somebody was faster: the port has only 3 tools left. No deal, and no offence taken."
        after = pilot(universe, ada)
        assert (after.tools, after.credits, after.spoilt) == (0, 2_000, 0)

    def test_if_the_cargo_has_gone_there_is_no_deal(self, universe: Universe, ada: Actor) -> None:
        first = ask(universe, ada, Good.ICE, 10)
        place(universe, ada, ice=9)
        assert "not so much ice" in offer(universe, ada, first.ask).text

    def test_if_others_have_moved_the_price_the_port_names_a_new_one(self, universe: Universe, ada: Actor) -> None:
        first = ask(universe, ada, Good.TOOLS, 10)
        change(universe, port(universe), tools_stock=300)
        said = offer(universe, ada, first.ask)
        assert said.state is Haggle.OPEN
        assert said.ask > first.ask
        assert said.text == f"Others have traded here, and the price has moved. We'll sell them for {said.ask}."
        assert offer(universe, ada, said.ask).state is Haggle.DEAL

    def test_a_small_move_or_one_in_the_pilots_favour_changes_nothing(self, universe: Universe, ada: Actor) -> None:
        first = ask(universe, ada, Good.TOOLS, 10)
        change(universe, port(universe), tools_stock=499)
        assert offer(universe, ada, first.ask).state is Haggle.DEAL


class TestMaxQuantity:
    def test_what_purse_holds_and_stock_allow(self, universe: Universe, ada: Actor) -> None:
        for fields, good, most in (
            ({}, Good.TOOLS, 10),
            ({"credits": 100}, Good.TOOLS, 3),
            ({"credits": 0}, Good.TOOLS, 0),
            ({}, Good.ICE, 10),
            ({"sector": 4}, Good.ICE, 0),
            ({}, Good.FIGHTERS, 0),
        ):
            ship = msgspec.structs.replace(pilot(universe, ada), **fields)
            with universe.look() as sky:
                assert max_quantity(sky, ship, good) == most

    @pytest.mark.parametrize("purse", range(29, 300, 13))
    def test_the_first_price_of_so_many_can_be_paid(self, universe: Universe, ada: Actor, purse: int) -> None:
        ship = place(universe, ada, credits=purse)
        with universe.look() as sky:
            most = max_quantity(sky, ship, Good.TOOLS)
        if most:
            assert offer(universe, ada, ask(universe, ada, Good.TOOLS, most).ask).state is Haggle.DEAL


deeds = st.one_of(
    st.just(Dock()),
    st.just(Walk()),
    st.builds(Ask, good=st.sampled_from(TRADE_GOODS), quantity=st.integers(-1, 25)),
    st.builds(Offer, credits=st.integers(-1, 700)),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0, 1]), deeds), max_size=40))
def test_whatever_two_traders_do_the_books_agree(steps: list[tuple[int, Order]]) -> None:
    universe = six_sectors()
    try:
        crew = [enroll(universe, name) for name in ("ada", "bob")]
        place(universe, crew[0], ice=20)
        for who, order in steps:
            try:
                report = universe.perform(crew[who], order)
            except Refused:
                continue
            assert isinstance(report, Done | Docked | Haggled)
        assert universe.verify() == []
    finally:
        universe.close()
