"""Every kind of record goes into its table and comes back as it was."""

from __future__ import annotations

from enum import Enum
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.starlane.worlds import six_sectors

from starlane.records import INDEXED, KEYS, Pilot, Planet, Record, Sector
from starlane.settings import MAX_AMOUNT
from starlane.universe.store import TABLES


def _values(kind: Any) -> st.SearchStrategy[Any]:
    if kind is bool:
        return st.booleans()
    if kind is int:
        return st.integers(0, MAX_AMOUNT)
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    return st.text()


def _records(kind: type[Record]) -> st.SearchStrategy[Record]:
    fields = {field.name: _values(field.type) for field in msgspec.structs.fields(kind)}
    fields[KEYS[kind]] = st.integers(1, MAX_AMOUNT)
    if kind is Pilot:  # cargo never above holds
        fields |= {name: st.integers(0, 50) for name in ("ice", "grain", "tools", "colonists")}
        fields["holds"] = st.integers(200, MAX_AMOUNT)
    return st.builds(kind, **fields)


@pytest.mark.parametrize("kind", KEYS, ids=lambda kind: kind.__name__)
def test_a_record_comes_back_as_it_was(kind: type[Record]) -> None:
    with six_sectors() as universe:

        @settings(max_examples=15, deadline=None)
        @given(_records(kind))
        def goes_and_comes(record: Record) -> None:
            with universe.transaction() as world:
                world.put(record)
                back = world.get(kind, getattr(record, KEYS[kind]))
            assert back == record
            assert msgspec.json.encode(back) == msgspec.json.encode(record)
            assert [type(value) for value in msgspec.structs.astuple(record)] == [
                type(value) for value in msgspec.structs.astuple(back)
            ]

        goes_and_comes()


def test_every_kind_has_a_table_and_what_is_looked_up_is_indexed() -> None:
    with six_sectors() as universe, universe.look() as sky:
        for kind, fields in INDEXED.items():
            name = TABLES[kind].name
            for field in fields:
                query = TABLES[kind].find_sql(tuple(field.split()))
                plan = sky.connection.execute(f"EXPLAIN QUERY PLAN {query}", (1,) * len(field.split())).fetchall()
                assert any("USING INDEX" in row[3] for row in plan), (name, field, plan)


def test_find_names_fields_that_there_are() -> None:
    with six_sectors() as universe, universe.look() as sky:
        with pytest.raises(TypeError, match="Planet has no field 'colour'"):
            sky.find(Planet, colour=1)
        assert [planet.id for planet in sky.find(Planet, sector=4)] == [1, 2]
        assert [planet.id for planet in sky.find(Planet, sector=4, kind="ash")] == [2]
        assert sky.count(Planet, sector=4) == 2
        assert [sector.number for sector in sky.find(Sector, safe=True)] == [1, 2]
