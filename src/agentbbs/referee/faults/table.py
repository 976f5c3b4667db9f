"""Every way in which the fault server answers, and the row of the strike table that it must cause. Data alone.

Most faults are a path of one server. Those that come before a path can be read (`own_port`) have a port each, where
the path stands for nothing.
"""

from __future__ import annotations

from typing import Final

import msgspec

from agentbbs.protocol.strikes import StrikeRow


class Fault(msgspec.Struct, frozen=True):
    """One way to answer. `row` is None where the answer is right, however odd it looks."""

    path: str
    row: StrikeRow | None
    says: str
    own_port: bool = False
    does: str = ""
    """The path of the fault that it commits at the moves of `plan`; its own if empty."""
    after: int = 0
    """Moves of its own that it plays well in a match before the fault sets in. `?after=N` in the URL stands in place of
    this and of `plan`."""
    plan: tuple[tuple[int, int], ...] = ()
    """(its own move, counted from 1; how many requests of that position are answered wrongly). Empty: all of them. Its
    second move is ply 3 or 4, its fifth is 9 or 10, as it moves first or second."""


STATUSES: Final = (201, 202, 204, 206, 400, 401, 403, 404, 408, 429, 500, 502, 503)
REDIRECTS: Final = (300, 301, 302, 303, 304, 307, 308)

_RIGHT: Final = (
    Fault("/ok", None, "a legal move: the first one"),
    Fault("/reason", None, "a legal move with a reason"),
    Fault("/long-reason", None, "a reason of 1,000 characters, which is cut"),
    Fault("/odd-reason", None, "a reason that is a list, which is ignored"),
    Fault("/hostile-reason", None, "a reason with terminal codes, markup and marks that turn the writing round"),
    Fault("/more-fields", None, "fields that nobody asked for"),
    Fault("/bom", None, "a byte order mark before the JSON"),
    Fault("/large", None, "exactly 16,384 bytes"),
    Fault("/content-type", None, "JSON that calls itself text/plain"),
    Fault("/cookie", None, "a cookie, which must not come back"),
    Fault("/refresh", None, "a `Refresh` header, which means nothing"),
    Fault("/early-hints", None, "an interim answer (103) before the right one"),
    Fault("/chunked", None, "chunks instead of a length"),
    Fault("/chunked-extras", None, "chunks with extensions and a trailer"),
    Fault("/byte-by-byte", None, "every byte in a packet of its own"),
    Fault("/gzip", None, "compressed by gzip, although nobody asked for it"),
    Fault("/deflate", None, "compressed by deflate, although nobody asked for it"),
    Fault("/http10-close", None, "HTTP/1.0 without a length: the end of the connection is the end of the body"),
    Fault("/closes-after", None, "promises to keep the connection and closes it behind the answer"),
    Fault("/closes-later", None, "keeps the connection and closes it when the next request is there"),
    Fault("/half-time", None, "takes half of the time"),
)

_TRANSPORT: Final = (
    Fault("/silent", StrikeRow.TIMEOUT, "no answer, and the connection stays"),
    Fault("/drip", StrikeRow.TIMEOUT, "headers that never end, a few bytes at a time"),
    Fault("/drip-body", StrikeRow.TIMEOUT, "a body that never ends, a byte at a time"),
    Fault("/stall", StrikeRow.TIMEOUT, "headers, and a body that does not come"),
    Fault("/stall-chunk", StrikeRow.TIMEOUT, "half of the chunks, and no more"),
    Fault("/late", StrikeRow.TIMEOUT, "a legal move after the deadline"),
    Fault("/close", StrikeRow.CONNECTION, "closes the connection without an answer"),
    Fault("/reset", StrikeRow.CONNECTION, "resets the connection without an answer"),
    Fault("/head-cut", StrikeRow.HTTP, "closes the connection within the headers"),
    Fault("/garbage", StrikeRow.HTTP, "what is no HTTP"),
    Fault("/no-head", StrikeRow.HTTP, "the JSON alone, without a status line and headers"),
    Fault("/http2", StrikeRow.HTTP, "HTTP/2, although nobody asked for it"),
    Fault("/head-without-end", StrikeRow.HTTP, "headers without an end, as fast as they are taken"),
    Fault("/interim-without-end", StrikeRow.HTTP, "interim answers without an end, as fast as they are taken"),
    Fault("/length-long", StrikeRow.HTTP, "a Content-Length of more than comes"),
    Fault("/length-short", StrikeRow.HTTP, "a Content-Length of less than comes"),
    Fault("/length-negative", StrikeRow.HTTP, "a Content-Length below nothing"),
    Fault("/length-twice", StrikeRow.HTTP, "two Content-Lengths that differ"),
    Fault("/chunk-size", StrikeRow.HTTP, "a chunk whose size is no number"),
    Fault("/chunk-cut", StrikeRow.HTTP, "closes the connection within a chunk"),
    Fault("/body-reset", StrikeRow.HTTP, "resets the connection within the body"),
    Fault("/gzip-broken", StrikeRow.HTTP, "calls itself gzip and is not"),
    Fault("/gzip-cut", StrikeRow.HTTP, "gzip that ends too soon"),
    Fault("/unknown-encoding", StrikeRow.HTTP, "a Content-Encoding that nobody asked for and few know"),
)

_ANSWERS: Final = (
    *(Fault(f"/status-{status}", StrikeRow.STATUS, f"status {status}") for status in STATUSES),
    *(Fault(f"/redirect-{status}", StrikeRow.REDIRECT, f"status {status}, to 169.254.169.254") for status in REDIRECTS),
    Fault("/redirect-relative", StrikeRow.REDIRECT, "a redirect to /ok of this server"),
    Fault("/redirect-chain", StrikeRow.REDIRECT, "a redirect to a redirect"),
    Fault("/redirect-nowhere", StrikeRow.REDIRECT, "a redirect without a Location"),
    Fault("/too-large", StrikeRow.TOO_LARGE, "16,385 bytes"),
    Fault("/chunks-without-end", StrikeRow.TOO_LARGE, "chunks without an end"),
    Fault("/body-without-end", StrikeRow.TOO_LARGE, "HTTP/1.0, and a body without an end"),
    Fault("/gzip-large", StrikeRow.TOO_LARGE, "a few bytes that unpack to 16,385"),
    Fault("/gzip-bomb", StrikeRow.TOO_LARGE, "16 KiB that unpack to 16 MiB"),
    Fault("/empty", StrikeRow.NOT_JSON, "nothing"),
    Fault("/not-json", StrikeRow.NOT_JSON, "a sentence"),
    Fault("/html", StrikeRow.NOT_JSON, "a page for a browser"),
    Fault("/fenced", StrikeRow.NOT_JSON, "JSON in a Markdown fence, as models write it"),
    Fault("/prose-around", StrikeRow.NOT_JSON, "JSON with a sentence before it"),
    Fault("/two-objects", StrikeRow.NOT_JSON, "two objects, one after the other"),
    Fault("/list", StrikeRow.NOT_JSON, "a list with the reply in it"),
    Fault("/string", StrikeRow.NOT_JSON, "a string with the reply in it"),
    Fault("/null", StrikeRow.NOT_JSON, "null"),
    Fault("/single-quotes", StrikeRow.NOT_JSON, "a dict of Python instead of JSON"),
    Fault("/nan", StrikeRow.NOT_JSON, "NaN, which JSON does not know"),
    Fault("/key-twice", StrikeRow.NOT_JSON, "`move` twice"),
    Fault("/deep", StrikeRow.NOT_JSON, "lists inside of lists, 5,000 deep"),
    Fault("/not-utf8", StrikeRow.NOT_JSON, "JSON in Latin-1"),
    Fault("/no-move", StrikeRow.NO_MOVE, "no `move`"),
    Fault("/move-null", StrikeRow.NO_MOVE, "a `move` that is null"),
    Fault("/move-number", StrikeRow.NO_MOVE, "a `move` that is a number"),
    Fault("/move-list", StrikeRow.NO_MOVE, "a `move` that is a list"),
    Fault("/no-nonce", StrikeRow.NONCE, "no `nonce`"),
    Fault("/nonce-number", StrikeRow.NONCE, "a `nonce` that is a number"),
    Fault("/wrong-nonce", StrikeRow.NONCE, "a `nonce` of its own"),
    Fault("/old-nonce", StrikeRow.NONCE, "the `nonce` of the request before, as a recording has it"),
    Fault("/illegal-move", StrikeRow.ILLEGAL_MOVE, "a move that is not in `legal`"),
    Fault("/move-empty", StrikeRow.ILLEGAL_MOVE, "a move of no letters"),
    Fault("/move-padded", StrikeRow.ILLEGAL_MOVE, "a legal move with a blank before it"),
    Fault("/move-long", StrikeRow.ILLEGAL_MOVE, "a move of 10,000 letters"),
    Fault("/hostile-move", StrikeRow.ILLEGAL_MOVE, "a move with terminal codes and markup"),
)

_SCRIPTED: Final = (
    Fault(
        "/thrice",
        StrikeRow.ILLEGAL_MOVE,
        "illegal at ply 3, at ply 9 and there again: the third strike (4 and 10 as the second player)",
        does="/illegal-move",
        plan=((2, 1), (5, 2)),
    ),
    Fault(
        "/twice",
        StrikeRow.ILLEGAL_MOVE,
        "illegal at ply 3 and at ply 9, and then sound: two strikes forfeit nothing",
        does="/illegal-move",
        plan=((2, 1), (5, 1)),
    ),
    Fault(
        "/first-wrong",
        StrikeRow.ILLEGAL_MOVE,
        "illegal to the first request of a match, and then sound",
        does="/illegal-move",
        plan=((1, 1),),
    ),
    Fault(
        "/cold-start",
        StrikeRow.STATUS,
        "503 to the first request of a match, and then sound: recovers when it is asked again",
        does="/status-503",
        plan=((1, 1),),
    ),
    Fault(
        "/restarts",
        StrikeRow.CONNECTION,
        "resets two connections at its second move (a kept one that breaks is dialled again), and then is sound",
        does="/reset",
        plan=((2, 2),),
    ),
    Fault(
        "/late-once",
        StrikeRow.TIMEOUT,
        "once, at its first move, after the deadline: that answer must count for nothing",
        does="/late",
        plan=((1, 1),),
    ),
    Fault("/gets-lost", StrikeRow.ILLEGAL_MOVE, "illegal from its third move on", does="/illegal-move", after=2),
)

_OWN_PORTS: Final = (
    Fault("/expired", StrikeRow.TLS, "a certificate that has expired", own_port=True),
    Fault("/wrong-host", StrikeRow.TLS, "a certificate for another name", own_port=True),
    Fault("/untrusted", StrikeRow.TLS, "a certificate by an authority that nobody trusts", own_port=True),
    Fault("/client-certificate", StrikeRow.TLS, "wants a certificate of whoever calls", own_port=True),
    Fault("/plain-http", StrikeRow.TLS, "HTTP without TLS", own_port=True),
    Fault("/tls-garbage", StrikeRow.TLS, "answers the first message of TLS with noise", own_port=True),
    Fault("/tls-close", StrikeRow.CONNECTION, "closes the connection within the TLS handshake", own_port=True),
    Fault("/tls-reset", StrikeRow.CONNECTION, "resets the connection within the TLS handshake", own_port=True),
    Fault("/tls-stall", StrikeRow.TIMEOUT, "takes the connection, and then nothing", own_port=True),
    Fault("/refused", StrikeRow.CONNECTION, "nobody listens there", own_port=True),
    Fault("/black-hole", StrikeRow.TIMEOUT, "nothing comes back, not even a connection (Linux)", own_port=True),
)

FAULTS: Final[dict[str, Fault]] = {
    fault.path: fault for fault in (*_RIGHT, *_OWN_PORTS, *_TRANSPORT, *_ANSWERS, *_SCRIPTED)
}
"""By path, in the order in which they are listed."""
