"""How many may be at the door at once who have not proved who they are, in total and for each address. Pure.

A handshake costs milliseconds, and a stranger can begin as many as he likes. So only a few are let in at
a time; the others wait for a place in the order they came, each address in a line of its own, and take turns
by address. A fleet that reconnects at once waits a moment; one host can't keep the door from the others.
"""

from __future__ import annotations

import ipaddress
from collections import Counter, OrderedDict
from enum import Enum, auto
from typing import Final, Generic, TypeVar

MAX_UNPROVEN: Final = 128
"""Connections that may shake hands and log in at once: more would only share the same core."""

MAX_UNPROVEN_PER_ADDRESS: Final = 32
"""Of these, from one address: it takes four hosts or more to fill the door with silence."""

MAX_WAITING: Final = 4000
"""Connections that may wait for such a place: an open file and some 2 KiB each."""

MAX_WAITING_PER_ADDRESS: Final = 2000
"""Of these, from one address: more than the agents of the largest host."""

IPV6_PREFIX_BITS: Final = 64
"""A host has a whole /64 of IPv6 addresses, so that counts as one address (RFC 6177)."""

T = TypeVar("T")


class Place(Enum):
    """What becomes of who arrives."""

    IN = auto()
    WAITING = auto()
    REFUSED = auto()


class Admission(Generic[T]):
    """Keeps the places at the door. Each caller arrives once, and leaves once or more."""

    def __init__(
        self,
        *,
        total: int = MAX_UNPROVEN,
        each: int = MAX_UNPROVEN_PER_ADDRESS,
        waiting: int = MAX_WAITING,
        waiting_each: int = MAX_WAITING_PER_ADDRESS,
    ) -> None:
        self._total = total
        self._each = each
        self._max_waiting = waiting
        self._max_waiting_each = waiting_each
        self._inside: dict[T, str] = {}
        self._inside_of: Counter[str] = Counter()
        self._waiting: dict[T, str] = {}
        self._lines: OrderedDict[str, dict[T, None]] = OrderedDict()

    def arrive(self, caller: T, address: str) -> Place:
        """A place for `caller` from `address`, as `source` gives it."""
        if len(self._inside) < self._total and self._inside_of[address] < self._each:
            self._let_in(caller, address)
            return Place.IN
        line = self._lines.setdefault(address, {})
        if len(self._waiting) >= self._max_waiting or len(line) >= self._max_waiting_each:
            self._tidy(address)
            return Place.REFUSED
        line[caller] = None
        self._waiting[caller] = address
        return Place.WAITING

    def leave(self, caller: T) -> T | None:
        """`caller` proved who it is, or is gone. Returns who takes its place, if anybody waits for it: it is in now."""
        address = self._waiting.pop(caller, None)
        if address is not None:
            del self._lines[address][caller]
            self._tidy(address)
            return None
        address = self._inside.pop(caller, None)
        if address is None:
            return None
        self._inside_of[address] -= 1
        if not self._inside_of[address]:
            del self._inside_of[address]
        return self._next()

    def _next(self) -> T | None:
        for address, line in self._lines.items():
            if self._inside_of[address] < self._each:
                caller = next(iter(line))
                del line[caller], self._waiting[caller]
                self._lines.move_to_end(address)
                self._tidy(address)
                self._let_in(caller, address)
                return caller
        return None

    def _let_in(self, caller: T, address: str) -> None:
        self._inside[caller] = address
        self._inside_of[address] += 1

    def _tidy(self, address: str) -> None:
        if not self._lines[address]:
            del self._lines[address]


def source(address: str) -> str:
    """What counts as one address: an IPv4 address, also where it comes as IPv6, or the /64 of an IPv6 one."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(ipaddress.ip_network((ip, IPV6_PREFIX_BITS), strict=False))
