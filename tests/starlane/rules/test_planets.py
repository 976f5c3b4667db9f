"""The numbers of planets: what a settlement is worth, and the bounds that it keeps."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starlane.records import Job, Kind, Planet
from starlane.rules.planets import (
    MAX_WORKS,
    NATURES,
    births,
    build_cost,
    defence_permille,
    makes_per_day,
    max_colonists,
    store_cap,
    works_cost,
)

VALUES = {Job.ICE: 10, Job.GRAIN: 20, Job.TOOLS: 40, Job.FIGHTERS: 50}
"""Base values in credits."""
COLONIST, FIGHTER, TOOL = 8, 50, 40

planets = st.builds(
    Planet,
    id=st.just(1),
    sector=st.just(2),
    name=st.just("Hope"),
    kind=st.sampled_from(Kind),
    owner=st.integers(0, 3),
    job=st.sampled_from(Job),
    works=st.integers(0, MAX_WORKS),
    ice=st.integers(0, 10_000),
    grain=st.integers(0, 10_000),
    tools=st.integers(0, 10_000),
    fighters=st.integers(0, 10_000),
    colonists=st.integers(0, 20_000),
)


def settled(kind: Kind = Kind.OCEAN, **fields: int) -> Planet:
    return Planet(
        **{"id": 1, "sector": 2, "name": "Hope", "kind": kind, "owner": 3, "job": NATURES[kind].best} | fields  # type: ignore[arg-type]  # one of fields
    )


@pytest.mark.parametrize("works", [0, 1, 2])
@pytest.mark.parametrize("kind", Kind)
def test_a_settlement_with_a_garrison_pays_back_in_five_to_eight_days(kind: Kind, works: int) -> None:
    people = 1_000
    planet = settled(kind, works=works, colonists=people)
    price, tools = works_cost(works)
    cost = people * COLONIST + people // 10 * FIGHTER + price + tools * TOOL
    a_day = makes_per_day(planet) * VALUES[planet.job]

    assert 4.9 <= cost / a_day <= 8.1


@pytest.mark.parametrize("kind", Kind)
def test_a_full_planet_with_the_highest_works_pays_back_sooner_than_one_without(kind: Kind) -> None:
    days = []
    for works in (0, MAX_WORKS):
        planet = settled(kind, works=works)
        people = max_colonists(planet)
        planet = planet.with_more(colonists=people)
        price, tools = works_cost(works)
        cost = people * COLONIST + people // 10 * FIGHTER + price + tools * TOOL
        days.append(cost / (makes_per_day(planet) * VALUES[planet.job]))

    assert days[1] < days[0]


@pytest.mark.parametrize(
    ("job", "kind"),
    [(Job.GRAIN, Kind.OCEAN), (Job.ICE, Kind.FROST), (Job.TOOLS, Kind.MOUNTAIN), (Job.FIGHTERS, Kind.ASH)],
)
def test_each_job_has_the_kind_that_is_best_at_it(job: Job, kind: Kind) -> None:
    assert max(Kind, key=lambda other: NATURES[other].makes[job]) is kind
    assert NATURES[kind].best is job


def test_a_prairie_does_equally_well_with_any_trade_good() -> None:
    worth = [NATURES[Kind.PRAIRIE].makes[job] * VALUES[job] for job in (Job.ICE, Job.GRAIN, Job.TOOLS)]

    assert max(worth) * 8 <= min(worth) * 10


def test_fighters_are_slow() -> None:
    for kind, nature in NATURES.items():
        worth = nature.makes[Job.FIGHTERS] * VALUES[Job.FIGHTERS]
        assert worth <= 2_000, kind


@settings(max_examples=60, deadline=None)
@given(planets)
def test_a_harvest_never_goes_beyond_the_stores_nor_below_nothing(planet: Planet) -> None:
    made = makes_per_day(planet)
    lies_there = getattr(planet, planet.job.value)

    assert made >= 0
    assert made == 0 or lies_there + made <= store_cap(planet)


@settings(max_examples=60, deadline=None)
@given(planets)
def test_people_tend_to_what_the_planet_can_feed(planet: Planet) -> None:
    after = planet.colonists + births(planet)
    most = max_colonists(planet)

    if planet.owner and planet.colonists:
        assert after == most if planet.colonists == most else abs(most - after) < abs(most - planet.colonists)
    else:
        assert after == planet.colonists


def test_without_an_owner_nothing_is_made_and_nobody_born() -> None:
    planet = settled(owner=0, colonists=500)

    assert (makes_per_day(planet), births(planet)) == (0, 0)


def test_a_crowd_beyond_what_can_live_there_has_no_work() -> None:
    full, crowded = settled(colonists=2_500), settled(colonists=9_999)

    assert makes_per_day(crowded) == makes_per_day(full)


def test_works_cost_what_their_levels_cost_together() -> None:
    paid_credits = paid_tools = 0
    for works in range(MAX_WORKS):
        price, tools = build_cost(settled(works=works))
        assert price > 0 < tools
        paid_credits, paid_tools = paid_credits + price, paid_tools + tools
        assert works_cost(works + 1) == (paid_credits, paid_tools)
    assert build_cost(settled(works=MAX_WORKS)) == (0, 0)


def test_works_make_a_garrison_stronger() -> None:
    assert [defence_permille(settled(works=works)) for works in range(MAX_WORKS + 1)] == [
        1000, 1200, 1400, 1600, 1800, 2000,
    ]  # fmt: skip
