"""What to do about a run that broke down."""

from __future__ import annotations

from typing import Any

import pytest

from tty_agent.commands.remedies import remedy
from tty_agent.models.catalog import model_config
from tty_agent.runner.decision import Infra

OPENAI = {"provider": "openai", "model": "m"}
LOCAL = OPENAI | {"base_url": "http://127.0.0.1:8000/v1"}


@pytest.mark.parametrize(
    ("kind", "settings", "said"),
    [
        ("unauthorized", OPENAI, "set the key in OPENAI_API_KEY"),
        ("unauthorized", OPENAI | {"api_key_env": "MINE"}, "set the key in MINE"),
        ("unauthorized", LOCAL, "--api-key-env"),
        ("unauthorized", {"provider": "anthropic", "model": "m"}, "set the key in ANTHROPIC_API_KEY"),
        ("unauthorized", {"provider": "codex"}, "log in with codex first"),
        ("missing", {"provider": "claude", "command": ["my-claude"]}, "install my-claude"),
        ("bad_request", LOCAL, "--base-url, which for most servers ends in /v1"),
        ("bad_request", {"provider": "claude"}, "check the model's id"),
        ("unreachable", LOCAL, "is the server running there?"),
        ("unreachable", {"provider": "codex"}, "check the network"),
        ("cut_off", {"provider": "scripted", "replies": ["x"]}, "--loop or --max-ticks"),
        ("connection", LOCAL, "the other side is up"),
        ("something new", LOCAL, "see the trace"),
    ],
)
def test_each_kind_has_its_own(kind: str, settings: dict[str, Any], said: str) -> None:
    assert said in remedy(Infra(kind, "x"), model_config(settings))


def test_where_the_message_says_it_nothing_is_added() -> None:
    assert remedy(Infra("trace", "disk full: make room"), model_config(LOCAL)) == ""
