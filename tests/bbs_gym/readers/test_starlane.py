"""Starlane: facts and prompts of screens such as it writes. `test_starlane_played` looks at its real ones."""

from __future__ import annotations

import pytest

from bbs_gym.facts import Facts
from bbs_gym.readers.known_prompt import live_prompt
from bbs_gym.readers.live_screen import of_text
from bbs_gym.readers.starlane import STARLANE_PROMPTS, starlane_facts, starlane_shown
from bbs_gym.reading import read_facts
from starlane.engine.patter import _TEMPERS
from starlane.rules.haggling import Mood

SECTOR = """\
Sector 12, the Ember Reach
Port     Kestrel Point (SBB): sells ice, buys grain and tools
Planet   Marrow, ocean, of Bea, 40 fighters
Ship     Bea, 30 fighters, the Lantern League, your ally
Lanes    3, 5, (19), 22>    () not visited, > one-way
You      250 turns, 2,000 credits, 25 fighters, holds 20: ice 10, 10 free
Command (?=Help)?"""


def test_a_sector() -> None:
    assert read_facts(SECTOR, "starlane") == Facts(
        game="starlane",
        sector=12,
        turns=250,
        credits=2000,
        fighters=25,
        holds=20,
        free_holds=10,
        cargo={"ice": 10},
        safe_to_act=True,
    )


def test_a_line_that_goes_on_under_its_text() -> None:
    screen = SECTOR.replace(
        "25 fighters, holds 20: ice 10, 10 free",
        "12,345 fighters, holds 200: ice 100, grain 50, tools\n         20, colonists 10, 20 free",
    )
    facts = read_facts(screen, "starlane")
    assert (facts.fighters, facts.holds, facts.free_holds) == (12345, 200, 20)
    assert facts.cargo == {"ice": 100, "grain": 50, "tools": 20, "colonists": 10}


def test_the_board_of_a_port_tells_what_is_newer() -> None:
    board = f"{SECTOR} P\nKestrel Point (SBB), the port of sector 12\nYou      249 turns, 1,990 credits, 9 free holds\n"
    facts = read_facts(f"{board}Port: Ice, Grain, Tools, Board, Quit (I/G/T/B/Q) [Q]?", "starlane")
    assert (facts.turns, facts.credits, facts.free_holds, facts.fighters) == (249, 1990, 9, 25)


@pytest.mark.parametrize("words", _TEMPERS[Mood.CONTENT])
def test_a_deal_makes_older_figures_void(words: str) -> None:
    after = f"{SECTOR} P\n{words} You have bought 5 ice for 38 credits.\nPort: Quit (I/G/T/B/D/Q) [Q]?"
    facts = read_facts(after, "starlane")
    assert (facts.credits, facts.free_holds, facts.cargo, facts.turns) == (None, None, {}, 250)


@pytest.mark.parametrize(
    ("row", "figures"),
    [
        ("Day      3, 1 turn left today", {"turns": 1}),
        ("Sector   44", {"sector": 44}),
        ("Money    1,962 credits aboard, 0 in the Haven bank", {"credits": 1962}),
        ("Fighters 25 aboard", {"fighters": 25}),
        ("Holds    20: ice 5, 15 free", {"holds": 20, "free_holds": 15, "cargo": {"ice": 5}}),
        ("Ship     25 fighters, holds 20, 15 free", {"fighters": 25, "holds": 20, "free_holds": 15}),
        ("Welcome back, Ada. It is day 3; you have 250 turns.", {"turns": 250}),
        ("You have no turns left today; more come with the next day.", {"turns": 0}),
        ("You      lots of turns", {}),
        ("You      5 turns, 6 credits, and so on", {}),
        ("Sector 5, Haven Reach: port SBB, a planet", {}),
    ],
)
def test_single_rows(row: str, figures: dict[str, object]) -> None:
    assert starlane_facts(of_text(f"{row}\nCommand (?=Help)?")) == figures


def test_after_the_game_nothing_of_it_is_told() -> None:
    left = f"{SECTOR} Q\nLeave the game (Y/N) [N]? Y\nGoodbye, Ada.\n\nStarlane: good-bye.\n[Hit a key]"
    assert read_facts(left, "starlane") == Facts(safe_to_act=True)


@pytest.mark.parametrize(
    ("live", "name"),
    [
        ("Command (?=Help)? 12", "starlane-command"),
        ("Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]?", "starlane-port"),
        ("Computer: Path, port Reports, Sectors, ranKings, Log, eXit (P/R/S/K/L/X) [X]?", "starlane-computer"),
        ("Yard and bank (H/F/S/C/N/D/W, L=list, Q=leave, ?=help) [Q]?", "starlane-yard"),
        ("Radio: Read mail, List, Write a letter, Broadcast, Quit (R/L/W/B/Q) [Q]?", "starlane-radio"),
        ("Your offer, 0 walks away (0-380) [38]?", "starlane-offer"),
        ("Pay 1,200, the port's last word (Y/N) [Y]?", "starlane-last-word"),
        ("Leave the game (Y/N) [N]?", "starlane-quit"),
        ("How many units of ice do you want to buy (0-20) [20]? 1", "starlane-number"),
        ("Path to sector (1-500)?", "starlane-number"),
        ("Fighters against the thornship Bramble; 0 for none (0-25) [25]?", "starlane-fighters"),
        ("Marrow (B=bring down, T=take, L=lift off, Q=quit) [Q]?", "starlane-key"),
        ("What to take (I=ice, Enter=nothing)?", "starlane-key"),
        ("Fly there (Y/N) [Y]?", "starlane-yes-no"),
        ("Letter to Bea (up to 400 characters): hello", "starlane-text"),
        ("[More]", "starlane-more"),
    ],
)
def test_prompts(live: str, name: str) -> None:
    found = live_prompt(STARLANE_PROMPTS, of_text(live))
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    ("screen", "shown"),
    [
        (SECTOR, True),
        ("Radio: Read mail, Quit (R/L/W/B/Q) [Q]? Q\nCommand (?=Help)?", True),
        ("Help on which subject, 0 for none (0-14) [0]? 0\nCommand (?=Help)?", True),
        ("You      250 turns, 2,000 credits, 25 fighters, holds 20: 20 free\nCommand (?=Help)?", False),
        ("Command (?=Help)?", False),
        ("Do you want instructions (Y/N) [N]? N\nCommand (?=Help)?", False),
    ],
)
def test_what_only_the_game_lays_out_so(screen: str, shown: bool) -> None:
    assert starlane_shown(of_text(screen)) is shown
