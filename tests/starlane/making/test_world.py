"""Made worlds: connected, safe at home, fair to newcomers, and the same for the same seed everywhere."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starlane.goods import TRADE_GOODS
from starlane.making.layout import MAX_LANES_OUT, MIN_HAVEN_LANES
from starlane.making.markets import CLASSES, HAVEN_CLASS, HAVEN_PARTNER
from starlane.making.names import HAVEN_REGION, THORNHOLD_REGION
from starlane.making.world import MadeWorld, fingerprint, make
from starlane.records import HAVEN, NOBODY, Lane, Port
from starlane.rules.charts import Charts
from starlane.rules.planets import NATURES
from starlane.settings import MAX_NAME_CHARS, MAX_SECTORS, MIN_SECTORS, Settings

PINNED = "4fe6a5bdbdbbe67022f24b34d41f55af5eac93d5b96ff1035f46d34bbf3e5828"
"""Of the world of seed 6 with 100 sectors. If it changes, every world made again from its seed is another one."""

MAX_MAKING_S = 20
"""For the greatest world; it takes under two seconds on a machine with nothing else to do."""


@cache
def world(sectors: int = 500, seed: int = 1) -> MadeWorld:
    return make(Settings(seed=seed, sectors=sectors))


worlds = st.builds(world, st.integers(MIN_SECTORS, 120), st.integers(0, 2**64 - 1))


def letters(port: Port) -> str:
    return "".join("S" if port.sells(good) else "B" for good in TRADE_GOODS)


def complement(one: str, other: str) -> bool:
    """Whether a ship can carry something both ways."""
    pairs = list(zip(one, other, strict=True))
    return ("S", "B") in pairs and ("B", "S") in pairs


# Lanes


@settings(max_examples=30, deadline=None)
@given(worlds)
def test_every_sector_can_be_reached_from_every_other(made: MadeWorld) -> None:
    back = Charts(Lane(id=lane.id, source=lane.target, target=lane.source) for lane in made.lanes)
    for charts in (Charts(made.lanes), back):
        assert len(charts.hops(HAVEN)) == len(made.sectors)


@settings(max_examples=30, deadline=None)
@given(worlds)
def test_a_sector_has_one_to_six_lanes_and_none_twice(made: MadeWorld) -> None:
    assert [sector.number for sector in made.sectors] == list(range(1, len(made.sectors) + 1))
    assert [lane.id for lane in made.lanes] == list(range(1, len(made.lanes) + 1))
    ways = {(lane.source, lane.target) for lane in made.lanes}
    assert len(ways) == len(made.lanes)
    assert all(source != target for source, target in ways)
    out = Counter(source for source, _ in ways)
    assert set(out) == set(range(1, len(made.sectors) + 1))
    assert max(out.values()) <= MAX_LANES_OUT


@pytest.mark.parametrize("sectors", [100, 500, 2000])
def test_lanes_are_three_a_sector_and_one_in_eight_is_one_way(sectors: int) -> None:
    ways = {(lane.source, lane.target) for lane in world(sectors).lanes}
    assert 2.8 <= len(ways) / sectors <= 3.1
    one_way = sum((target, source) not in ways for source, target in ways)
    assert 0.10 <= one_way / len(ways) <= 0.15
    out = Counter(source for source, _ in ways)
    assert 0.05 <= sum(lanes == 1 for lanes in out.values()) / sectors <= 0.20


def test_the_default_world_is_crossed_in_a_fraction_of_a_day() -> None:
    charts = Charts(world().lanes)
    farthest = max(max(charts.hops(sector).values()) for sector in range(1, 501, 7))
    assert 15 <= farthest <= 45


# Places


@settings(max_examples=30, deadline=None)
@given(worlds)
def test_haven_and_all_its_neighbours_are_safe(made: MadeWorld) -> None:
    around = Charts(made.lanes).out_of(HAVEN)
    assert MIN_HAVEN_LANES <= len(around) <= MAX_LANES_OUT
    assert {sector.number for sector in made.sectors if sector.safe} == {HAVEN, *around}
    assert all(HAVEN in Charts(made.lanes).out_of(sector) for sector in around)
    safe = {HAVEN, *around}
    assert not safe & {planet.sector for planet in made.planets}
    assert not safe & {ship.sector for ship in made.thornships}


@settings(max_examples=30, deadline=None)
@given(worlds)
def test_thornhold_is_the_last_sector_and_alone_the_farthest(made: MadeWorld) -> None:
    away = Charts(made.lanes).hops(HAVEN)
    farthest = max(away.values())
    assert [sector for sector, hops in away.items() if hops == farthest] == [len(made.sectors)]
    assert made.sectors[0].region == HAVEN_REGION
    assert made.sectors[-1].region == THORNHOLD_REGION


@settings(max_examples=30, deadline=None)
@given(worlds)
def test_regions_are_neighbourhoods(made: MadeWorld) -> None:
    region = {sector.number: sector.region for sector in made.sectors}
    begins = [number for number in range(2, len(region) + 1) if region[number] != region[number - 1]]
    assert len(begins) + 1 == len(set(region.values()))  # numbers go region by region
    linked = {lane.source for lane in made.lanes if region[lane.source] == region[lane.target]}
    linked |= {lane.target for lane in made.lanes if region[lane.source] == region[lane.target]}
    sizes = Counter(region.values())
    assert all(number in linked or sizes[name] == 1 for number, name in region.items())


def test_the_thorn_starts_around_thornhold_and_grows_with_the_world() -> None:
    made = world(2000)
    nearest = list(Charts(made.lanes).hops(len(made.sectors)))[: len(made.sectors) // 20]
    assert len(made.thornships) > len(world().thornships) > 1
    assert all(ship.sector in nearest and ship.fighters > 0 for ship in made.thornships)


def test_planets_are_nobodys_and_of_every_kind() -> None:
    made = world(2000)
    assert 0.08 <= len(made.planets) / 2000 <= 0.12
    assert {planet.kind for planet in made.planets} == set(NATURES)
    assert all(planet.owner == NOBODY and planet.job is NATURES[planet.kind].best for planet in made.planets)
    assert len(world(MIN_SECTORS).planets) >= 2


@settings(max_examples=30, deadline=None)
@given(worlds)
def test_names_are_short_and_none_is_used_twice(made: MadeWorld) -> None:
    names = [port.name for port in made.ports] + [planet.name for planet in made.planets]
    names += [ship.name for ship in made.thornships] + list({sector.region for sector in made.sectors})
    assert len(set(names)) == len(names)
    assert all(name.isascii() and name.isprintable() and len(name) <= MAX_NAME_CHARS for name in names)


# Ports


def test_ports_are_in_nearly_half_of_all_sectors_and_of_all_classes() -> None:
    made = world(2000)
    assert 0.42 <= len(made.ports) / 2000 <= 0.48
    classes = Counter(map(letters, made.ports))
    assert set(classes) == set(CLASSES)
    assert min(classes.values()) > len(made.ports) // 12


def test_partners_side_by_side_are_neither_everywhere_nor_rare() -> None:
    made = world(2000)
    ports = {port.sector: letters(port) for port in made.ports}
    beside = [(lane.source, lane.target) for lane in made.lanes if lane.source in ports and lane.target in ports]
    partners = [pair for pair in beside if complement(ports[pair[0]], ports[pair[1]])]
    assert 0.35 <= len(partners) / len(beside) <= 0.65
    assert 0.3 <= len({source for source, _ in partners}) / len(ports) <= 0.7


@settings(max_examples=30, deadline=None)
@given(worlds)
def test_a_newcomer_finds_a_partner_beside_haven(made: MadeWorld) -> None:
    ports = {port.sector: letters(port) for port in made.ports}
    assert ports[HAVEN] == HAVEN_CLASS
    assert HAVEN_PARTNER in [ports.get(sector) for sector in Charts(made.lanes).out_of(HAVEN)]
    assert complement(HAVEN_CLASS, HAVEN_PARTNER)


@settings(max_examples=30, deadline=None)
@given(worlds)
def test_sellers_have_goods_and_buyers_have_room(made: MadeWorld) -> None:
    for port in made.ports:
        for good in TRADE_GOODS:
            full = 100 * port.stock(good) / port.size(good)
            assert 39 <= full <= 100 if port.sells(good) else 0 <= full <= 35


def test_ports_grow_with_the_way_from_haven() -> None:
    made = world(2000)
    away = Charts(made.lanes).hops(HAVEN)
    near = [port.tools_size for port in made.ports[1:] if away[port.sector] < 8]
    far = [port.tools_size for port in made.ports[1:] if away[port.sector] > 16]
    assert min(len(near), len(far)) > 20
    assert sum(far) / len(far) > 1.5 * sum(near) / len(near)


# The same world


def test_the_same_seed_gives_the_same_world_bit_for_bit() -> None:
    assert fingerprint(make(Settings(seed=6, sectors=100))) == PINNED


def test_nothing_but_seed_and_size_counts() -> None:
    assert make(Settings(seed=6, sectors=100, turns_per_day=9, start_credits=1)) == world(100, 6)
    assert fingerprint(world(100, 7)) != PINNED


def test_another_process_with_other_hashes_makes_the_same_world() -> None:
    script = (
        "from starlane.making.world import fingerprint, make\n"
        "from starlane.settings import Settings\n"
        "print(fingerprint(make(Settings(seed=6, sectors=100))))"
    )
    for hash_seed in ("1", "4242"):
        ran = subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout.strip() == PINNED


def test_any_whole_number_is_a_seed() -> None:
    assert len({fingerprint(world(20, seed)) for seed in (-1, 0, 1, 2**64 - 2, 10**30)}) == 5


# Bounds


def test_the_greatest_world_is_made_in_seconds() -> None:
    began = time.monotonic()
    made = make(Settings(seed=3, sectors=MAX_SECTORS))
    assert time.monotonic() - began < MAX_MAKING_S
    assert len(Charts(made.lanes).hops(HAVEN)) == MAX_SECTORS


@pytest.mark.parametrize("sectors", [MIN_SECTORS - 1, MAX_SECTORS + 1, 0, -5])
def test_other_sizes_are_no_worlds(sectors: int) -> None:
    with pytest.raises(ValueError, match=str(sectors)):
        make(Settings(seed=1, sectors=sectors))
