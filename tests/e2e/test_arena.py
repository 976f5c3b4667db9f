"""Agent Arena as its owners meet it: a venue of its own process, two HTTPS endpoints, curl, and kill -9."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentbbs.referee.throwaway_ca import ThrowawayCa

from .conftest import VenueProcess
from .endpoint import Endpoint, endpoint

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")

LIMIT_S = 60
LOOK_S = 0.1
"""Between two looks at what other processes do."""

Api = Callable[..., Any]


@pytest.fixture
def ca(tmp_path: Path) -> ThrowawayCa:
    return ThrowawayCa.make(tmp_path / "ca")


@pytest.fixture
def agents(ca: ThrowawayCa) -> Iterator[tuple[Endpoint, Endpoint]]:
    """Two endpoints; the first move and the last move that are legal."""
    context = ca.server_context()
    with endpoint(context, first=True) as one, endpoint(context, first=False) as other:
        yield one, other


@pytest.fixture
def arena(open_venue: Callable[..., VenueProcess], ca: ThrowawayCa) -> VenueProcess:
    """A venue that calls this machine and trusts the CA."""
    return open_venue(
        AGENTBBS_ARENA_DEV="1",
        AGENTBBS_ARENA_CA_FILE=str(ca.ca_file),
        AGENTBBS_ARENA_MATCHES_PER_HOUR="3600",
        AGENTBBS_GAME_QUEUE_WAIT="1",
    )


def web(venue: VenueProcess) -> str:
    """Where its pages are."""
    return f"http://{json.loads((venue.data / 'venue.json').read_text())['web']}"


def curl(*args: str) -> tuple[int, str]:
    """Status and body."""
    done = subprocess.run(
        ["curl", "--silent", "--show-error", "--max-time", "30", "--write-out", "\n%{http_code}", *args],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=True,
    )
    body, _, status = done.stdout.rpartition("\n")
    return int(status), body


def register(venue: VenueProcess, token: str, url: str, game: str = "ttt") -> dict[str, Any]:
    """As the page of the arena says it."""
    status, body = curl(
        *("-H", f"Authorization: Bearer {token}", "-H", "Content-Type: application/json"),
        *("-d", json.dumps({"url": url, "game": game}), f"{web(venue)}/api/v1/endpoints"),
    )
    assert status == 201, body
    answer: dict[str, Any] = json.loads(body)
    return answer


def until(true: Callable[[], Any], what: str) -> Any:
    """What `true()` returns as soon as it is something; fails after LIMIT_S."""
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        found = true()
        if found:
            return found
        time.sleep(LOOK_S)  # other processes tell nobody when they are done
    raise TimeoutError(f"{what} did not happen in {LIMIT_S} s")


def rated(venue: VenueProcess) -> list[dict[str, Any]]:
    """The rated matches that are stored, the newest first."""
    listed = venue.cli("matches", "--json", "--limit", "1000")
    assert listed.returncode == 0, listed.stderr
    return [match for match in json.loads(listed.stdout) if match["outcome"]["rated"]]


def ladder(venue: VenueProcess) -> dict[str, tuple[float, int]]:
    """Rating and matches of each agent."""
    rows = json.loads(venue.cli("ladder", "ttt", "--json").stdout)
    return {row["name"]: (row["rating"], row["played"]) for row in rows if row["played"]}


def test_two_endpoints_register_play_and_are_rated(arena: VenueProcess, agents: tuple[Endpoint, Endpoint]) -> None:
    one, other = agents
    assert any('"arena_for_development"' in line for line in arena.log), "the switch warns at each start"
    tokens = arena.mint_all("gremlin", "goblin")
    for agent, name in ((one, "gremlin"), (other, "goblin")):
        told = register(arena, tokens[name], agent.url)
        assert told["endpoint"]["status"] == "active"
        assert not any(told["key"] in line for line in arena.log)
    match = until(lambda: rated(arena), "a rated match")[-1]
    assert {player["name"] for player in match["players"]} == {"gremlin", "goblin"}
    assert ladder(arena).keys() == {"gremlin", "goblin"}
    assert sum(rating for rating, _ in ladder(arena).values()) == pytest.approx(3000)
    asked = [turn for agent in agents for turn in agent.heard if turn["match_id"] == match["match"]]
    assert {turn["replay_url"] for turn in asked} == {f"{web(arena)}/m/{match['match']}"}
    status, page = curl(asked[0]["replay_url"])
    assert status == 200
    assert "gremlin" in page
    assert "&lt;b&gt;as ever&lt;/b&gt;" in page
    assert "<b>" not in page
    status, file = curl(f"{asked[0]['replay_url']}.json")
    assert status == 200
    saved = arena.data / "match.json"
    saved.write_text(file)
    verified = arena.cli("verify-replay", str(saved))
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert arena.stop() == 0
    assert arena.cli("ratings", "rebuild", "--check").returncode == 0


def test_practice_is_watched_and_not_rated(arena: VenueProcess, agents: tuple[Endpoint, Endpoint]) -> None:
    token = arena.mint("gremlin")
    body = json.dumps({"url": agents[0].url, "game": "connect4", "bot": "random"})
    kind = ("-H", "Content-Type: application/json", "-d", body, f"{web(arena)}/practice")
    assert curl(*kind)[0] == 401
    status, answer = curl("-H", f"Authorization: Bearer {token}", *kind)
    assert status == 201, answer
    link = json.loads(answer)["replay_url"]

    def over() -> str:
        page = curl(link)[1]
        return "" if 'http-equiv="refresh"' in page else page

    page = until(over, "the end of the match")
    assert "<dt>Rated</dt><dd>no: " in page
    assert rated(arena) == []


def test_a_match_that_a_kill_cut_off_is_no_loss_and_they_play_again(
    arena: VenueProcess, agents: tuple[Endpoint, Endpoint]
) -> None:
    tokens = arena.mint_all("gremlin", "goblin")
    for agent, name in zip(agents, tokens, strict=True):
        register(arena, tokens[name], agent.url)
    until(lambda: rated(arena), "a rated match")
    agents[0].hold_at = 2
    assert agents[0].held.wait(LIMIT_S)
    cut_off = agents[0].heard[-1]
    status, page = curl(f"{web(arena)}/m/{cut_off['match_id']}")
    assert (status, 'http-equiv="refresh"' in page) == (200, True)
    arena.kill()
    before, stored = ladder(arena), rated(arena)
    assert cut_off["match_id"] not in {match["match"] for match in stored}
    agents[0].let_go()
    agents[1].hold_at = 0  # so that no further match ends before we have looked
    arena.start()
    assert ladder(arena) == before
    status, page = curl(f"{web(arena)}/m/{cut_off['match_id']}")
    assert status == 404
    assert "stop of the venue" in page
    agents[1].let_go()
    again = until(lambda: rated(arena)[: len(rated(arena)) - len(stored)], "another match")
    assert {player["name"] for player in again[0]["players"]} == {"gremlin", "goblin"}
    assert again[0]["outcome"]["termination"] != "strikes"
    assert arena.cli("ratings", "rebuild", "--check").returncode == 0


def test_a_venue_can_do_without_pages(open_venue: Callable[..., VenueProcess]) -> None:
    venue = open_venue(AGENTBBS_WEB_ADDR="")
    assert json.loads((venue.data / "venue.json").read_text())["web"] is None
    assert not any('"arena_for_development"' in line for line in venue.log)
    assert venue.stop() == 0


def test_a_port_that_is_taken_is_named(open_venue: Callable[..., VenueProcess], tmp_path: Path) -> None:
    venue = open_venue()
    other = VenueProcess(tmp_path / "other", AGENTBBS_WEB_ADDR=web(venue).removeprefix("http://"))
    done = other.cli("serve")
    assert done.returncode == 1
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("agentbbs: AGENTBBS_WEB_ADDR=") or "AGENTBBS_WEB_ADDR=" in line
    assert "in use" in line
