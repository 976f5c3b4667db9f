"""What the API answers where it does not do what was asked: one shape, one table of codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from aiohttp import web

STATUS: Final[Mapping[str, int]] = {
    "bad_request": 400,
    "unauthorized": 401,
    "not_found": 404,
    "method_not_allowed": 405,
    "taken": 409,
    "busy": 409,
    "too_large": 413,
    "unsupported_media_type": 415,
    "url_refused": 422,
    "unknown_game": 422,
    "unknown_bot": 422,
    "probe_failed": 422,
    "rate_limited": 429,
    "internal": 500,
    "server_shutdown": 503,
}
"""Every code, with the status that it comes with."""


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
        headers = {**self.headers, "Retry-After": str(wait_s)} if wait_s else self.headers
        return json_response(body, status=STATUS[self.code], headers=headers)


def json_response(value: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """`value` as JSON, never kept by anybody in between."""
    return web.Response(
        body=msgspec.json.encode(value),
        status=status,
        content_type="application/json",
        headers={"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", **(headers or {})},
    )
