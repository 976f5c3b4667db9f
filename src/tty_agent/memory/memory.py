"""What an agent remembers, as values: its recent steps, a summary of the older ones, and what outlives an activity.

The harness owns it; a provider's own session is an optimisation and never the record. Recent steps stand in the
decision prompt. When there are too many, the older ones are compacted into the session summary: by a model
(prompts.py), or by `fold`, which needs none. Campaign memory changes only by `commit`, at the end of an
activity. Every list has a cap, and what a cap pushes out is returned to the caller, who traces it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Any, Final

import msgspec

from tty_agent.quoting import MAX_LINE_CHARS, one_line
from tty_agent.terminal.inert import inert

MEMORY_SCHEMA_VERSION: Final = 1
"""Of campaign memory: raised when a field is renamed, removed or changes its meaning."""

MAX_RECENT_STEPS: Final = 16
"""More than these and the older ones are compacted: about 3,000 tokens of history."""

KEPT_STEPS: Final = 8
"""These stay after a compaction, so that one is due every eight decisions and not at each."""

MAX_HELD_STEPS: Final = 2 * MAX_RECENT_STEPS
"""A caller that never compacts: from here on steps are folded without a model."""

MAX_ITEMS: Final = 24
"""Items in one list of a session summary: more and nobody reads them."""

MAX_ITEM_CHARS: Final = 400
"""One item: a sentence or two, or a step with its result."""

MAX_STATE_CHARS: Final = 600
"""`current_state` and `last_error`: a short paragraph."""

MAX_CAMPAIGN_ITEMS: Final = 60
"""Items in one list of campaign memory: it is in every prompt of every later activity."""

MAX_COMMITS: Final = 500
"""Commits that campaign memory names: years of them; the traces have them all."""


_STEP_LINE: Final = re.compile(r"step \d+: ")
"""How `RecentStep.line` begins."""


class RecentStep(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One decision, as later prompts tell of it: every one of them, so that its text is made once."""

    step: int
    action: dict[str, Any] | None
    """As models write it; None if no valid one came."""
    reason: str = ""
    """The model's own words beside the action."""
    result: str = ""
    """What became of it, in one line (`ObservationHints.result` of the next turn); "" while that is unknown."""
    error: str = ""
    """Why there was no valid action."""
    without_effect: bool = False
    """It was done, and nothing changed on the screen."""
    profile: str = ""

    @property
    def action_text(self) -> str:
        """The action as compact JSON, or `no valid action`."""
        return msgspec.json.encode(self.action).decode() if self.action is not None else "no valid action"

    @cached_property
    def line(self) -> str:
        """The step as one inert line."""
        told = [inert(self.action_text, max_chars=MAX_LINE_CHARS)]  # as it is: blanks within it were typed
        if self.error:
            told.append(f"error: {one_line(self.error)}")
        if self.result:
            told.append(one_line(self.result))
        return f"step {self.step}: " + " -> ".join(told)

    @cached_property
    def story(self) -> str:
        """The same, and the model's reason behind it."""
        return f"{self.line} (reason: {one_line(self.reason)})" if self.reason.strip() else self.line


class SessionSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What is left of the steps that are no longer told one by one. The names are those of the specification."""

    current_state: str = ""
    last_error: str = ""
    open_subgoals: tuple[str, ...] = ()
    discovered_facts: tuple[str, ...] = ()
    failed_actions: tuple[str, ...] = ()
    strategy_notes: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Nothing is in it."""
        return self == SessionSummary()


SUMMARY_LISTS: Final = ("open_subgoals", "discovered_facts", "failed_actions", "strategy_notes")
"""The fields of a summary that are lists."""


class Folded(msgspec.Struct, frozen=True):
    """A summary, and the items that it no longer holds, as `field: item`."""

    summary: SessionSummary
    dropped: tuple[str, ...] = ()


class SessionMemory(msgspec.Struct, frozen=True, kw_only=True):
    """The memory of one activity. `remember` each step; when `compaction_due`, make a new summary of `older`
    (prompts.py, or `fold`) and go on with `compacted`."""

    summary: SessionSummary = SessionSummary()
    revision: int = 0
    """How often the summary was replaced: who was told of a revision need not be told again."""
    steps: tuple[RecentStep, ...] = ()
    """From the oldest to the newest."""
    dropped: tuple[str, ...] = ()
    """What the latest change of the summary lost to its caps."""

    def remember(self, step: RecentStep) -> SessionMemory:
        """With one more step. What is over `MAX_HELD_STEPS` is folded at once."""
        after = msgspec.structs.replace(self, steps=(*self.steps, step), dropped=())
        return after.compacted(fold(self.summary, after.older)) if len(after.steps) > MAX_HELD_STEPS else after

    def resolved(self, result: str, *, without_effect: bool = False) -> SessionMemory:
        """The newest step has this result. Nothing changes if there is no step."""
        if not self.steps:
            return self
        newest = msgspec.structs.replace(self.steps[-1], result=result, without_effect=without_effect)
        return msgspec.structs.replace(self, steps=(*self.steps[:-1], newest))

    @property
    def compaction_due(self) -> bool:
        """There are more steps than a prompt should tell."""
        return len(self.steps) > MAX_RECENT_STEPS

    @property
    def older(self) -> tuple[RecentStep, ...]:
        """What a compaction takes out: all but the newest `KEPT_STEPS`."""
        return self.steps[:-KEPT_STEPS]

    def compacted(self, folded: Folded) -> SessionMemory:
        """With the new summary in place of the old one and of `older`."""
        return SessionMemory(
            summary=folded.summary,
            revision=self.revision + 1,
            steps=self.steps[-KEPT_STEPS:],
            dropped=folded.dropped,
        )


def capped(summary: SessionSummary) -> Folded:
    """Items as one inert line, each once, the newest `MAX_ITEMS` of a list; what had to go is told."""
    lists: dict[str, tuple[str, ...]] = {}
    dropped: list[str] = []
    for name in SUMMARY_LISTS:
        lists[name], gone = _newest(getattr(summary, name), MAX_ITEMS)
        dropped += [f"{name}: {item}" for item in gone]
    kept = SessionSummary(
        current_state=one_line(summary.current_state, max_chars=MAX_STATE_CHARS),
        last_error=one_line(summary.last_error, max_chars=MAX_STATE_CHARS),
        **lists,
    )
    return Folded(kept, tuple(dropped))


def fold(summary: SessionSummary, steps: Iterable[RecentStep]) -> Folded:
    """A new summary without a model: what failed goes to `failed_actions`, every other step with its result to
    `discovered_facts`, word for word; the earlier items stay as long as there is room."""
    state, error = summary.current_state, summary.last_error
    failed, facts = list(summary.failed_actions), list(summary.discovered_facts)
    for step in steps:
        if step.error:
            error = f"step {step.step}: {step.error}"
        (failed if step.error or step.without_effect else facts).append(step.line)
        state = f"after step {step.step}: {step.result}" if step.result else state
    return capped(
        msgspec.structs.replace(
            summary,
            current_state=state,
            last_error=error,
            failed_actions=tuple(failed),
            discovered_facts=tuple(facts),
        )
    )


def replaced(before: SessionSummary, answer: SessionSummary) -> Folded:
    """The summary that a model wrote, in place of the one before. A model may put two items into one or leave one out
    on purpose, so its word stands; what is no longer there word for word is told as dropped."""
    folded = capped(answer)
    lost = [
        f"{name}: {item}"
        for name in SUMMARY_LISTS
        for item in getattr(before, name)
        if item not in getattr(folded.summary, name)
    ]
    return Folded(folded.summary, tuple(dict.fromkeys((*folded.dropped, *lost))))


class Provenance(msgspec.Struct, frozen=True, kw_only=True):
    """Where a commit came from."""

    run_id: str
    agent_id: str
    model: str
    at: str
    """ISO 8601, UTC."""
    activity: str = ""
    outcome: str = ""


class MemoryItem(msgspec.Struct, frozen=True):
    """One thing to remember, and which commit it came with."""

    text: str
    commit: int = 0
    """The `number` of the commit; 0: set by a person."""


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """One change of campaign memory."""

    number: int
    by: Provenance
    added: int = 0
    removed: int = 0


class CampaignMemory(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent knows over activities and models; portable JSON."""

    schema_version: Annotated[int, msgspec.Meta(ge=1)] = MEMORY_SCHEMA_VERSION
    facts: tuple[MemoryItem, ...] = ()
    goals: tuple[MemoryItem, ...] = ()
    notes: tuple[MemoryItem, ...] = ()
    commits: tuple[Commit, ...] = ()
    """The newest last."""
    extra: dict[str, Any] = {}
    """What a game or a campaign keeps besides: kept as it is, shown to no model."""

    @property
    def empty(self) -> bool:
        """There is nothing to tell."""
        return not (self.facts or self.goals or self.notes)


class MemoryUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """What an activity leaves behind."""

    facts: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    """Texts of items that hold no longer: goals reached, facts outdated."""


class Committed(msgspec.Struct, frozen=True):
    """Campaign memory after a commit, and the items that its caps pushed out, as `field: item`."""

    memory: CampaignMemory
    dropped: tuple[str, ...] = ()


def update_from(summary: SessionSummary) -> MemoryUpdate:
    """An update without a model: facts, goals and notes as the session summary has them. The steps that `fold` put
    there stay out: a later session has no use for the keys of this one, and the trace has them."""
    facts = tuple(fact for fact in summary.discovered_facts if not _STEP_LINE.match(fact))
    return MemoryUpdate(facts=facts, goals=summary.open_subgoals, notes=summary.strategy_notes)


def commit(memory: CampaignMemory, update: MemoryUpdate, by: Provenance) -> Committed:
    """Campaign memory with what an activity left behind. To be called at the end of an activity and nowhere else.

    An item that is there already (case and blanks aside) stays as it was, with its commit. A commit that changes
    nothing is recorded all the same.
    """
    number = (memory.commits[-1].number if memory.commits else 0) + 1
    gone = {_key(text) for text in update.remove}
    lists: dict[str, tuple[MemoryItem, ...]] = {}
    dropped: list[str] = []
    added = removed = 0
    for name in ("facts", "goals", "notes"):
        held: tuple[MemoryItem, ...] = getattr(memory, name)
        staying = tuple(item for item in held if _key(item.text) not in gone)
        known = {_key(item.text) for item in staying}
        fresh, beyond = _newest(getattr(update, name), MAX_CAMPAIGN_ITEMS)
        new = tuple(MemoryItem(text, number) for text in fresh if _key(text) not in known)
        every = (*staying, *new)
        lists[name] = every[-MAX_CAMPAIGN_ITEMS:]
        dropped += [f"{name}: {text}" for text in (*(item.text for item in every[:-MAX_CAMPAIGN_ITEMS]), *beyond)]
        added, removed = added + len(new), removed + len(held) - len(staying)
    record = Commit(number=number, by=by, added=added, removed=removed)
    changed = msgspec.structs.replace(memory, **lists, commits=(*memory.commits, record)[-MAX_COMMITS:])
    return Committed(changed, tuple(dropped))


def _key(text: str) -> str:
    return " ".join(text.split()).casefold()


def _newest(items: Iterable[str], limit: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Items cleaned, each once at its last place, split into the newest `limit` and those before them."""
    lines: dict[str, str] = {}
    for item in items:
        if line := one_line(item, max_chars=MAX_ITEM_CHARS):
            lines.pop(_key(line), None)
            lines[_key(line)] = line
    kept = tuple(lines.values())
    return kept[-limit:], kept[:-limit]
