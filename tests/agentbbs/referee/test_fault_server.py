"""The fault server as other programs meet it: the bytes on the wire, real clients, its limits, and how it ends."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import os
import shutil
import socket
import ssl
import sys
from collections.abc import AsyncIterator, Callable
from http.client import parse_headers
from io import BytesIO
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.referee import fault_server
from agentbbs.referee.fault_server import FAULTS, FaultServer, NotHere
from agentbbs.referee.faults.answers import ANSWERS
from agentbbs.referee.faults.bodies import BODIES, Turn
from agentbbs.referee.faults.due import MAX_MATCHES, Memory, is_due
from agentbbs.referee.faults.raw_http import BadRequest, read_request
from agentbbs.referee.throwaway_ca import ThrowawayCa

LIMIT_S: Final = 20.0
RIGHT: Final = {"move": "a", "nonce": "n1"}


@pytest.fixture
async def server(ca: ThrowawayCa) -> AsyncIterator[FaultServer]:
    """The fault server, in time."""
    async with asyncio.timeout(LIMIT_S), FaultServer(ca) as serving:
        yield serving


def request(path: str, nonce: str = "n1", **more: Any) -> bytes:
    """A move request as bytes of HTTP."""
    body = json.dumps({"legal": ["a", "b"], "nonce": nonce, "deadline_ms": 100} | more).encode()
    return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


async def connect(server: FaultServer, path: str = "/ok") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A TLS connection to where that fault is."""
    port = int(server.url_of(path).rpartition(":")[2].partition("/")[0])
    return await asyncio.open_connection("127.0.0.1", port, ssl=server.ca.client_context())


async def said(server: FaultServer, path: str, limit: int = 1 << 20, **more: Any) -> bytes:
    """Everything that comes for one request: the connection is given up as soon as the server has stopped for 0.1 s,
    has closed, or has sent `limit` bytes."""
    reader, writer = await connect(server)
    writer.write(request(path, **more))
    heard = b""
    try:
        while len(heard) < limit:
            async with asyncio.timeout(LIMIT_S if not heard else 0.1):
                piece = await reader.read(65536)
            if not piece:
                break
            heard += piece
    except (TimeoutError, ConnectionResetError):
        pass  # that was all
    finally:
        writer.transport.abort()
    return heard


def parts(heard: bytes) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of an answer that is sound."""
    head, _, body = heard.partition(b"\r\n\r\n")
    first, _, lines = head.partition(b"\r\n")
    headers = {name.lower(): value for name, value in parse_headers(BytesIO(lines + b"\r\n\r\n")).items()}
    return int(first.split()[1]), headers, body


async def until(is_so: Callable[[], bool]) -> None:
    """Turn the loop until something is so."""
    async with asyncio.timeout(LIMIT_S):
        while not is_so():  # noqa: ASYNC110 - the server is not made to tell tests
            await asyncio.sleep(0.001)


async def to_the_end(reader: asyncio.StreamReader) -> None:
    """Read until the other side has gone, in order or not."""
    with contextlib.suppress(OSError):
        while await reader.read(65536):
            pass


class TestBytes:
    async def test_where_the_body_is_the_fault_the_rest_is_right(self, server: FaultServer) -> None:
        """All on one connection."""
        reader, writer = await connect(server)
        for path, make in BODIES.items():
            writer.write(request(path))
            status, headers, _ = parts(await reader.readuntil(b"\r\n\r\n"))
            assert (status, headers["content-type"]) == (200, "application/json")
            body = await reader.readexactly(int(headers["content-length"]))
            assert body == make(Turn(["a", "b"], "n1", deadline_ms=100)), path
        writer.transport.abort()
        assert server.connections == 1

    async def test_the_cap_is_met_to_the_byte(self, server: FaultServer) -> None:
        """Case 150."""
        for path, size in (("/large", 16_384), ("/too-large", 16_385)):
            _, _, body = parts(await said(server, path))
            assert len(body) == size
            assert json.loads(body).items() >= RIGHT.items()

    async def test_lengths_lie_in_both_directions(self, server: FaultServer) -> None:
        """Case 150."""
        for path, claimed in (("/length-long", 100), ("/length-short", -3)):
            _, headers, body = parts(await said(server, path))
            assert int(headers["content-length"]) == len(body) + claimed
            assert json.loads(body) == RIGHT

    async def test_a_bomb_is_small_and_right_json_if_it_is_unpacked(self, server: FaultServer) -> None:
        _, headers, body = parts(await said(server, "/gzip-bomb"))
        assert headers["content-encoding"] == "gzip"
        assert len(body) < 32 * 1024
        unpacked = gzip.decompress(body)
        assert len(unpacked) > 16 * 1024 * 1024
        assert json.loads(unpacked) == RIGHT

    @pytest.mark.parametrize(
        "path", ["/chunks-without-end", "/body-without-end", "/head-without-end", "/interim-without-end"]
    )
    async def test_floods_have_no_end(self, server: FaultServer, path: str) -> None:
        assert len(await said(server, path, limit=300_000)) >= 300_000

    async def test_chunks_are_right(self, server: FaultServer) -> None:
        for path in ("/chunked", "/chunked-extras"):
            _, headers, body = parts(await said(server, path))
            assert headers["transfer-encoding"] == "chunked"
            assert body.endswith(b"0\r\n\r\n" if path == "/chunked" else b"0\r\nX-Odd: 1\r\n\r\n")

    async def test_redirects_lead_where_they_say(self, server: FaultServer) -> None:
        """Case 145."""
        for status in (301, 302, 303, 307, 308):
            found, headers, _ = parts(await said(server, f"/redirect-{status}"))
            assert found == status
            assert headers["location"].startswith("http://169.254.169.254/")
        assert parts(await said(server, "/redirect-relative"))[1]["location"] == "/ok"
        assert parts(await said(server, "/redirect-chain"))[1]["location"] == "/redirect-relative"
        assert "location" not in parts(await said(server, "/redirect-nowhere"))[1]
        status, headers, body = parts(await said(server, "/refresh"))
        assert (status, json.loads(body)) == (200, RIGHT)
        assert "169.254.169.254" in headers["refresh"]

    async def test_a_late_answer_is_a_right_one_after_the_deadline(self, server: FaultServer) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        _, _, body = parts(await said(server, "/late"))
        assert loop.time() - began > 0.1
        assert json.loads(body) == RIGHT

    async def test_a_reset_is_one(self, server: FaultServer) -> None:
        reader, writer = await connect(server)
        writer.write(request("/reset"))
        with pytest.raises(ConnectionResetError):
            await reader.read()
        writer.transport.abort()

    async def test_the_old_nonce_is_that_of_the_same_match(self, server: FaultServer) -> None:
        for match, nonce, expected in (("m", "n1", "0" * 32), ("other", "n2", "0" * 32), ("m", "n3", "n1")):
            _, _, body = parts(await said(server, "/old-nonce", nonce=nonce, match_id=match))
            assert json.loads(body)["nonce"] == expected


class TestWhenAFaultIsDue:
    def play(self, path: str, requests: list[tuple[int, str]], after: int | None = None) -> list[bool]:
        """Whether the fault happens, for (move number, match) after (move number, match)."""
        memory, fault = Memory(), FAULTS[path]
        found = []
        for number, match in requests:
            turn = Turn(["a"], "n", match, number)
            found.append(is_due(fault, turn, memory.note(fault, turn)[0], after))
        return found

    @pytest.mark.parametrize("first", [1, 2])
    def test_a_script_is_the_same_for_either_seat(self, first: int) -> None:
        """Case 152."""
        numbers = [first, first + 2, first + 2, first + 4, first + 6, first + 8, first + 8, first + 8]
        found = self.play("/thrice", [(number, "m") for number in numbers])
        assert found == [False, True, False, False, False, True, True, False]

    def test_matches_are_kept_apart(self) -> None:
        requests = [(1, "a"), (1, "b"), (1, "a"), (1, "b")]
        assert self.play("/cold-start", requests) == [True, True, False, False]

    def test_after_so_many_moves(self) -> None:
        moves = [(number, "m") for number in (1, 3, 5, 5, 7)]
        assert self.play("/gets-lost", moves) == [False, False, True, True, True]
        assert self.play("/not-json", moves, after=3) == [False, False, False, False, True]
        assert self.play("/not-json", moves) == [True] * 5

    def test_memory_has_an_end(self) -> None:
        memory = Memory()
        for number in range(MAX_MATCHES + 1):
            memory.note(FAULTS["/thrice"], Turn(["a"], "n", str(number)))
        assert memory.note(FAULTS["/thrice"], Turn(["a"], "n", "0")) == (0, "")
        assert memory.note(FAULTS["/thrice"], Turn(["a"], "n", str(MAX_MATCHES))) == (1, "n")

    async def test_the_url_may_say_after_how_many_moves(self, server: FaultServer) -> None:
        assert b"I play" not in await said(server, "/not-json?after=1", move_number=1)
        assert b"I play" in await said(server, "/not-json?after=1", move_number=3)
        for wrong in ("-1", "x", "", "9999", "\u0663"):
            assert parts(await said(server, f"/not-json?after={wrong}"))[0] in {200, 400}
        assert parts(await said(server, "/not-json?after=x"))[0] == 400


def test_each_fault_has_something_that_does_it() -> None:
    done = {fault.does or fault.path for fault in FAULTS.values() if not fault.own_port}
    assert done <= set(ANSWERS)
    assert set(ANSWERS) <= set(FAULTS)
    assert all(path == fault.path for path, fault in FAULTS.items())


class TestLimits:
    @pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "agent.example", ""])
    def test_it_listens_on_this_machine_alone(self, ca: ThrowawayCa, host: str) -> None:
        with pytest.raises(NotHere, match="can be reached by others"):
            FaultServer(ca, host)

    async def test_elsewhere_when_it_is_told_to(self, ca: ThrowawayCa) -> None:
        async with FaultServer(ca, "0.0.0.0", anywhere=True) as server:
            assert server.url.startswith("https://127.0.0.1:")
            assert b"200 OK" in await said(server, "/ok")

    async def test_more_connections_than_it_takes_are_cut(
        self, ca: ThrowawayCa, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(fault_server, "MAX_CONNECTIONS", 2)
        async with asyncio.timeout(LIMIT_S), FaultServer(ca) as server:
            held = [await connect(server) for _ in range(2)]
            with pytest.raises((OSError, ssl.SSLError)):
                await connect(server)
            for _, writer in held:
                writer.transport.abort()
            assert server.connections == 2

    @pytest.mark.parametrize(
        ("sent", "status"),
        [
            (b"GET /ok HTTP/1.1\r\n\r\n", 400),
            (b"POST /ok HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 400),
            (b"POST /ok HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
            (b"POST /ok HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", 400),
            (b"POST /ok HTTP/1.1\r\n" + b"X: 1\r\n" * 200 + b"\r\n", 400),
            (b"POST /ok\r\n\r\n", 400),
            (b"X" * 100_000 + b"\r\n\r\n", 400),
            (request("/nowhere"), 404),
            (request("/expired"), 404),
        ],
    )
    async def test_what_it_can_not_answer_is_told_why(self, server: FaultServer, sent: bytes, status: int) -> None:
        reader, writer = await connect(server)
        writer.write(sent)
        head = await reader.readuntil(b"\r\n\r\n")
        found, headers, _ = parts(head)
        why = json.loads(await reader.readexactly(int(headers["content-length"])))["error"]
        writer.transport.abort()
        assert found == status
        assert why
        assert not server.requests


@given(
    st.binary(max_size=200) | st.builds(lambda cut: request("/ok?after=1")[:cut], st.integers(0, 200)),
    st.lists(st.integers(1, 20)),
)
def test_whatever_comes_is_a_request_or_is_refused(sent: bytes, sizes: list[int]) -> None:
    async def read() -> None:
        reader = asyncio.StreamReader()
        left = sent + b"\r\n\r\n"
        for size in sizes:
            reader.feed_data(left[:size])
            left = left[size:]
        reader.feed_data(left)
        reader.feed_eof()
        with contextlib.suppress(BadRequest, asyncio.IncompleteReadError):
            fault_server._understood(await read_request(reader))

    asyncio.run(read())


class TestItsEnd:
    @pytest.mark.parametrize(
        "path", ["/silent", "/drip", "/drip-body", "/stall", "/late", "/chunks-without-end", "/head-without-end"]
    )
    async def test_nothing_is_left_whatever_is_going_on(self, ca: ThrowawayCa, path: str) -> None:
        before = asyncio.all_tasks()
        async with asyncio.timeout(LIMIT_S):
            async with FaultServer(ca) as server:
                reader, writer = await connect(server)
                writer.write(request(path, deadline_ms=60_000))
                await until(lambda: bool(server.requests))
            await to_the_end(reader)
            writer.transport.abort()
            port = int(server.url.rpartition(":")[2])
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.1", port)
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == before

    @pytest.mark.parametrize("path", ["/ok", "/expired", "/tls-stall", "/plain-http", "/client-certificate"])
    async def test_it_ends_within_handshakes(self, ca: ThrowawayCa, path: str) -> None:
        before = asyncio.all_tasks()
        async with asyncio.timeout(LIMIT_S):
            async with FaultServer(ca) as server:
                port = int(server.url_of(path).rpartition(":")[2].partition("/")[0])
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                await until(lambda: bool(server.connections))
            await to_the_end(reader)
            writer.transport.abort()
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == before

    async def test_a_port_that_somebody_has_leaves_nothing(self, ca: ThrowawayCa) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            server = FaultServer(ca, port=taken.getsockname()[1])
            with pytest.raises(OSError, match="in use"):
                await server.__aenter__()
        await server.close()


class TestPortsOfTheirOwn:
    @pytest.mark.parametrize(
        ("path", "says"),
        [("/expired", "expired"), ("/wrong-host", "mismatch"), ("/untrusted", "unable to get|self.signed")],
    )
    async def test_certificates_are_wrong_in_just_that(self, server: FaultServer, path: str, says: str) -> None:
        with pytest.raises(ssl.SSLCertVerificationError, match=says):
            await connect(server, path)

    @pytest.mark.skipif(sys.platform != "linux", reason="the black hole is a habit of Linux")
    async def test_nobody_answers_in_a_black_hole(self, server: FaultServer) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await connect(server, "/black-hole")

    async def test_nobody_listens_where_it_is_refused(self, server: FaultServer) -> None:
        with pytest.raises(ConnectionRefusedError):
            await connect(server, "/refused")


CURL: Final = shutil.which("curl")
NODE: Final = shutil.which("node")
NODE_ASKS: Final = """
fetch(process.argv[1], {method: "POST", body: process.argv[2]})
  .then(async (answer) => console.log(answer.status, await answer.text()))
  .catch((fault) => { console.log("failed", fault.cause?.code); });
"""


class TestRealClients:
    async def run(self, *command: str, **env: str) -> tuple[int, str]:
        process = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, env={**os.environ, **env}
        )
        out, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, out.decode("utf-8", "replace")

    @pytest.mark.skipif(CURL is None, reason="needs curl")
    @pytest.mark.parametrize(
        ("path", "code"),
        [
            ("/ok", 0),
            ("/chunked-extras", 0),
            ("/gzip", 0),
            ("/http10-close", 0),
            ("/early-hints", 0),
            ("/close", 52),
            ("/garbage", 1),
            ("/length-long", 18),
            ("/silent", 28),
            ("/expired", 60),
            ("/wrong-host", 60),
            ("/untrusted", 60),
            ("/plain-http", 35),
            ("/refused", 7),
        ],
    )
    async def test_curl_sees_it_so(self, server: FaultServer, path: str, code: int) -> None:
        """Codes of curl(1), EXIT CODES."""
        assert CURL is not None
        body = request("/ok").partition(b"\r\n\r\n")[2].decode()
        curl = (CURL, "-s", "--compressed", "--http1.1", "-m", "1", "--cacert", str(server.ca.ca_file), "-d", body)
        found, out = await self.run(*curl, server.url_of(path))
        assert found == code
        if code == 0:
            assert json.loads(out) == RIGHT

    @pytest.mark.skipif(NODE is None, reason="needs node")
    async def test_node_trusts_it(self, server: FaultServer) -> None:
        assert NODE is not None
        body = request("/ok").partition(b"\r\n\r\n")[2].decode()
        ca_file = str(server.ca.ca_file)
        for path, expected in (("/ok", "200 "), ("/expired", "failed CERT_HAS_EXPIRED")):
            _, out = await self.run(NODE, "-e", NODE_ASKS, server.url_of(path), body, NODE_EXTRA_CA_CERTS=ca_file)
            assert out.startswith(expected)

    async def test_strict_python_trusts_it(self, server: FaultServer) -> None:
        """What Python 3.13 does by default."""
        context = ssl.create_default_context(cafile=str(server.ca.ca_file))
        context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
        port = int(server.url.rpartition(":")[2])
        for name in ("127.0.0.1", "localhost"):
            _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname=name)
            writer.transport.abort()
