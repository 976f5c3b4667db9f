"""Folders of runs as the gym leaves them, made by hand: a run alone, a match with a score, a campaign."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tests.tty_agent.trace_samples import WHEN, a_decision, a_header, an_event, an_observation

from tty_agent.activity.budget import Spent
from tty_agent.trace.records import DecisionRecord, ModuleRecord, RepairRecord, ReplyRecord, Switch
from tty_agent.trace.writer import TraceWriter, encode_line
from tty_agent.transcript import Transcript
from tty_agent.transcript.marks import Sender

STEPS: Final = 3
SCREEN: Final = b"\x1b[2J\x1b[H\x1b[1;33mSector 1\x1b[0m\r\nCommand? "
HOSTILE: Final = "<script>alert(1)</script>\u202e\x1b[31m"
"""What a model or a program may write anywhere."""


def decision(step: int, **changes: Any) -> DecisionRecord:
    """A decision that took 110 tokens and a tenth of a cent."""
    fields: dict[str, Any] = {
        "match_id": None,
        "raw_bytes_path": "elsewhere/ann.raw",
        "transcript_byte_start": 0 if step == 1 else len(SCREEN),
        "transcript_byte_end": len(SCREEN),
        "pretty_screen": "Sector 1\nCommand?" + "\n" * 22,
        "matched_prompt": "command",
        "observation": an_observation(pretty_screen="", model_text="", transcript_path="/srv/elsewhere/ann.raw"),
        "system_prompt": "You use a program through a terminal.",
        "prompt_modules": (ModuleRecord("recent_output", "generic_terminal", "- It wrote: Sector 1"),),
        "reason": f"Looking around, {step}.",
        "reply": reply('Looking around. {"action": "press_key"}'),
        "spent": spent(step),
        "input_tokens": 100,
        "output_tokens": 10,
        "cost_usd": 0.001,
        "latency_s": 1.5,
        "decided_at": WHEN,
    }
    return a_decision(step, **(fields | changes))


def reply(raw: str, text: str | None = None) -> ReplyRecord:
    return ReplyRecord(raw=raw, text=raw if text is None else text, model="qwen3", provider="openai", input_tokens=100)


def repaired(step: int) -> DecisionRecord:
    """A decision that failed, was asked for again, and failed; everything that may be hostile is."""
    return decision(
        step,
        action=None,
        error=f"no object {HOSTILE}",
        error_code="no_object",
        reason=HOSTILE,
        pretty_screen=HOSTILE,
        matched_prompt=HOSTILE,
        prompt=HOSTILE,
        system_prompt=HOSTILE,
        prompt_modules=(ModuleRecord(HOSTILE, HOSTILE, HOSTILE),),
        reply=reply(HOSTILE, "empty"),
        repair=RepairRecord(error=HOSTILE, prompt=HOSTILE, reply=reply(HOSTILE), error_after=HOSTILE),
        profile_switch=Switch(HOSTILE, "shell", HOSTILE),
        parse_notes=(HOSTILE,),
        ignored_objects=(HOSTILE,),
    )


def spent(step: int) -> Spent:
    return Spent(
        decision_ticks=step,
        wall_seconds=2.0 * step,
        input_tokens=100 * step,
        output_tokens=10 * step,
        cost_usd=0.001 * step,
        calls=step,
    )


def trace(
    path: Path,
    decisions: Sequence[DecisionRecord] | None = None,
    *,
    ended: bool = True,
    torn: bytes = b"",
    **header: Any,
) -> Path:
    """A trace, which begins as `a_header` with these changes; `torn` is what a kill left of the line after it."""
    made = tuple(decision(step) for step in range(1, STEPS + 1)) if decisions is None else decisions
    about = {"budget": {"max_decision_ticks": 50, "max_tokens": None}, "provider": "openai", "model": "qwen3"}
    with TraceWriter(path) as writer:
        writer.write(a_header(**(about | {"agent_id": path.stem, "run_id": path.parent.name} | header)))
        for one in made:
            writer.write(one)
        if ended:
            writer.write(the_end(len(made)))
    if torn:
        with path.open("ab") as file:
            file.write(torn)
    return path


def the_end(steps: int) -> Any:
    """The last line."""
    return an_event(
        "run_finished",
        steps,
        outcome="hangup",
        detail="the agent hung up",
        limit=None,
        steps=steps,
        spent=json.loads(encode_line(decision(max(steps, 1))))["spent"],
        transcript_byte_end=len(SCREEN),
    )


def transcript(path: Path, *, columns: int = 80, rows: int = 24, shown: bytes = SCREEN) -> Path:
    """What the terminal sent, with its marks."""
    with Transcript(path, wall=lambda: 1_767_268_800.0) as kept:
        kept.begin(10.0, columns=columns, rows=rows, dialect="ansi-bbs")
        kept.received(shown, 10.5)
        kept.sent(b"p", 11.0, by=Sender.AGENT)
        kept.end(12.0, kind="hung_up", detail="the agent hung up")
    return path


def single(root: Path, run_id: str = "first", agent_id: str = "ann", **more: Any) -> Path:
    """The folder of a run of one agent."""
    folder = root / run_id
    trace(folder / f"{agent_id}.jsonl", **more)
    transcript(folder / f"{agent_id}.raw")
    return folder


def match(root: Path, run_id: str = "duel-1", *, scored: bool = True, ended: bool = True) -> Path:
    """The folder of a match of two."""
    folder = root / run_id
    folder.mkdir(parents=True)
    for agent_id in ("ann", "bob"):
        trace(folder / f"{agent_id}.jsonl", match_id=run_id)
        transcript(folder / f"{agent_id}.raw")
    put(folder / "manifest.json", manifest(run_id))
    lines = events(run_id)
    (folder / "match.jsonl").write_text("".join(json.dumps(one) + "\n" for one in (lines if ended else lines[:4])))
    if scored:
        put(folder / "score.json", score(run_id))
    return folder


def campaign(root: Path, name: str = "spring") -> Path:
    """The folder of a campaign with one match."""
    folder = root / name
    (folder / "matches").mkdir(parents=True)
    (folder / "campaign.jsonl").write_text('{"event": "planned"}\n')
    played = match(folder / "matches", f"{name}-00001-duel")
    put(played / "campaign-match.json", {"schema_version": 1, "campaign": name, "turn": "duel"})
    interval = {"mean": 5000.0, "low": 4900.0, "high": 5100.0, "n": 2, "level": 0.95}
    row = {"name": "qwen3", "runs": 2, "void": 1, "skill": {"starlane": interval}, "rank": interval, "news": 1}
    put(
        folder / "summary.json",
        {"name": name, "matches": 3, "finished": 2, "left": 1, "scores": {"by_model": [row], "by_agent": []}},
    )
    return folder


def manifest(run_id: str) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "match_id": run_id,
        "name": "duel",
        "seed": 7,
        "created_at": WHEN,
        "software": {"python": "3.11"},
        "host": {"kind": "house"},
        "policies": {"scheduler": "parallel_barrier", "order": "rotate", "budgets": {"max_rounds": 3}},
        "participants": [
            {"agent_id": name, "alias": name.title(), "objective": f"Win, {name}.", "model": {"model": "qwen3"}}
            for name in ("ann", "bob")
        ],
        "settings": {"name": "duel", "door": {"game": "starlane"}, "replies_file": "/srv/elsewhere/replies.jsonl"},
    }


def events(run_id: str) -> list[dict[str, Any]]:
    stopped = {"stop_reason": "rounds", "detail": "the last round is over", "void": False, "decisions": 3}
    used = {"input_tokens": 300, "output_tokens": 30, "cost_usd": 0.003, "calls": 3, "model": "qwen3"}
    told: list[tuple[str, str | None, dict[str, Any]]] = [
        ("match_started", None, {"schema_version": 1, "match_id": run_id, "participants": ["ann", "bob"]}),
        ("participant_ready", "ann", {"alias": "Ann", "allocated_node": 1}),
        ("round_started", None, {"order": ["ann", "bob"]}),
        ("action_committed", "ann", {"step": 1, "action": "press_key p", "sent": True}),
        ("participant_stopped", "ann", stopped | used),
        ("participant_stopped", "bob", stopped | used | {"infra_suspect": "slow"}),
        ("match_completed", None, {"stopped_by": "rounds", "rounds": 3, "participants": [{"agent_id": "ann"}]}),
    ]
    return [
        {"event": event, "timestamp": WHEN, "seq": seq, "round": None, "tick": None, "agent_id": agent, "data": data}
        for seq, (event, agent, data) in enumerate(told, 1)
    ]


def score(run_id: str) -> dict[str, Any]:
    def participant(agent_id: str, value: float, rank: int) -> dict[str, Any]:
        return {
            "agent_id": agent_id,
            "model": "qwen3",
            "stop_reason": "rounds",
            "skill": {"game": "starlane", "score": value, "rank": rank, "parts": {"credits": value, "kills": 0}},
            "checks": [{"name": "door_joined", "passed": rank == 1, "detail": "it was there", "void": False}],
            "judgements": [{"judge": "human", "rubric": "tone", "mark": 0.5, "reason": HOSTILE}],
        }

    return {
        "match_id": run_id,
        "participants": [participant("ann", 5267.0, 1), participant("bob", 4597.5, 2)],
        "schema_version": 1,
        "scored_at": WHEN,
        "of_a_later_version": {"x": 1},
    }


def put(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value))
