"""The example agents of Agent Arena, run as a user runs them and judged by `agentbbs check-agent`."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest
from aiohttp.test_utils import unused_port

from agentbbs.protocol.signing import SECRET_BYTES, Scheme, new_secret
from agentbbs.referee.throwaway_ca import ThrowawayCa

EXAMPLES = Path(__file__).parents[2] / "examples"
SOON_S = 30


@contextmanager
def running(*command: str, **env: str) -> Iterator[int]:
    """An agent, at the port that it is told and that is handed out, meanwhile."""
    port = unused_port()
    told = [part.replace("PORT", str(port)) for part in command]
    process = subprocess.Popen(told, env=os.environ | env | {"PORT": str(port)}, stdout=subprocess.DEVNULL)
    try:
        asyncio.run(_listens(port, process))
        yield port
    finally:
        process.terminate()
        process.wait(SOON_S)


async def _listens(port: int, process: subprocess.Popen[bytes]) -> None:
    async with asyncio.timeout(SOON_S):
        while process.poll() is None:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.02)
            else:
                writer.close()
                await writer.wait_closed()
                return
    raise AssertionError("the agent ended")


def checked(url: str, *options: str) -> tuple[int, Any]:
    """The exit code and the report of `check-agent`."""
    found = subprocess.run(
        [sys.executable, "-m", "agentbbs", "check-agent", url, "--json", *options],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert found.stdout, found.stderr
    return found.returncode, json.loads(found.stdout)


class TlsFront:
    """HTTPS in front of a plain port."""

    def __init__(self, ca: ThrowawayCa, behind: int) -> None:
        self._behind = behind
        self._context = ca.server_context()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.port = 0

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(SOON_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(SOON_S)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._pass, "127.0.0.1", 0, ssl=self._context)
        async with server:
            self.port = server.sockets[0].getsockname()[1]
            self._ready.set()
            await self._stop.wait()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self._behind)

        async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            while data := await source.read(65536):
                target.write(data)
                await target.drain()

        tasks = [asyncio.create_task(copy(reader, inner_writer)), asyncio.create_task(copy(inner_reader, writer))]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for each in (writer, inner_writer):
                each.close()


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_twenty_lines_of_javascript_are_a_sound_agent(tmp_path: Path) -> None:
    ca = ThrowawayCa.make(tmp_path)
    lines = (EXAMPLES / "arena" / "twenty_lines.mjs").read_text()
    assert lines.count("8080") == 1
    assert len(lines.splitlines()) <= 20
    script = tmp_path / "agent.mjs"
    script.write_text(lines.replace("8080", "process.env.PORT"))
    with running("node", str(script)) as port, TlsFront(ca, port) as front:
        url = f"https://127.0.0.1:{front.port}/play"
        code, report = checked(url, "--ca-file", str(ca.ca_file), "--bot", "random")
    assert code == 0, report
    assert [len(match["strikes"]) for match in report["matches"]] == [0, 0]


def connect4_checked(folder: Path, *options: str) -> Any:
    """The report on the Connect 4 agent with a certificate of its own. It never strikes."""
    ca = ThrowawayCa.make(folder)
    cert, key = ca.issue()
    script = str(EXAMPLES / "connect4-agent" / "agent.py")
    with (
        running(sys.executable, script, "--port", "PORT", "--cert", str(cert), "--key", str(key)) as port,
        socket.create_connection(("127.0.0.1", port)),  # who never shakes hands keeps nobody out
    ):
        code, report = checked(f"https://127.0.0.1:{port}/", "--ca-file", str(ca.ca_file), *options)
    assert code == 0, report
    return report


def test_the_connect4_agent_serves_https_by_itself(tmp_path: Path) -> None:
    report = connect4_checked(tmp_path, "--bot", "greedy", "--matches", "1", "--deadline-ms", "500")
    assert [match["outcome"] for match in report["matches"]] != ["loss"]


@pytest.mark.slow
def test_the_connect4_agent_is_sound_in_odd_situations(tmp_path: Path) -> None:
    report = connect4_checked(tmp_path, "--matches", "0", "--deadline-ms", "1000", "--faults")
    verdicts = {finding["name"]: finding["verdict"] for finding in report["situations"]}
    assert verdicts["idempotence"] == "pass"


@pytest.mark.parametrize("request_line", ["POST / HTTP/1.1\r\n", "POST / HTTP/1.1\r\nContent-Length: -1\r\n"])
def test_the_connect4_agent_refuses_what_it_can_not_read(request_line: str) -> None:
    script = str(EXAMPLES / "connect4-agent" / "agent.py")
    with (
        running(sys.executable, script, "--port", "PORT") as port,
        socket.create_connection(("127.0.0.1", port), SOON_S) as line,
    ):
        line.sendall(f"{request_line}\r\n".encode())
        with line.makefile("rb") as answer:
            assert answer.read().startswith(b"HTTP/1.1 400 ")  # and the end: it closes


class Model(BaseHTTPRequestHandler):
    """Speaks chat completions: nonsense first, then an illegal move, then what it was told is legal."""

    asked: ClassVar[list[list[dict[str, str]]]] = []

    def do_POST(self) -> None:
        messages = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"]
        self.asked.append(messages)
        self.answer(200, self.words(messages, sum(message["role"] == "assistant" for message in messages)))

    def words(self, messages: list[dict[str, str]], tries: int) -> Any:
        legal = messages[-1]["content"].partition("The legal moves are ")[2].partition(".")[0].split(", ")
        return [
            "I would take the middle.",
            'I take {"move": "z"}',
            f'{{"move": "z"}} no: {{"move": " {legal[-1].upper()}", "reason": "so"}} {{1}}',
        ][tries]

    def answer(self, status: int, content: Any) -> None:
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """The test looks at the report."""


class SpeechlessModel(Model):
    """Fails, says nothing, then falls silent in the middle of a line."""

    def words(self, messages: list[dict[str, str]], tries: int) -> Any:
        return None

    def answer(self, status: int, content: Any) -> None:
        number = len(self.asked) % 3
        if number == 1:
            super().answer(500, "")
        elif number == 2:
            super().answer(200, content)
        else:
            self.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Length: 100\r\n\r\n{")


@contextmanager
def model(kind: type[Model]) -> Iterator[str]:
    """The base URL of one."""
    kind.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.05,))
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            serving.join(SOON_S)


def played_by(model_url: str, *options: str, **env: str) -> Any:
    """The report on a match of Tic-Tac-Toe of the agent that asks this model. It never strikes."""
    script = str(EXAMPLES / "llm-agent" / "agent.py")
    with running(sys.executable, script, "--port", "PORT", MODEL_URL=model_url, **env) as port:
        code, report = checked(
            f"http://127.0.0.1:{port}/", "--game", "ttt", "--bot", "random", "--matches", "1", *options
        )
    assert code == 0, report
    return report


def test_a_model_that_stumbles_never_strikes() -> None:
    with model(Model) as url:
        played_by(url)
    assert {len(messages) for messages in Model.asked} == {2, 4, 6}
    told = [message["content"] for message in max(Model.asked, key=len) if message["role"] == "user"]
    assert told[0].startswith("Game: ttt. You are ")
    assert told[1].startswith('No: there is no JSON object with a "move" in your answer. The legal moves are ')
    assert told[2].startswith("No: 'z' is not legal. The legal moves are ")


def test_a_model_that_is_out_of_order_never_strikes() -> None:
    with model(SpeechlessModel) as url:
        played_by(url)
    assert SpeechlessModel.asked


def test_without_a_model_it_plays_on_and_knows_the_venue(tmp_path: Path) -> None:
    secret = new_secret(Scheme.HMAC, bytes(SECRET_BYTES))
    (tmp_path / "secret").write_text(secret)
    url = f"http://127.0.0.1:{unused_port()}/v1"
    played_by(url, "--faults", "--secret-file", str(tmp_path / "secret"), ARENA_KEY=secret)
