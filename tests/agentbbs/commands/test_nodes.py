"""`nodes`, against a venue's answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from agentbbs.venue_folder import State, write_state

ANN = {"node": 2, "account": 7, "name": "ann", "transport": "ssh", "sinceMs": 1_700_000_000_000, "doing": "in Chat"}
GUEST = {"node": 5, "account": None, "name": "guest", "transport": "telnet", "sinceMs": 0, "doing": "x\x1b[2J"}


class Nodes(BaseHTTPRequestHandler):
    """The game port of a venue with two callers."""

    there: list[dict[str, Any]]

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/nodes" else 404)
        self.end_headers()
        self.wfile.write(json.dumps(self.there).encode())

    def log_message(self, *_: object) -> None:
        """Keep stderr clean."""


@pytest.fixture
def venue(data: Path) -> Iterator[str]:
    """A venue of the data folder; its address."""
    Nodes.there = [ANN, GUEST]
    data.mkdir()
    with HTTPServer(("127.0.0.1", 0), Nodes) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        write_state(data, State(1, f"127.0.0.1:{server.server_port}"))
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.usefixtures("venue")
def test_the_callers_are_json_for_scripts(run: Any) -> None:
    assert json.loads(run("nodes", "--json").stdout) == [ANN, GUEST]


@pytest.mark.usefixtures("venue")
def test_the_callers_are_a_table_for_people_and_inert(run: Any) -> None:
    header, ann, guest = run("nodes").stdout.splitlines()
    assert header.split() == ["NODE", "NAME", "BY", "CAME", "DOES"]
    assert ann.split()[:3] == ["2", "ann", "ssh"]
    assert ann.endswith("in Chat")
    assert "\x1b" not in guest


def test_a_venue_is_found_by_its_url(run: Any, venue: str) -> None:
    assert len(json.loads(run("nodes", "--url", f"{venue}/play", "--json").stdout)) == 2


@pytest.mark.usefixtures("venue")
def test_an_empty_board_says_so(run: Any) -> None:
    Nodes.there = []
    found = run("nodes")
    assert (found.exit_code, found.stderr) == (0, "nobody is on the BBS\n")


def test_without_a_venue_it_fails_with_the_remedy(run: Any) -> None:
    refused = run("nodes")
    assert refused.exit_code == 1
    assert "start one" in refused.stderr
