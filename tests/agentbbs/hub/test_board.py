"""Whole visits."""

from __future__ import annotations

from pathlib import Path

from tests.agentbbs.hub.house import a_house
from tests.agentbbs.hub.lines import ScriptedLine


async def test_log_in(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path) as house:
        house.enrol("alice", "a long password")
        line = ScriptedLine(private=True)
        visit = house.call(line)
        await line.until("Login:")
        print(line.text)
        line.type("alice", "enter")
        line.type("a long password", "enter")
        await line.until("[Hit a key]")
        print(line.text)
        line.press("x")
        await line.until("Main menu:")
        print(line.text)
        line.type("qy")
        await visit
        print(line.text)
