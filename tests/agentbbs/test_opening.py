"""What a venue does before its doors open."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tests.agentbbs.store.making import SOON_S, finished

from agentbbs.config import Settings
from agentbbs.serve import Venue
from agentbbs.store import accounts, careers, careers_fold
from agentbbs.store.database import Database
from agentbbs.store.ledger import Ledger

_DOORS = ("GAME_WS", "SSH", "TELNET", "RLOGIN", "WEB")


def _settings(data: Path) -> Settings:
    return Settings.from_env({**{f"AGENTBBS_{door}_ADDR": "" for door in _DOORS}, "AGENTBBS_DATA": str(data)})


def _matches_of_an_earlier_version(data: Path, count: int) -> int:
    """A log that nobody has counted; one of its accounts."""
    with Database.in_folder(data).open() as database:
        with database.begin() as conn:
            one, other = (accounts.add(conn, name, now_ms=1).id for name in ("ann", "bob"))
        with database.writing_connection() as conn:
            Ledger().commit(conn, [finished(one, other) for _ in range(count)])
    return one


async def test_matches_of_an_earlier_version_are_counted_before_the_doors_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(careers_fold, "CATCH_UP_MATCHES", 500)
    one = _matches_of_an_earlier_version(tmp_path / "data", 1200)
    with capture_logs() as logged:
        async with asyncio.timeout(4 * SOON_S), Venue(_settings(tmp_path / "data")) as venue:
            with venue.database.connect() as conn:
                assert careers_fold.uncounted(conn) == 0
                assert careers.careers(conn, one)[0].matches == 1200
    told = [line for line in logged if line["event"] in {"careers_counted", "venue_open"}]
    assert [line.get("matches") for line in told] == [500, 1000, 1200, None]
    assert [line.get("of") for line in told[:3]] == [1200] * 3


async def test_a_few_matches_are_left_to_the_writer(tmp_path: Path) -> None:
    _matches_of_an_earlier_version(tmp_path / "data", 20)
    with capture_logs() as logged:
        async with asyncio.timeout(4 * SOON_S), Venue(_settings(tmp_path / "data")):
            pass
    assert "careers_counted" not in {line["event"] for line in logged}
    with Database.in_folder(tmp_path / "data") as database, database.connect() as conn:
        assert careers_fold.uncounted(conn) == 0
