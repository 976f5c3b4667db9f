"""What tokens cost: the prices that the caller sets, for providers that do not name the cost of a call."""

from __future__ import annotations

from typing import Final

import msgspec

from tty_agent.models.model import Usage

_TOKENS_A_PRICE: Final = 1_000_000
"""Providers quote prices for a million tokens."""

MAX_PRICE: Final = 1_000_000
"""A dollar a token: none costs so much, and sums stay finite."""


class Prices(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars for a million tokens of each kind."""

    input_per_million: float
    output_per_million: float
    cached_input_per_million: float | None = None
    """Input read from a cache; None: as other input."""
    cache_write_per_million: float | None = None
    """Input written to a cache, where that is charged for; None: as other input."""

    def __post_init__(self) -> None:
        given = (
            self.input_per_million,
            self.output_per_million,
            self.cached_input_per_million,
            self.cache_write_per_million,
        )
        if any(price is not None and not 0 <= price <= MAX_PRICE for price in given):
            raise ValueError(f"a price is from 0 to {MAX_PRICE:,}")

    def cost_usd(self, usage: Usage, *, cache_write_tokens: int = 0) -> float | None:
        """The cost of one call, or None if the provider did not count its tokens.

        `cache_write_tokens` is a part of the input tokens, as the cached ones are.
        """
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached = min(usage.cached_tokens or 0, usage.input_tokens)
        written = min(cache_write_tokens, usage.input_tokens - cached)
        dollars = (
            (usage.input_tokens - cached - written) * self.input_per_million
            + cached * _either(self.cached_input_per_million, self.input_per_million)
            + written * _either(self.cache_write_per_million, self.input_per_million)
            + usage.output_tokens * self.output_per_million
        )
        return dollars / _TOKENS_A_PRICE


def _either(price: float | None, otherwise: float) -> float:
    return otherwise if price is None else price
