"""The pages tell of every event, field, reason and setting that there is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from bbs_gym.hosts.settings import HostSettings
from bbs_gym.match.events import EventLine, MatchEvent, StopReason
from bbs_gym.match.outcome import MatchOutcome, ParticipantOutcome
from bbs_gym.match.settings import (
    Budgets,
    DoorSettings,
    MatchSettings,
    Order,
    ParticipantSettings,
    ReconnectPolicy,
    Scheduler,
)

DOCS = Path(__file__).parents[3] / "docs"
RUNS = (DOCS / "runs.md").read_text("utf-8")
MATCHES = (DOCS / "matches.md").read_text("utf-8")

LATER = frozenset({MatchEvent.MODEL_SWAPPED})
"""Campaigns write it."""


@pytest.mark.parametrize("event", sorted(set(MatchEvent) - LATER))
def test_every_event_has_its_row(event: MatchEvent) -> None:
    assert f"| `{event}` |" in RUNS


@pytest.mark.parametrize("kind", [EventLine, ParticipantOutcome, MatchOutcome])
def test_every_field_is_told(kind: Any) -> None:
    for field in msgspec.structs.fields(kind):
        assert f"`{field.name}`" in RUNS or field.name == "folder", field.name


@pytest.mark.parametrize("word", [*StopReason, *Scheduler, *Order])
def test_every_word_is_told(word: str) -> None:
    assert f"`{word}`" in MATCHES


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("", MatchSettings),
        ("budgets", Budgets),
        ("reconnect", ReconnectPolicy),
        ("host", HostSettings),
        ("door", DoorSettings),
        ("participants", ParticipantSettings),
    ],
)
def test_every_setting_is_told(table: str, kind: Any) -> None:
    rows = "".join(line for line in MATCHES.splitlines() if line.startswith(f"| `{table}"))
    for field in msgspec.structs.fields(kind):
        tables = {"budgets", "reconnect", "host", "door", "participants", "settings"}
        if not table and field.name in tables:
            continue
        assert f"`{table}.{field.name}`" in rows or f"`{field.name}`" in rows, field.name
