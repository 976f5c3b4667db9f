"""Off the moorings: out of port, the bargain over, off the ground."""

from __future__ import annotations

from tests.starlane.engine.front import bargains, fighter_pilot, in_a_bargain
from tests.starlane.worlds import place, six_sectors

from starlane.engine.mooring import in_space, out_of_port
from starlane.records import NOBODY


def test_out_of_port_ends_the_bargain() -> None:
    with six_sectors() as universe:
        ada = fighter_pilot(universe, "Ada")
        in_a_bargain(universe, ada)
        docked = place(universe, ada, docked=True, spoilt=2, planet=1)
        with universe.transaction() as world:
            out = out_of_port(world, docked)
        assert (out.docked, out.spoilt, out.planet, bargains(universe)) == (False, 0, 1, 0)


def test_in_space_is_off_the_ground_too() -> None:
    with six_sectors() as universe:
        landed = place(universe, fighter_pilot(universe, "Ada"), planet=1)
        with universe.transaction() as world:
            assert in_space(world, landed).planet == NOBODY
