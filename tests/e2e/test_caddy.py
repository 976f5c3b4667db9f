"""The TLS edge as deploy/ has it: Debian's Caddy with this repository's own Caddyfile, in front of a real venue."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as ws_connect

from .conftest import VenueProcess

CADDYFILE: Final = Path(__file__).parents[2] / "deploy" / "Caddyfile"
CADDY: Final = shutil.which("caddy")

HOST: Final = "bbs.localhost"
"""For names below `localhost` Caddy is its own authority; unlike `localhost` itself they are one site's alone."""

BOUND_S: Final = 20
"""Nothing here takes nearly as long."""

LOOK_S: Final = 0.05

pytestmark = pytest.mark.skipif(CADDY is None, reason="caddy is not installed: nothing can stand before the venue")


class Edge:
    """A Caddy before a venue, and what a client at some address of this machine is answered."""

    def __init__(self, venue: VenueProcess, folder: Path) -> None:
        self.venue = venue
        self.folder = folder
        (self.https, self.http) = free_ports(2)
        pages = json.loads((venue.data / "venue.json").read_bytes())["web"]
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "AGENTBBS_SITE": HOST,
            "AGENTBBS_EDGE_ADMIN": "off",
            "AGENTBBS_EDGE_BIND": "127.0.0.1",
            "AGENTBBS_EDGE_HTTP": str(self.http),
            "AGENTBBS_EDGE_HTTPS": str(self.https),
            "AGENTBBS_EDGE_PAGES": pages,
            "AGENTBBS_EDGE_GAMES": venue.http.removeprefix("http://"),
        }
        self.process: subprocess.Popen[bytes] | None = None
        self.tls: ssl.SSLContext | None = None

    def start(self) -> Edge:
        """Start, and wait until it answers over TLS."""
        with (self.folder / "caddy.log").open("wb") as log:
            self.process = subprocess.Popen(
                [str(CADDY), "run", "--config", str(CADDYFILE), "--adapter", "caddyfile"],
                env=self.env,
                cwd=self.folder,
                stdout=log,
                stderr=log,
            )
        root = self.folder / "data" / "caddy" / "pki" / "authorities" / "local" / "root.crt"
        end = time.monotonic() + BOUND_S
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(OSError, http.client.HTTPException):  # no authority, no port, no certificate yet
                self.tls = ssl.create_default_context(cafile=str(root))
                if self.ask("/arena")[0] == http.client.OK:
                    return self
            time.sleep(LOOK_S)
        raise TimeoutError("caddy did not answer:\n" + (self.folder / "caddy.log").read_text())

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(BOUND_S)

    def socket(self, source: str = "127.0.0.1") -> socket.socket:
        """A connection to the port of TLS, before any TLS."""
        return socket.create_connection(("127.0.0.1", self.https), BOUND_S, (source, 0))

    @contextlib.contextmanager
    def asked(
        self, path: str, method: str = "GET", *, source: str = "127.0.0.1", body: bytes | None = None, **headers: str
    ) -> Iterator[http.client.HTTPResponse]:
        """The answer over TLS, its body unread. `headers` have `_` where the name has `-`."""
        assert self.tls is not None
        connection = http.client.HTTPConnection(HOST, self.https, timeout=BOUND_S)
        connection.sock = self.tls.wrap_socket(self.socket(source), server_hostname=HOST)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            with connection.getresponse() as answer:
                yield answer
        finally:
            connection.close()

    def ask(self, path: str, method: str = "GET", **how: Any) -> tuple[int, dict[str, str], bytes]:
        """Status, headers (names in small letters) and body."""
        with self.asked(path, method, **how) as answer:
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()

    def play(self, token: str, query: str) -> ClientConnection:
        """An agent's WebSocket."""
        return ws_connect(
            f"wss://{HOST}:{self.https}/play?{query}",
            sock=self.socket(),
            ssl=self.tls,
            server_hostname=HOST,
            additional_headers={"Authorization": f"Bearer {token}"},
            open_timeout=BOUND_S,
        )


def free_ports(count: int) -> list[int]:
    """Ports of the loopback that nobody listened on a moment ago."""
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in held]


@pytest.fixture(scope="module")
def edge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edge]:
    """A venue behind Caddy, for all tests of this file."""
    public_url = f"https://{HOST}"
    venue = VenueProcess(
        tmp_path_factory.mktemp("venue"), AGENTBBS_TRUSTED_PROXIES="127.0.0.1", AGENTBBS_PUBLIC_URL=public_url
    )
    edge = None
    try:
        edge = Edge(venue.start(), tmp_path_factory.mktemp("caddy"))
        yield edge.start()
    finally:
        if edge is not None:
            edge.stop()
        venue.kill()


def told(agent: ClientConnection, kind: str) -> dict[str, Any]:
    """The next message of that type; others before it are passed over."""
    while True:
        message: dict[str, Any] = json.loads(agent.recv(BOUND_S))
        if message["type"] == kind:
            return message


def test_the_file_is_valid_and_in_caddys_own_form(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    checked = subprocess.run(
        [str(CADDY), "validate", "--config", str(CADDYFILE), "--adapter", "caddyfile"],
        env=env, capture_output=True, text=True, timeout=BOUND_S, check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stderr
    assert '"level":"warn"' not in checked.stderr
    formed = subprocess.run(
        [str(CADDY), "fmt", str(CADDYFILE)], env=env, capture_output=True, text=True, timeout=BOUND_S, check=True
    )
    assert formed.stdout == CADDYFILE.read_text(encoding="utf-8")


def test_the_log_that_the_docs_say_is_one_that_caddy_takes(tmp_path: Path) -> None:
    page = (CADDYFILE.parents[1] / "docs" / "web.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```\n(log \{.*?)```", page, re.DOTALL)
    assert "replace token -" in block
    file = tmp_path / "Caddyfile"
    file.write_text(CADDYFILE.read_text(encoding="utf-8").replace("\t@named not host", f"{block}\n\t@named not host"))
    checked = subprocess.run(
        [str(CADDY), "validate", "--config", str(file), "--adapter", "caddyfile"],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)}, capture_output=True, text=True, timeout=BOUND_S,
        check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stderr


def test_a_page_comes_over_tls_held_to_what_stands_in_it(edge: Edge) -> None:
    status, headers, body = edge.ask("/boards")
    assert status == 200
    assert b"Message boards" in body
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["strict-transport-security"] == "max-age=31536000"
    assert "server" not in headers
    assert "x-powered-by" not in headers


def test_plain_http_leads_to_tls(edge: Edge) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", edge.http, timeout=BOUND_S)
    connection.request("GET", "/ladders", headers={"Host": HOST})
    answer = connection.getresponse()
    assert answer.status == 308
    assert str(answer.getheader("Location")).startswith(f"https://{HOST}")
    connection.close()


def test_texts_are_compressed_for_who_asks(edge: Edge) -> None:
    status, headers, body = edge.ask("/protocol/agentgames", Accept_Encoding="gzip")
    assert (status, headers["content-encoding"]) == (200, "gzip")
    assert b"AgentGames: the protocol" in gzip.decompress(body)
    style = re.search(rb"/static/[^\"]+\.css", gzip.decompress(body))
    assert style is not None
    status, headers, body = edge.ask(style[0].decode(), Accept_Encoding="gzip")
    assert (status, headers["content-encoding"]) == (200, "gzip")
    assert "immutable" in headers["cache-control"]


@pytest.mark.parametrize(
    "path",
    ["/metrics", "//metrics", "/%6detrics", "/METRICS", "/play/../metrics", "/play/metrics", "/metrics/",
     "/metrics?x=1", "/healthz", "/readyz", "/live", "/lobby", "/nodes", "/watch/x", "/play/", "/play/x"],
)  # fmt: skip
def test_what_is_inside_stays_inside(edge: Edge, path: str) -> None:
    status, _, body = edge.ask(path)
    assert status == 404
    assert b"agentbbs_" not in body


def test_it_is_there_on_the_machine_itself(edge: Edge) -> None:
    """The test above can fail."""
    host, _, port = edge.venue.http.removeprefix("http://").rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=BOUND_S)
    connection.request("GET", "/metrics")
    assert b"agentbbs_" in connection.getresponse().read()
    connection.close()


def test_two_agents_play_and_a_reader_sees_each_move_as_it_is_made(edge: Edge) -> None:
    tokens = edge.venue.mint_all("ann", "bob")
    with edge.play(tokens["ann"], "game=ttt") as ann, edge.play(tokens["bob"], "game=ttt") as bob:
        seats = {told(agent, "hello")["player"]: agent for agent in (ann, bob)}
        told(seats[0], "state")
        match = match_that_is_on(edge)
        with edge.asked(f"/m/{match}/events", Accept_Encoding="gzip, zstd") as stream:
            assert stream.status == 200
            assert str(stream.getheader("Content-Type")).startswith("text/event-stream")
            assert stream.getheader("Content-Encoding") is None
            event(stream)  # how it stands
            for ply, move in enumerate("04182"):
                seats[ply % 2].send(json.dumps({"type": "move", "move": move}))
                if ply < 4:
                    assert event(stream), "while the match goes on: nothing was held back"
        result = told(ann, "result")
        assert result["termination"] == "normal"
        assert told(bob, "result")["match"] == result["match"] == match
    status, _, body = edge.ask(f"/m/{match}.json")
    assert (status, json.loads(body)["match"]) == (200, match)


def match_that_is_on(edge: Edge) -> str:
    """The match that is on, as the API tells it through the edge."""
    (match,) = json.loads(edge.ask("/api/v1/live")[2])["matches"]
    return str(match["id"])


def event(stream: http.client.HTTPResponse) -> list[bytes]:
    """The next event that has data, line by line; comments and settings are passed over."""
    found: list[bytes] = []
    while True:
        line = stream.readline()
        assert line, "the stream ended"
        if line.strip():
            found.append(line)
        elif any(one.startswith(b"data:") for one in found):
            return found
        else:
            found.clear()


def test_limits_are_each_clients_own(edge: Edge) -> None:
    """Clients at two addresses of the loopback: what one fails at does not hold the other."""
    how: dict[str, Any] = {"Authorization": "Bearer wrong", "X_Forwarded_For": "203.0.113.9"}
    for number in range(40):
        status, headers, _ = edge.ask("/play?game=ttt", source="127.0.0.2", **how)
        if status == 429:
            break
        assert status == 401, number
    assert status == 429
    assert int(headers["retry-after"]) > 0
    assert edge.ask("/play?game=ttt", source="127.0.0.3", **how)[0] == 401
    logged(edge, "login_refused", "127.0.0.3")
    refused = [json.loads(line) for line in list(edge.venue.log) if '"login_refused"' in line]
    assert {line["address"] for line in refused} == {"127.0.0.2", "127.0.0.3"}, "nobody is believed an address"


def logged(edge: Edge, event: str, address: str) -> list[dict[str, Any]]:
    """What the venue logs of that kind about a client at that address, once there is something."""
    end = time.monotonic() + BOUND_S
    while time.monotonic() < end:
        lines = [json.loads(line) for line in list(edge.venue.log) if f'"{event}"' in line]
        if found := [line for line in lines if line.get("address") == address]:
            return found
        time.sleep(LOOK_S)
    raise TimeoutError(f"no {event} about {address}")


def test_the_venues_log_has_the_clients_address_and_no_query(edge: Edge) -> None:
    edge.ask("/boards?token=secret", source="127.0.0.4", X_Forwarded_For="203.0.113.9")
    (line,) = logged(edge, "request", "127.0.0.4")
    assert (line["method"], line["path"], line["status"]) == ("GET", "/boards", 200)
    assert not [line for line in edge.venue.log if "secret" in line]
    assert "secret" not in (edge.folder / "caddy.log").read_text()


@pytest.mark.parametrize(("size", "page"), [(100_000, b"<h1>413 Request Entity Too Large</h1>"), (2_000_000, b"")])
def test_a_body_that_is_too_large_is_refused_and_one_that_is_vast_not_read(edge: Edge, size: int, page: bytes) -> None:
    assert edge.tls is not None
    with edge.tls.wrap_socket(edge.socket(), server_hostname=HOST) as connection:
        head = f"POST /sign-in HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {size}\r\n"
        kind = "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
        connection.sendall(f"{head}{kind}".encode() + b"x" * (size if page else 1))
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert answer.status == 413
        assert page in answer.read()
