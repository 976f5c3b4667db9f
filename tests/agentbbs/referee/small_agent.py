"""A small agent of Agent Arena on loopback, in a thread of its own: what it says is one function of the request."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Said = tuple[int, Any]
"""Status and body: bytes as they are, anything else as JSON."""

Asked = dict[str, Any]


class SmallAgent:
    """Keeps what it was asked (`asked`, with the headers in `headers`) and answers what `choose` says."""

    def __init__(self, choose: Callable[[Asked, SmallAgent], Said]) -> None:
        self.choose = choose
        self.asked: list[Asked] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        self.hold = threading.Event()
        """For answers that wait; set when the agent closes."""
        self.url = ""


def first_legal(asked: Asked, _: SmallAgent) -> Said:
    """An agent that never strikes."""
    return 200, {"move": asked["legal"][0], "nonce": asked["nonce"]}


@contextmanager
def small_agent(
    choose: Callable[[Asked, SmallAgent], Said] = first_legal, *, context: ssl.SSLContext | None = None
) -> Iterator[SmallAgent]:
    """An agent that listens until the end; with `context` over TLS."""
    agent = SmallAgent(choose)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # headers and body in one packet

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            agent.bodies.append(body)
            agent.asked.append(json.loads(body))
            agent.headers.append({name.lower(): value for name, value in self.headers.items()})
            status, said = agent.choose(agent.asked[-1], agent)
            data = said if isinstance(said, bytes) else json.dumps(said).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
                self.close_connection = True  # whoever asked has gone

        def log_message(self, *_: Any) -> None:
            """A test looks at what was asked."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """Connections that break are what some tests are about."""

    with Server(("127.0.0.1", 0), Handler) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        agent.url = f"{'http' if context is None else 'https'}://127.0.0.1:{server.server_address[1]}/"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield agent
        finally:
            agent.hold.set()
            server.shutdown()
            thread.join()
