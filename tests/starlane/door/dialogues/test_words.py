"""The computer, the radio, alliances and bounties, by dialogue."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.door.dialogue import converse
from tests.starlane.worlds import enroll, pilot, place, six_sectors

from starlane.door.dialogues.bridge import bridge
from starlane.orders import Actor, Move
from starlane.universe.universe import Universe

COMPUTER = "Computer: Path, port Reports, Sectors, ranKings, Log, eXit (P/R/S/K/L/X) [X]?"
RADIO = "Radio: Read mail, List, Write a letter, Broadcast, Quit (R/L/W/B/Q) [Q]?"
TEAM = "Team: Display, Found, Join, Invite, Expel, Leave, Quit (D/F/J/I/E/L/Q) [Q]?"
LOG = "Log: Write, Strike out, Quit (W/S/Q) [Q]?"


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as universe:
        yield universe


@pytest.fixture
def ada(universe: Universe) -> Actor:
    return enroll(universe, "ada")


def test_the_computer(universe: Universe, ada: Actor) -> None:
    universe.perform(ada, Move(to=2))
    converse(
        universe,
        ada,
        bridge,
        f"""
        Command (?=Help)? |C
        {COMPUTER} |P
        Path to sector (1-6)? |4
        Path: 2 > 3 > 4 (2 turns)
        {COMPUTER} |P
        Path to sector (1-6)? |2
        You are in sector 2.
        {COMPUTER} |R
        Which ports (A/I/G/T/B) [A]? |
        Sector  Way  Day  Ice               Grain             Tools
        2    0    0  sells 500 @7.0    buys 500 @26.0    buys 500 @52.0
        1    1    0  buys 500 @13.0    sells 500 @14.0   sells 500 @28.0
        {COMPUTER} |R
        Which ports (A/I/G/T/B) [A]? |B
        That buy what (I/G/T, Enter=nothing)? |I
        1    1    0  …
        {COMPUTER} |S
        1    1  BSS   2, (5)
        {COMPUTER} |K
        1 *ada …
        {COMPUTER} |?
        The computer
        {COMPUTER} |X
        Command (?=Help)? |
        """,
    )


def test_the_log(universe: Universe, ada: Actor) -> None:
    converse(
        universe,
        ada,
        bridge,
        f"""
        Command (?=Help)? |C
        {COMPUTER} |L
        Your log is empty. W writes a line into it; nobody else can read it.
        {LOG} |W
        Line for your log: |1 buys ice
        {LOG} |W
        Line for your log: |
        {LOG} |S
        Strike out which line, 0 for none (0-1) [0]? |1
        Your log is empty. …
        {LOG} |Q
        {COMPUTER} |
        Command (?=Help)? |
        """,
    )


def test_a_letter_and_its_answer(universe: Universe, ada: Actor) -> None:
    bea = enroll(universe, "bea")
    enroll(universe, "beatrix")
    converse(
        universe,
        ada,
        bridge,
        f"""
        Command (?=Help)? |R
        There is no mail for you. W writes a letter to another pilot.
        {RADIO} |W
        A letter to whom, by name or how it begins: |x
        No pilot's name begins with x; try bea or beatrix.
        {RADIO} |W
        A letter to whom, by name or how it begins: |be
        More than one name begins with be; try bea or beatrix.
        {RADIO} |W
        A letter to whom, by name or how it begins: |BEA
        Letter to bea: |Peace?
        Your letter is in bea's box.
        {RADIO} |B
        Words for every pilot: |Hello there
        It goes out to 2 pilots.
        {RADIO} |R
        There is no mail for you.
        {RADIO} |Q
        Command (?=Help)? |
        """,
    )
    converse(
        universe,
        bea,
        bridge,
        f"""
        *** A letter from ada.
        *** Radio from ada: Hello there
        Command (?=Help)? |R
        1. ada, day 0, unread
        {RADIO} |R
        Letter 1 of 1
        From     ada, day 0
        Text     Peace?
        Next, Answer, Burn, Quit (N/A/B/Q) [N]? |A
        Letter to ada: |Yes
        {RADIO} |L
        1. ada, day 0
        {RADIO} |R
        Next, Answer, Burn, Quit (N/A/B/Q) [N]? |B
        The letter is ashes.
        {RADIO} |?
        Mail, radio, news
        {RADIO} |Q
        Command (?=Help)? |
        """,
    )


def test_an_alliance(universe: Universe, ada: Actor) -> None:
    bea = enroll(universe, "bea")
    converse(
        universe,
        ada,
        bridge,
        f"""
        Command (?=Help)? |T
        There is no alliance yet. F founds one.
        {TEAM} |I
        You belong to no alliance. F founds one; J joins one that has invited you.
        {TEAM} |J
        No alliance has invited you. Write to the leader of one (R at the command prompt).
        {TEAM} |F
        Name of the new alliance: |Lantern League
        {TEAM} |I
        Invite whom, by name or how it begins: |bea
        {TEAM} |Q
        Command (?=Help)? |
        """,
    )
    converse(
        universe,
        bea,
        bridge,
        f"""
        Command (?=Help)? |T
        Lantern League (you are invited: J joins), 1 member:
        {TEAM} |J
        1. Lantern League
        Join which, 0 for none (0-1) [1]? |
        {TEAM} |D
        Lantern League (yours), 2 members:
        ada (leader) and bea
        {TEAM} |L
        Leave Lantern League (Y/N) [N]? |N
        {TEAM} |?
        Alliances and bounties
        {TEAM} |
        Command (?=Help)? |
        """,
    )
    converse(
        universe,
        ada,
        bridge,
        f"""
        Command (?=Help)? |T
        {TEAM} |E
        Put out whom, by name or how it begins: |b
        Put bea out of Lantern League (Y/N) [N]? |Y
        {TEAM} |L
        Leave Lantern League (Y/N) [N]? |Y
        {TEAM} |D
        There is no alliance yet. F founds one.
        {TEAM} |Q
        """,
    )
    assert pilot(universe, ada).alliance == 0


def test_a_bounty(universe: Universe, ada: Actor) -> None:
    enroll(universe, "bea")
    asked = "Bounties: Post one, Quit (P/Q) [Q]?"
    converse(
        universe,
        ada,
        bridge,
        f"""
        Command (?=Help)? |B
        There is no bounty on anybody's head. P posts one, at Haven.
        {asked} |P
        On whose head, by name or how it begins: |b
        How many credits on bea (0-2000) [0]? |500
        500 credits lie on the head of bea.
        {asked} |Q
        Command (?=Help)? |B
        bea                      500 credits
        {asked} |?
        {asked} |Q
        Command (?=Help)? |N
        The Haven Gazette
        Command (?=Help)? |
        """,
    )
    place(universe, ada, sector=2)
    converse(
        universe,
        ada,
        bridge,
        f"""
        Command (?=Help)? |B
        {asked} |P
        Bounties are posted at Haven, sector 1. Type 1 to fly there.
        {asked} |Q
        """,
    )


def test_help_and_the_own_ship(universe: Universe, ada: Actor) -> None:
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |?
        Commands: one key each
        Command (?=Help)? |H
        Help
        Help on which subject, 0 for none (0-14) [0]? |4
        Trading
        Help on which subject, 0 for none (0-14) [0]? |
        Command (?=Help)? |I
        The ship of ada
        Command (?=Help)? |Q
        Leave the game (Y/N) [N]? |N
        Command (?=Help)? |Q
        Leave the game (Y/N) [N]? |Y
        """,
    )
