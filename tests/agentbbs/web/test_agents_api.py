"""`/api/v1/agents/NAME` and what is below it."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from agentbbs.web.api.agent_shapes import AgentMatches, AgentShown, Faults, Opponents, Ratings

from .played import ADA_AND_BOB, MINUTE_MS, NEWBIE, fill
from .site import NOW_MS, Site


@pytest.fixture
async def played(site: Site) -> Site:
    fill(site.database)
    return site


async def told(site: Site, path: str, status: int = 200) -> Any:
    found, headers, text = await site.ask("GET", f"/api/v1/agents/{path}")
    assert found == status, text
    assert headers["content-type"] == "application/json"
    return json.loads(text)


async def test_an_agent_with_its_careers_and_standings(played: Site) -> None:
    body = await told(played, "BOB")
    assert (body["name"], body["created_ms"]) == ("bob", NOW_MS)
    assert [career["game"] for career in body["careers"]] == ["ttt", "c4"]
    c4 = body["careers"][1]
    assert c4 == {
        "game": "c4",
        "matches": ADA_AND_BOB + 11,
        "transport": "ssh",
        "first_ms": NOW_MS + MINUTE_MS + 1_000,
        "last_ms": NOW_MS + 200 * MINUTE_MS + 1_000,
    }
    ttt, c4 = body["standings"]
    assert (ttt["game"], ttt["rank"], ttt["of"], ttt["played"], ttt["provisional"]) == ("ttt", 2, 2, 1, True)
    assert (c4["rank"], c4["of"], c4["wins"], c4["draws"], c4["losses"]) == (3, 3, 1, 9, 28)
    assert (c4["marks"], c4["provisional"]) == (["repeat_line"], False)
    msgspec.convert(body, AgentShown, strict=True)
    assert not {"id", "account_id", "password_hash", "sysop"} & body.keys()


async def test_an_agent_that_has_played_nothing(played: Site) -> None:
    body = await told(played, NEWBIE)
    assert (body["careers"], body["standings"]) == ([], [])
    for part, listed in (
        ("ratings", "ratings"),
        ("opponents", "opponents"),
        ("faults", "faults"),
        ("matches", "matches"),
    ):
        assert (await told(played, f"{NEWBIE}/{part}?game=c4"))[listed] == []


async def test_ratings_go_from_the_first_match_to_the_newest(played: Site) -> None:
    body = await told(played, "ada/ratings?game=connect4")
    assert (body["name"], body["game"]) == ("ada", "c4")
    marks = body["ratings"]
    assert [mark["nth"] for mark in marks] == list(range(1, 32))
    assert [mark["seq"] for mark in marks] == sorted(mark["seq"] for mark in marks)
    assert marks[0]["rating"] == 1516
    now = (await told(played, "ada"))["standings"][0]["rating"]
    assert marks[-1]["rating"] == now
    msgspec.convert(body, Ratings, strict=True)


async def test_opponents_are_paged_and_those_removed_have_no_name(played: Site) -> None:
    first = await told(played, "ada/opponents?game=c4&limit=1")
    assert [(one["name"], one["wins"], one["draws"], one["losses"]) for one in first["opponents"]] == [
        ("bob", 18, 9, 1)
    ]
    assert first["next"] == "/api/v1/agents/ada/opponents?game=c4&offset=1&limit=1"
    second = await told(played, first["next"].removeprefix("/api/v1/agents/"))
    assert [one["name"] for one in second["opponents"]] == [None]
    assert second["next"] is None
    msgspec.convert(first, Opponents, strict=True)


async def test_faults_come_with_their_words(played: Site) -> None:
    body = await told(played, "ada/faults?game=c4")
    assert [(fault["kind"], fault["times"]) for fault in body["faults"]] == [
        ("timeout", 2),
        ("lost by strikes", 1),
        ("nonce", 1),
    ]
    assert all(fault["says"] and fault["remedy"] for fault in body["faults"])
    msgspec.convert(body, Faults, strict=True)


async def test_matches_are_from_the_agents_side(played: Site) -> None:
    body = await told(played, "ada/matches?limit=4")
    void, practice, left, lost = body["matches"]
    assert [one["result"] for one in body["matches"]] == ["void", "lost", "won", "lost"]
    assert (void["seat"], void["opponent"], void["rated"], void["why"]) == (0, "Cleo", False, "server")
    assert practice["rating_before"] == practice["rating_after"]
    assert (left["opponent"], left["termination"]) == ("(removed)", "disconnect")
    assert (lost["seat"], lost["reason"]) == (1, "forfeit: strikes")
    assert lost["rating_after"] < lost["rating_before"]
    msgspec.convert(body, AgentMatches, strict=True)


async def test_next_leads_to_the_first_match(played: Site) -> None:
    path: str | None = "bob/matches?limit=7"
    seen: list[int] = []
    while path is not None:
        body = await told(played, path)
        seen += [one["seq"] for one in body["matches"]]
        path = body["next"] and body["next"].removeprefix("/api/v1/agents/")
    assert len(seen) == len(set(seen)) == ADA_AND_BOB + 12
    assert seen == sorted(seen, reverse=True)
    assert [one["game"] for one in (await told(played, "bob/matches?game=ttt"))["matches"]] == ["ttt"]


async def test_who_is_not_there_is_not_found(played: Site) -> None:
    for name in ["nobody", "gone", "greedy", "x" * 500, "%00", "%F0%9F%8E%B2"]:
        for path in (name, f"{name}/ratings?game=c4", f"{name}/matches"):
            assert (await told(played, path, 404))["error"]["code"] == "not_found"


async def test_a_game_that_is_not_played_names_those_that_are(played: Site) -> None:
    body = await told(played, "ada/ratings?game=chess", 422)
    assert (body["error"]["code"], body["error"]["games"]) == ("unknown_game", ["ttt", "c4"])


async def test_a_query_out_of_bounds_is_refused(played: Site) -> None:
    for path in [
        "ada/ratings",
        "ada/ratings?game=",
        "ada/opponents?game=c4&offset=9007199254740992",
        "ada/opponents?game=c4&limit=0",
        "ada/matches?before=0",
        "ada/matches?before=9007199254740992",
        "ada/matches?limit=1000",
        "ada?game=c4",
    ]:
        assert (await told(played, path, 400))["error"]["code"] == "bad_request"
