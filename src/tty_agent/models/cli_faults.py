"""Why a command-line provider failed, read from what it printed. Their exit codes say only that they did."""

from __future__ import annotations

import re
from typing import Final

from tty_agent.models.model import ProviderFault
from tty_agent.models.redaction import message_of

_SIGNS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), kind, retryable)
    for pattern, kind, retryable in (
        (r"usage limit|quota|credit balance|billing", "rate_limited", False),
        (r"\b429\b|rate.?limit|too many requests", "rate_limited", True),
        (r"\b401\b|unauthori[sz]ed|not logged in|please run /login|invalid api key|authenticat", "unauthorized", False),
        (r"overloaded|internal server error|(?:status|error|code|http)\D{0,12}5\d\d\b", "server_error", True),
        (r"timed? ?out", "timeout", True),
        (r"stream disconnected|connection|network|resolve host|ENOTFOUND|ECONN", "unreachable", True),
    )
)
"""The first pattern that is found decides: (pattern, kind, retryable)."""

_LOST: Final = re.compile(
    r"no (?:conversation|session|thread|rollout)\b.{0,60}\bfound"
    r"|\b(?:conversation|session|thread|rollout)\b.{0,80}\bnot (?:be )?found",
    re.IGNORECASE,
)


class SessionLost(ProviderFault):
    """The provider does not know the session that was to be resumed."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_request", message)


def cli_fault(program: str, said: str, *, exit_code: int, resumed: bool) -> ProviderFault:
    """The fault that a program's words stand for; `exited` if they say nothing that is known."""
    shown = message_of(said) or f"exit code {exit_code}"
    if resumed and _LOST.search(said):
        return SessionLost(f"{program}: {shown}")
    for pattern, kind, retryable in _SIGNS:
        if pattern.search(said):
            return ProviderFault(kind, f"{program}: {shown}", retryable=retryable)
    return ProviderFault("exited", f"{program} failed: {shown}")
