"""`plugins list`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentbbs.hub import catalog
from agentbbs.hub.catalog import Broken, Found
from agentbbs.hub.plugin import Access


class Fortune:
    """A stranger's plugin."""

    id = "fortune"
    title = "Fortune"
    key = "f"
    access = Access.MEMBER

    async def run(self, visit: object) -> None:
        """Nothing here enters it."""


class Boards(Fortune):
    """One with the id of one of the house."""

    id = "boards"


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a machine may have: a plugin of the house, a stranger's, and a broken one."""
    there = Found((Boards(), Fortune()), (Broken("dice", "ImportError: no module named '\x1b[2Jdice'"),))
    monkeypatch.setattr(catalog, "find", lambda: there)


@pytest.mark.usefixtures("found")
def test_plugins_are_json_for_scripts_and_a_broken_one_fails(run: Any) -> None:
    listed = run("plugins", "list", "--json")
    assert listed.exit_code == 1
    boards, fortune, dice = json.loads(listed.stdout)
    assert fortune == {
        "id": "fortune",
        "title": "Fortune",
        "key": "F",
        "access": "member",
        "house": False,
        "fault": None,
    }
    assert (boards["id"], boards["house"]) == ("boards", True)
    assert (dice["id"], dice["title"], dice["fault"][:11]) == ("dice", None, "ImportError")


@pytest.mark.usefixtures("found")
def test_plugins_are_a_table_for_people_and_inert(run: Any) -> None:
    listed = run("plugins", "list").stdout
    header, boards, fortune, dice = listed.splitlines()
    assert header.split() == ["ID", "TITLE", "KEY", "FOR", "FROM", "FAULT"]
    assert boards.split() == ["boards", "Fortune", "F", "member", "house"]
    assert fortune.split() == ["fortune", "Fortune", "F", "member", "package"]
    assert dice.split()[:2] == ["dice", "package"]
    assert "\x1b" not in listed


def test_those_of_the_house_are_listed(run: Any) -> None:
    listed = run("plugins", "list", "--json")
    assert {row["id"] for row in json.loads(listed.stdout) if row["house"]} == set(catalog.HOUSE)
