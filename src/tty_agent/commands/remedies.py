"""What to do about a run that broke down, by the kind of its fault."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tty_agent.models.anthropic_messages import USUAL_KEY_ENV as ANTHROPIC_KEY_ENV
from tty_agent.models.openai_compatible import USUAL_KEY_ENV as OPENAI_KEY_ENV

if TYPE_CHECKING:
    from tty_agent.models.catalog import ModelConfig
    from tty_agent.runner.decision import Infra

_ANY: Final = "see the trace, and run it again"

_REMEDIES: Final = MappingProxyType(
    {
        "timeout": "raise `timeout_s` of the model's settings if it is only slow, or run it again",
        "rate_limited": "wait, or look at the limits of the account",
        "server_error": "look at the server's log, or run it again later",
        "bad_request": "check the model's id and --base-url, which for most servers ends in /v1",
        "exited": "run the program by hand to see what it lacks",
        "pictures": "make room, or give another folder",
        "connection": "see that the other side is up, and run it again",
    }
)

_USUAL_KEYS: Final = MappingProxyType({"openai": OPENAI_KEY_ENV, "anthropic": ANTHROPIC_KEY_ENV})

_TOLD: Final = frozenset({"transcript", "trace"})
"""Their messages say what to do."""


def remedy(infra: Infra, config: ModelConfig) -> str:
    """What to do, in one clause; "" where the message says it."""
    if infra.kind in _TOLD:
        return ""
    by_provider = _of_program(infra.kind, config) if _is_program(config) else _of_server(infra.kind, config)
    return by_provider or _REMEDIES.get(infra.kind, _ANY)


def _is_program(config: ModelConfig) -> bool:
    return config.provider in {"codex", "claude"}


def _of_program(kind: str, config: ModelConfig) -> str:
    program = config.command[0] if config.command else str(config.provider)
    if kind == "bad_request":
        return "check the model's id"
    if kind == "unauthorized":
        return f"log in with {program} first"
    if kind == "missing":
        return f"install {program}, or name it in `command` of the model's settings"
    return "check the network" if kind == "unreachable" else ""


def _of_server(kind: str, config: ModelConfig) -> str:
    if kind == "cut_off":
        return "add a last reply that hangs up, or give --loop or --max-ticks"
    if kind == "unauthorized":
        key = config.api_key_env or (None if config.base_url else _USUAL_KEYS.get(str(config.provider)))
        return f"set the key in {key}" if key else "name the variable that holds the key with --api-key-env"
    if kind == "unreachable":
        return "is the server running there? start it, or give its address with --base-url"
    return ""
