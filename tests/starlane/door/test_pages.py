"""The help says of the rules what they are."""

from __future__ import annotations

from starlane.door.pages import basics, commerce, conflict
from starlane.goods import TRADE_GOODS, Good
from starlane.rules.combat import DEFENDERS_EDGE_PERMILLE, LUCK_PERMILLE
from starlane.rules.growth import GROWTH_PERMILLE
from starlane.rules.haggling import best_reserve, worst_opening
from starlane.rules.prices import unit_price
from starlane.rules.worth import BASE, COUNTS
from starlane.settings import MAX_TEXT_CHARS, Settings

SETTINGS = Settings(seed=1)


def words(page: str) -> str:
    return " ".join(page.split())


def test_prices() -> None:
    page = words(commerce.trade(SETTINGS))
    assert "Base values: ice 10, grain 20, tools 40 credits." in page
    assert [BASE[good] for good in TRADE_GOODS] == [10, 20, 40]
    assert "70% of base when full, up to 110% when empty" in page
    assert [unit_price(Good.TOOLS, sells=True, stock=stock, size=1000) for stock in (1000, 0)] == [280, 440]
    assert "130% of base when empty, down to 90% when full" in page
    assert [unit_price(Good.TOOLS, sells=False, stock=stock, size=1000) for stock in (0, 1000)] == [520, 360]
    assert "recover by 8% of their size a day" in page
    assert GROWTH_PERMILLE == 80


def test_haggling() -> None:
    page = words(commerce.haggling(SETTINGS))
    worst, best = worst_opening(10_000, buying=True) - 10_000, 10_000 - best_reserve(10_000, buying=True)
    assert f"by up to {worst / 100:g}%." in page
    assert f"to {best / 100:g}% better for you" in page


def test_what_counts() -> None:
    assert "6, 12 and 24 a unit" in words(basics.score(SETTINGS))
    assert [COUNTS[good] for good in TRADE_GOODS] == [6, 12, 24]


def test_fighting() -> None:
    page = words(conflict.fights(SETTINGS))
    assert "by up to 15%; defenders are 3% stronger" in page
    assert (LUCK_PERMILLE, DEFENDERS_EDGE_PERMILLE) == (150, 30)


def test_letters() -> None:
    assert f"up to {MAX_TEXT_CHARS} characters" in words(basics.words(SETTINGS))
