"""The sector screen, as text."""

from __future__ import annotations

import msgspec
from tests.starlane.door.dialogue import plain, plain_all

from starlane.door.screens.sector import passing_line, port_class, sector_screen
from starlane.records import Kind, Stance
from starlane.views import LaneView, PicketView, PilotView, PlanetLine, SectorView, ShipView, ThornView

ADA = PilotView(
    pilot=1,
    name="Ada",
    alliance="",
    sector=12,
    day=3,
    turns=250,
    credits=2000,
    bank=0,
    holds=20,
    free_holds=10,
    ice=10,
    grain=0,
    tools=0,
    colonists=0,
    fighters=25,
    scanner=False,
    planet="",
    docked=False,
    protected_days=0,
    kills=0,
    deaths=0,
    thorns=0,
    sectors_seen=4,
    net_worth=5000,
)
EMBER = SectorView(
    number=12,
    region="the Ember Reach",
    safe=False,
    port="Kestrel Point",
    port_letters="SBB",
    planets=(
        PlanetLine(planet=1, name="Marrow", kind=Kind.OCEAN, owner=2, owner_name="Bea", fighters=40, friendly=False),
        PlanetLine(planet=2, name="Cinder", kind=Kind.ASH, owner=0, owner_name="", fighters=0, friendly=False),
    ),
    ships=(
        ShipView(
            pilot=2, name="Bea", fighters=30, alliance="the Lantern League", protected=False, ally=True, aboard=True
        ),
        ShipView(pilot=3, name="Cy", fighters=1, alliance="", protected=True, ally=False, aboard=False),
    ),
    thorns=(ThornView(thornship=1, name="Bramble", fighters=120),),
    picket=PicketView(owner=2, owner_name="Bea", fighters=50, stance=Stance.TOLL, friendly=False),
    lanes=(
        LaneView(to=3, seen=True, one_way=False),
        LaneView(to=19, seen=False, one_way=False),
        LaneView(to=22, seen=True, one_way=True),
        LaneView(to=23, seen=False, one_way=True),
    ),
)
EMPTY = msgspec.structs.replace(
    EMBER,
    region="the Void",
    port="",
    port_letters="",
    planets=(),
    ships=(),
    thorns=(),
    picket=None,
    lanes=EMBER.lanes[:1],
)


def test_a_full_sector() -> None:
    assert plain_all(sector_screen(EMBER, ADA)) == [
        "Sector 12, the Ember Reach",
        "Port     Kestrel Point (SBB): sells ice, buys grain and tools",
        "Planet   Marrow, ocean, of Bea, 40 fighters",
        "Planet   Cinder, ash, nobody's",
        "Ship     Bea, 30 fighters, the Lantern League, your ally",
        "Ship     Cy, 1 fighter, protected, asleep",
        "Thorn    the thornship Bramble, 120 fighters",
        "Picket   50 fighters of Bea, toll 35",
        "Lanes    3, (19), 22>, (23)>    () not visited, > one-way",
        "You      250 turns, 2,000 credits, 25 fighters, holds 20: ice 10, 10 free",
    ]


def test_lines_without_content_are_left_out() -> None:
    assert plain_all(sector_screen(EMPTY, ADA)) == [
        "Sector 12, the Void",
        "Lanes    3",
        "You      250 turns, 2,000 credits, 25 fighters, holds 20: ice 10, 10 free",
    ]


def test_safe_sectors_say_so() -> None:
    view = msgspec.structs.replace(EMPTY, number=1, region="Haven", safe=True)
    assert plain_all(sector_screen(view, ADA))[0] == "Sector 1, Haven, safe"


def test_where_the_ship_lies_and_what_protects_it() -> None:
    landed = msgspec.structs.replace(ADA, planet="Marrow", protected_days=1)
    lines = plain_all(sector_screen(EMPTY, landed))
    assert lines[2:4] == [
        "Shield   newcomer's protection, 1 day; W gives it up",
        "Landed   on Marrow",
    ]
    docked = msgspec.structs.replace(ADA, docked=True)
    assert "Docked   in the port" in plain_all(sector_screen(EMBER, docked))


def test_after_a_loss_it_is_no_newcomers_protection() -> None:
    lost = msgspec.structs.replace(ADA, protected_days=1, deaths=1)
    assert "Shield   protection after a loss, 1 day; W gives it up" in plain_all(sector_screen(EMPTY, lost))


def test_the_own_picket() -> None:
    own = msgspec.structs.replace(
        EMBER, picket=PicketView(owner=1, owner_name="Ada", fighters=7, stance=Stance.GUARD, friendly=True)
    )
    assert "Picket   7 fighters of yours, guard" in plain_all(sector_screen(own, ADA))


def test_a_crowd_is_counted_and_the_screen_stays_short() -> None:
    crowd = msgspec.structs.replace(EMBER, ships=EMBER.ships * 30, planets=EMBER.planets * 9, thorns=EMBER.thorns * 9)
    lines = plain_all(sector_screen(crowd, msgspec.structs.replace(ADA, docked=True, protected_days=3)))
    assert len(lines) <= 22
    assert "Ship     and 55 more" in lines
    assert "Planet   and 14 more" in lines
    assert "Thorn    and 6 more" in lines
    assert all(len(line) <= 79 for line in lines)


def test_a_sector_in_passing() -> None:
    assert plain(passing_line(EMPTY)) == "Sector 12, the Void"
    assert plain(passing_line(EMBER)) == (
        "Sector 12, the Ember Reach: port SBB, 2 planets, 2 ships, 1 thornship, a picket"
    )


def test_classes_of_ports_in_words() -> None:
    assert port_class("SSB") == "sells ice and grain, buys tools"
    assert port_class("SSS") == "sells ice, grain and tools"
    assert port_class("BBB") == "buys ice, grain and tools"
