"""Finding plugins, and what is done with those that are none."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from tests.agentbbs.hub.plugs import Plug

from agentbbs.hub import catalog
from agentbbs.hub.catalog import NoPlugin


def test_the_house_has_its_plugins_and_none_is_broken() -> None:
    found = catalog.find()
    assert [plugin.id for plugin in found.plugins][: len(catalog.HOUSE)] == list(catalog.HOUSE)
    assert not found.broken


def test_a_broken_plugin_keeps_no_other_from_working() -> None:
    def broken() -> object:
        raise ImportError("no module named 'fortune'")

    def leaving() -> object:
        sys.exit(1)

    good = Plug("good", "G")
    found = catalog.load(
        [("bad", broken), ("good", lambda: good), ("gone", leaving), ("good", lambda: good), ("named", lambda: good)]
    )
    assert found.plugins == (good,)
    assert [(one.id, one.fault.partition(":")[0]) for one in found.broken] == [
        ("bad", "ImportError"),
        ("gone", "SystemExit"),
        ("good", "NoPlugin"),
        ("named", "NoPlugin"),
    ]


async def _run(_visit: object) -> None:
    pass


def _plug(**fields: Any) -> object:
    plug = Plug("good", "G")
    for field, value in fields.items():
        setattr(plug, field, value)
    return plug


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda: Plug, "it is a class"),
        (object, "it has no 'id'"),
        (lambda: _plug(id="Good"), "its id"),
        (lambda: _plug(id=7), "its id"),
        (lambda: _plug(title="x" * 25), "its title"),
        (lambda: _plug(title=""), "its title"),
        (lambda: _plug(title="a\x1b[2Jb"), "its title"),
        (lambda: _plug(key=""), "its key"),
        (lambda: _plug(key="é"), "its key"),
        (lambda: _plug(key="?"), "its key"),
        (lambda: _plug(access=1), "its access"),
        (lambda: _plug(run=lambda _visit: None), "its run"),
    ],
)
def test_what_keeps_not_the_contract_is_named(make: Callable[[], object], fault: str) -> None:
    with pytest.raises(NoPlugin, match=fault):
        catalog.checked(make())


def test_what_keeps_the_contract_is_taken() -> None:
    good = _plug(run=_run)
    assert catalog.checked(good) is good
