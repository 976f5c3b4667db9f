from __future__ import annotations

import pytest

from tty_agent.models.model import Usage
from tty_agent.models.prices import Prices

PRICES = Prices(
    input_per_million=3.0, cached_input_per_million=0.3, cache_write_per_million=3.75, output_per_million=15.0
)


def test_each_kind_of_token_has_its_price() -> None:
    usage = Usage(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=10_000)
    assert PRICES.cost_usd(usage, cache_write_tokens=100_000) == pytest.approx(1.5 + 0.12 + 0.375 + 0.15)


def test_without_prices_of_its_own_the_cache_costs_as_other_input() -> None:
    prices = Prices(input_per_million=2.0, output_per_million=4.0)
    usage = Usage(input_tokens=500_000, cached_tokens=500_000, output_tokens=250_000)
    assert prices.cost_usd(usage) == pytest.approx(1.0 + 1.0)


def test_a_cached_price_of_nothing_is_a_price() -> None:
    prices = Prices(input_per_million=2.0, output_per_million=4.0, cached_input_per_million=0.0)
    assert prices.cost_usd(Usage(input_tokens=1000, cached_tokens=1000, output_tokens=0)) == 0


@pytest.mark.parametrize("usage", [Usage(), Usage(input_tokens=5), Usage(output_tokens=5)])
def test_what_was_not_counted_has_no_cost(usage: Usage) -> None:
    assert PRICES.cost_usd(usage) is None


def test_counts_that_contradict_each_other_never_make_a_negative_cost() -> None:
    usage = Usage(input_tokens=10, cached_tokens=50, output_tokens=0)
    assert PRICES.cost_usd(usage, cache_write_tokens=99) == pytest.approx(10 * 0.3 / 1e6)


@pytest.mark.parametrize("price", [-1, float("nan"), float("inf"), 1e308])
def test_a_price_is_one_that_can_be(price: float) -> None:
    with pytest.raises(ValueError, match="from 0 to"):
        Prices(input_per_million=price, output_per_million=1)
