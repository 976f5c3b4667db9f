"""What the engine needs of a universe: its records, its chance and its books, within one transaction.

`universe.transaction.Transaction` is the real one. Reads within a transaction see its own writes.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

from starlane.dice import Dice
from starlane.flows import Flow
from starlane.goods import Good
from starlane.records import Record
from starlane.settings import Settings

R = TypeVar("R", bound=Record)


class Lanes(Protocol):
    """The map: it never changes, and is kept in memory."""

    def out_of(self, sector: int) -> tuple[int, ...]:
        """The sectors that lanes lead to, in order of number."""

    def path(self, source: int, target: int) -> tuple[int, ...]:
        """A shortest way, the target included and the source not; empty where they are the same. Of several the one
        whose sectors come first in number. Every sector can be reached from every other."""


class Sky(Protocol):
    """A universe to look at: one consistent state of it."""

    @property
    def settings(self) -> Settings:
        """The numbers of this world."""

    @property
    def today(self) -> int:
        """The day of the world."""

    @property
    def lanes(self) -> Lanes:
        """The map."""

    def get(self, kind: type[R], key: int) -> R | None:
        """The record with that key."""

    def find(self, kind: type[R], /, **where: int | str) -> list[R]:
        """The records whose fields equal `where`, in the order of their keys; all without `where`."""

    def count(self, kind: type[Record], /, **where: int | str) -> int:
        """How many `find` would give."""


class World(Sky, Protocol):
    """A universe to change, in a transaction."""

    @property
    def dice(self) -> Dice:
        """The world's own chance; what was drawn is kept if the transaction is."""

    def put(self, record: Record) -> None:
        """Keep a record in place of the one with its key; add it if there was none."""

    def add(self, record: R) -> R:
        """Keep a new record of a kind whose key is `id`; the one given is ignored. Returns it with its own."""

    def drop(self, record: Record) -> None:
        """Remove the record with this one's key."""

    def flow(self, flow: Flow, good: Good, amount: int) -> None:
        """Enter into the books that so much came into the world (negative: left it)."""

    def next_day(self) -> None:
        """`today` is one more."""
