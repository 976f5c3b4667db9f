"""Net worth, part by part."""

from __future__ import annotations

import msgspec
import pytest

from starlane.goods import TRADE_GOODS, Good
from starlane.records import Kind, Picket, Pilot, Planet, Stance
from starlane.rules.haggling import MAX_SPOILT, best_reserve, worst_opening
from starlane.rules.planets import build_cost
from starlane.rules.prices import fair_total
from starlane.rules.worth import COUNTS, cargo_worth, picket_worth, planet_worth, ship_worth
from starlane.rules.yard import COLONIST_PRICE, FIGHTER_PRICE, FIGHTER_RESALE, SCANNER_PRICE, hold_price
from starlane.settings import MAX_HOLDS


def _ship(**fields: int | bool) -> Pilot:
    return Pilot(id=1, key="name:ada", name="ada", sector=1, **fields)  # type: ignore[arg-type]  # fields of a pilot


def test_a_new_ship() -> None:
    assert ship_worth(_ship(holds=20, fighters=25, credits=2_000)) == 1_740 + 625


def test_cargo_counts_people_too() -> None:
    assert cargo_worth(_ship(holds=20, ice=1, grain=2, tools=3, colonists=4)) == 6 + 24 + 72 + 16


def test_a_picket_counts_its_fighters() -> None:
    assert picket_worth(Picket(sector=4, owner=1, fighters=40, stance=Stance.TOLL)) == 1_000


def test_a_planet_counts_half_of_its_works_and_what_lies_there() -> None:
    bare = Planet(id=1, sector=4, name="Brine", kind=Kind.OCEAN, owner=1)
    assert planet_worth(bare) == 0
    rich = msgspec.structs.replace(bare, works=1, credits=500, ice=10, grain=10, tools=10, colonists=100, fighters=4)
    assert planet_worth(rich) == 1_480 + 500 + 60 + 120 + 240 + 400 + 100


@pytest.mark.parametrize("holds", [0, 20, 199, MAX_HOLDS - 1])
def test_a_hold_counts_for_less_than_it_costs(holds: int) -> None:
    assert ship_worth(_ship(holds=holds + 1)) - ship_worth(_ship(holds=holds)) < hold_price(holds)


def test_hardware_and_people_count_for_less_than_they_cost() -> None:
    assert ship_worth(_ship(scanner=True)) < SCANNER_PRICE
    assert ship_worth(_ship(fighters=1)) < FIGHTER_PRICE
    assert COUNTS[Good.COLONISTS] < COLONIST_PRICE
    assert COUNTS[Good.FIGHTERS] <= FIGHTER_RESALE, "to sell them is no loss"


@pytest.mark.parametrize("works", range(5))
def test_works_count_for_less_than_went_into_them(works: int) -> None:
    planet = Planet(id=1, sector=4, name="Brine", kind=Kind.OCEAN, owner=1, works=works)
    paid, tools = build_cost(planet)
    built = Planet(id=1, sector=4, name="Brine", kind=Kind.OCEAN, owner=1, works=works + 1)
    assert planet_worth(built) - planet_worth(planet) < paid + tools * COUNTS[Good.TOOLS]


@pytest.mark.parametrize("good", TRADE_GOODS)
def test_no_haggling_buys_cargo_for_less_than_it_counts_nor_sells_it_for_less(good: Good) -> None:
    for quantity in (1, 20, 200):
        counts = quantity * COUNTS[good]
        cheapest = fair_total(good, sells=True, stock=3_000, size=3_000, quantity=quantity)
        assert best_reserve(cheapest, buying=True) > counts
        poorest = fair_total(good, sells=False, stock=3_000 - quantity, size=3_000, quantity=quantity)
        assert worst_opening(poorest, buying=False, spoilt=MAX_SPOILT - 1) > counts
