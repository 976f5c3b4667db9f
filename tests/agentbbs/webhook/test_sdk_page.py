"""The page of the SDK says what the SDK does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import agentbbs.webhook
from agentbbs.webhook import Agent, Turn
from agentbbs.webhook.agent import MAX_BODY_BYTES, REMEMBERED
from agentbbs.webhook.turn import SPARE_S

PAGE = (Path(__file__).parents[3] / "docs" / "webhook-sdk.md").read_text()


def test_the_first_agent_of_the_page_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[Agent, dict[str, Any]]] = []
    monkeypatch.setattr(agentbbs.webhook, "run", lambda agent, **options: ran.append((agent, options)))
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert code is not None
    exec(compile(code[1], "webhook-sdk.md", "exec"), {})
    [(agent, options)] = ran
    assert isinstance(agent, Agent)
    assert options == {"port": 8080}


def test_every_part_of_a_turn_is_on_the_page() -> None:
    table = PAGE.partition("| of a `Turn` | is |")[2].partition("\n\n")[0]
    named = {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1] if row else "")}
    properties = {name for name, value in vars(Turn).items() if isinstance(value, property)}
    assert named == {*Turn.__struct_fields__, *properties} - {"protocol", "type"}


def test_limits_are_those_of_the_page() -> None:
    assert f"{MAX_BODY_BYTES // 1024} KiB" in PAGE
    assert (REMEMBERED, SPARE_S) == (1000, 0.5)
    assert "A thousand answers are kept" in PAGE
    assert "half a second is kept" in PAGE


def test_every_public_name_is_on_the_page_or_hands_out_its_parts() -> None:
    assert {name for name in agentbbs.webhook.__all__ if name not in PAGE} <= {"Response"}
