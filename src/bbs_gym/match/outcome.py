"""How a match ended, for each participant and as a whole."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bbs_gym.match.events import StopReason
from bbs_gym.match.pace import Pace
from bbs_gym.nodes import NodeRecord


class ParticipantOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """One participant. It is the data of its event `participant_stopped`."""

    agent_id: str
    alias: str
    model: str
    provider: str
    stop_reason: StopReason
    detail: str = ""
    """One line for a person; inert."""
    void: bool = False
    """Infrastructure failed: the run counts for and against nobody."""
    decisions: int = 0
    """Decision ticks, those without a valid action counted."""
    actions: int = 0
    """Committed."""
    validation_failures: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    calls: int = 0
    uncounted_calls: int = 0
    """Those of which the provider told no tokens."""
    unpriced_calls: int = 0
    """Those of which the cost is not known: they count as free."""
    reconnects: int = 0
    node: NodeRecord = NodeRecord()
    pace: Pace = Pace()
    infra_suspect: str | None = None
    """Why the machine, and not the agent, may be what was slow; None: no sign of it. Nothing is left out for it."""
    traces: tuple[str, ...] = ()
    """Relative to the folder, in order; more than one where the match was resumed."""
    transcript: str | None = None

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


class MatchOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The whole match. What scores are made of stands in its folder."""

    match_id: str
    name: str
    seed: int
    scheduler: str
    order: str
    folder: Path
    started_at: str
    finished_at: str
    wall_seconds: float
    """Without the time between a kill and its resumption."""
    stopped_by: str
    """`all_stopped`, `rounds`, `wall_seconds`, `cost_usd`, `infra` or `interrupted`."""
    rounds: int
    """Started; 0 in `continuous`."""
    ticks: int
    """Actions committed."""
    decisions: int
    cost_usd: float
    participants: tuple[ParticipantOutcome, ...]
    detail: str = ""

    @property
    def void(self) -> bool:
        """Nobody's run counts."""
        return all(one.void for one in self.participants)
