"""The schedulers with rounds: `sequential`, `parallel_barrier` and `parallel_race`.

A round has every agent that is there when it begins, in the scheduled order. An agent that drops in between is left
out of the rest of the round, and the others' order stays. `sequential` and `parallel_barrier` hold the next round until
who lost its line is back or given up, so that all get as many decisions; `parallel_race` does not wait.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from bbs_gym.match.events import MatchEvent, StopReason
from bbs_gym.match.order import round_order, turned
from bbs_gym.match.schedule import Note, Over, Phase, Progress, Rules, Standing, Steps, joined


class Rounds(ABC):
    """A `Schedule` but for what may happen within a round."""

    holds_for_away = True
    """The next round waits for those who lost their line."""

    def __init__(self, rules: Rules, progress: Progress | None = None) -> None:
        progress = progress or Progress()
        self._rules = rules
        self._standing = Standing(rules, progress)
        self._ring = progress.ring or rules.roster
        self._round = progress.round
        self._between = progress.round_over
        self._done = set(progress.acted)
        """Those whose part in the round is over."""
        self._order = progress.order
        """Those who take part in it, or what is left of them where a match goes on."""
        self._committed: list[str] = []

    def begin(self) -> Steps:
        """The first round, or the one that was not finished."""
        if self._between:
            return self._next_round()
        return self._open(tuple(agent for agent in self._order if agent not in self._done))

    def decided(self, agent_id: str, *, acts: bool) -> Steps:
        """As of `Schedule`."""
        self._standing.decide(agent_id, acts=acts)
        return joined((self._note(MatchEvent.DECISION_COMPLETED, agent_id),), self._when_decided(agent_id))

    def committed(self, agent_id: str, *, then: Phase = Phase.IDLE) -> Steps:
        """As of `Schedule`."""
        tick = self._standing.commit_done(agent_id, then)
        self._done.add(agent_id)
        told: Steps = ()
        if tick is not None:
            self._committed.append(agent_id)
            told = (self._note(MatchEvent.ACTION_COMMITTED, agent_id, tick=tick),)
        return joined(told, self._go_on())

    def gone(self, agent_id: str, *, returns: bool = False) -> Steps:
        """As of `Schedule`."""
        before = self._standing.leave(agent_id, returns=returns)
        if before is Phase.OUT or self._standing.over:
            return ()
        if self._between:
            return self._next_round()
        self._done.add(agent_id)
        return self._go_on()

    def back(self, agent_id: str) -> Steps:
        """As of `Schedule`: it takes part from the next round on."""
        self._standing.come_back(agent_id)
        return self._next_round() if self._between and not self._standing.over else ()

    def phase(self, agent_id: str) -> Phase:
        """As of `Schedule`."""
        return self._standing.phases[agent_id]

    @property
    def progress(self) -> Progress:
        """As of `Schedule`."""
        return Progress(
            round=self._round,
            tick=self._standing.tick,
            queued=self._standing.queued,
            ring=self._ring,
            order=self._order,
            acted=frozenset(self._done),
            round_over=self._between,
            out=frozenset(self._standing.those(Phase.OUT)),
        )

    @abstractmethod
    def _opened(self) -> Steps:
        """The round has begun."""

    @abstractmethod
    def _when_decided(self, agent_id: str) -> Steps:
        """A decision is there."""

    @abstractmethod
    def _go_on(self) -> Steps:
        """Somebody's part in the round is over."""

    def _next_round(self) -> Steps:
        self._between = True
        ready, away = self._standing.those(Phase.IDLE), self._standing.those(Phase.AWAY)
        if not ready and not away:
            return self._end(None)
        if self._rules.max_rounds is not None and self._round >= self._rules.max_rounds:
            return self._end(StopReason.ROUNDS)
        if away and (self.holds_for_away or not ready):
            return ()
        self._round += 1
        every = round_order(self._rules.order, self._ring, seed=self._rules.seed, number=self._round)
        order = tuple(agent for agent in every if agent in ready)
        self._ring = turned(self._rules.order, self._ring, order[0])
        self._done = set()
        started = Note(event=MatchEvent.ROUND_STARTED, round=self._round, data={"order": list(order)})
        return joined((started,), self._open(order))

    def _open(self, order: tuple[str, ...]) -> Steps:
        self._between = False
        self._order = tuple(agent for agent in order if self.phase(agent) is Phase.IDLE)
        self._committed = []
        return self._opened()

    def _waiting(self) -> tuple[str, ...]:
        """Whose part has not begun, in the order of the round."""
        return tuple(agent for agent in self._order if agent not in self._done and self.phase(agent) is Phase.IDLE)

    def _busy(self) -> bool:
        return bool(self._standing.those(Phase.DECIDING, Phase.DECIDED, Phase.COMMITTING))

    def _complete(self) -> Steps:
        told = Note(event=MatchEvent.ROUND_COMPLETED, round=self._round, data={"committed": list(self._committed)})
        return joined((told,), self._next_round())

    def _end(self, reason: StopReason | None) -> Steps:
        self._standing.over = True
        return (Over(reason),)

    def _commit_at_once(self, agent_id: str) -> Steps:
        commit = self._standing.commit(agent_id)
        if commit.tick is None:
            return (commit,)
        data = {"order": [agent_id], "queued_tick": commit.queued_tick}
        return (self._note(MatchEvent.COMMIT_ORDER, agent_id, tick=commit.tick, data=data), commit)

    def _note(
        self, event: MatchEvent, agent_id: str | None, *, tick: int | None = None, data: dict[str, object] | None = None
    ) -> Note:
        return Note(event=event, round=self._round, tick=tick, agent_id=agent_id, data=data or {})


class Sequential(Rounds):
    """One after the other looks, decides and acts."""

    def _opened(self) -> Steps:
        return self._go_on()

    def _when_decided(self, agent_id: str) -> Steps:
        return self._commit_at_once(agent_id)

    def _go_on(self) -> Steps:
        if self._busy():
            return ()
        waiting = self._waiting()
        return (self._standing.launch(waiting[0]),) if waiting else self._complete()


class Barrier(Rounds):
    """All decide; when the last has, they act one after the other, in the scheduled order."""

    def __init__(self, rules: Rules, progress: Progress | None = None) -> None:
        super().__init__(rules, progress)
        self._acting = False
        """All have decided."""

    def _opened(self) -> Steps:
        self._acting = False
        if not self._order:
            return self._complete()
        return tuple(self._standing.launch(agent) for agent in self._order)

    def _when_decided(self, agent_id: str) -> Steps:
        del agent_id
        return self._go_on()

    def _go_on(self) -> Steps:
        if self._standing.those(Phase.DECIDING, Phase.COMMITTING):
            return ()
        decided = [agent for agent in self._order if self.phase(agent) is Phase.DECIDED]
        if not decided:
            return self._complete()
        told: Steps = ()
        if not self._acting:
            self._acting = True
            order = [agent for agent in decided if self._standing.acts[agent]]
            told = (self._note(MatchEvent.COMMIT_ORDER, None, data={"order": order}),) if order else ()
        return joined(told, (self._standing.commit(decided[0]),))


class Race(Rounds):
    """All decide, launched in the scheduled order; each acts as soon as it has decided."""

    holds_for_away = False

    def _opened(self) -> Steps:
        if not self._order:
            return self._complete()
        return tuple(self._standing.launch(agent) for agent in self._order)

    def _when_decided(self, agent_id: str) -> Steps:
        return self._commit_at_once(agent_id)

    def _go_on(self) -> Steps:
        return () if self._busy() else self._complete()
