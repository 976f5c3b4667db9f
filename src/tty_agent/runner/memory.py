"""The memory of one run: steps come in, older ones are summed up, and what should outlive the run is committed once.

The model writes it, through `MemoryCalls`; without one, or where its answer can't be used, memory is kept word for
word.
"""

from __future__ import annotations

from typing import Any

import msgspec

from tty_agent.activity.activity import ActivityProfile
from tty_agent.hints import Effect, ObservationHints
from tty_agent.memory import memory as folding
from tty_agent.memory.calls import MemoryCalls
from tty_agent.memory.memory import CampaignMemory, Committed, MemoryUpdate, Provenance, RecentStep, SessionMemory
from tty_agent.memory.prompts import NotNotes, commit_prompt, compaction_prompt, read_summary, read_update
from tty_agent.memory.store import CampaignFile
from tty_agent.models.model import ModelReply, Prompt
from tty_agent.runner.record import reply_record
from tty_agent.trace.records import DecisionRecord

_WITHOUT_EFFECT = frozenset({Effect.SCREEN_UNCHANGED, Effect.NO_OUTPUT})


class RunMemory:
    """What an agent remembers during one run, and its campaign memory."""

    def __init__(self, campaign: CampaignMemory | None = None, *, file: CampaignFile | None = None) -> None:
        """Campaign memory is `campaign`, or what the file holds, to which it is committed in the end. Raises
        MemoryFault."""
        self._file = file
        self.outlives = file is not None or campaign is not None
        """Whether anybody reads the campaign memory after the run: only then is a model asked to write it."""
        if campaign is None:
            campaign = file.load() if file else CampaignMemory()
        self.campaign = campaign
        self.session = SessionMemory()

    def remember(self, record: DecisionRecord) -> None:
        """A decision was made."""
        step = RecentStep(
            step=record.step,
            action=record.action,
            reason=record.reason,
            error=record.error or "",
            profile=record.active_profile,
        )
        self.session = self.session.remember(step)

    def resolve(self, hints: ObservationHints) -> None:
        """What the newest step did is seen now."""
        if self.session.steps and not self.session.steps[-1].result:
            without_effect = self.session.steps[-1].action is not None and bool(_WITHOUT_EFFECT & set(hints.effects))
            self.session = self.session.resolved(hints.result, without_effect=without_effect)

    def fail(self, error: str) -> None:
        """The newest step could not be carried out after all."""
        newest = msgspec.structs.replace(self.session.steps[-1], error=error)
        self.session = msgspec.structs.replace(self.session, steps=(*self.session.steps[:-1], newest))

    async def compact(
        self, ask: MemoryCalls | None, *, run_objective: str, profile: ActivityProfile
    ) -> dict[str, Any] | None:
        """Sum up the older steps if there are too many; what the trace tells of it, or None."""
        if not self.session.compaction_due:
            return None
        before = self.session
        folded = folding.fold(before.summary, before.older)
        told: dict[str, Any] = {"by": "fold", "steps": [before.older[0].step, before.older[-1].step]}
        if ask is not None:
            prompt = compaction_prompt(before, run_objective=run_objective, objective=profile.objective)
            reply = await ask(prompt)
            told |= _told(prompt, reply, ask)
            if reply is not None:
                try:
                    folded = read_summary(reply.text, before.summary)
                    told["by"] = "model"
                except NotNotes as fault:
                    told["fault"] = str(fault)
        self.session = self.session.compacted(folded)
        return told | {"summary": msgspec.to_builtins(folded.summary), "dropped": list(folded.dropped)}

    async def commit(
        self, ask: MemoryCalls | None, by: Provenance, *, run_objective: str, profile: ActivityProfile
    ) -> dict[str, Any]:
        """Put what should outlive the run into campaign memory; once, at its end. What the trace tells of it. Raises
        MemoryFault: then campaign memory is as it was."""
        update = folding.update_from(self.session.summary)
        told: dict[str, Any] = {"by": "fold"}
        if ask is not None:
            prompt = commit_prompt(
                self.campaign,
                self.session,
                outcome=by.outcome,
                run_objective=run_objective,
                objective=profile.objective,
            )
            reply = await ask(prompt)
            told |= _told(prompt, reply, ask)
            if reply is not None:
                try:
                    update = read_update(reply.text)
                    told["by"] = "model"
                except NotNotes as fault:
                    told["fault"] = str(fault)
        committed = self._commit(update, by)
        self.campaign = committed.memory
        return told | {
            "update": msgspec.to_builtins(update),
            "commit": msgspec.to_builtins(committed.memory.commits[-1]),
            "dropped": list(committed.dropped),
            "file": str(self._file.path) if self._file else None,
        }

    def _commit(self, update: MemoryUpdate, by: Provenance) -> Committed:
        return self._file.commit(update, by) if self._file else folding.commit(self.campaign, update, by)


def _told(prompt: Prompt, reply: ModelReply | None, ask: MemoryCalls) -> dict[str, Any]:
    told: dict[str, Any] = {"prompt": prompt.user, "reply": msgspec.to_builtins(reply_record(reply))}
    return told if reply else told | {"fault": ask.fault}
