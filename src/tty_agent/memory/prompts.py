"""Prompts that ask a model to keep its notes, and the reading of its answers.

Two of them: a compaction turns older steps into a new session summary, a commit says what should outlive the
activity. Answers are read leniently, since notes are prose: the last JSON object that has one of the fields counts, a
single string stands for a list of one, and a field that is missing stays as it was. Where no model answers,
`memory.fold` and `memory.update_from` do without one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from tty_agent.actions.errors import NotAnAction
from tty_agent.actions.reply_objects import find_objects
from tty_agent.memory.memory import (
    MAX_CAMPAIGN_ITEMS,
    MAX_ITEM_CHARS,
    MAX_ITEMS,
    SUMMARY_LISTS,
    CampaignMemory,
    Folded,
    MemoryUpdate,
    RecentStep,
    SessionMemory,
    SessionSummary,
    replaced,
)
from tty_agent.models.model import Prompt
from tty_agent.quoting import DATA_RULE, quote

MAX_NOTES_CHARS: Final = 90_000
"""Of notes and steps in one of these prompts: what the caps of memory.py allow at most, with room."""

_TEXTS: Final = ("current_state", "last_error")
_UPDATE_LISTS: Final = ("facts", "goals", "notes", "remove")

_SUMMARY_FIELDS: Final = {
    "current_state": "where the agent is in the program now, in a sentence or two",
    "last_error": "the latest thing that went wrong and is not yet set right; empty if there is none",
    "open_subgoals": "what is still to be done, the next first",
    "discovered_facts": "what was learnt and stays true: names, numbers, places, what each command does",
    "failed_actions": "what was tried and did not work, so that it is not tried again",
    "strategy_notes": "what to do differently or the same from here on",
}

_UPDATE_FIELDS: Final = {
    "facts": "new facts that will still be true in a later session",
    "goals": "goals that a later session should go on with",
    "notes": "advice for a later session",
    "remove": "items of the campaign memory, word for word, that hold no longer: goals reached, facts outdated",
}


class NotNotes(ValueError):
    """An answer has no JSON object with one of the fields; the text says what it should be."""


def compaction_prompt(memory: SessionMemory, *, run_objective: str = "", objective: str = "") -> Prompt:
    """Asks for a new summary in place of the one in `memory` and of its `older` steps. Read it by `read_summary`."""
    return Prompt(
        system=_system(
            "You keep the notes of an agent that uses a program through a terminal. Its older steps are about to be"
            " forgotten: write a new summary in place of the summary so far and those steps. Keep every fact that may"
            " still be needed, with exact names and numbers; leave out what is over.",
            _SUMMARY_FIELDS,
            MAX_ITEMS,
        ),
        user=_user(
            ("Objective of the run", run_objective),
            ("Objective of the activity", objective),
            ("Summary so far", _notes(memory.summary)),
            ("Steps that will be forgotten", _steps(memory.older)),
        ),
        schema=_schema(_TEXTS, SUMMARY_LISTS),
        schema_name="session_summary",
    )


def read_summary(text: str, before: SessionSummary) -> Folded:
    """The summary in an answer to `compaction_prompt`, capped, and what is no longer in it word for word. Raises
    NotNotes."""
    found = _object(text, (*_TEXTS, *SUMMARY_LISTS))
    fields: dict[str, Any] = {name: _text(found[name]) for name in _TEXTS if name in found}
    fields |= {name: _list(found[name]) for name in SUMMARY_LISTS if name in found}
    return replaced(before, msgspec.structs.replace(before, **fields))


def commit_prompt(
    campaign: CampaignMemory, memory: SessionMemory, *, outcome: str, run_objective: str = "", objective: str = ""
) -> Prompt:
    """Asks what should outlive the activity, which ended with `outcome`. Read it by `read_update`."""
    items = {name: [item.text for item in getattr(campaign, name)] for name in ("facts", "goals", "notes")}
    return Prompt(
        system=_system(
            "You keep the campaign memory of an agent that uses a program through a terminal. An activity is over: say"
            " what a later session should know that is not in the campaign memory yet, and what of it holds no longer."
            " Be brief and exact; an empty list is a good answer.",
            _UPDATE_FIELDS,
            MAX_CAMPAIGN_ITEMS,
        ),
        user=_user(
            ("Objective of the run", run_objective),
            ("Objective of the activity", objective),
            ("Campaign memory so far", "" if campaign.empty else _notes(items)),
            ("Summary of the activity", _notes(memory.summary)),
            ("Its last steps", _steps(memory.steps)),
            ("How it ended", quote(outcome, "outcome") if outcome.strip() else ""),
        ),
        schema=_schema((), _UPDATE_LISTS),
        schema_name="memory_update",
    )


def read_update(text: str) -> MemoryUpdate:
    """The update in an answer to `commit_prompt`. Raises NotNotes."""
    found = _object(text, _UPDATE_LISTS)
    return MemoryUpdate(**{name: _list(found[name]) for name in _UPDATE_LISTS if name in found})


def _system(task: str, fields: Mapping[str, str], max_items: int) -> str:
    told = "\n".join(f"- {name}: {meaning}" for name, meaning in fields.items())
    texts = [name for name in _TEXTS if name in fields]
    kinds = f"{' and '.join(texts)} are strings, every other field is" if texts else "Each field is"
    return (
        f"{task}\n\n{DATA_RULE}\n\nAnswer with one JSON object of these fields:\n{told}\n\n"
        f"{kinds} a list of at most {max_items} strings of at most {MAX_ITEM_CHARS} characters.\n"
    )


def _user(*blocks: tuple[str, str]) -> str:
    return "\n\n".join(f"# {title}\n\n{text.strip()}" for title, text in blocks if text.strip()) + "\n"


def _notes(notes: object) -> str:
    pretty = msgspec.json.format(msgspec.json.encode(notes), indent=1).decode()
    return quote(pretty, "json", max_chars=MAX_NOTES_CHARS)


def _steps(steps: Iterable[RecentStep]) -> str:
    lines = "\n".join(step.story for step in steps)
    return quote(lines, "steps", max_chars=MAX_NOTES_CHARS) if lines else ""


def _schema(texts: Iterable[str], lists: Iterable[str]) -> dict[str, object]:
    properties: dict[str, object] = {name: {"type": "string"} for name in texts}
    properties |= {name: {"type": "array", "items": {"type": "string"}} for name in lists}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _object(text: str, fields: tuple[str, ...]) -> Mapping[str, Any]:
    """The last object with one of the fields; one level down if a model wrapped it up."""
    try:
        objects = find_objects(text).objects
    except NotAnAction as fault:
        raise NotNotes(str(fault)) from fault
    for found in reversed(objects):
        for candidate in (found.value, *found.value.values()):
            if isinstance(candidate, Mapping) and any(name in candidate for name in fields):
                return candidate
    raise NotNotes(f"There is no JSON object with one of the fields {', '.join(fields)} in the answer.")


def _text(value: object) -> str:
    """What a model gave where a string belongs."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(filter(None, map(_text, value)))
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_text(part)}" for key, part in value.items())
    return str(value).lower() if isinstance(value, bool) else str(value)


def _list(value: object) -> tuple[str, ...]:
    """What a model gave where a list of strings belongs."""
    if isinstance(value, list):
        return tuple(filter(None, map(_text, value)))
    if isinstance(value, Mapping):
        return tuple(f"{key}: {_text(part)}" for key, part in value.items())
    text = _text(value)
    return (text,) if text.strip() else ()
