"""An agent of Agent Arena for a real venue: an HTTPS server in a thread, which answers as it is told."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

PATIENCE_S: Final = 60
"""The longest that an answer is held back."""


class Endpoint:
    """Plays the move that stands first (or last) in `legal`; from ply `hold_at` of a match on it keeps the venue
    waiting until `let_go`."""

    def __init__(self, *, first: bool) -> None:
        self.first = first
        self.hold_at: int | None = None
        self.heard: list[dict[str, Any]] = []
        self.held = threading.Event()
        """An answer is being held back."""
        self.gone = threading.Event()
        """No answer is held back any more."""
        self.url = ""

    def let_go(self) -> None:
        """Answer at once again."""
        self.hold_at = None
        self.gone.set()

    def answer(self, turn: dict[str, Any]) -> dict[str, Any]:
        """The reply, after a while if need be."""
        self.heard.append(turn)
        if self.hold_at is not None and not turn["match_id"].startswith("probe") and turn["move_number"] > self.hold_at:
            self.held.set()
            self.gone.wait(PATIENCE_S)
        return {"move": turn["legal"][0 if self.first else -1], "nonce": turn["nonce"], "reason": "<b>as ever</b>"}


@contextmanager
def endpoint(context: ssl.SSLContext, *, first: bool) -> Iterator[Endpoint]:
    """An endpoint that listens until the end."""
    agent = Endpoint(first=first)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.dumps(agent.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))).encode()
            try:
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                self.close_connection = True  # the venue was killed meanwhile

        def log_message(self, *_: Any) -> None:
            """The tests look at `heard`."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """Connections of a venue that was killed break."""

    with Server(("127.0.0.1", 0), Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        agent.url = f"https://127.0.0.1:{server.server_address[1]}/play"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield agent
        finally:
            agent.let_go()
            server.shutdown()
            thread.join()
