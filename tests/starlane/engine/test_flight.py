"""Flight: lanes, pickets in the way, tolls, watchers, the scanner and the airlock."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.engine.front import ally, bargains, fighter_pilot, in_a_bargain, station, told
from tests.starlane.worlds import change, enroll, pilot, place, six_sectors

from starlane.engine.refusal import Refused
from starlane.engine.words import CHATTER_NOTICES
from starlane.goods import Good
from starlane.orders import Actor, Ask, Dock, Enter, Force, Jettison, Move, Scan
from starlane.records import NOBODY, Pilot, Port, Seen, Stance
from starlane.reports import Moved, Scanned, Sight, Stopped
from starlane.settings import MAX_AMOUNT
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        yield made
        assert made.verify() == []


@pytest.fixture
def ada(universe: Universe) -> Actor:
    """In sector 3, no newcomer any more."""
    return fighter_pilot(universe, "Ada", sector=3)


@pytest.fixture
def bob(universe: Universe) -> Actor:
    """In sector 5, with nothing to do with sector 4 but his pickets."""
    return fighter_pilot(universe, "Bob", sector=5)


def seen(universe: Universe, who: Actor, sector: int) -> Seen | None:
    with universe.look() as sky:
        found = sky.find(Seen, pilot=who.pilot, sector=sector)
    assert len(found) < 2
    return found[0] if found else None


def stopped(universe: Universe, who: Actor, order: Move) -> Stopped:
    report = universe.perform(who, order)
    assert isinstance(report, Stopped)
    return report


# Lanes


def test_a_move_takes_a_turn_and_a_lane(universe: Universe, ada: Actor) -> None:
    before = pilot(universe, ada)
    assert universe.perform(ada, Move(to=4)) == Moved(sector=4, first_time=True)
    after = pilot(universe, ada)
    assert (after.sector, after.turns) == (4, before.turns - 1)
    assert after.sectors_seen == before.sectors_seen + 1


def test_only_the_first_time_is_the_first(universe: Universe, ada: Actor) -> None:
    for to in (4, 5, 4):
        last = universe.perform(ada, Move(to=to))
    assert last == Moved(sector=4, first_time=False)
    assert pilot(universe, ada).sectors_seen == 3  # Haven, 4 and 5: nobody flew Ada to 3


@pytest.mark.parametrize("to", [1, 5, 0, -3, 7, 10**9])
def test_no_lane_no_move(universe: Universe, ada: Actor, to: int) -> None:
    before = pilot(universe, ada)
    with pytest.raises(Refused, match=rf"^No lane leads from sector 3 to {to}; lanes lead to 2, 4 and 6\.$"):
        universe.perform(ada, Move(to=to))
    assert pilot(universe, ada) == before


def test_where_one_is_one_need_not_fly(universe: Universe, ada: Actor) -> None:
    with pytest.raises(Refused, match="in sector 3 already"):
        universe.perform(ada, Move(to=3))


def test_a_one_way_lane_does_not_lead_back(universe: Universe, ada: Actor) -> None:
    universe.perform(ada, Move(to=6))
    with pytest.raises(Refused, match="the only lane leads to 4"):
        universe.perform(ada, Move(to=3))


def test_without_turns_nobody_flies(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4, 900, Stance.HUNT)
    before = place(universe, ada, turns=0)
    with pytest.raises(Refused, match="no turns left"):
        universe.perform(ada, Move(to=4))
    assert pilot(universe, ada) == before


def test_a_move_leaves_port_and_bargain(universe: Universe, ada: Actor) -> None:
    in_a_bargain(universe, ada)
    place(universe, ada, docked=True, spoilt=2)
    universe.perform(ada, Move(to=4))
    after = pilot(universe, ada)
    assert (after.docked, after.spoilt, bargains(universe)) == (False, 0, 0)


def test_a_move_lifts_off(universe: Universe, ada: Actor) -> None:
    place(universe, ada, sector=4, planet=1)
    universe.perform(ada, Move(to=3))
    assert pilot(universe, ada).planet == NOBODY


def test_who_flies_in_notes_the_port(universe: Universe, ada: Actor) -> None:
    with universe.look() as sky:
        quay = sky.get(Port, 5)
    assert quay is not None
    change(universe, quay.traded(Good.ICE, -123))
    universe.perform(ada, Move(to=4))
    universe.perform(ada, Move(to=5))
    noted = seen(universe, ada, 5)
    assert noted is not None
    assert (noted.day, noted.ice_stock, noted.tools_stock) == (0, 377, 0)
    portless = seen(universe, ada, 4)
    assert portless is not None
    assert portless.day == -1


# Watchers


def test_who_watches_is_told_who_comes_and_goes(universe: Universe, ada: Actor, bob: Actor) -> None:
    universe.perform(bob, Move(to=4))
    universe.perform(ada, Move(to=4))
    assert told(universe, bob) == "Ada flew in from sector 3."
    universe.perform(ada, Move(to=6))
    assert told(universe, bob).endswith("Ada left for sector 6.")
    assert told(universe, ada) == ""


def test_who_sleeps_is_told_nothing(universe: Universe, ada: Actor, bob: Actor) -> None:
    place(universe, bob, sector=4, aboard=False)
    universe.perform(ada, Move(to=4))
    assert told(universe, bob) == ""


def test_nobody_is_told_in_patrolled_sectors(universe: Universe, ada: Actor, bob: Actor) -> None:
    place(universe, bob, sector=2)
    universe.perform(ada, Move(to=2))
    assert told(universe, bob) == ""


def test_traffic_does_not_drown_what_matters(universe: Universe, ada: Actor, bob: Actor) -> None:
    place(universe, bob, sector=4)
    for _ in range(CHATTER_NOTICES):
        universe.perform(ada, Move(to=4))
        universe.perform(ada, Move(to=3))
    assert len(told(universe, bob).splitlines()) == CHATTER_NOTICES


# Pickets in the way


@pytest.mark.parametrize("stance", list(Stance))
def test_a_picket_stops_strangers(universe: Universe, ada: Actor, bob: Actor, stance: Stance) -> None:
    station(universe, bob, 4, 50, stance)
    before = pilot(universe, ada)
    report = stopped(universe, ada, Move(to=4))
    assert (report.to, report.owner, report.fighters, report.stance) == (4, "Bob", 50, stance)
    after = pilot(universe, ada)
    assert (after.sector, after.turns, after.credits) == (3, before.turns, before.credits)
    assert before.fighters - after.fighters == report.lost
    assert (report.lost > 0) == (stance is Stance.HUNT)


def test_who_is_stopped_stays_in_port(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4)
    universe.perform(ada, Dock())
    universe.perform(ada, Ask(good=Good.TOOLS, quantity=1))
    stopped(universe, ada, Move(to=4))
    assert pilot(universe, ada).docked
    assert bargains(universe) == 1


def test_friends_pass(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4, 50, Stance.HUNT)
    ally(universe, bob, ada)
    assert isinstance(universe.perform(ada, Move(to=4)), Moved)
    assert isinstance(universe.perform(bob, Move(to=4)), Moved)


def test_the_toll_goes_to_the_owners_bank(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4, 50, Stance.TOLL)
    asked = stopped(universe, ada, Move(to=4)).toll
    assert asked == 35
    assert stopped(universe, ada, Move(to=4, pay=asked - 1)).toll == asked
    ada_before, bob_before = pilot(universe, ada), pilot(universe, bob)
    assert universe.perform(ada, Move(to=4, pay=1_000)) == Moved(sector=4, first_time=True, toll=asked)
    ada_after, bob_after = pilot(universe, ada), pilot(universe, bob)
    assert ada_after.credits == ada_before.credits - asked
    assert ada_after.turns == ada_before.turns - 1
    assert bob_after == bob_before.with_more(bank=asked)
    assert told(universe, bob) == "Ada paid 35 credits of toll in sector 4."


def test_who_cannot_pay_the_toll_is_told_so(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4, 50, Stance.TOLL)
    before = place(universe, ada, credits=34)
    with pytest.raises(Refused, match="The toll is 35 credits, and you have only 34 aboard"):
        universe.perform(ada, Move(to=4, pay=100))
    assert pilot(universe, ada) == before


def test_a_full_bank_takes_no_more_toll_than_it_has_room_for(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4, 50, Stance.TOLL)
    place(universe, bob, bank=MAX_AMOUNT - 3)
    assert universe.perform(ada, Move(to=4, pay=35)) == Moved(sector=4, first_time=True, toll=3)
    assert pilot(universe, bob).bank == MAX_AMOUNT


@pytest.mark.parametrize("stance", [Stance.GUARD, Stance.HUNT])
def test_money_opens_no_other_picket(universe: Universe, ada: Actor, bob: Actor, stance: Stance) -> None:
    station(universe, bob, 4, 50, stance)
    before = pilot(universe, ada)
    assert stopped(universe, ada, Move(to=4, pay=1_000)).toll == 0
    assert pilot(universe, ada).credits == before.credits


def test_hunters_destroy_a_weak_ship(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4, 1_000, Stance.HUNT)
    in_a_bargain(universe, ada)
    place(universe, ada, fighters=3, docked=True)
    report = stopped(universe, ada, Move(to=4))
    assert report.destroyed
    assert report.lost == 3
    after = pilot(universe, ada)
    assert (after.sector, after.deaths, after.docked, bargains(universe)) == (1, 1, False, 0)
    assert pilot(universe, bob).kills == 1


def test_force_brings_the_ship_in_as_a_move_does(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4, 1)
    place(universe, bob, sector=4)
    universe.perform(ada, Force(to=4, fighters=90))
    assert pilot(universe, ada).sector == 4
    noted = seen(universe, ada, 4)
    assert noted is not None
    assert noted.visited
    assert "Ada flew in from sector 3." in told(universe, bob)


# Scanner


def scan(universe: Universe, who: Actor) -> dict[int, Sight]:
    report = universe.perform(who, Scan())
    assert isinstance(report, Scanned)
    return {sight.sector: sight for sight in report.sights}


def test_without_a_scanner_nothing_is_seen(universe: Universe, ada: Actor) -> None:
    with pytest.raises(Refused, match="You have no scanner"):
        universe.perform(ada, Scan())


def test_a_scan_shows_the_next_sectors(universe: Universe, ada: Actor, bob: Actor) -> None:
    before = place(universe, ada, scanner=True)
    station(universe, bob, 4, 77)
    place(universe, bob, sector=4, planet=1)
    fighter_pilot(universe, "Cyd", sector=4)
    sights = scan(universe, ada)
    assert list(sights) == [2, 4, 6]
    assert sights[2] == Sight(sector=2, region="Haven Reach", port="SBB", planets=0, ships=0, picket=0, thorns=0)
    assert sights[4] == Sight(sector=4, region="the Briars", port="", planets=2, ships=1, picket=77, thorns=0)
    assert sights[6] == Sight(sector=6, region="the Briars", port="", planets=1, ships=0, picket=0, thorns=40)
    assert pilot(universe, ada) == before


def test_a_scan_notes_ports_but_counts_as_no_visit(universe: Universe, ada: Actor) -> None:
    place(universe, ada, scanner=True)
    scan(universe, ada)
    noted = seen(universe, ada, 2)
    assert noted is not None
    assert (noted.visited, noted.day, noted.ice_stock) == (False, 0, 500)
    assert universe.perform(ada, Move(to=2)) == Moved(sector=2, first_time=True)
    universe.perform(ada, Move(to=3))
    scan(universe, ada)
    noted = seen(universe, ada, 2)
    assert noted is not None
    assert noted.visited


# Airlock


@pytest.mark.parametrize("good", [Good.ICE, Good.TOOLS, Good.COLONISTS])
def test_cargo_goes_out_of_the_airlock(universe: Universe, ada: Actor, good: Good) -> None:
    before = place(universe, ada, **{good.value: 7})
    universe.perform(ada, Jettison(good=good, amount=3))
    assert pilot(universe, ada) == before.with_more(**{good.value: -3})
    universe.perform(ada, Jettison(good=good, amount=4))
    assert pilot(universe, ada).amount(good) == 0


@pytest.mark.parametrize(
    ("good", "amount"),
    [(Good.ICE, 0), (Good.ICE, 8), (Good.ICE, -1), (Good.GRAIN, 1), (Good.FIGHTERS, 1), (Good.CREDITS, 5)],
)
def test_nothing_else_does(universe: Universe, ada: Actor, good: Good, amount: int) -> None:
    before = place(universe, ada, ice=7)
    with pytest.raises(Refused):
        universe.perform(ada, Jettison(good=good, amount=amount))
    assert pilot(universe, ada) == before


def test_a_newcomer_flies_out_and_trades(universe: Universe) -> None:
    eve = enroll(universe, "Eve")
    universe.perform(eve, Move(to=2))
    universe.perform(eve, Dock())
    universe.perform(eve, Move(to=1))
    found = pilot(universe, eve)
    assert isinstance(found, Pilot)
    assert (found.docked, found.turns) == (False, universe.settings.turns_per_day - 3)
    universe.perform(Actor(0, 0), Enter(key="name:Eve", name="Eve"))
