"""The scheduler without rounds: `continuous`. Each agent is asked anew as soon as its action is committed, so that a
faster model does more within the same time. No round events; `max_rounds` is the most decisions that are queued in the
whole match."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from bbs_gym.match.events import MatchEvent, StopReason
from bbs_gym.match.order import round_order
from bbs_gym.match.schedule import Note, Over, Phase, Progress, Rules, Standing, Step, Steps, joined


class Continuous:
    """A `Schedule`."""

    def __init__(self, rules: Rules, progress: Progress | None = None) -> None:
        progress = progress or Progress()
        self._rules = rules
        self._standing = Standing(rules, progress)
        self._asked = progress.decided
        """Queued decisions that count: all but those that came to none."""
        self._line: deque[str] = deque()
        """Who is to be asked next, in the order of asking."""

    def begin(self) -> Steps:
        """All are asked, in the scheduled order."""
        order = round_order(self._rules.order, self._rules.roster, seed=self._rules.seed, number=1)
        self._line.extend(agent for agent in order if self.phase(agent) is Phase.IDLE)
        return self._ask()

    def decided(self, agent_id: str, *, acts: bool) -> Steps:
        """As of `Schedule`."""
        self._standing.decide(agent_id, acts=acts)
        asked = {"queued_tick": self._standing.requests[agent_id]}
        told: list[Step] = [self._note(MatchEvent.DECISION_COMPLETED, agent_id, self._standing.tick, asked)]
        commit = self._standing.commit(agent_id)
        if commit.tick is not None:
            order = {"order": [agent_id], "queued_tick": commit.queued_tick}
            told.append(self._note(MatchEvent.COMMIT_ORDER, agent_id, commit.tick, order))
        return (*told, commit)

    def committed(self, agent_id: str, *, then: Phase = Phase.IDLE) -> Steps:
        """As of `Schedule`."""
        tick = self._standing.commit_done(agent_id, then)
        told: Steps = ()
        if tick is not None:
            asked = {"queued_tick": self._standing.requests[agent_id]}
            told = (self._note(MatchEvent.ACTION_COMMITTED, agent_id, tick, asked),)
        if then is Phase.IDLE:
            self._line.append(agent_id)
        return joined(told, self._ask())

    def gone(self, agent_id: str, *, returns: bool = False) -> Steps:
        """As of `Schedule`. What was queued and came to no decision does not count."""
        before = self._standing.leave(agent_id, returns=returns)
        if before is Phase.OUT or self._standing.over:
            return ()
        if before is Phase.DECIDING:
            self._asked -= 1
        if agent_id in self._line:
            self._line.remove(agent_id)
        return self._ask()

    def back(self, agent_id: str) -> Steps:
        """As of `Schedule`: it is asked at once."""
        self._standing.come_back(agent_id)
        if self._standing.over:
            return ()
        self._line.append(agent_id)
        return self._ask()

    def phase(self, agent_id: str) -> Phase:
        """As of `Schedule`."""
        return self._standing.phases[agent_id]

    @property
    def progress(self) -> Progress:
        """As of `Schedule`."""
        standing = self._standing
        out = frozenset(standing.those(Phase.OUT))
        return Progress(tick=standing.tick, queued=standing.queued, decided=self._asked, out=out)

    def _ask(self) -> Steps:
        """Whoever waits, as long as decisions are left; the end when nothing can come any more."""
        steps: list[Step] = []
        while self._line and not self._used_up():
            self._asked += 1
            steps.append(self._standing.launch(self._line.popleft()))
        if self._standing.those(Phase.DECIDING, Phase.DECIDED, Phase.COMMITTING):
            return tuple(steps)
        left = self._standing.those(Phase.IDLE, Phase.AWAY)
        if left and not self._used_up():
            return ()  # all that are left lost their line, and may come back
        self._standing.over = True
        return (Over(StopReason.ROUNDS if left else None),)

    def _used_up(self) -> bool:
        return self._rules.max_rounds is not None and self._asked >= self._rules.max_rounds

    def _note(self, event: MatchEvent, agent_id: str, tick: int, data: Mapping[str, object]) -> Note:
        return Note(event=event, tick=tick, agent_id=agent_id, data=dict(data))
