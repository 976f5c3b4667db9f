from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tty_agent.models.model import ProviderFault
from tty_agent.models.sdk_faults import fault_of_error, retry_after_s

NOON = 1_767_268_800.0  # 2026-01-01 12:00:00 UTC


class APIError(Exception):
    pass


class APIConnectionError(APIError):
    pass


class APITimeoutError(APIConnectionError):
    pass


class APIStatusError(APIError):
    def __init__(self, status: int, body: Any = None, headers: dict[str, str] | None = None) -> None:
        super().__init__("failed")
        self.status_code = status
        self.message = str((body or {}).get("message", "failed"))
        self.body = body
        self.response = SimpleNamespace(headers=headers or {})


SDK: Any = SimpleNamespace(
    APIError=APIError,
    APIConnectionError=APIConnectionError,
    APITimeoutError=APITimeoutError,
    APIStatusError=APIStatusError,
)


def fault(error: Exception) -> ProviderFault:
    found = fault_of_error(error, SDK, where="http://h/v1", secrets=("s3cr3t-key",), now=NOON)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [
        (400, "bad_request", False),
        (401, "unauthorized", False),
        (403, "unauthorized", False),
        (404, "bad_request", False),
        (408, "timeout", True),
        (409, "server_error", True),
        (413, "bad_request", False),
        (422, "bad_request", False),
        (429, "rate_limited", True),
        (500, "server_error", True),
        (501, "server_error", False),
        (503, "server_error", True),
        (529, "server_error", True),
    ],
)
def test_each_status_has_its_kind(status: int, kind: str, retryable: bool) -> None:
    found = fault(APIStatusError(status))
    assert (found.kind, found.retryable) == (kind, retryable)
    assert str(found) == f"HTTP {status} from http://h/v1: failed"


def test_an_account_without_money_is_not_asked_again() -> None:
    assert not fault(APIStatusError(429, {"code": "insufficient_quota", "message": "pay"})).retryable


def test_messages_hold_no_key() -> None:
    assert "s3cr3t" not in str(fault(APIStatusError(401, {"message": "wrong key s3cr3t-key"})))


def test_the_pause_that_is_asked_for_is_kept() -> None:
    assert fault(APIStatusError(503, headers={"retry-after": "4"})).retry_after_s == 4
    assert fault(APIStatusError(400, headers={"retry-after": "4"})).retry_after_s is None


def test_a_broken_connection_names_its_cause() -> None:
    error = APIConnectionError("Connection error.")
    error.__cause__ = OSError("refused with s3cr3t-key")
    assert (fault(error).kind, str(fault(error))) == (
        "unreachable", "http://h/v1 can't be reached: refused with ***",
    )  # fmt: skip


def test_a_timeout_is_told_from_other_broken_connections() -> None:
    assert (fault(APITimeoutError()).kind, fault(APITimeoutError()).retryable) == ("timeout", True)


def test_other_errors_of_the_client_are_the_servers() -> None:
    assert fault(APIError("odd")).kind == "server_error"


def test_errors_of_ours_are_none_of_the_providers() -> None:
    assert fault_of_error(KeyError("x"), SDK, where="http://h/v1", secrets=(), now=NOON) is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, NOON) == seconds
