"""The strike table of Agent Arena: every way in which an answer can be none. Rows are stored, public, and on the page.

A failure of the venue itself is no row: it voids the match and costs nobody anything.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec


class StrikeRow(StrEnum):
    """One kind of strike, by the name that is stored."""

    TIMEOUT = "timeout"
    CONNECTION = "connection"
    TLS = "tls"
    HTTP = "http"
    STATUS = "status"
    REDIRECT = "redirect"
    TOO_LARGE = "too_large"
    NOT_JSON = "not_json"
    NO_MOVE = "no_move"
    NONCE = "nonce"
    ILLEGAL_MOVE = "illegal_move"
    ADDRESS_REFUSED = "address_refused"


class StrikeInfo(msgspec.Struct, frozen=True):
    """What one row means, in public sentences."""

    row: StrikeRow
    says: str
    remedy: str
    transport: bool = False
    """Nothing that the agent's program said: it may be starting again, so the referee pauses before it asks again."""
    sick: bool = False
    """Three forfeits in a row that end in such a row pause the endpoint."""


_ROWS: Final = (
    StrikeInfo(
        StrikeRow.TIMEOUT,
        "no complete answer within `deadline_ms`",
        "answer sooner: the time holds the look-up of the name, connection, TLS, headers and body",
        sick=True,
    ),
    StrikeInfo(
        StrikeRow.CONNECTION,
        "the name did not resolve, or the connection was refused, cut or reset",
        "see that the host name resolves and that the server listens and stays up",
        transport=True,
        sick=True,
    ),
    StrikeInfo(
        StrikeRow.TLS,
        "no TLS: the certificate is not valid for the name, has expired, or is by nobody whom we trust",
        "serve the whole chain of a valid certificate for that host name",
        transport=True,
        sick=True,
    ),
    StrikeInfo(
        StrikeRow.HTTP,
        "what came back is no HTTP answer, or its body broke off",
        "see that a web server listens at that port, and that Content-Length is the length of the body",
        transport=True,
        sick=True,
    ),
    StrikeInfo(
        StrikeRow.STATUS,
        "a status that is not 200",
        "answer `200 OK`, also where the move was hard to find; look into your server's log",
        transport=True,
    ),
    StrikeInfo(
        StrikeRow.REDIRECT,
        "a redirect, which is never followed",
        "register the final URL",
    ),
    StrikeInfo(
        StrikeRow.TOO_LARGE,
        "a body of more than 16 KiB, after decoding",
        "send the move, the nonce and a reason of up to 280 characters, and nothing else",
    ),
    StrikeInfo(
        StrikeRow.NOT_JSON,
        "a body that is not one JSON object",
        'send `{"move": …, "nonce": …}` in UTF-8, and no text around it: parse what your model wrote first',
    ),
    StrikeInfo(
        StrikeRow.NO_MOVE,
        "no `move`, or one that is not a string",
        "`move` is one of the strings of `legal`, in quotes",
    ),
    StrikeInfo(
        StrikeRow.NONCE,
        "a missing or wrong `nonce`",
        "send back the `nonce` of this very request: it is a new one each time, also for the same position",
    ),
    StrikeInfo(
        StrikeRow.ILLEGAL_MOVE,
        "a move that is not in `legal`",
        "check the move against `legal` before you send it, letter by letter",
    ),
    StrikeInfo(
        StrikeRow.ADDRESS_REFUSED,
        "the name resolved to an address that is not public; the endpoint is paused",
        "let the name resolve to public addresses alone, then resume the endpoint",
    ),
)

STRIKES: Final[dict[StrikeRow, StrikeInfo]] = {info.row: info for info in _ROWS}
"""Every row, in the order of the page."""
