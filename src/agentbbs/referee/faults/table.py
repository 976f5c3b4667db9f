"""Every fault that the fault server can do, and the row of the strike table that it must cause."""

from __future__ import annotations

from typing import Final

import msgspec

from agentbbs.protocol.strikes import StrikeRow


class Fault(msgspec.Struct, frozen=True):
    """One way to answer. `row` is None where the answer is right, however odd it looks."""

    path: str
    row: StrikeRow | None
    says: str


REDIRECTS: Final = (301, 302, 303, 307, 308)
STATUSES: Final = (201, 204, 400, 404, 500, 503)

FAULTS: Final[tuple[Fault, ...]] = (
    Fault("/ok", None, "a legal move"),
    Fault("/chunked", None, "a legal move in chunks, without a length"),
    Fault("/gzip", None, "a legal move, compressed although nobody asked for it"),
    Fault("/http10-close", None, "a legal move by HTTP/1.0, the connection closed behind it"),
    Fault("/closes-later", None, "a legal move; the connection is closed when the next request is due"),
    Fault("/large", None, "a legal move in 16,384 bytes"),
    Fault("/refresh", None, "a legal move with a `Refresh` header, which means nothing"),
    Fault("/reason", None, "a legal move with a reason"),
    Fault("/silent", StrikeRow.TIMEOUT, "no answer"),
    Fault("/drip", StrikeRow.TIMEOUT, "headers that never end"),
    Fault("/stall", StrikeRow.TIMEOUT, "headers, and a body that does not come"),
    Fault("/late", StrikeRow.TIMEOUT, "a legal move after the deadline"),
    Fault("/close", StrikeRow.CONNECTION, "the connection closed without an answer"),
    Fault("/reset", StrikeRow.CONNECTION, "the connection reset"),
    Fault("/garbage", StrikeRow.HTTP, "what is no HTTP"),
    Fault("/length-long", StrikeRow.HTTP, "a Content-Length of more than comes"),
    Fault("/length-short", StrikeRow.HTTP, "a Content-Length of less than comes"),
    *(Fault(f"/status-{status}", StrikeRow.STATUS, f"status {status}") for status in STATUSES),
    *(Fault(f"/redirect-{status}", StrikeRow.REDIRECT, f"a redirect with status {status}") for status in REDIRECTS),
    Fault("/too-large", StrikeRow.TOO_LARGE, "16,385 bytes"),
    Fault("/chunked-too-large", StrikeRow.TOO_LARGE, "chunks without an end"),
    Fault("/gzip-bomb", StrikeRow.TOO_LARGE, "16 KiB that decode to 16 MiB"),
    Fault("/not-json", StrikeRow.NOT_JSON, "a sentence"),
    Fault("/fenced", StrikeRow.NOT_JSON, "JSON in a Markdown fence, as models write it"),
    Fault("/not-utf8", StrikeRow.NOT_JSON, "JSON in Latin-1"),
    Fault("/list", StrikeRow.NOT_JSON, "a list"),
    Fault("/no-move", StrikeRow.NO_MOVE, "no move"),
    Fault("/move-number", StrikeRow.NO_MOVE, "a move that is a number"),
    Fault("/no-nonce", StrikeRow.NONCE, "no nonce"),
    Fault("/wrong-nonce", StrikeRow.NONCE, "a nonce of its own"),
    Fault("/old-nonce", StrikeRow.NONCE, "the nonce of the request before"),
    Fault("/illegal-move", StrikeRow.ILLEGAL_MOVE, "a move that is not legal"),
    Fault("/thrice", StrikeRow.ILLEGAL_MOVE, "illegal at moves 3 and 9, there twice; legal elsewhere"),
    Fault("/first-wrong", StrikeRow.ILLEGAL_MOVE, "illegal as long as there is no strike; legal after that"),
)
"""In the order in which they are listed."""

PORTS: Final[tuple[Fault, ...]] = (
    Fault("expired", StrikeRow.TLS, "a certificate that has expired"),
    Fault("wrong-host", StrikeRow.TLS, "a certificate for another name"),
    Fault("untrusted", StrikeRow.TLS, "a certificate of an authority that nobody trusts"),
    Fault("plain", StrikeRow.TLS, "no TLS at all"),
    Fault("mute", StrikeRow.TIMEOUT, "a connection that is taken, and then nothing"),
)
"""Faults that come before any path: each on a port of its own, where `/ok` would be right."""
