"""The help and the page of the docs say of the rules what they are."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from starlane.door.pages import basics, commerce, conflict
from starlane.goods import TRADE_GOODS, Good
from starlane.rules import haggling
from starlane.rules.combat import DEFENDERS_EDGE_PERMILLE, LUCK_PERMILLE
from starlane.rules.fresh_start import BANK_LOSS_DIVISOR, TURNS_DIVISOR
from starlane.rules.growth import GROWTH_PERMILLE
from starlane.rules.haggling import best_reserve, worst_opening
from starlane.rules.planets import MIN_SETTLERS
from starlane.rules.prices import unit_price
from starlane.rules.worth import BASE, COUNTS
from starlane.rules.yard import COLONIST_PRICE, FIGHTER_PRICE, SCANNER_PRICE, WAGE
from starlane.settings import MAX_TEXT_CHARS, Settings

SETTINGS = Settings(seed=1)
DOCS: Final = Path(__file__).parents[3] / "docs" / "starlane.md"


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


def test_the_loss_of_a_ship() -> None:
    page = words(conflict.fights(SETTINGS))
    assert "half of the day's turns are gone, and a tenth of the bank" in page
    assert (TURNS_DIVISOR, BANK_LOSS_DIVISOR) == (2, 10)
    assert "a tenth of it goes" in words(commerce.yard(SETTINGS))


def test_the_patience_of_ports() -> None:
    page = words(commerce.haggling(SETTINGS))
    assert "hears 2 to 5 offers" in page
    assert '"so close" is within half a percent' in page
    assert "a tenth beyond its limit is an insult" in page
    assert (haggling._PATIENCE, haggling._NEAR, haggling._INSULT) == ((2, 5), 5, 100)


def test_the_page_of_the_docs_says_the_same() -> None:
    text = DOCS.read_text(encoding="utf-8")
    page = words(text[text.index("## The rules in short") : text.index("## Run it")])
    ice, grain, tools = (BASE[good] for good in TRADE_GOODS)
    for said in (
        f"**Turns.** {SETTINGS.turns_per_day} a day.",
        f"trade goods at {COUNTS[Good.TOOLS] * 100 // tools}% of their base value",
        f"(base values {ice}, {grain}, {tools})",
        "from 70% of base, full, to 110%, empty; a buying one pays from 130%, empty, down to 90%, full",
        f"recover by {GROWTH_PERMILLE // 10}% of their size a day",
        "hears {} to {} offers".format(*haggling._PATIENCE),
        f"fighters ({FIGHTER_PRICE}), colonists ({COLONIST_PRICE}), a scanner ({SCANNER_PRICE:,})",
        f"no credits left ({WAGE} a turn)",
        f"claimed with {MIN_SETTLERS} colonists",
        "half of the day's turns and a tenth of the bank",
    ):
        assert said in page
    assert SETTINGS.protected_days == 3
    assert "can't be attacked for three days" in page
