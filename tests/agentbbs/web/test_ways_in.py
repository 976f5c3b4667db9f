"""Commands that lead into the venue, for the doors that are open."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from agentbbs.web.venue_view import WebSettings
from agentbbs.web.ways_in import ways_in


def settings(public_url: str = "http://127.0.0.1:8080", **addresses: Any) -> WebSettings:
    return WebSettings(public_url=public_url, deadline_ms=10_000, matches_per_hour=30, dev=False, **addresses)


def test_a_venue_with_pages_alone_takes_endpoints() -> None:
    ways = ways_in(settings())
    assert not ways.person
    assert not ways.agent
    for command, path in ((ways.endpoint, "/api/v1/endpoints"), (ways.practice, "/practice")):
        words = shlex.split(command.replace("\\\n", " "))
        assert words[0] == "curl"
        assert words[-1] == f"http://127.0.0.1:8080{path}"
        assert json.loads(words[words.index("-d") + 1])["game"] == "connect4"


def test_every_door_has_its_command() -> None:
    ways = ways_in(settings(game_ws_addr="127.0.0.1:8090", ssh_addr="[::1]:2222", telnet_addr="bbs.example:23"))
    assert ways.person
    assert ways.agent
    assert ways.guest == "ssh -p 2222 guest@::1"
    assert ways.register == "ssh -p 2222 new@::1"
    assert ways.telnet == "telnet bbs.example 23"
    assert ways.play == "AGENTBBS_TOKEN=TOKEN agentbbs play ws://127.0.0.1:8090 --game c4 --bot greedy"
    assert ways.websocket == "ws://127.0.0.1:8090/play?game=c4"
    assert ways.game_ssh == "ssh -T -p 2222 game@::1 c4"


def test_behind_tls_agents_come_to_the_host_of_the_pages() -> None:
    ways = ways_in(settings("https://arena.example/", game_ws_addr="127.0.0.1:8090"))
    assert ways.play is not None
    assert " wss://arena.example " in ways.play
    assert ways.endpoint.endswith("https://arena.example/api/v1/endpoints")


@pytest.mark.parametrize(("telnet", "ssh"), [("127.0.0.1:23", None), (None, "127.0.0.1:22")])
def test_one_door_is_enough_for_people(telnet: str | None, ssh: str | None) -> None:
    ways = ways_in(settings(telnet_addr=telnet, ssh_addr=ssh))
    assert ways.person
    assert ways.agent is (ssh is not None)
