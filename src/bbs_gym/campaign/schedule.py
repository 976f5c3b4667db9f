"""The schedule of a campaign: every match, in order, from the settings alone. Pure: the same settings give the same
schedule, on every machine, and its hash says so.

Within a turn every meeting is played with every seed, in every variant, and in as many orders of the seats as make
them even; what differs in one thing alone has all else in common, the seed too. So whatever a seed, a seat or a variant
does, it does to all.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from itertools import combinations, islice
from typing import Final

import msgspec

from bbs_gym.campaign.designs import circle, seatings
from bbs_gym.campaign.settings import AgentSettings, CampaignSettings, Format, TurnSettings
from bbs_gym.match.order import SplitMix

MAX_MATCHES: Final = 100_000
"""Of a campaign: some weeks of a cluster. More is a mistake in the settings."""

SEED_BOUND: Final = 2**31
"""Seeds that are made are below: every game takes such a one."""

_NOT_SCHEDULED: Final = ("max_tries", "max_match_seconds")
"""Settings that may be changed while a campaign rests: they say nothing of what is played."""


class TooMany(ValueError):
    """The settings ask for more matches than a campaign may have."""


class PlannedSeat(msgspec.Struct, frozen=True, kw_only=True):
    """One competitor of a match: an agent with a model."""

    agent_id: str
    model: str | None = None
    """Its name in the campaign, as of that turn; None: the model of the registry."""


class PlannedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """One match."""

    number: int
    """In the campaign, from 1, without gaps."""
    match_id: str
    """Its name everywhere, of folders too."""
    turn: int
    """The campaign turn, from 1."""
    round: int
    """In the turn, from 1: what is in one round has one seed and one variant, and no competitor in it plays twice."""
    seed: int
    variant: str | None = None
    seating: int = 1
    """Which of the orders of seats."""
    seats: tuple[PlannedSeat, ...]
    """In the order of the seats: the first comes first."""


class Swapped(msgspec.Struct, frozen=True, kw_only=True):
    """An agent plays with another model from the beginning of a turn on."""

    turn: int
    agent_id: str
    old: str
    new: str


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """All of it."""

    campaign: str
    matches: tuple[PlannedMatch, ...]
    swaps: tuple[Swapped, ...]
    sha256: str
    """Over the matches and all settings that say what is played."""


Group = tuple[PlannedSeat, ...]


def make_schedule(settings: CampaignSettings) -> Schedule:
    """The schedule. The settings have been checked (`config.check_campaign`). Raises TooMany."""
    matches = tuple(islice(_matches(settings), MAX_MATCHES + 1))
    if len(matches) > MAX_MATCHES:
        raise TooMany(f"it has more than {MAX_MATCHES} matches: take fewer seeds, seats, variants or agents")
    swaps = tuple(_swapped(settings))
    return Schedule(campaign=settings.name, matches=matches, swaps=swaps, sha256=_sha256(settings, matches, swaps))


def seeds_of(settings: CampaignSettings, turn: int) -> tuple[int, ...]:
    """The seeds of a turn (from 1): those that it names, or so many, made of the campaign's."""
    wanted = settings.turns[turn - 1].seeds
    if not isinstance(wanted, int):
        return wanted
    chance = SplitMix(SplitMix(settings.seed).draw() + turn)
    found: dict[int, None] = {}
    while len(found) < wanted:
        found[chance.below(SEED_BOUND)] = None
    return tuple(found)


def playing(settings: CampaignSettings, turn: TurnSettings) -> tuple[AgentSettings, ...]:
    """The agents of a turn, in the order of the campaign."""
    return tuple(agent for agent in settings.agents if not turn.agents or agent.agent_id in turn.agents)


def models_of(settings: CampaignSettings, agent: AgentSettings, turn: int) -> tuple[str | None, ...]:
    """The names of the models that an agent plays with in a turn (from 1), after the swaps so far."""
    names: tuple[str, ...] = agent.models or tuple(settings.models)
    at = {one.name: number for number, one in enumerate(settings.turns, 1)}
    for swap in sorted(settings.swaps, key=lambda one: at[one.turn]):
        if at[swap.turn] <= turn and swap.agent in {None, agent.agent_id}:
            names = tuple(swap.new if name == swap.old else name for name in names)
    return tuple(dict.fromkeys(names)) or (None,)


def _matches(settings: CampaignSettings) -> Iterator[PlannedMatch]:
    number = 0
    for at, turn in enumerate(settings.turns, 1):
        for played in _of_turn(settings, turn, at):
            number += 1
            name = f"{plain_name(settings.name)}-{number:05d}-{plain_name(turn.name)}"
            yield msgspec.structs.replace(played, number=number, match_id=name)


def _of_turn(settings: CampaignSettings, turn: TurnSettings, at: int) -> Iterator[PlannedMatch]:
    variants: tuple[str | None, ...] = turn.variants or tuple(one.name for one in settings.variants) or (None,)
    round_number = 0
    for index, seed in enumerate(seeds_of(settings, at)):
        for groups in _rounds(settings, turn, at):
            orders = _orders(len(groups[0]), turn.seatings, index)
            for variant in variants:
                for seating, order in orders:
                    round_number += 1
                    for group in groups:
                        yield PlannedMatch(
                            number=0,
                            match_id="",
                            turn=at,
                            round=round_number,
                            seed=seed,
                            variant=variant,
                            seating=seating,
                            seats=tuple(group[place] for place in order),
                        )


def _rounds(settings: CampaignSettings, turn: TurnSettings, at: int) -> Iterator[tuple[Group, ...]]:
    """Who meets, once each: in a round are those that can be played at the same time."""
    agents = playing(settings, turn)
    models = {agent.agent_id: models_of(settings, agent, at) for agent in agents}
    every = [PlannedSeat(agent_id=agent, model=model) for agent, names in models.items() for model in names]
    match turn.format:
        case Format.SOLO:
            yield tuple((one,) for one in every)
        case Format.ROUND_ROBIN:
            for pairs in circle(every):
                met = tuple(pair for pair in pairs if pair[0].agent_id != pair[1].agent_id)
                if met:  # two models of one agent never meet: it has one account
                    yield met
        case Format.MELEE:
            for chosen in combinations(models, turn.seats or len(models)):
                for lineup in range(math.lcm(*(len(models[agent]) for agent in chosen))):
                    yield (
                        tuple(
                            PlannedSeat(agent_id=agent, model=models[agent][(lineup + place) % len(models[agent])])
                            for place, agent in enumerate(chosen)
                        ),
                    )


def _orders(seats: int, wanted: int | None, index: int) -> list[tuple[int, tuple[int, ...]]]:
    """The orders of seats for one seed, with their numbers: where not all are wanted, the next ones for each seed."""
    every = list(enumerate(seatings(seats), 1))
    if wanted is None or wanted >= len(every):
        return every
    return [every[(index * wanted + place) % len(every)] for place in range(wanted)]


def _swapped(settings: CampaignSettings) -> Iterator[Swapped]:
    """Each swap, for each agent that it changes something for."""
    at = {one.name: number for number, one in enumerate(settings.turns, 1)}
    for swap in sorted(settings.swaps, key=lambda one: at[one.turn]):
        turn = at[swap.turn]
        for agent in settings.agents:
            if swap.agent in {None, agent.agent_id} and swap.old in models_of(settings, agent, turn - 1):
                yield Swapped(turn=turn, agent_id=agent.agent_id, old=swap.old, new=swap.new)


def plain_name(name: str) -> str:
    """Fit for a folder."""
    plain = "".join(one if one.isascii() and one.isalnum() else "-" for one in name)
    return plain[:40].strip("-") or "x"


def _sha256(settings: CampaignSettings, matches: tuple[PlannedMatch, ...], swaps: tuple[Swapped, ...]) -> str:
    told = msgspec.to_builtins(settings, enc_hook=str)
    for name in _NOT_SCHEDULED:
        del told[name]
    content = {"settings": told, "matches": matches, "swaps": swaps}
    return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()
