"""Exports of an invented board, in the house's form, and folders of invented runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from tests.tty_agent.trace_samples import a_decision, a_header

from bbs_gym.scoring.kept_state import Moment, write_kept
from tty_agent.trace.records import EventRecord
from tty_agent.trace.writer import TraceWriter

WHEN = "2026-01-31T14:05:09.123Z"


def boards(*posts: tuple[str, str, str, str], answers: dict[int, int] | None = None) -> list[dict[str, Any]]:
    """Posts as (area, subject, author, body), each in a thread of its own; `answers` by number, from 1."""
    areas = sorted({area for area, *_ in posts})
    records: list[dict[str, Any]] = [{"type": "boards", "format": "agentbbs-boards", "version": 1}]
    records.extend({"type": "area", "id": number, "name": name} for number, name in enumerate(areas, 1))
    for number, (area, subject, author, _) in enumerate(posts, 1):
        thread = {"type": "thread", "id": number, "area": areas.index(area) + 1, "subject": subject, "author": author}
        records.append(thread | {"created": 1_000 + number})
    for number, (_, _, author, body) in enumerate(posts, 1):
        reply = (answers or {}).get(number)
        post = {"type": "post", "id": number, "thread": number, "replyTo": reply, "author": author, "body": body}
        records.append(post | {"created": 1_000 + number, "deleted": None})
    return records


def mail(*letters: tuple[str, str, str, str]) -> list[dict[str, Any]]:
    """Letters as (sender, recipient, subject, body), the oldest first."""
    records: list[dict[str, Any]] = [{"type": "mail", "format": "agentbbs-mail", "version": 1}]
    for number, (sender, recipient, subject, body) in enumerate(letters, 1):
        letter = {"type": "letter", "id": number, "sender": sender, "recipient": recipient, "subject": subject}
        records.append(letter | {"body": body, "sent": 1_000 + number})
    return records


def starlane(**orders: int) -> dict[str, Any]:
    """A universe in which these pilots gave so many orders."""
    pilots = [
        {"id": at, "name": name, "session": min(orders[name], 1), "credits": 5}
        for at, name in enumerate(sorted(orders), 1)
    ]
    journal = [
        {"seq": seq, "pilot": pilot["id"], "session": 1, "order": {"type": "move", "to": seq}}
        for pilot in pilots
        for seq in range(orders[str(pilot["name"])])
    ]
    return {"format": "starlane-universe", "version": 1, "pilots": pilots, "journal": journal}


def stopped(agent: str, **changes: Any) -> dict[str, Any]:
    """The data of `participant_stopped`."""
    fields: dict[str, Any] = {
        "agent_id": agent,
        "alias": agent.title(),
        "model": f"model-{agent}",
        "provider": "scripted",
        "stop_reason": "done",
        "void": False,
        "decisions": 10,
        "validation_failures": 1,
        "input_tokens": 100,
        "output_tokens": 20,
        "cost_usd": 0.25,
        "calls": 10,
        "uncounted_calls": 0,
        "unpriced_calls": 0,
        "infra_suspect": None,
        "traces": [f"{agent}.jsonl"],
    }
    return fields | changes


def a_run(
    folder: Path,
    *participants: dict[str, Any],
    settings: dict[str, Any] | None = None,
    name: str = "duel",
    seed: int = 0,
    ended: bool = True,
    manifest: bool = True,
) -> Path:
    """The folder of a match."""
    folder.mkdir(parents=True)
    events: list[dict[str, Any]] = [{"event": "match_started", "data": {"match_id": folder.name}}]
    events.extend({"event": "participant_stopped", "agent_id": p["agent_id"], "data": p} for p in participants)
    if ended:
        events.append({"event": "match_completed", "data": {"stopped_by": "all_stopped"}})
    lines = [{"seq": at, "timestamp": WHEN, **event} for at, event in enumerate(events, 1)]
    (folder / "match.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    if manifest:
        told = {
            "schema_version": 1,
            "match_id": folder.name,
            "name": name,
            "seed": seed,
            "participants": [{"agent_id": p["agent_id"], "alias": p["agent_id"].title()} for p in participants],
            "settings": {"name": name, "participants": [], **(settings or {})},
        }
        (folder / "manifest.json").write_bytes(msgspec.json.encode(told))
    return folder


def a_trace(folder: Path, agent: str, *texts: str, ended: bool = True, profile: str = "chat", **end: Any) -> Path:
    """A trace whose decisions typed `texts`."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{agent}.jsonl"
    with TraceWriter(place) as trace:
        trace.write(a_header(agent_id=agent, model=f"model-{agent}"))
        for step, text in enumerate(texts, 1):
            action = {"action": "submit_line", "arguments": {"text": text}}
            trace.write(a_decision(step, agent_id=agent, active_profile=profile, action=action))
        if ended:
            data = {"outcome": "done", "detail": "", "spent": {"decision_ticks": len(texts), "calls": len(texts)}}
            trace.write(EventRecord(event="run_finished", timestamp=WHEN, step=len(texts), data=data | end))
    return place


def keep_state(folder: Path, before: dict[str, Any], after: dict[str, Any]) -> None:
    """As `kept_state.keep` leaves it."""
    for moment, state in ((Moment.BEFORE, before), (Moment.AFTER, after)):
        for what, value in state.items():
            write_kept(folder, moment, what, value)
