"""The example of a third party's plugin, on a board."""

from __future__ import annotations

import importlib.util
import random
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest
from tests.agentbbs.hub.house import a_house
from tests.agentbbs.hub.lines import ScriptedLine

from agentbbs.calls.identity import Guest
from agentbbs.hub import catalog
from agentbbs.store.database import Database

FOLDER: Final = Path(__file__).parents[2] / "examples" / "plugin"


@pytest.fixture(scope="module")
def fortune() -> ModuleType:
    """The module, as an installed package would give it."""
    spec = importlib.util.spec_from_file_location("agentbbs_fortune", FOLDER / "agentbbs_fortune.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_package_names_the_plugin_as_boards_look_for_it(fortune: ModuleType) -> None:
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"] == {catalog.ENTRY_POINTS: {fortune.PLUGIN.id: "agentbbs_fortune:PLUGIN"}}


async def test_a_guest_is_told_a_fortune(fortune: ModuleType, tmp_path: Path) -> None:
    migrated = tmp_path / "migrated.db"
    with Database(f"sqlite:///{migrated}") as database:
        database.upgrade()
    plugin = fortune.Fortune(random.Random(7))
    found = catalog.load([("fortune", lambda: plugin)])
    assert not found.broken
    async with a_house(migrated, tmp_path, plugins=found.plugins) as house:
        line = await house.at_menu(Guest(), ScriptedLine(terminal="xterm"))
        assert "[F] Fortune" in line.text
        line.press("f")
        await line.until("Another?")
        assert "For guest:" in line.text
        assert any(text in line.text for text in fortune.FORTUNES)
        line.press("y")
        await line.until("Yes\nFor guest:")
        line.press("enter")
        await line.until("Main menu:")
