"""What goes wrong before HTTP: certificates that are not right, TLS that is none, ports where nobody is."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Awaitable, Callable
from typing import Final

from agentbbs.referee.faults import raw_http
from agentbbs.referee.faults.conversation import Conversation
from agentbbs.referee.throwaway_ca import ThrowawayCa

ELSEWHERE: Final = "elsewhere.example"
"""Whom the certificate for another name is for (a name that nobody has: RFC 2606)."""

Handshake = Callable[[Conversation], Awaitable[None]]

_HELLO_BYTES: Final = 16 * 1024
"""A first message of TLS is shorter."""

_TELL_S: Final = 2.0
"""How long a connection stays open behind an alert, so that it arrives: to close on unread bytes would be a reset."""


async def _plain_http(line: Conversation) -> None:
    await line.reader.read(_HELLO_BYTES)
    await line.send(raw_http.answer(b'{"error":"this is plain HTTP"}', "Connection: close", status=400))


async def _garbage(line: Conversation) -> None:
    await line.reader.read(_HELLO_BYTES)
    await line.send(b"\x16\x03\x03\x00\x10" + b"\xff" * 16)


async def _close(line: Conversation) -> None:
    await line.reader.read(_HELLO_BYTES)


async def _reset(line: Conversation) -> None:
    await line.reader.read(_HELLO_BYTES)
    line.reset()


async def _stall(line: Conversation) -> None:
    await line.hold()


HANDSHAKES: Final[dict[str, Handshake]] = {
    "/plain-http": _plain_http,
    "/tls-garbage": _garbage,
    "/tls-close": _close,
    "/tls-reset": _reset,
    "/tls-stall": _stall,
}
"""By path: what is said in place of TLS."""


def contexts(ca: ThrowawayCa, names: tuple[str, ...]) -> dict[str, ssl.SSLContext]:
    """By path: TLS that a caller who trusts `ca` alone must refuse. Makes files in the folder of `ca`."""
    other = ThrowawayCa.make(ca.folder / "untrusted")
    return {
        "/expired": ca.server_context(*names, expired=True),
        "/wrong-host": ca.server_context(ELSEWHERE),
        "/untrusted": other.server_context(*names),
    }


def wants_certificate(ca: ThrowawayCa, names: tuple[str, ...]) -> Handshake:
    """TLS that demands a certificate by an authority that signs none. By hand, since asyncio drops the alert."""
    context = ca.server_context(*names)
    context.verify_mode = ssl.CERT_REQUIRED

    async def shake(line: Conversation) -> None:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = context.wrap_bio(incoming, outgoing, server_side=True)
        while True:
            try:
                tls.do_handshake()
            except ssl.SSLWantReadError:
                await line.send(outgoing.read())
                heard = await line.reader.read(_HELLO_BYTES)
                if not heard:
                    return
                incoming.write(heard)
            except ssl.SSLError:  # no certificate came: the alert that says so is ready
                break
        await line.send(outgoing.read())
        await line.hold(_TELL_S)

    return shake


class DeadPort:
    """A port of this machine where nobody will ever answer; `close` gives it back. Raises OSError."""

    def __init__(self, host: str, *, black_hole: bool = False) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._sockets = [socket.socket(family, socket.SOCK_STREAM)]
        try:
            self._sockets[0].bind((host, 0))
            self.port: int = self._sockets[0].getsockname()[1]
            if black_hole:
                self._fill(family, host)
        except OSError:
            self.close()
            raise

    def _fill(self, family: socket.AddressFamily, host: str) -> None:
        """Listen with a queue of one and fill it: Linux drops further attempts, as if nothing were there."""
        self._sockets[0].listen(0)
        first = socket.socket(family, socket.SOCK_STREAM)
        self._sockets.append(first)
        first.connect((host, self.port))

    def close(self) -> None:
        for held in reversed(self._sockets):
            held.close()
        self._sockets.clear()
