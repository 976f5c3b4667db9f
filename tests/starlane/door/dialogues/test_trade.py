"""Trading, by dialogue."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.door.dialogue import converse
from tests.starlane.worlds import enroll, pilot, place, six_sectors

from starlane.door.dialogues.bridge import bridge
from starlane.orders import Actor
from starlane.rules.haggling import Opening
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as universe:
        yield universe


@pytest.fixture
def ada(universe: Universe) -> Actor:
    return enroll(universe, "ada")


def test_to_buy_at_the_first_price(universe: Universe, ada: Actor) -> None:
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |P
        Haven (BSS), the port of sector 1
        Good     Port     Units  Fair price  You carry
        Ice      buys       500        13.0          0
        Grain    sells      500        14.0          0
        Tools    sells      500        28.0          0
        You      249 turns, 2,000 credits, 20 free holds
        Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? |T
        How many units of tools do you want to buy (0-20) [20]? |
        By the board 20 tools come to 567 credits.
        … We'll sell them for ….
        Your offer, 0 walks away (…) […]? |
        … You have bought 20 tools for … credits.
        Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? |
        Command (?=Help)? |
        Docked   in the port
        You      249 turns, … credits, 25 fighters, holds 20: tools 20, 0 free
        Command (?=Help)? |P
        Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? |G
        The port sells grain, and your holds are full.
        Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? |I
        The port buys ice, and you carry none.
        Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? |Q
        Command (?=Help)? |
        """,
    )
    assert pilot(universe, ada).turns == 249, "to open the menu again takes no turn"


def test_to_haggle_up_to_the_last_word(universe: Universe, ada: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "starlane.engine.trade.open_bargain", lambda *_, **__: Opening(ask=240, reserve=260, patience=2)
    )
    place(universe, ada, ice=20)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |P
        Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? |I
        How many units of ice do you want to sell (0-20) [20]? |
        By the board 20 ice come to 258 credits.
        … We'll pay 240.
        Your offer, 0 walks away (0-2400) [240]? |263
        … We'll pay 24….
        Your offer, 0 walks away (0-24…0) [24…]? |262
        … Our last word: 25….
        Take 25…, the port's last word (Y/N) [Y]? |N
        You walk away; no deal.
        Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? |I
        How many units of ice do you want to sell (0-20) [20]? |
        Your offer, 0 walks away (0-2400) [240]? |263
        Your offer, 0 walks away (0-24…0) [24…]? |262
        Take 25…, the port's last word (Y/N) [Y]? |
        … You have sold 20 ice for 25… credits.
        Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? |Q
        """,
    )
    assert 2250 <= pilot(universe, ada).credits < 2260


def test_to_walk_away(universe: Universe, ada: Actor) -> None:
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |P
        Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? |G
        How many units of grain do you want to buy (0-20) [20]? |0
        Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? |G
        How many units of grain do you want to buy (0-20) [20]? |10
        Your offer, 0 walks away (…) […]? |0
        You walk away; no deal.
        Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? |D
        Haven (BSS), the port of sector 1
        Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? |D
        You are docked at Haven already.
        Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? |?
        Trading
        Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? |Q
        """,
    )
    assert pilot(universe, ada).turns == 248
    assert pilot(universe, ada).credits == 2000


def test_no_port_here(universe: Universe, ada: Actor) -> None:
    place(universe, ada, sector=4)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |P
        There is no port in this sector. C, then R, lists the ports that you know.
        Command (?=Help)? |
        """,
    )


def test_who_is_poor_is_told(universe: Universe, ada: Actor) -> None:
    place(universe, ada, credits=3)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |P
        Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? |T
        You have 3 credits; that does not pay for one unit of tools.
        Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? |Q
        """,
    )
