"""How fast passwords may be tried. Pure but for its clock.

Each try takes a place in three buckets, and a success gives them back; so failures are what is counted, and tries that
are still under way count as failures. The three are:

- the pair of address and account: few tries. Who has forgotten a password slows down only itself, and so slowly that
  not even several such people use up their common address.
- the account, over all addresses: many machines that guess at one account are slowed down together.
- the address, over all accounts: one machine that guesses at many accounts is slowed down.

A pair that has logged in before is held by its own bucket alone: nobody behind the same address (a company, a home, a
fleet of agents) can keep it out by failing, nor can somebody elsewhere by guessing at its account.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from agentbbs.store.throttle import MAX_KEYS, Throttle

PAIR_BURST: Final = 5
"""Tries of one address at one account at once: the passwords that one could have meant."""

PAIR_REFILL_S: Final = 20.0
"""Then one each so often: a person hardly notices, a guesser gets 4,320 a day."""

ACCOUNT_BURST: Final = 20
"""Tries at one account from anywhere at once."""

ACCOUNT_REFILL_S: Final = 30.0
"""Then 2,880 a day, however many machines guess."""

ADDRESS_BURST: Final = 40
"""Failed tries of one address at once: a fleet with a wrong configuration, a class that begins."""

ADDRESS_REFILL_S: Final = 5.0
"""Then one each so often; four forgetful pairs at their full speed don't use it up."""

MAX_KNOWN: Final = 20_000
"""Pairs remembered that have logged in, some 200 bytes each; the one that did so longest ago is forgotten."""


class LoginGuard:
    """Keeps the buckets. `address` is one as `calls.address.source` gives it, `account` the skeleton of a name."""

    def __init__(self, *, clock: Callable[[], float], max_keys: int = MAX_KEYS, max_known: int = MAX_KNOWN) -> None:
        def throttle(burst: int, refill_s: float) -> Throttle:
            return Throttle(burst=burst, refill_s=refill_s, clock=clock, max_keys=max_keys)

        self._pairs = throttle(PAIR_BURST, PAIR_REFILL_S)
        self._accounts = throttle(ACCOUNT_BURST, ACCOUNT_REFILL_S)
        self._addresses = throttle(ADDRESS_BURST, ADDRESS_REFILL_S)
        self._known: OrderedDict[str, None] = OrderedDict()
        self._max_known = max_known

    def wait_s(self, address: str, account: str) -> float:
        """How long until there may be a try; 0 if there may be one now."""
        return max(throttle.wait_s(key) for throttle, key in self._held_by(address, account))

    def begin(self, address: str, account: str) -> float:
        """A try begins: returns 0; or how long to wait, and then there is no try. One that ends well is told by
        `succeeded`, one that failed for a fault of ours by `undone`, and no other by anything."""
        wait_s = self.wait_s(address, account)
        if wait_s == 0:
            for throttle, key in self._held_by(address, account):
                throttle.take(key)
        return wait_s

    def undone(self, address: str, account: str) -> None:
        """The try was none."""
        for throttle, key in self._held_by(address, account):
            throttle.give_back(key)

    def succeeded(self, address: str, account: str) -> None:
        """The password was right: failures at this account are forgotten, those of the address at others are not."""
        self.undone(address, account)
        pair = _pair(address, account)
        self._pairs.clear(pair)
        self._accounts.clear(account)
        self._known[pair] = None
        self._known.move_to_end(pair)
        if len(self._known) > self._max_known:
            self._known.popitem(last=False)

    def _held_by(self, address: str, account: str) -> list[tuple[Throttle, str]]:
        pair = _pair(address, account)
        own = (self._pairs, pair)
        return [own] if pair in self._known else [own, (self._accounts, account), (self._addresses, address)]


def _pair(address: str, account: str) -> str:
    return f"{address} {account}"
