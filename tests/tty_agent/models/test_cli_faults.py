from __future__ import annotations

import pytest

from tty_agent.models.cli_faults import SessionLost, cli_fault
from tty_agent.models.model import ProviderFault


def fault(said: str, *, resumed: bool = False) -> ProviderFault:
    return cli_fault("claude", said, exit_code=1, resumed=resumed)


@pytest.mark.parametrize(
    ("said", "kind", "retryable"),
    [
        ("You've hit your usage limit. Try again at 3 PM.", "rate_limited", False),
        ("Credit balance is too low", "rate_limited", False),
        ("API Error: 429 rate_limit_error", "rate_limited", True),
        ("exceeded retry limit, last status: 429 Too Many Requests", "rate_limited", True),
        ("Invalid API key · Please run /login", "unauthorized", False),
        ("unexpected status 401 Unauthorized", "unauthorized", False),
        ("API Error: 529 Overloaded", "server_error", True),
        ("API Error: 500 Internal server error", "server_error", True),
        ("stream disconnected before completion", "unreachable", True),
        ("Connection error.", "unreachable", True),
        ("Request timed out", "timeout", True),
        ("error: unexpected argument '--frob'", "exited", False),
        ("", "exited", False),
    ],
)
def test_each_failure_has_its_kind(said: str, kind: str, retryable: bool) -> None:
    found = fault(said)
    assert (found.kind, found.retryable) == (kind, retryable)


def test_a_silent_failure_names_the_exit_code() -> None:
    assert str(fault("")) == "claude failed: exit code 1"


@pytest.mark.parametrize(
    "said",
    [
        "No conversation found with session ID: 5f0c",
        "Error: thread/resume failed: no rollout found for thread id 5f0c",
        "session 5f0c could not be found",
    ],
)
def test_a_lost_session_is_told_from_other_failures_when_one_was_resumed(said: str) -> None:
    assert isinstance(fault(said, resumed=True), SessionLost)
    assert not isinstance(fault(said), SessionLost)


def test_the_message_holds_no_key() -> None:
    assert "sk-" not in str(fault("bad key sk-ant-0123456789"))
