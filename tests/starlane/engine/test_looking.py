"""Views: what a pilot sees of its sector, itself, ports, planets and the yard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest
from tests.starlane.engine.front import ally, fighter_pilot, settle, station
from tests.starlane.worlds import change, enroll, pilot, place, six_sectors

from starlane.engine import looking
from starlane.engine.ports import Sky
from starlane.engine.refusal import Refused
from starlane.goods import TRADE_GOODS, Good
from starlane.orders import OPERATOR, Actor, Move, NewDay, Scan
from starlane.records import Job, Kind, Pilot, Port, Stance, Thornship
from starlane.universe.universe import Universe
from starlane.views import LaneView, PicketView, PlanetLine, PortLine, PortView, SectorView, ShipView

T = TypeVar("T")


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        yield made


@pytest.fixture
def ada(universe: Universe) -> Actor:
    """In sector 4, no newcomer any more."""
    return fighter_pilot(universe, "Ada")


@pytest.fixture
def bob(universe: Universe) -> Actor:
    return fighter_pilot(universe, "Bob")


def look(universe: Universe, who: Actor, build: Callable[[Sky, Pilot], T]) -> T:
    with universe.look() as sky:
        found = sky.get(Pilot, who.pilot)
        assert found is not None
        return build(sky, found)


def sector(universe: Universe, who: Actor) -> SectorView:
    return look(universe, who, looking.sector_view)


def port(universe: Universe, number: int) -> Port:
    with universe.look() as sky:
        found = sky.get(Port, number)
    assert found is not None
    return found


# Sectors


def test_haven_is_safe_and_has_a_port(universe: Universe) -> None:
    view = sector(universe, enroll(universe, "Eve"))
    assert (view.number, view.region, view.safe, view.port, view.port_letters) == (
        1,
        "Haven Reach",
        True,
        "Haven",
        "BSS",
    )
    assert view.lanes == (LaneView(to=2, seen=False, one_way=False), LaneView(to=5, seen=False, one_way=False))
    assert (view.planets, view.ships, view.thorns, view.picket) == ((), (), (), None)


def test_lanes_tell_where_one_has_been_and_whether_they_lead_back(universe: Universe, ada: Actor) -> None:
    universe.perform(ada, Move(to=3))
    assert sector(universe, ada).lanes == (
        LaneView(to=2, seen=False, one_way=False),
        LaneView(to=4, seen=False, one_way=False),  # the front put Ada there; she has not flown there
        LaneView(to=6, seen=False, one_way=True),
    )
    universe.perform(ada, Move(to=4))
    universe.perform(ada, Move(to=3))
    assert [lane.seen for lane in sector(universe, ada).lanes] == [False, True, False]


def test_what_a_scanner_has_seen_has_not_been_visited(universe: Universe, ada: Actor) -> None:
    place(universe, ada, scanner=True)
    universe.perform(ada, Scan())
    assert not any(lane.seen for lane in sector(universe, ada).lanes)


def test_ships_in_space_are_seen_those_awake_first(universe: Universe, ada: Actor, bob: Actor) -> None:
    cyd, dot = fighter_pilot(universe, "Cyd"), fighter_pilot(universe, "Dot", protected_until=2)
    ally(universe, ada, dot)
    place(universe, bob, aboard=False, fighters=3)
    place(universe, cyd, planet=1)
    assert sector(universe, ada).ships == (
        ShipView(
            pilot=dot.pilot, name="Dot", fighters=100, alliance="The Ring", protected=True, ally=True, aboard=True
        ),
        ShipView(pilot=bob.pilot, name="Bob", fighters=3, alliance="", protected=False, ally=False, aboard=False),
    )


def test_planets_tell_whose_they_are(universe: Universe, ada: Actor, bob: Actor) -> None:
    settle(universe, bob, 1, fighters=9)
    brine, cinder = sector(universe, ada).planets
    assert brine == PlanetLine(
        planet=1, name="Brine", kind=Kind.OCEAN, owner=bob.pilot, owner_name="Bob", fighters=9, friendly=False
    )
    assert (cinder.owner, cinder.owner_name, cinder.friendly) == (0, "", False)
    assert sector(universe, bob).planets[0].friendly
    ally(universe, ada, bob)
    assert sector(universe, ada).planets[0].friendly


def test_a_picket_tells_whose_it_is(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4, 12, Stance.TOLL)
    expected = PicketView(owner=bob.pilot, owner_name="Bob", fighters=12, stance=Stance.TOLL, friendly=False)
    assert sector(universe, ada).picket == expected
    ally(universe, ada, bob)
    picket = sector(universe, ada).picket
    assert picket is not None
    assert picket.friendly


def test_thornships_are_seen_the_strongest_first(universe: Universe, ada: Actor) -> None:
    change(universe, Thornship(id=2, name="Grim Teasel", sector=6, fighters=90))
    place(universe, ada, sector=6)
    assert [(thorn.name, thorn.fighters) for thorn in sector(universe, ada).thorns] == [
        ("Grim Teasel", 90),
        ("Bramble", 40),
    ]


# Oneself


def test_pilots_see_themselves(universe: Universe, ada: Actor) -> None:
    place(universe, ada, ice=3, colonists=4, planet=1, credits=7, bank=9, protected_until=2)
    view = look(universe, ada, looking.pilot_view)
    assert (view.pilot, view.name, view.sector, view.day, view.planet) == (ada.pilot, "Ada", 4, 0, "Brine")
    assert (view.ice, view.colonists, view.free_holds, view.credits, view.bank) == (3, 4, 13, 7, 9)
    assert (view.protected_days, view.alliance, view.scanner) == (2, "", False)
    assert look(universe, ada, looking.net_worth) == view.net_worth


def test_the_turns_of_a_new_day_are_seen_before_they_are_used(universe: Universe, ada: Actor) -> None:
    place(universe, ada, turns=1)
    assert look(universe, ada, looking.pilot_view).turns == 1
    universe.perform(OPERATOR, NewDay())
    assert look(universe, ada, looking.pilot_view).turns == 250


# Ports, planets and the yard


def test_a_port_shows_its_board(universe: Universe) -> None:
    with universe.look() as sky:
        assert looking.port_view(sky, 4) is None
        board = looking.port_view(sky, 2)
    assert board == PortView(
        sector=2,
        name="Lantern",
        letters="SBB",
        lines=(
            PortLine(good=Good.ICE, sells=True, open_for=500, size=500, unit_price=70),
            PortLine(good=Good.GRAIN, sells=False, open_for=500, size=500, unit_price=260),
            PortLine(good=Good.TOOLS, sells=False, open_for=500, size=500, unit_price=520),
        ),
    )


def test_reports_of_ports_are_as_of_the_day_they_were_seen(universe: Universe) -> None:
    eve = enroll(universe, "Eve")
    universe.perform(eve, Move(to=2))
    universe.perform(eve, Move(to=1))
    change(universe, port(universe, 2).traded(Good.ICE, -400))
    universe.perform(OPERATOR, NewDay())
    universe.perform(eve, Move(to=5))
    reports = look(universe, eve, looking.port_reports)
    assert [(report.day, report.port.sector) for report in reports] == [(0, 1), (0, 2), (1, 5)]
    assert reports[1].port.lines[0].open_for == 500


def test_what_a_scanner_has_seen_is_reported(universe: Universe, ada: Actor) -> None:
    place(universe, ada, scanner=True)
    universe.perform(ada, Scan())
    assert [report.port.sector for report in look(universe, ada, looking.port_reports)] == [1, 3, 5]


def test_the_ground_shows_works_and_stores(universe: Universe, ada: Actor) -> None:
    settle(universe, ada, 1, colonists=1_000, job=Job.GRAIN, works=1, ice=5, credits=70)
    with universe.look() as sky:
        view = looking.planet_view(sky, 1)
        with pytest.raises(LookupError):
            looking.planet_view(sky, 99)
    assert (view.name, view.owner_name, view.job, view.works, view.ice, view.credits) == (
        "Brine",
        "Ada",
        Job.GRAIN,
        1,
        5,
        70,
    )
    assert view.makes_per_day > 0
    assert view.max_colonists > view.colonists
    assert view.build_credits > 0
    assert view.build_tools > 0


def test_the_yard_asks_more_for_holds_of_larger_ships(universe: Universe, ada: Actor) -> None:
    small = look(universe, ada, looking.yard_view)
    place(universe, ada, holds=200)
    large = look(universe, ada, looking.yard_view)
    assert (small.hold_price, small.holds_for_sale) == (300, 180)
    assert (large.hold_price, large.holds_for_sale) == (2_460, 0)
    assert (small.fighter_price, small.colonist_price, small.scanner_price) == (50, 8, 3_000)


# Ways


def test_a_path_begins_where_the_pilot_is(universe: Universe, ada: Actor) -> None:
    assert look(universe, ada, lambda sky, pilot: looking.path(sky, pilot, 2)) == (3, 2)
    assert look(universe, ada, lambda sky, pilot: looking.path(sky, pilot, 4)) == ()


@pytest.mark.parametrize("to", [0, 7, -1, 10**12])
def test_there_is_no_path_to_nowhere(universe: Universe, ada: Actor, to: int) -> None:
    with pytest.raises(Refused, match="There is no sector"):
        look(universe, ada, lambda sky, pilot: looking.path(sky, pilot, to))


def test_letters_of_a_port_are_in_the_order_of_goods(universe: Universe) -> None:
    assert [port(universe, number).letters() for number in (1, 2, 3, 5)] == ["BSS", "SBB", "BBS", "SSB"]
    assert len(TRADE_GOODS) == 3
    assert pilot(universe, enroll(universe, "Eve")).sector == 1
