"""Text of a provider, made fit for a message: without secrets, without control characters, and short."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from tty_agent.terminal.inert import inert

MAX_MESSAGE_CHARS: Final = 400
"""Enough for an error's sentence and the name of a model; a trace line is read by people."""

MIN_SECRET_CHARS: Final = 6
"""A shorter value is no secret worth the name, and to blank it would blank innocent words."""

_BLANK: Final = "***"

_SECRET_NAME: Final = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH", re.IGNORECASE)

_SECRET_FORM: Final = re.compile(
    r"\b(?:sk|pk|rk|xai|gsk|hf|ghp|gho|glpat)[-_][\w-]{8,}"  # keys with the prefix of their maker
    r"|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*"  # JSON web tokens
    r"|(?<=Bearer )[\w.~+/=-]{8,}",
    re.ASCII | re.IGNORECASE,
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` with each of `secrets`, and whatever has the form of a key, blanked."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= MIN_SECRET_CHARS:
            text = text.replace(secret, _BLANK)
    return _SECRET_FORM.sub(_BLANK, text)


def message_of(text: str, secrets: Iterable[str] = ()) -> str:
    """One line for a ProviderFault: redacted, white space folded, inert, at most MAX_MESSAGE_CHARS long."""
    return inert(" ".join(redact(text, secrets).split()), max_chars=MAX_MESSAGE_CHARS)


def tail_of(text: str, secrets: Iterable[str] = ()) -> str:
    """As `message_of`, but it is the beginning that is cut: the last lines of a program say why it failed."""
    folded = " ".join(redact(text, secrets).split())
    return inert(folded if len(folded) <= MAX_MESSAGE_CHARS else "…" + folded[1 - MAX_MESSAGE_CHARS :])


def without_secrets(value: Any, *, named: bool = False) -> Any:
    """A JSON value whose strings are blanked under names that say that they are secrets; `named`: all of them. So are
    those that have the form of a key. Numbers stay: `max_tokens` is no secret."""
    if isinstance(value, str):
        return _BLANK if named and value else redact(value)
    if isinstance(value, Mapping):
        return {
            name: without_secrets(inner, named=named or _SECRET_NAME.search(str(name)) is not None)
            for name, inner in value.items()
        }
    return [without_secrets(inner, named=named) for inner in value] if isinstance(value, list | tuple) else value


def secrets_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values in an environment whose names say that they are secrets."""
    return tuple(value for name, value in environment.items() if _SECRET_NAME.search(name) and value)
