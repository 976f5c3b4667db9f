"""The participants of a run, as its folder tells of them. A match's event `participant_stopped` tells all of one; where
it is missing, the traces tell as far as they go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from bbs_gym.match.events import EventLine, MatchEvent, StopReason
from bbs_gym.match.outcome import ParticipantOutcome
from tty_agent.activity.budget import Spent
from tty_agent.terminal.inert import inert
from tty_agent.trace.index import TraceFile
from tty_agent.trace.records import EventName, EventRecord, TraceFault

EVENTS: Final = "match.jsonl"

UNFINISHED: Final = "unfinished"
"""In place of a stop reason: the run has no end. It was killed, or is still on."""

_MAX_FAULT_CHARS: Final = 200
_VOID_REASONS: Final = frozenset({StopReason.INFRA, StopReason.INTERRUPTED, UNFINISHED})
_BROKEN_OUTCOMES: Final = frozenset({"infra", "interrupted"})


class Participant(msgspec.Struct, frozen=True, kw_only=True):
    """One participant as the folder tells of it."""

    agent_id: str
    alias: str = ""
    """The name that the BBS knows; empty: not told."""
    model: str = ""
    provider: str = ""
    stop_reason: str = UNFINISHED
    detail: str = ""
    void: bool = True
    infra_suspect: str | None = None
    decisions: int = 0
    validation_failures: int = 0
    tokens: int | None = None
    """None: the provider told of no call."""
    cost_usd: float | None = None
    """None: no call's cost is known."""
    traces: tuple[str, ...] = ()
    """Relative to the folder, in order."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the BBS may call it."""
        return tuple(dict.fromkeys(name for name in (self.alias, self.agent_id) if name))


def participants_of(
    folder: Path, events: Sequence[EventLine], told: Mapping[str, Any], faults: list[str]
) -> tuple[Participant, ...]:
    """Everybody, by agent id. `told` is what the manifest and the first event say; faults of files are added to
    `faults`."""
    roster = dict(_roster(told))
    stopped = {event.agent_id: event for event in events if event.event is MatchEvent.PARTICIPANT_STOPPED}
    found = {agent: _stopped(event, faults) for agent, event in stopped.items() if agent}
    traces = _traces_by_agent(folder, faults)
    for agent in (*roster, *traces):
        if found.get(agent) is None:
            found[agent] = _of_traces(agent, traces.get(agent, ()), bool(events))
    everyone = (_with_roster(one, roster.get(one.agent_id, {})) for one in found.values() if one is not None)
    return tuple(sorted(everyone, key=lambda one: one.agent_id))


def _roster(told: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Who was to take part, as a manifest or the first event lists them."""
    listed = told.get("participants", settings_of(told).get("participants", ()))
    for one in listed if isinstance(listed, list | tuple) else ():
        if isinstance(one, Mapping) and isinstance(one.get("agent_id"), str):
            yield one["agent_id"], one
        elif isinstance(one, str):
            yield one, {}


def _with_roster(participant: Participant, listed: Mapping[str, Any]) -> Participant:
    model = listed.get("model")
    if isinstance(model, Mapping):
        model = model.get("model") or model.get("provider")
    return msgspec.structs.replace(
        participant,
        alias=participant.alias or str(listed.get("alias") or ""),
        model=participant.model or str(model or ""),
    )


def _stopped(event: EventLine, faults: list[str]) -> Participant | None:
    try:
        told = msgspec.convert({"agent_id": event.agent_id, **event.data}, _Told, strict=False)
    except msgspec.ValidationError as fault:
        faults.append(f"{EVENTS}, event {event.seq}: {said(fault)}")
        return None
    spent = Spent(
        input_tokens=told.input_tokens,
        output_tokens=told.output_tokens,
        cost_usd=told.cost_usd,
        calls=told.calls,
        uncounted_calls=told.uncounted_calls,
        unpriced_calls=told.unpriced_calls,
    )
    return Participant(
        agent_id=told.agent_id,
        alias=told.alias,
        model=told.model,
        provider=told.provider,
        stop_reason=told.stop_reason,
        detail=told.detail,
        void=told.void or told.stop_reason in _VOID_REASONS,
        infra_suspect=told.infra_suspect,
        decisions=told.decisions,
        validation_failures=told.validation_failures,
        tokens=_tokens(spent),
        cost_usd=_cost(spent),
        traces=told.traces,
    )


class _Told(msgspec.Struct, kw_only=True):
    """Of `ParticipantOutcome` what is needed, each with a default: an older or newer match may tell less."""

    agent_id: str
    alias: str = ""
    model: str = ""
    provider: str = ""
    stop_reason: str = UNFINISHED
    detail: str = ""
    void: bool = False
    infra_suspect: str | None = None
    decisions: int = 0
    validation_failures: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    calls: int = 0
    uncounted_calls: int = 0
    unpriced_calls: int = 0
    traces: tuple[str, ...] = ()


assert set(_Told.__struct_fields__) <= set(ParticipantOutcome.__struct_fields__)


class _Traced(msgspec.Struct, frozen=True, kw_only=True):
    """One trace as far as it goes."""

    file: str
    model: str
    provider: str
    spent: Spent
    outcome: str | None
    """None: it has no end."""
    limit: str | None
    detail: str


def trace_files(folder: Path) -> Iterator[Path]:
    """The traces of a folder, by name."""
    found = (one for one in folder.glob("*.jsonl") if one.name != EVENTS and not one.name.endswith(".raw.sent.jsonl"))
    yield from sorted(one for one in found if one.is_file())


def _traces_by_agent(folder: Path, faults: list[str]) -> dict[str, tuple[_Traced, ...]]:
    found: dict[str, list[_Traced]] = {}
    for place in trace_files(folder):
        try:
            agent, traced = _traced(place)
        except (TraceFault, OSError) as fault:
            faults.append(f"{place.name}: {said(fault)}")
        else:
            found.setdefault(agent, []).append(traced)
    return {agent: tuple(traces) for agent, traces in found.items()}


def _traced(place: Path) -> tuple[str, _Traced]:
    with TraceFile(place) as trace:
        header = trace.header()
        last = next(trace.records(trace.lines - 1), None)
        ended = isinstance(last, EventRecord) and last.event == EventName.RUN_FINISHED
        data = last.data if isinstance(last, EventRecord) and ended else {}
        spent = trace.step(trace.steps).spent if trace.steps else Spent()
    if ended:
        try:
            spent = msgspec.convert(data.get("spent", {}), Spent, strict=False)
        except msgspec.ValidationError as fault:
            raise TraceFault(f"{place}: its end tells no figures: {fault}") from fault
    limit = data.get("limit")
    return header.agent_id, _Traced(
        file=place.name,
        model=header.model,
        provider=header.provider,
        spent=spent,
        outcome=str(data.get("outcome", UNFINISHED)) if ended else None,
        limit=str(limit) if limit else None,
        detail=str(data.get("detail", "")),
    )


def _of_traces(agent: str, traces: tuple[_Traced, ...], of_match: bool) -> Participant:  # noqa: FBT001 - one caller
    """Of a match that tells nothing of its end it is void, whatever its own trace says; a run alone ends by itself."""
    if not traces:
        return Participant(agent_id=agent)
    last = traces[-1]
    spent = _sum(one.spent for one in traces)
    reason = UNFINISHED if of_match or last.outcome is None else last.limit or last.outcome
    return Participant(
        agent_id=agent,
        model=last.model,
        provider=last.provider,
        stop_reason=reason,
        detail=last.detail,
        void=reason in _VOID_REASONS or last.outcome in _BROKEN_OUTCOMES,
        decisions=spent.decision_ticks,
        validation_failures=spent.validation_failures,
        tokens=_tokens(spent),
        cost_usd=_cost(spent),
        traces=tuple(one.file for one in traces),
    )


def _sum(parts: Iterable[Spent]) -> Spent:
    total = dict.fromkeys(Spent.__struct_fields__, 0)
    for one in parts:
        for field, so_far in total.items():
            total[field] = so_far + getattr(one, field)
    return Spent(**total)


def _tokens(spent: Spent) -> int | None:
    return None if spent.calls and spent.uncounted_calls == spent.calls else spent.tokens


def _cost(spent: Spent) -> float | None:
    return None if spent.calls and spent.unpriced_calls == spent.calls else spent.cost_usd


def settings_of(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings of a match in what its manifest tells; empty if there are none."""
    settings = told.get("settings")
    return settings if isinstance(settings, Mapping) else {}


def said(fault: Exception) -> str:
    """A fault in one line, made inert."""
    return inert(str(fault), max_chars=_MAX_FAULT_CHARS)
