"""What the reader makes of the game's screens is what they were made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from tests.starlane.door.dialogue import plain_all
from tests.starlane.worlds import change, six_sectors, small_world

from starlane.bots import reader
from starlane.bots.brains.drifter import Drifter
from starlane.bots.in_process import InProcess
from starlane.bots.reader import Unreadable
from starlane.bots.shown import shown_board, shown_pilot, shown_planet, shown_sector
from starlane.door.screens.computer import port_table
from starlane.door.screens.fight import fight_lines
from starlane.door.screens.flight import path_line, scan_screen, stopped_lines
from starlane.door.screens.planet import planet_screen
from starlane.door.screens.port import port_board
from starlane.door.screens.sector import sector_screen
from starlane.door.screens.ship import ship_screen
from starlane.door.screens.yard import yard_screen
from starlane.engine import looking
from starlane.engine.ports import Sky
from starlane.goods import Good
from starlane.orders import OPERATOR, NewDay
from starlane.records import Kind, Picket, Pilot, Planet, Stance
from starlane.reports import Fought, Haggle, Sight, Stopped
from starlane.universe.universe import Universe

T = TypeVar("T")


def look(universe: Universe, name: str, build: Callable[[Sky, Pilot], T]) -> T:
    with universe.look() as sky:
        [pilot] = sky.find(Pilot, name=name)
        return build(sky, pilot)


def check_screens(universe: Universe, name: str) -> None:
    """Every screen that the pilot can call up where it is reads as what it was made of."""
    view, me = look(universe, name, lambda sky, who: (looking.sector_view(sky, who), looking.pilot_view(sky, who)))
    assert reader.sector(plain_all(sector_screen(view, me)), name) == shown_sector(view, name)
    assert reader.pilot(plain_all(ship_screen(me))) == shown_pilot(me)
    board = look(universe, name, lambda sky, who: looking.port_view(sky, who.sector))
    if board is not None:
        assert reader.board(plain_all(port_board(board, me))) == shown_board(board)
    yard = look(universe, name, looking.yard_view)
    assert reader.yard(plain_all(yard_screen(yard, me))) == yard
    reports = look(universe, name, looking.port_reports)
    table = plain_all(port_table([(3, report) for report in reports]))
    assert [(each.port.sector, each.day, each.port.lines) for each in reader.port_reports(table)] == [
        (each.port.sector, each.day, shown_board(each.port).lines) for each in reports
    ]
    for line in view.planets:
        number = line.planet
        ground = look(universe, name, lambda sky, _, number=number: looking.planet_view(sky, number))  # type: ignore[misc]
        assert reader.planet(plain_all(planet_screen(ground, me)), name) == shown_planet(ground, name)


def test_screens_of_two_days_of_wandering() -> None:
    with small_world(protected_days=1, turns_per_day=60) as universe:
        for _ in range(2):
            helms = [InProcess(universe, name) for name in ("Ada", "Bo, the 2nd")]
            courses = [Drifter(seed).day(helm) for seed, helm in enumerate(helms)]
            for _ in zip(*courses, strict=False):
                check_screens(universe, "Ada")
            universe.perform(OPERATOR, NewDay())


def test_a_crowded_sector_of_war() -> None:
    with six_sectors() as universe:
        for name in ("Ada", "Bo", "Cy"):
            InProcess(universe, name)
        for number in (1, 2, 3):
            pilot = universe_pilot(universe, number)
            change(universe, pilot, sector=4, fighters=number * 1_000, protected_until=number - 1)
        change(universe, Planet(id=1, sector=4, name="Brine", kind=planet_kind(universe)), owner=1, fighters=1, works=2)
        for picket in (
            Picket(sector=4, owner=1, fighters=1, stance=Stance.HUNT),
            Picket(sector=4, owner=2, fighters=1_200, stance=Stance.TOLL),
        ):
            change(universe, picket)
            check_screens(universe, "Ada")


def universe_pilot(universe: Universe, number: int) -> Pilot:
    with universe.look() as sky:
        pilot = sky.get(Pilot, number)
    assert pilot is not None
    return pilot


def planet_kind(universe: Universe) -> Kind:
    with universe.look() as sky:
        planet = sky.get(Planet, 1)
    assert planet is not None
    return planet.kind


def test_ways_scans_fights_and_pickets() -> None:
    assert reader.path(plain_all([path_line(5, (12, 40))])) == (12, 40)
    sights = (
        Sight(sector=4, region="the Briars", port="", planets=2, ships=1, picket=1_000, thorns=1),
        Sight(sector=12, region="Haven Reach", port="SBB", planets=0, ships=0, picket=0, thorns=0),
    )
    assert reader.sights(plain_all(scan_screen(sights))) == sights
    fought = Fought(foe="Ada's ship", sent=1_000, lost=20, foe_lost=1, foe_left=0, won=True, salvage={Good.ICE: 1})
    read = reader.fought(plain_all(fight_lines(fought)))
    assert read is not None
    assert (read.sent, read.lost, read.foe_lost, read.won, read.destroyed) == (1_000, 20, 1, True, False)
    for stance in Stance:
        toll = 1_200 if stance is Stance.TOLL else 0
        stopped = Stopped(to=6, owner="Bo; of, 3", fighters=1, stance=stance, toll=toll)
        assert reader.barred(plain_all(stopped_lines(stopped))) == (6, "Bo; of, 3", 1, stance, toll)
    assert reader.fought(["Nothing."]) is None
    assert reader.barred(["Nothing."]) is None


@pytest.mark.parametrize(
    ("text", "state", "ask"),
    [
        ("Quiet day. We'll sell them for 1,234.", Haggle.OPEN, 1_234),
        ("Reasonable. Try harder. Our patience wears thin. We'll pay 7.", Haggle.OPEN, 7),
        ("That is far off. Our last word: 1,000.", Haggle.FINAL, 1_000),
        ("Done! You have bought 20 tools for 650 credits.", Haggle.DEAL, 650),
        ("An insult! This talk is over; no deal.", Haggle.BROKEN, 0),
    ],
)
def test_what_traders_say(text: str, state: Haggle, ask: int) -> None:
    said = reader.haggled(["Older words.", text], Good.TOOLS, 20, buying=True)
    assert (said.state, said.ask) == (state, ask)


def test_what_is_no_screen_is_named() -> None:
    with pytest.raises(Unreadable, match="the sector screen"):
        reader.sector(["Hello"], "Ada")
    with pytest.raises(Unreadable, match="no line Lanes"):
        reader.sector(["Sector 3, the Briars", "Port     Quay (SSB): sells"], "Ada")
    with pytest.raises(Unreadable, match="a lane"):
        reader.sector(["Sector 3, the Briars", "Lanes    left, right"], "Ada")
