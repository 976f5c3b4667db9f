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

from agentbbs.referee.throwaway_ca import ThrowawayCa

EXAMPLES = Path(__file__).parents[2] / "examples"
SOON_S = 30


@contextmanager
def running(*command: str, port: int, **env: str) -> Iterator[None]:
    """An agent that listens on `port` meanwhile."""
    process = subprocess.Popen(command, env=os.environ | env, stdout=subprocess.DEVNULL)
    try:
        asyncio.run(_listens(port, process))
        yield
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


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


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
    port = free_port()
    script = str(EXAMPLES / "arena" / "twenty_lines.mjs")
    with running("node", script, port=port, PORT=str(port)), TlsFront(ca, port) as front:
        url = f"https://127.0.0.1:{front.port}/play"
        code, report = checked(url, "--ca-file", str(ca.ca_file), "--bot", "random")
    assert code == 0, report


def test_the_connect4_agent_beats_a_greedy_one() -> None:
    port = free_port()
    script = str(EXAMPLES / "connect4-agent" / "agent.py")
    with running(sys.executable, script, "--port", str(port), port=port):
        code, report = checked(f"http://127.0.0.1:{port}/", "--bot", "greedy", "--deadline-ms", "1000")
    assert code == 0, report
    assert [match["outcome"] for match in report["matches"]] == ["win", "win"]


class Model(BaseHTTPRequestHandler):
    """Speaks chat completions: nonsense first, then an illegal move, then what it was told is legal."""

    said: ClassVar[list[int]] = []

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        messages = asked["messages"]
        tries = sum(message["role"] == "assistant" for message in messages)
        self.said.append(tries)
        legal = messages[-1]["content"].partition("The legal moves are ")[2].partition(".")[0].split(", ")
        content = ["I would take the middle.", '{"move": "z"}', f'Well: {{"move": "{legal[-1]}", "reason": "so"}}'][
            tries
        ]
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """The test looks at the report."""


def test_a_model_that_stumbles_never_strikes() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as model:
        serving = threading.Thread(target=model.serve_forever, args=(0.05,))
        serving.start()
        port = free_port()
        script = str(EXAMPLES / "llm-agent" / "agent.py")
        model_url = f"http://127.0.0.1:{model.server_address[1]}/v1"
        with running(sys.executable, script, "--port", str(port), port=port, MODEL_URL=model_url):
            code, report = checked(f"http://127.0.0.1:{port}/", "--bot", "random", "--matches", "1")
        model.shutdown()
        serving.join(SOON_S)
    assert code == 0, report
    assert set(Model.said) == {0, 1, 2}


def test_without_a_model_it_plays_on() -> None:
    port = free_port()
    script = str(EXAMPLES / "llm-agent" / "agent.py")
    model_url = f"http://127.0.0.1:{free_port()}/v1"
    with running(sys.executable, script, "--port", str(port), port=port, MODEL_URL=model_url):
        code, report = checked(f"http://127.0.0.1:{port}/", "--bot", "random", "--matches", "1")
    assert code == 0, report
