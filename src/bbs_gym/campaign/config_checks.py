"""Whether settings of the right shape make a campaign: known names, and matches that can be played."""

from __future__ import annotations

import difflib
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from bbs_gym.campaign.composing import composed_faults
from bbs_gym.campaign.schedule import PlannedSeat, TooMany, make_schedule, models_of, playing
from bbs_gym.campaign.settings import CampaignSettings, Format, TurnSettings
from bbs_gym.match.config_checks import MAX_PARTICIPANTS, MAX_SECONDS
from bbs_gym.match.config_faults import Fault, shown
from tty_agent.models.catalog import ModelConfigError, model_config

MAX_SEEDS: Final = 10_000
"""Of one turn: intervals get no narrower that anybody could see."""

MAX_TRIES: Final = 100
"""A machine that spoils a match more often is to be mended."""

_TAKEN: Final = ("name", "participants", "seed")
"""Of a match: what the campaign gives it."""

_PARTICIPANT: Final = re.compile(r"\bparticipants\[(\d+)\]")


def faults_of(settings: CampaignSettings) -> tuple[Fault, ...]:
    """Every wrong field. Matches are looked at only if their parts are right."""
    parts = (_campaign, _agents, _models, _turns, _swaps)
    faults = tuple(fault for part in parts for fault in part(settings))
    if not faults:
        faults = tuple(_matches(settings))
    if not faults:
        faults = tuple(_size(settings))
    return faults


def _campaign(settings: CampaignSettings) -> Iterator[Fault]:
    yield from _name("name", settings.name)
    yield from _unique("agents", (one.agent_id.casefold() for one in settings.agents), "agent_id")
    yield from _unique("turns", (one.name for one in settings.turns), "name")
    yield from _unique("variants", (one.name for one in settings.variants), "name")
    for number, variant in enumerate(settings.variants):
        yield from _name(f"variants[{number}].name", variant.name)
        yield from _taken(f"variants[{number}].match", variant.match)
    yield from _taken("match", settings.match)
    if not 1 <= settings.max_tries <= MAX_TRIES:
        yield Fault("max_tries", f"is {settings.max_tries}", f"give 1 to {MAX_TRIES}")
    limit = settings.max_match_seconds
    if limit is not None and not 0 < limit <= MAX_SECONDS:
        yield Fault("max_match_seconds", f"is {shown(limit)}", f"give a number above 0, up to {MAX_SECONDS}")


def _agents(settings: CampaignSettings) -> Iterator[Fault]:
    if not 1 <= len(settings.agents) <= MAX_PARTICIPANTS:
        yield Fault("agents", f"are {len(settings.agents)}", f"give 1 to {MAX_PARTICIPANTS}")
    for number, agent in enumerate(settings.agents):
        yield from _known(f"agents[{number}].models", agent.models, settings.models)


def _models(settings: CampaignSettings) -> Iterator[Fault]:
    for name, table in settings.models.items():
        yield from _name("models", name)
        try:
            model_config(table)
        except ModelConfigError as fault:
            yield Fault(f"models.{name}", f"is wrong: {str(fault).removeprefix('model: ')}", "correct it there")


def _turns(settings: CampaignSettings) -> Iterator[Fault]:
    agents = [one.agent_id for one in settings.agents]
    variants = [one.name for one in settings.variants]
    if not settings.turns:
        yield Fault("turns", "are none", "give one at least")
    for number, turn in enumerate(settings.turns):
        place = f"turns[{number}]."
        yield from _name(f"{place}name", turn.name)
        yield from _taken(f"{place}match", turn.match)
        yield from _known(f"{place}agents", turn.agents, agents)
        yield from _known(f"{place}variants", turn.variants, variants)
        yield from _seeds(place, turn)
        yield from _seats(place, turn, len(playing(settings, turn)))


def _seeds(place: str, turn: TurnSettings) -> Iterator[Fault]:
    count = turn.seeds if isinstance(turn.seeds, int) else len(turn.seeds)
    if not 1 <= count <= MAX_SEEDS:
        yield Fault(f"{place}seeds", f"are {count}", f"give 1 to {MAX_SEEDS}")
    if not isinstance(turn.seeds, int) and len(set(turn.seeds)) < count:
        yield Fault(f"{place}seeds", f"are {shown(turn.seeds)}", "name each once")
    if turn.seatings is not None and turn.seatings < 1:
        yield Fault(f"{place}seatings", f"is {turn.seatings}", "give a number above 0, or leave it away")


def _seats(place: str, turn: TurnSettings, agents: int) -> Iterator[Fault]:
    if turn.format is not Format.SOLO and agents < 2:
        yield Fault(f"{place}format", f"is {turn.format}, for {agents} agent", "name two agents at least, or take solo")
    if turn.seats is None:
        return
    if turn.format is not Format.MELEE:
        yield Fault(f"{place}seats", f"is {turn.seats}", f"leave it away: {turn.format} has its own number")
    elif not 2 <= turn.seats <= agents:
        yield Fault(f"{place}seats", f"is {turn.seats}", f"give 2 to {agents}")


def _swaps(settings: CampaignSettings) -> Iterator[Fault]:
    turns = [one.name for one in settings.turns]
    agents = [one.agent_id for one in settings.agents]
    for number, swap in enumerate(settings.swaps):
        place = f"swaps[{number}]."
        faults = [
            *_known(f"{place}turn", [swap.turn], turns),
            *_known(f"{place}agent", [swap.agent] if swap.agent is not None else [], agents),
            *_known(f"{place}old", [swap.old], settings.models),
            *_known(f"{place}new", [swap.new], settings.models),
        ]
        yield from faults
        if not faults and swap.turn == turns[0]:
            yield Fault(f"{place}turn", f"is {shown(swap.turn)}, the first", "give the agents that model to begin with")


def _matches(settings: CampaignSettings) -> Iterator[Fault]:
    """Of each turn and variant: with all who may meet. The same fault is told once."""
    seen: set[str] = set()
    for at, turn in enumerate(settings.turns, 1):
        variants = turn.variants or tuple(one.name for one in settings.variants) or (None,)
        agents = playing(settings, turn)
        everyone = [PlannedSeat(agent_id=agent.agent_id, model=models_of(settings, agent, at)[0]) for agent in agents]
        rosters = [[one] for one in everyone] if turn.format is Format.SOLO else [everyone]
        for variant in variants:
            for roster in rosters:
                for fault in composed_faults(settings, turn, variant, roster):
                    place = _PARTICIPANT.sub(lambda one: roster[int(one[1])].agent_id, fault.place)  # noqa: B023 - now
                    if place + fault.wrong not in seen:
                        seen.add(place + fault.wrong)
                        of = turn.name if variant is None else f"{turn.name}, variant {variant}"
                        yield Fault(f"match of turn {of}: {place}", fault.wrong, fault.remedy)


def _size(settings: CampaignSettings) -> Iterator[Fault]:
    for turn in settings.turns:
        if turn.format is Format.MELEE and turn.seats and math.comb(len(playing(settings, turn)), turn.seats) > 10**6:
            yield Fault("turns", f"{turn.name} has too many choices of {turn.seats} agents", "take other seats")
            return
    try:
        if not make_schedule(settings).matches:
            yield Fault("turns", "have no match", "let two agents meet")
    except TooMany as fault:
        what, _, remedy = str(fault).partition(": ")
        yield Fault("turns", f"are too much: {what}", remedy)


def _name(place: str, name: str) -> Iterator[Fault]:
    if not name.strip() or not name.isprintable() or "/" in name or len(name) > 100:
        yield Fault(place, f"is {shown(name)}", "give a printable name without a slash, up to 100 characters")


def _unique(place: str, names: Iterable[str], field: str) -> Iterator[Fault]:
    for name, times in Counter(names).items():
        if times > 1:
            yield Fault(place, f"have {times} times the {field} {shown(name)}", "give each one of its own")


def _taken(place: str, table: dict[str, object]) -> Iterator[Fault]:
    for name in _TAKEN:
        if name in table:
            yield Fault(f"{place}.{name}", f"is {shown(table[name])}", "leave it away: the campaign gives it")


def _known(place: str, names: Iterable[str], known: Iterable[str]) -> Iterator[Fault]:
    every = list(known)
    for name in names:
        if name not in every:
            near = difflib.get_close_matches(name, every, n=2)
            there = f"there are {', '.join(every[:10])}" if every else "there are none"
            yield Fault(place, f"names {shown(name)}", f"did you mean {' or '.join(near)}?" if near else there)
