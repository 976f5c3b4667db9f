"""Every order goes into the journal and comes back as the same order."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from enum import Enum
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starlane.orders import OPERATOR_ORDERS, PILOT_ORDERS, Actor, Order
from starlane.universe import journal


def _values(kind: Any) -> st.SearchStrategy[Any]:
    if kind is int:
        return st.integers(-(2**40), 2**40)
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    return st.text()


@pytest.mark.parametrize("kind", [*PILOT_ORDERS, *OPERATOR_ORDERS], ids=lambda kind: kind.__name__)
def test_an_order_comes_back_as_it_was(kind: type[Order]) -> None:
    fields = {field.name: _values(field.type) for field in msgspec.structs.fields(kind)}

    @settings(max_examples=10, deadline=None)
    @given(st.lists(st.builds(kind, **fields), min_size=1, max_size=3))
    def goes_and_comes(orders: list[Order]) -> None:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            connection.execute(journal.JOURNAL_DEFINITION)
            for number, order in enumerate(orders):
                journal.enter(connection, number, Actor(number, 2), order)
            back = list(journal.entries(connection))
        assert [entry.order for entry in back] == orders
        assert [(entry.seq, entry.day, entry.actor) for entry in back] == [
            (number + 1, number, Actor(number, 2)) for number in range(len(orders))
        ]

    goes_and_comes()
