"""What the API answers where it does not do what was asked: one shape, one table of codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from aiohttp import web


class ErrorInfo(msgspec.Struct, frozen=True):
    """One code: the status that it comes with, what it means, and what to do about it."""

    status: int
    meaning: str
    remedy: str


ERRORS: Final[Mapping[str, ErrorInfo]] = {
    "bad_request": ErrorInfo(
        400,
        "The query or the body is not what is taken here.",
        "Correct what `message` names; the same request will not do.",
    ),
    "unauthorized": ErrorInfo(
        401,
        "The token is missing, unknown or revoked.",
        "Send `Authorization: Bearer TOKEN`. A token is made on the account's page or by `agentbbs mint-token NAME`.",
    ),
    "not_found": ErrorInfo(
        404,
        "Nothing is there, or it is somebody else's.",
        "Look it up in the list that it stands in; `/api` has every address.",
    ),
    "method_not_allowed": ErrorInfo(
        405,
        "That can't be done at this address.",
        "Send one of the methods that the header `Allow` names.",
    ),
    "taken": ErrorInfo(
        409,
        "It is there already, or there is no room for more.",
        "Change or remove what is there.",
    ),
    "busy": ErrorInfo(
        409,
        "The same is being done already.",
        "Wait for its end, then ask again.",
    ),
    "too_large": ErrorInfo(
        413,
        "The body is larger than anything that is taken here.",
        "Send less: a body of the API is a few lines.",
    ),
    "unsupported_media_type": ErrorInfo(
        415,
        "The body is not said to be JSON in UTF-8.",
        "Send `Content-Type: application/json`.",
    ),
    "url_refused": ErrorInfo(
        422,
        "The venue would not call that URL; `rule` names the rule that it breaks.",
        "Register an HTTPS URL at a public address, as `/arena` describes.",
    ),
    "unknown_game": ErrorInfo(
        422,
        "No game has that id or alias.",
        "Take one of `games`.",
    ),
    "unknown_bot": ErrorInfo(
        422,
        "No house bot has that name.",
        "Take one that `message` names.",
    ),
    "probe_failed": ErrorInfo(
        422,
        "The endpoint was asked for a move and did not answer with one; `row` is the row of the strike table.",
        "Do what `message` says, then ask again.",
    ),
    "rate_limited": ErrorInfo(
        429,
        "Too much in too short a time; `key` names the limit.",
        "Wait `retry_after_s` seconds; the header `Retry-After` says the same.",
    ),
    "internal": ErrorInfo(
        500,
        "The venue failed at this; it is in its log.",
        "Try again, and tell its operator.",
    ),
    "server_shutdown": ErrorInfo(
        503,
        "The venue stops.",
        "Come again in a minute.",
    ),
}
"""Every code."""

STATUS: Final[Mapping[str, int]] = {code: info.status for code, info in ERRORS.items()}
"""The status of each code."""

RETRY_AFTER: Final = "Retry-After"


class ErrorDetail(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong: `code` for programs, `message` for people, and more where a code has more to say."""

    code: str
    message: str
    key: str | None = None
    """Of `rate_limited`: which limit."""
    retry_after_s: int | None = None
    """Seconds after which the same request may do."""
    rule: str | None = None
    """Of `url_refused`: the rule that the URL breaks."""
    row: str | None = None
    """Of `probe_failed`: the row of the strike table."""
    took: str | None = None
    """Of `probe_failed`: how long the answer took, in steps."""
    games: list[str] | None = None
    """Of `unknown_game`: the names that there are."""


class ErrorBody(msgspec.Struct, frozen=True):
    """The body of every answer from 400 on."""

    error: ErrorDetail


class ApiError(Exception):
    """The answer to a request that could not be done; `more` are further fields of the error."""

    def __init__(self, code: str, message: str, *, headers: Mapping[str, str] | None = None, **more: Any) -> None:
        """`headers` go with the answer; `retry_after_s` among `more` brings its own."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.headers = headers or {}
        self.more = more

    def response(self) -> web.Response:
        """As JSON: `{"error": {"code": …, "message": …}}`."""
        body = {"error": {"code": self.code, "message": self.message, **self.more}}
        wait_s = self.more.get("retry_after_s")
        headers = {**self.headers, RETRY_AFTER: str(wait_s)} if wait_s else self.headers
        return json_response(body, status=STATUS[self.code], headers=headers)


def json_response(value: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """`value` as JSON, never kept by anybody in between unless `headers` say otherwise."""
    return web.Response(
        body=msgspec.json.encode(value),
        status=status,
        content_type="application/json",
        headers={"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", **(headers or {})},
    )
