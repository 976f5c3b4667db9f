"""Whether settings of the right shape make a match: names, limits, templates, and what must not be together."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from bbs_gym.hosts.host import Transport
from bbs_gym.match.config_faults import Fault, shown
from bbs_gym.match.objective import BUILT_IN, BadTemplate, fill
from bbs_gym.match.settings import Budgets, MatchSettings, ParticipantSettings
from tty_agent.actions.action import ActionName
from tty_agent.activity.activity import PromptLayout, PromptMode
from tty_agent.models.catalog import ModelConfigError, model_config

MAX_PARTICIPANTS: Final = 250
"""A BBS of the largest kind has so many nodes."""

MAX_SECONDS: Final = 30 * 24 * 3600
"""A month; timers count no further than some years."""

MAX_RECONNECTS: Final = 100
"""A line that is lost more often is no line."""

CHECK_KINDS: Final = ("posted", "mail_sent", "mail_answered", "door_joined", "score_at_least")
"""As the contract names them."""

RUN_SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "prompt_mode": tuple(str(mode) for mode in PromptMode),
    "prompt_layout": tuple(str(layout) for layout in PromptLayout),
    "pictures": (),
}
"""Of each run, with the words that they take; none given: a path."""

_AGENT_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""It is the name of files."""

_TAKEN_SUFFIXES: Final = frozenset({".jsonl", ".raw", ".sent", ".index", ".torn"})
_TAKEN_NAMES: Final = frozenset({"match"})
"""`match.jsonl` is the match's own."""


def faults_of(settings: MatchSettings) -> tuple[Fault, ...]:
    """Every wrong field, in the order of the file."""
    parts = (_match, _roster, _budgets, _reconnect, _host, _door, _checks, _run_settings)
    return tuple(fault for part in parts for fault in part(settings))


def with_faults_of(told: tuple[Fault, ...], settings: MatchSettings | None) -> tuple[Fault, ...]:
    """The faults that are told of its shape, and those of the other fields; None: there is nothing more to look at."""
    places = {fault.place for fault in told}
    more = faults_of(settings) if settings is not None else ()
    return (*told, *(fault for fault in more if fault.place not in places))


def _match(settings: MatchSettings) -> Iterator[Fault]:
    if not settings.name.strip() or not settings.name.isprintable():
        yield Fault("name", f"is {shown(settings.name)}", "give a printable name")
    yield from _activity("", settings)
    known = [str(name) for name in ActionName]
    for number, action in enumerate(settings.disabled_actions):
        if action not in known:
            yield Fault(f"disabled_actions[{number}]", f"is {shown(action)}", f"give one of {', '.join(known)}")


def _activity(place: str, of: MatchSettings | ParticipantSettings) -> Iterator[Fault]:
    if of.profile is not None and of.route_set is not None:
        yield Fault(f"{place}profile", f"is {shown(of.profile)} beside a route_set", "leave one of the two away")


def _roster(settings: MatchSettings) -> Iterator[Fault]:
    roster = settings.participants
    if not 1 <= len(roster) <= MAX_PARTICIPANTS:
        yield Fault("participants", f"are {len(roster)}", f"give 1 to {MAX_PARTICIPANTS}")
    ids = Counter(one.agent_id.casefold() for one in roster)
    nodes = Counter(one.node for one in roster if one.node is not None)
    files = Counter(one.model["session_file"] for one in roster if isinstance(one.model.get("session_file"), str))
    for number, one in enumerate(roster):
        place = f"participants[{number}]."
        yield from _agent_id(place, one.agent_id, ids[one.agent_id.casefold()])
        yield from _activity(place, one)
        if (one.profile or one.route_set or settings.profile or settings.route_set) is None:
            yield Fault(f"{place}profile", "is missing, and the match has none", "name a profile or a route_set")
        if one.node is not None and (one.node < 1 or nodes[one.node] > 1):
            why = "nodes count from 1" if one.node < 1 else "give each participant a node of its own, or none"
            yield Fault(f"{place}node", f"is {one.node}", why)
        yield from _model(place, one.model, files)
        yield from _objective(place, settings, one)


def _agent_id(place: str, agent_id: str, times: int) -> Iterator[Fault]:
    if not _AGENT_ID.fullmatch(agent_id):
        remedy = "take up to 100 letters, digits, dots, dashes, underscores"
        yield Fault(f"{place}agent_id", f"is {shown(agent_id)}", remedy)
    elif agent_id.casefold() in _TAKEN_NAMES or any(f".{part}" in _TAKEN_SUFFIXES for part in agent_id.split(".")[1:]):
        yield Fault(f"{place}agent_id", f"is {shown(agent_id)}", "take another: the run has files of that name")
    if times > 1:
        yield Fault(f"{place}agent_id", f"is {shown(agent_id)}, as that of another", "give each an id of its own")


def _model(place: str, model: dict[str, Any], files: Mapping[str, int]) -> Iterator[Fault]:
    if not model:
        return
    try:
        model_config(model)
    except ModelConfigError as fault:
        yield Fault(f"{place}model", f"is wrong: {str(fault).removeprefix('model: ')}", "correct it there")
        return
    if files.get(model.get("session_file", ""), 0) > 1:
        remedy = "give each participant a session of its own"
        yield Fault(f"{place}model.session_file", f"is {shown(model['session_file'])}, as that of another", remedy)


def _objective(place: str, settings: MatchSettings, one: ParticipantSettings) -> Iterator[Fault]:
    for name in one.variables:
        if name in BUILT_IN or not name.isidentifier():
            remedy = "take another name" if name in BUILT_IN else "take letters, digits and underscores"
            yield Fault(f"{place}variables.{name}", f"is {shown(one.variables[name])}", remedy)
    own = one.objective is not None
    values = one.variables | dict.fromkeys(BUILT_IN, "")
    try:
        fill(one.objective if one.objective is not None else settings.objective, values)
    except BadTemplate as fault:
        where = f"{place}objective" if own else f"objective (of participant {one.agent_id})"
        wrong, _, remedy = str(fault).partition(": ")
        yield Fault(where, f"can't be filled in, {wrong}", remedy)


def _budgets(settings: MatchSettings) -> Iterator[Fault]:
    for field in msgspec.structs.fields(Budgets):
        value = getattr(settings.budgets, field.name)
        if value is None:
            continue
        most = MAX_SECONDS if field.name == "max_wall_seconds" else math.inf
        if not (0 < value <= most and math.isfinite(value)):
            remedy = "give a number above 0" + (f", up to {most}" if math.isfinite(most) else "")
            yield Fault(f"budgets.{field.name}", f"is {shown(value)}", f"{remedy}, or leave it away")


def _reconnect(settings: MatchSettings) -> Iterator[Fault]:
    policy = settings.reconnect
    if not 0 <= policy.max_reconnects <= MAX_RECONNECTS:
        yield Fault("reconnect.max_reconnects", f"is {policy.max_reconnects}", f"give 0 to {MAX_RECONNECTS}")
    if not 0 <= policy.delay_s <= MAX_SECONDS:
        yield Fault("reconnect.delay_s", f"is {shown(policy.delay_s)}", "give seconds, 0 or more")


def _host(settings: MatchSettings) -> Iterator[Fault]:
    known = [str(transport) for transport in Transport]
    for name, port in settings.host.ports.items():
        if name not in known:
            yield Fault(f"host.ports.{name}", f"is {port}", f"name one of {', '.join(known)}")
        elif not 0 < port < 65536:
            yield Fault(f"host.ports.{name}", f"is {port}", "give a port, 1 to 65535")


def _door(settings: MatchSettings) -> Iterator[Fault]:
    door = settings.door
    if door is not None and not door.game.strip():
        yield Fault("door.game", f"is {shown(door.game)}", "name the game")
    if door is not None and door.turns is not None and door.turns < 1:
        yield Fault("door.turns", f"is {door.turns}", "give a number above 0, or leave it away")


def _checks(settings: MatchSettings) -> Iterator[Fault]:
    agents = {one.agent_id for one in settings.participants}
    for number, check in enumerate(settings.checks):
        if check.kind not in CHECK_KINDS:
            yield Fault(f"checks[{number}].kind", f"is {shown(check.kind)}", f"give one of {', '.join(CHECK_KINDS)}")
        if check.agent is not None and check.agent not in agents:
            remedy = "name a participant, or leave it away for each of them"
            yield Fault(f"checks[{number}].agent", f"is {shown(check.agent)}", remedy)


def _run_settings(settings: MatchSettings) -> Iterator[Fault]:
    for name, value in settings.settings.items():
        if name not in RUN_SETTINGS:
            yield Fault(f"settings.{name}", f"= {shown(value)} means nothing", f"give {', '.join(RUN_SETTINGS)}")
        elif not isinstance(value, str) or (RUN_SETTINGS[name] and value not in RUN_SETTINGS[name]):
            remedy = " or ".join(RUN_SETTINGS[name]) or "a folder"
            yield Fault(f"settings.{name}", f"is {shown(value)}", f"give {remedy}")
