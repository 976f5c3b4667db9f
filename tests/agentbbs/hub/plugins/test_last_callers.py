"""The last callers."""

from __future__ import annotations

from pathlib import Path

from tests.agentbbs.hub.house import NOON_MS, a_house

from agentbbs.calls.identity import Guest
from agentbbs.hub.plugins.last_callers import PLUGIN
from agentbbs.store import visits


async def test_who_called_and_who_is_still_here(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN]) as house:
        account = house.enrol("alice")
        with house.database.begin() as conn:
            past = visits.begin(conn, account, "alice", node=3, transport="rlogin", now_ms=NOON_MS - 3_600_000)
            visits.end(conn, past, now_ms=NOON_MS - 3_480_000)
            visits.begin(conn, account, "alice", node=4, transport="telnet", now_ms=NOON_MS - 60_000)
        line = await house.at_menu(Guest())
        line.press("l")
        await line.until("Number or key")
        rows = [row.split() for row in line.text.split("\n")]
        assert ["1", "2026-01-01", "12:00", "guest", "ssh", "1", "here"] in rows
        assert ["2", "2026-01-01", "11:59", "alice", "telnet", "4"] in rows
        assert ["3", "2026-01-01", "11:00", "alice", "rlogin", "3", "2", "min"] in rows
        line.type("1", "enter")
        line.press("q")
        await line.until("Main menu:")
