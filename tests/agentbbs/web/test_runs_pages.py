"""`/runs` and what is below: pages that are whole, whatever models and terminals wrote, and no other file."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import aiohttp_jinja2
import pytest

from agentbbs.store.database import Database
from agentbbs.web.static_files import FOLDER, StaticFiles

from . import run_samples as samples
from .html import Page, valid
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


async def page(site: Site, path: str, status: int = 200) -> Page:
    found, _, text = await site.ask("GET", path)
    assert found == status, text
    return valid(text)


async def test_a_reader_comes_from_the_list_to_a_decision_and_to_the_next(gym: Site, root: Path) -> None:
    samples.single(root)
    listed = await page(gym, "/runs")
    assert "/runs/first" in listed.links
    assert "qwen3" in listed.text
    run = await page(gym, "/runs/first")
    assert "/runs/first/ann" in run.links
    assert "hangup: the agent hung up" in run.text
    agent = await page(gym, "/runs/first/ann")
    assert [f"/runs/first/ann/{step}" in agent.links for step in (1, 2, 3, 4)] == [True, True, True, False]
    assert "3 decisions of 50" in agent.text
    decision = await page(gym, "/runs/first/ann/2")
    assert {"/runs/first/ann/1", "/runs/first/ann/3"} <= set(decision.links)
    assert "Looking around, 2." in decision.text
    assert "recent_output generic_terminal" in decision.text
    assert "You use a program through a terminal." in decision.text
    ways = {one.get("rel"): one.get("href") for one in decision.all("a") if one.get("rel")}
    assert ways == {"prev": "/runs/first/ann/1", "next": "/runs/first/ann/3"}


async def test_a_match_has_its_scores_its_timeline_and_a_drawing_of_what_it_used(gym: Site, root: Path) -> None:
    samples.match(root)
    run = await page(gym, "/runs/duel-1")
    assert {"starlane: its own score", "Checks", "Judgements, from 0 to 1; of a pair 1 is a win"} <= set(
        run.texts("caption")
    )
    assert "5,267" in run.text
    labels = [one.get("aria-label", "") for one in run.all("svg")]
    assert any(label.startswith("Tokens used: ann 330; bob 330") for label in labels)
    assert any(label.startswith("Cost in US dollars") for label in labels)
    assert "round started" not in run.text
    every = await page(gym, "/runs/duel-1?events=every")
    assert "round started" in every.text
    assert "action: press_key p" in every.text
    later = await page(gym, "/runs/duel-1?events=every&after=6")
    assert "round started" not in later.text
    assert "match completed" in later.text


async def test_a_match_that_is_not_scored_or_not_over_says_so(gym: Site, root: Path) -> None:
    samples.match(root, scored=False)
    samples.match(root, "duel-2", scored=False, ended=False)
    assert "bbs-gym score runtime/runs/duel-1" in (await page(gym, "/runs/duel-1")).text
    going_on = await page(gym, "/runs/duel-2")
    assert "This run has no end" in going_on.text
    assert "bbs-gym score" not in going_on.text
    assert (await page(gym, "/runs")).text.count("no end") == 1


async def test_a_campaign_has_its_ranges_and_its_matches(gym: Site, root: Path) -> None:
    samples.campaign(root)
    listed = await page(gym, "/runs")
    assert "/runs?campaign=spring" in listed.links
    campaign = await page(gym, "/runs?campaign=spring")
    assert "2 of 3 matches finished, 1 left" in campaign.text
    assert "starlane 5,000 (4,900 to 5,100, n 2)" in campaign.text
    assert "/runs/spring-00001-duel" in campaign.links
    await page(gym, "/runs?campaign=autumn", 404)


async def test_a_venue_without_a_run_says_how_one_is_made(gym: Site) -> None:
    empty = await page(gym, "/runs")
    assert "bbs-gym run-activity" in empty.text
    assert "bbs-gym run-match" in empty.text


async def test_a_folder_that_went_away_is_said_and_no_fault(gym: Site, root: Path) -> None:
    await asyncio.to_thread(root.rmdir)
    assert "can't be read just now" in (await page(gym, "/runs")).text
    assert "can't be read just now" in (await page(gym, "/runs/first", 404)).text


async def test_a_venue_that_shows_no_runs_has_no_such_pages(strict_site: Site) -> None:
    for path in ("/runs", "/runs/first", "/runs/first/ann/1"):
        assert "/runs" not in (await page(strict_site, path, 404)).links


async def test_a_long_list_and_a_long_run_are_read_page_by_page(gym: Site, root: Path) -> None:
    for number in range(31):
        samples.trace(root / f"run-{number:02}" / "ann.jsonl", [])
    first = await page(gym, "/runs")
    assert first.links.count("/runs?after=run-01") == 1
    rest = await page(gym, "/runs?after=run-01")
    assert "/runs/run-00" in rest.links
    assert not any("after=" in link for link in rest.links)
    samples.single(root, decisions=[samples.decision(step) for step in range(1, 121)])
    agent = await page(gym, "/runs/first/ann")
    assert {"/runs/first/ann?after=50", "/runs/first/ann?after=100"} <= set(agent.links)
    last = await page(gym, "/runs/first/ann?after=100")
    assert "/runs/first/ann/120" in last.links
    assert {"/runs/first/ann", "/runs/first/ann?after=50"} <= set(last.links)
    assert "/runs/first/ann?after=100" in (await page(gym, "/runs/first/ann/101")).links
    assert (await page(gym, "/runs/first/ann/120")).texts("h1") == ["Decision 120 of 120"]


async def test_whatever_models_and_terminals_wrote_is_shown_and_does_nothing(gym: Site, root: Path) -> None:
    folder = samples.match(root)
    shutil.rmtree(folder / "state", ignore_errors=True)
    (folder / "ann.jsonl").unlink()
    samples.trace(
        folder / "ann.jsonl", [samples.repaired(1), samples.decision(2)], run_objective=samples.HOSTILE, profile="<b>"
    )
    samples.put(folder / "manifest.json", {"name": samples.HOSTILE, "software": {samples.HOSTILE: samples.HOSTILE}})
    for path in ("/runs", "/runs/duel-1", "/runs/duel-1/ann", "/runs/duel-1/ann/1", "/runs/duel-1/ann/playback"):
        status, _, text = await gym.ask("GET", path)
        assert status == 200
        assert valid(text).texts("script") == [""] * len(valid(text).all("script"))
        assert "<script>alert" not in text
        assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", text), path
    assert samples.HOSTILE[:25] in (await page(gym, "/runs/duel-1/ann/1")).text


async def test_no_page_names_a_path_of_the_machine(gym: Site, root: Path) -> None:
    folder = samples.match(root)
    (folder / "bob.jsonl").write_bytes(b"{}\n")
    (folder / "score.json").write_bytes(b"{}}")
    for path in ("/runs", "/runs/duel-1", "/runs/duel-1/ann", "/runs/duel-1/ann/1", "/runs/duel-1/bob"):
        _, _, text = await gym.ask("GET", path)
        assert "/srv/elsewhere" not in text
        assert str(root) not in text


NOT_THERE: Final = (
    "/runs/nothing",
    "/runs/duel-1/nobody",
    "/runs/duel-1/ann/0",
    "/runs/duel-1/ann/4",
    "/runs/duel-1/ann/99999999999",
    "/runs/duel-1/ann?after=3",
    "/runs/duel-1/ann?after=-1",
    "/runs/duel-1/ann?after=x",
    "/runs/duel-1/ann?part=1",
    "/runs/duel-1/ann?part=٣",
    "/runs/duel-1/nobody/playback",
    "/runs/duel-1/nobody/recording.cast",
    "/runs/duel-1?after=9999999999999",
    "/runs?after=nothing",
    "/runs?after=../duel-1",
    "/runs/..%2fduel-1",
    "/runs/%2e%2e/duel-1",
    "/runs/duel-1/manifest.json",
    "/runs/duel-1/score.json",
    "/runs/duel-1/ann.jsonl",
    "/runs/duel-1/ann.raw",
    "/runs/duel-1/state/after-mail.json",
    "/runs/duel-1/plot.svg",
    "/runs/duel-1/scores.html",
)


async def test_what_is_not_there_is_not_found_and_no_file_is_served(gym: Site, root: Path) -> None:
    folder = samples.match(root)
    (folder / "state").mkdir()
    for name in ("state/after-mail.json", "plot.svg", "scores.html"):
        (folder / name).write_text("<svg/>")
    for path in NOT_THERE:
        status, _, text = await gym.ask("GET", path)
        assert status == 404, path
        assert "<svg" not in text


async def test_a_part_of_a_match_that_was_gone_on_with_has_pages_of_its_own(gym: Site, root: Path) -> None:
    folder = samples.match(root)
    samples.trace(folder / "resumed-2" / "ann.jsonl", [samples.decision(1), samples.decision(2)])
    agent = await page(gym, "/runs/duel-1/ann?part=2")
    assert "/runs/duel-1/ann/2?part=2" in agent.links
    assert "After resumption 2" in agent.text
    decision = await page(gym, "/runs/duel-1/ann/2?part=2")
    assert decision.texts("h1") == ["Decision 2 of 2"]
    assert {"/runs/duel-1/ann/1?part=2", "/runs/duel-1/ann?part=2"} <= set(decision.links)


async def test_a_damaged_decision_has_a_page_that_says_so(gym: Site, root: Path) -> None:
    path = samples.single(root) / "ann.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"step":2,', b'"step":{},', 1))
    (root / "first" / "ann.jsonl.index").unlink()
    assert "is damaged" in (await page(gym, "/runs/first/ann")).text
    decision = await page(gym, "/runs/first/ann/2")
    assert "is damaged" in decision.text
    assert {"/runs/first/ann/1", "/runs/first/ann/3"} <= set(decision.links)


async def test_a_run_that_ended_before_its_first_decision(gym: Site, root: Path) -> None:
    samples.single(root, decisions=[])
    assert "No decision was made" in (await page(gym, "/runs/first/ann")).text
    await page(gym, "/runs/first/ann/1", 404)


async def test_a_recording_can_be_had_without_a_player(gym: Site, root: Path) -> None:
    samples.single(root)
    status, headers, text = await gym.ask("GET", "/runs/first/ann/recording.cast")
    assert status == 200
    assert headers["content-type"] == "application/x-asciicast"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-disposition"] == 'attachment; filename="first-ann.cast"'
    assert "sandbox" in headers["content-security-policy"]
    assert json.loads(text.splitlines()[0])["version"] == 2
    _, headers, _ = await gym.ask("GET", "/runs/first/ann/recording.cast", headers={"Accept-Encoding": "gzip"})
    assert headers["content-encoding"] == "gzip"


async def test_the_page_of_a_recording_alone_may_run_webassembly(gym: Site, root: Path) -> None:
    samples.single(root)
    _, headers, text = await gym.ask("GET", "/runs/first/ann/playback")
    assert "script-src 'self' 'wasm-unsafe-eval';" in headers["content-security-policy"]
    assert "unsafe-inline" not in headers["content-security-policy"]
    assert "/runs/first/ann/recording.cast" in valid(text).links
    for path in ("/runs", "/runs/first", "/runs/first/ann", "/runs/first/ann/1"):
        _, headers, _ = await gym.ask("GET", path)
        assert "wasm" not in headers["content-security-policy"]


async def test_a_run_without_a_transcript_says_where_it_may_be(gym: Site, root: Path) -> None:
    (samples.single(root) / "ann.raw").unlink()
    recording = await page(gym, "/runs/first/ann/playback")
    assert "There is no recording" in recording.text
    assert "--transcript" in recording.text
    assert "/runs/first/ann/recording.cast" not in recording.links
    assert "There is no recording" in (await page(gym, "/runs/first/ann/recording.cast", 404)).text
    assert (await page(gym, "/runs/first/ann/1")).texts("pre")[0].startswith("Sector 1 Command?")


@pytest.mark.parametrize("built", [True, False])
async def test_a_page_names_the_player_if_it_was_built_and_how_to_build_it_if_not(
    gym: Site, root: Path, tmp_path: Path, built: bool
) -> None:
    static = tmp_path / "static"
    shutil.copytree(FOLDER, static, ignore=shutil.ignore_patterns("player"))
    if built:
        (static / "player").mkdir()
        for name in ("asciinema-player.min.js", "asciinema-player.css"):
            (static / "player" / name).write_text("/* */")
    _reinstall(gym, StaticFiles(static))
    samples.single(root)
    _, _, text = await gym.ask("GET", "/runs/first/ann/playback")
    assert ("player/asciinema-player.min.js" in text) == built
    assert ("make player" in text) != built
    assert "/runs/first/ann/recording.cast" in valid(text).links


def _reinstall(site: Site, static: StaticFiles) -> None:
    """Let the site's templates know other static files."""
    environment = site.app[aiohttp_jinja2.APP_KEY]
    environment.globals.update(static=static.url, has_static=static.__contains__)
