"""The yard and the bank."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.worlds import enroll, pilot, place, six_sectors

from starlane.engine.refusal import Refused
from starlane.goods import Good
from starlane.orders import Actor, Bank, Buy, BuyScanner, Order, SellFighters, Work
from starlane.reports import Done
from starlane.settings import MAX_AMOUNT, MAX_FIGHTERS, MAX_HOLDS
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    universe = six_sectors()
    yield universe
    assert universe.verify() == []
    universe.close()


@pytest.fixture
def ada(universe: Universe) -> Actor:
    """At Haven with 2,000 credits, 20 empty holds and 25 fighters."""
    return enroll(universe, "ada")


def text(universe: Universe, who: Actor, order: Order) -> str:
    report = universe.perform(who, order)
    assert isinstance(report, Done)
    return report.text


@pytest.mark.parametrize(
    ("good", "cost"), [(Good.HOLDS, 5 * 300 + 12 * 10), (Good.FIGHTERS, 250), (Good.COLONISTS, 40)]
)
def test_what_is_bought_is_aboard_and_paid(universe: Universe, ada: Actor, good: Good, cost: int) -> None:
    before = pilot(universe, ada)
    assert text(universe, ada, Buy(good=good, amount=5)) == f"You have bought 5 {good} for {cost:,} credits."
    after = pilot(universe, ada)
    assert after.amount(good) == before.amount(good) + 5
    assert after.credits == 2_000 - cost


@pytest.mark.parametrize(
    "order", [Buy(good=Good.HOLDS, amount=1), BuyScanner(), SellFighters(amount=1), Bank(credits=1)]
)
def test_all_of_it_is_at_haven_alone(universe: Universe, ada: Actor, order: Order) -> None:
    place(universe, ada, sector=2)
    with pytest.raises(Refused, match=r"at Haven, sector 1"):
        universe.perform(ada, order)


def test_whoever_has_nothing_can_work_for_a_start(universe: Universe, ada: Actor) -> None:
    place(universe, ada, credits=0, fighters=0)
    before = pilot(universe, ada).turns
    assert text(universe, ada, Work(turns=40)) == "You have worked 40 turns in the yard for 200 credits."
    assert (pilot(universe, ada).credits, pilot(universe, ada).turns) == (200, before - 40)


@pytest.mark.parametrize("turns", [-1, 0, 251])
def test_nobody_works_more_turns_than_the_day_has_left(universe: Universe, ada: Actor, turns: int) -> None:
    with pytest.raises(Refused, match="You can work 1 to 250 turns"):
        universe.perform(ada, Work(turns=turns))


@pytest.mark.parametrize("amount", [-3, 0, 7])
def test_a_wrong_amount_is_refused_with_what_is_possible(universe: Universe, ada: Actor, amount: int) -> None:
    with pytest.raises(Refused, match="You can buy 1 to 6 holds: your credits pay for no more"):
        universe.perform(ada, Buy(good=Good.HOLDS, amount=amount))
    place(universe, ada, tools=14)
    with pytest.raises(Refused, match="You can buy 1 to 6 colonists: your ship has room for no more"):
        universe.perform(ada, Buy(good=Good.COLONISTS, amount=amount))


@pytest.mark.parametrize(
    ("good", "fields", "said"),
    [
        (Good.HOLDS, {"holds": MAX_HOLDS}, "has 200 holds"),
        (Good.HOLDS, {"credits": 299}, "one costs 300 credits"),
        (Good.FIGHTERS, {"fighters": MAX_FIGHTERS}, "carries 20,000 fighters"),
        (Good.FIGHTERS, {"credits": 49}, "one costs 50 credits"),
        (Good.COLONISTS, {"tools": 20}, "no free holds"),
        (Good.ICE, {}, "trade goods are for ports"),
        (Good.CREDITS, {}, "trade goods are for ports"),
    ],
)
def test_what_the_yard_can_not_sell(
    universe: Universe, ada: Actor, good: Good, fields: dict[str, int], said: str
) -> None:
    place(universe, ada, **fields)
    with pytest.raises(Refused, match=said):
        universe.perform(ada, Buy(good=good, amount=1))


def test_a_scanner_once(universe: Universe, ada: Actor) -> None:
    with pytest.raises(Refused, match=r"costs 3,000 credits; you have 2,000"):
        universe.perform(ada, BuyScanner())
    place(universe, ada, credits=3_000)
    assert "scanner" in text(universe, ada, BuyScanner())
    assert pilot(universe, ada).scanner
    assert pilot(universe, ada).credits == 0
    with pytest.raises(Refused, match="already"):
        universe.perform(ada, BuyScanner())


def test_fighters_go_back_at_half_their_price(universe: Universe, ada: Actor) -> None:
    assert text(universe, ada, SellFighters(amount=25)) == "The yard has taken 25 fighters for 625 credits."
    assert (pilot(universe, ada).fighters, pilot(universe, ada).credits) == (0, 2_625)
    with pytest.raises(Refused, match="no fighters"):
        universe.perform(ada, SellFighters(amount=1))


def test_fighters_that_are_not_there_are_not_sold(universe: Universe, ada: Actor) -> None:
    for amount in (-1, 0, 26):
        with pytest.raises(Refused, match="1 to 25"):
            universe.perform(ada, SellFighters(amount=amount))
    place(universe, ada, credits=MAX_AMOUNT)
    with pytest.raises(Refused, match="bank"):
        universe.perform(ada, SellFighters(amount=1))


def test_the_bank_keeps_and_gives_back(universe: Universe, ada: Actor) -> None:
    said = text(universe, ada, Bank(credits=1_500))
    assert said == "You have paid in 1,500 credits: 1,500 in the bank, 500 aboard."
    said = text(universe, ada, Bank(credits=-400))
    assert said == "You have drawn 400 credits: 1,100 in the bank, 900 aboard."
    assert (pilot(universe, ada).credits, pilot(universe, ada).bank) == (900, 1_100)


@pytest.mark.parametrize(
    ("fields", "amount", "said"),
    [
        ({}, 0, "no credits in the bank"),
        ({"bank": 10}, 0, "You can draw 1 to 10 credits"),
        ({"bank": 10}, -11, "You can draw 1 to 10 credits"),
        ({}, 2_001, "You can pay in 1 to 2,000 credits"),
        ({"credits": 0}, 1, "no credits aboard"),
        ({"bank": MAX_AMOUNT}, 1, "The bank keeps no more than 1,000,000,000"),
        ({"bank": 5, "credits": MAX_AMOUNT}, -1, "A ship carries no more than 1,000,000,000"),
        ({"bank": MAX_AMOUNT - 5}, 6, "You can pay in 1 to 5 credits"),
    ],
)
def test_the_bank_refuses_with_what_is_possible(
    universe: Universe, ada: Actor, fields: dict[str, int], amount: int, said: str
) -> None:
    place(universe, ada, **fields)
    with pytest.raises(Refused, match=said):
        universe.perform(ada, Bank(credits=amount))
