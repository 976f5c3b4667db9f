"""Ports of new worlds: classes, sizes and first stocks."""

from __future__ import annotations

from collections import Counter

from starlane.dice import Dice
from starlane.goods import TRADE_GOODS, Good
from starlane.making.markets import haven_port, port
from starlane.records import Port


def test_havens_port_sells_ice_and_tools_and_buys_grain() -> None:
    made = haven_port(Dice(1), 1, "Haven Exchange")
    assert [made.sells(good) for good in TRADE_GOODS] == [True, False, True]


def test_a_region_leans_towards_its_good() -> None:
    dice = Dice(1)
    ports = [port(dice, 2, "Quay", lanes_away=3, leaning=Good.GRAIN) for _ in range(900)]
    sellers = Counter(good for made in ports for good in TRADE_GOODS if made.sells(good))
    assert sellers[Good.GRAIN] > 1.15 * max(sellers[Good.ICE], sellers[Good.TOOLS])


def test_a_class_can_be_asked_for() -> None:
    made = port(Dice(1), 2, "Quay", lanes_away=3, leaning=Good.ICE, letters="BBS")
    assert [made.sells(good) for good in TRADE_GOODS] == [False, False, True]


def test_ports_stop_growing_far_out() -> None:
    def made(lanes_away: int) -> Port:
        return port(Dice(1), 2, "Quay", lanes_away=lanes_away, leaning=Good.ICE)

    assert made(1).tools_size < made(12).tools_size < made(25).tools_size == made(400).tools_size
    assert all(made(7).size(good) % 10 == 0 for good in TRADE_GOODS)
