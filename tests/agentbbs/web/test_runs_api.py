"""Runs by the API: the same as the pages show, page by page, and nothing of the machine."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest

from agentbbs.store.database import Database

from . import run_samples as samples
from .site import Site


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


@pytest.fixture
async def gym(migrated: Path, tmp_path: Path, root: Path) -> AsyncIterator[Site]:
    """A site that shows the runs in `root`."""
    database = Database(f"sqlite:///{shutil.copy(migrated, tmp_path / 'venue.db')}").open()
    async with Site(database, None, dev=False, runs=root).served() as served:
        yield served


async def get(site: Site, path: str, status: int = 200) -> Any:
    found, _, text = await site.ask("GET", path)
    assert found == status, text
    return json.loads(text)


async def test_runs_are_listed_newest_first_and_followed_by_next(gym: Site, root: Path) -> None:
    for day in (1, 2, 3):
        samples.single(root, f"run-{day}", timestamp=f"2026-02-0{day}T00:00:00.000Z")
    first = await get(gym, "/api/v1/runs?limit=2")
    assert [run["run_id"] for run in first["runs"]] == ["run-3", "run-2"]
    assert (first["total"], first["next"]) == (3, "/api/v1/runs?after=run-2&limit=2")
    rest = await get(gym, first["next"])
    assert [run["run_id"] for run in rest["runs"]] == ["run-1"]
    assert rest["next"] is None
    assert rest["runs"][0]["agents"][0]["usage"]["decisions"] == 3


async def test_the_runs_of_a_campaign_alone(gym: Site, root: Path) -> None:
    samples.campaign(root)
    samples.single(root)
    found = await get(gym, "/api/v1/runs?campaign=spring&limit=1")
    assert [run["turn"] for run in found["runs"]] == ["duel"]
    assert found["total"] == 1


async def test_a_match_has_its_agents_with_parts_and_scores(gym: Site, root: Path) -> None:
    samples.match(root)
    run = await get(gym, "/api/v1/runs/duel-1")
    assert (run["kind"], run["finished"], run["ended"], run["started_ms"]) == ("match", True, "rounds", 1769868309123)
    ann = run["agents"][0]
    assert ann["score"]["skill"]["score"] == 5267.0
    assert [(part["part"], part["steps"]) for part in ann["parts"]] == [(0, 3)]


async def test_the_events_of_a_match_page_by_page(gym: Site, root: Path) -> None:
    samples.match(root)
    seen, path = [], "/api/v1/runs/duel-1/events?every=true&limit=3"
    while path:
        found = await get(gym, path)
        seen += [one["seq"] for one in found["events"]]
        path = found["next"]
    assert seen == [1, 2, 3, 4, 5, 6, 7]


async def test_decisions_are_lines_and_each_has_all_of_it(gym: Site, root: Path) -> None:
    samples.single(root, decisions=[samples.decision(1), samples.repaired(2), samples.decision(3)])
    path = "/api/v1/runs/first/agents/ann/decisions"
    first = await get(gym, f"{path}?limit=2")
    assert [(line["step"], line["valid"]) for line in first["decisions"]] == [(1, True), (2, False)]
    assert (first["steps"], first["next"]) == (3, f"{path}?after=2&limit=2")
    assert [line["step"] for line in (await get(gym, first["next"]))["decisions"]] == [3]
    decision = await get(gym, f"{path}/1")
    assert decision["screen"].startswith("Sector 1\nCommand?")
    assert (decision["action"], decision["arguments"]) == ("press_key", {"key": "P"})
    assert decision["modules"][0]["name"] == "recent_output"
    assert decision["reply"]["raw"].startswith("Looking around.")
    assert (await get(gym, f"{path}/2"))["repair"]["error"] == samples.HOSTILE


async def test_nothing_of_the_machine_is_told(gym: Site, root: Path) -> None:
    samples.match(root)
    for path in ("", "/duel-1", "/duel-1/events?every=true", "/duel-1/agents/ann/decisions/1"):
        _, _, text = await gym.ask("GET", f"/api/v1/runs{path}")
        assert "/srv/elsewhere" not in text
        assert str(root) not in text
        assert "elsewhere" not in text


REFUSED: Final = (
    ("/nothing", 404, "not_found"),
    ("/duel-1/agents/nobody/decisions", 404, "not_found"),
    ("/duel-1/agents/ann/decisions?part=1", 404, "not_found"),
    ("/duel-1/agents/ann/decisions/4", 404, "not_found"),
    ("/duel-1/agents/ann/decisions/x", 404, "not_found"),
    ("/..%2f..%2fduel-1", 404, "not_found"),
    ("?after=nothing", 404, "not_found"),
    ("?after=..", 400, "bad_request"),
    ("?limit=0", 400, "bad_request"),
    ("?limit=101", 400, "bad_request"),
    ("/duel-1/events?after=-1", 400, "bad_request"),
    ("/duel-1/events?after=99999999999999999999", 400, "bad_request"),
    ("/duel-1/agents/ann/decisions?part=x", 400, "bad_request"),
)


async def test_what_is_not_there_or_no_query_is_a_typed_error(gym: Site, root: Path) -> None:
    samples.match(root)
    for path, status, code in REFUSED:
        assert (await get(gym, f"/api/v1/runs{path}", status))["error"]["code"] == code, path


async def test_a_venue_without_runs_finds_none(strict_site: Site) -> None:
    assert await get(strict_site, "/api/v1/runs") == {"runs": [], "total": 0, "next": None}
    assert (await get(strict_site, "/api/v1/runs/first", 404))["error"]["message"] == "this venue shows no runs"


async def test_a_folder_that_went_away_is_no_fault(gym: Site, root: Path) -> None:
    await asyncio.to_thread(root.rmdir)
    assert (await get(gym, "/api/v1/runs", 404))["error"]["code"] == "not_found"
