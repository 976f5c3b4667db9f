"""What the official clients raise, as a ProviderFault. Both are made by one generator and share their errors' shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, Final, Protocol

from tty_agent.models.model import ProviderFault
from tty_agent.models.redaction import message_of

_KINDS: Final[Mapping[int, tuple[str, bool]]] = {
    HTTPStatus.UNAUTHORIZED: ("unauthorized", False),
    HTTPStatus.FORBIDDEN: ("unauthorized", False),
    HTTPStatus.REQUEST_TIMEOUT: ("timeout", True),
    HTTPStatus.CONFLICT: ("server_error", True),
    HTTPStatus.TOO_EARLY: ("server_error", True),
    HTTPStatus.TOO_MANY_REQUESTS: ("rate_limited", True),
    HTTPStatus.NOT_IMPLEMENTED: ("server_error", False),
    HTTPStatus.HTTP_VERSION_NOT_SUPPORTED: ("server_error", False),
}
"""Status to (kind, retryable). Other 4xx are `bad_request` for good, other 5xx `server_error` for now."""

_SPENT: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_error"})
"""Codes of an account without money: no pause mends that."""


class Sdk(Protocol):
    """The part of the modules `openai` and `anthropic` that is used here."""

    APIConnectionError: type[Exception]
    APITimeoutError: type[Exception]
    APIStatusError: type[Exception]
    APIError: type[Exception]


def fault_of_error(
    error: Exception, sdk: Sdk, *, where: str, secrets: Iterable[str], now: float
) -> ProviderFault | None:
    """The fault that an exception of the client stands for; None if it is none of the client's.

    `where` is the address of the server, as messages name it; `now` the time of day, seconds since 1970, against which
    a date in Retry-After is read.
    """
    if isinstance(error, sdk.APITimeoutError):
        return ProviderFault("timeout", f"{where} did not answer in time", retryable=True)
    if isinstance(error, sdk.APIConnectionError):
        cause = message_of(str(error.__cause__ or error), secrets)
        return ProviderFault("unreachable", f"{where} can't be reached: {cause}", retryable=True)
    if isinstance(error, sdk.APIStatusError):
        return _fault_of_status(error, where, secrets, now)
    if isinstance(error, sdk.APIError):
        return ProviderFault("server_error", f"{where}: {message_of(str(error), secrets)}", retryable=True)
    return None


def said_by(error: Any) -> str:
    """What the body of a status error says, for a look at its words."""
    return f"{getattr(error, 'message', '')} {getattr(error, 'body', '')}"


def _fault_of_status(error: Any, where: str, secrets: Iterable[str], now: float) -> ProviderFault:
    status = int(error.status_code)
    other = ("server_error", True) if status >= HTTPStatus.INTERNAL_SERVER_ERROR else ("bad_request", False)
    kind, retryable = _KINDS.get(status, other)
    if any(code in said_by(error) for code in _SPENT):
        retryable = False
    headers: Mapping[str, str] = error.response.headers
    return ProviderFault(
        kind,
        f"HTTP {status} from {where}: {message_of(str(error.message), secrets)}",
        retryable=retryable,
        retry_after_s=retry_after_s(headers, now) if retryable else None,
    )


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait by `retry-after-ms` or `Retry-After` (RFC 9110: seconds or a date); None without either,
    or if it can't be read."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    said = headers.get("retry-after")
    seconds = _number(said)
    if said is None or seconds is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - now)
    except (TypeError, ValueError):
        return None  # a header that says nothing: our own pause holds


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
