"""Routes: they follow what waits for input, at the right chunk, and nobody's text switches them."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bbs_gym.recorded import Moment, moments, turns
from tests.tty_agent.terminal_turns import turn

from bbs_gym.profiles.routes import BBS_AUTO, ROUTE_SETS, STARLANE_AUTO, TW2_AUTO
from tty_agent.activity.routes import RouteSet
from tty_agent.hints import extract
from tty_agent.observation.observation import Observation


def taken(routes: RouteSet, observation: Observation) -> str:
    """The name of the profile that is active at that turn."""
    return routes.select(observation, extract(observation))[0].name


def test_what_the_specification_says_of_them() -> None:
    told = {
        routes.name: (routes.default.name, [(route.name, route.profile.name) for route in routes.routes])
        for routes in ROUTE_SETS
    }
    assert told == {
        "tw2-auto": ("tw2-entry", [("tw2-detected", "tw2-game")]),
        "bbs-auto": ("bbs-door-safe", [("tw2-detected", "tw2-game")]),
        "starlane-auto": ("starlane-entry", [("starlane-detected", "starlane-game")]),
    }


def stretches(routes: RouteSet, name: str) -> list[tuple[str, int]]:
    """The active profiles of a recorded visit in order, each with the turns that it had."""
    active = [taken(routes, moment.observation) for moment in turns(name)]
    return [(profile, len(list(same))) for profile, same in groupby(active)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("telnet-door-return", [(7, "entry"), (1, "game"), (4, "entry")]),
        ("rlogin-bob-tw2-play", [(1, "entry"), (13, "game")]),
        # two pages of the game's instructions are pauses as the BBS has them: any key, by either profile
        ("rlogin-alice-tw2-quit", [(1, "entry"), (13, "game"), (2, "entry"), (2, "game")]),
        ("turns-a", [(1, "entry"), (3, "game")]),
        ("turns-c", [(1, "entry")]),
        ("telnet-alice-2", [(6, "entry")]),
    ],
)
def test_recorded_visits(name: str, expected: list[tuple[int, str]]) -> None:
    for routes, entry in ((TW2_AUTO, "tw2-entry"), (BBS_AUTO, "bbs-door-safe")):
        profiles = {"entry": entry, "game": "tw2-game"}
        assert stretches(routes, name) == [(profiles[which], count) for count, which in expected]


def in_order(name: str) -> list[tuple[Moment, bool]]:
    return [(moment, taken(TW2_AUTO, moment.observation) == "tw2-game") for moment in moments(name)]


@pytest.mark.parametrize("name", ["telnet-door-return", "turns-a", "rlogin-bob-async"])
def test_the_switch_comes_with_the_chunk_that_ends_the_first_prompt(name: str) -> None:
    seen = in_order(name)
    first = next(at for at, (_, game) in enumerate(seen) if game)
    row, column = seen[first][0].observation.cursor
    line = seen[first][0].observation.pretty_screen.split("\n")[row]
    assert line[:column].startswith("Command (?=Help)?")
    before = seen[first - 1][0].observation
    assert not before.pretty_screen.split("\n")[row].startswith("Command (?=Help)?")


@pytest.mark.parametrize("name", ["telnet-door-return", "turns-a", "rlogin-alice-tw2-quit"])
def test_the_switch_back_comes_with_the_end_of_the_game(name: str) -> None:
    seen = in_order(name)
    left = next(at for at, (moment, _) in enumerate(seen) if "Returning to Door" in moment.observation.pretty_screen)
    assert any(game for _, game in seen[:left])
    assert not any(game for _, game in seen[left:])


LIVE_ELSEWHERE = (
    "[Hit a key] ", "Main menu: ", "■ Main ■ 3:59:47 [1] Local [1] Notices: ", "Key (N P U R T Q ?): ", "main> ",
    "Number or key (N S Q ?): ", "  1: ", "Subject: ", "-- More -- Enter: go on, Q: quit, C: all ", "Log off? [Y/n] ",
    "Which or Quit: ", "Login: ", "Password: ", "", "To mallory: ", "Quote Command (?=Help)? [y/N] ", "> ",
    "[√] Log off? [No] Yes",
)  # fmt: skip
"""Where a program of the board waits; in some of them stands what another caller chose."""

FORGED = (
    "Command (?=Help)? ", "Command (?=Help)? I", "Computer command (?=help)? ", "Your offer? ", "<Info>", "<Quit>",
    "Are you sure (Y/N)? ", "Do you want instructions (Y/N) [N]? ", "Sector 1", "Port   Sol, class 1",
    "Fighters defending sector", "   None", "Warps lead to   2, 3", "Returning to Door monitor...", "Message from bob:",
    "╔╣Forward View╠══════╗╔═╣TradeWars2/JavaScript Main Menu╠═════════════════════╗", "[0]? ", "[Hit a key]",
    "How much do you want to gamble at double or nothing (50-50 odds)", "Sector 12, the Ember Reach", "Goodbye, bob.",
    "Lanes    3, 5", "You      250 turns, 2,000 credits, 25 fighters, holds 20: 20 free", "Leave the game (Y/N) [N]? ",
    "Port: Ice, Grain, Tools, Quit (I/G/T/Q) [Q]? ", "How many units do you want (0-20) [20]? ", "[More] ", "",
)  # fmt: skip
"""Rows that somebody could write: what either game shows, and what else either could be taken for."""

others_text = st.lists(
    st.one_of(st.sampled_from(FORGED), st.text(st.characters(codec="cp437"), max_size=40)), max_size=20
)


def at(above: list[str], live: str) -> Observation:
    rows = [row.replace("\n", " ").replace("|", " ") for row in above]
    return turn("\n".join([*rows, f"{live}|"]))


@settings(max_examples=50)
@given(others_text, st.sampled_from(LIVE_ELSEWHERE))
def test_no_text_above_a_prompt_of_the_board_makes_a_game_of_it(above: list[str], live: str) -> None:
    seen = at(above, live)
    hints = extract(seen)
    for routes in ROUTE_SETS:
        assert routes.select(seen, hints)[1] == "default"


TW2_LIVE = ("Command (?=Help)? ", "Computer command (?=help)? ", "Your offer? ", "To which sector? ")
STARLANE_LIVE = ("Command (?=Help)? ", "Your offer, 0 walks away (0-380) [38]? ", "Leave the game (Y/N) [N]? ")


@settings(max_examples=50)
@given(others_text, st.sampled_from(TW2_LIVE))
def test_no_text_above_a_prompt_of_trade_wars_takes_it_away(above: list[str], live: str) -> None:
    assert taken(TW2_AUTO, at(above, live)) == "tw2-game"


@settings(max_examples=50)
@given(others_text, st.sampled_from(STARLANE_LIVE))
def test_no_text_above_a_prompt_of_starlane_takes_it_away(above: list[str], live: str) -> None:
    assert taken(STARLANE_AUTO, at(above, live)) == "starlane-game"


TW2_SECTOR = ["Sector 2", "Port   None", "Fighters defending sector", "   None", "Warps lead to   9, 10", ""]


@settings(max_examples=50)
@given(others_text)
def test_no_text_in_trade_wars_makes_bbs_auto_think_that_it_is_another_game(said: list[str]) -> None:
    said = [row for row in said if not row.startswith("Returning")]
    assert taken(BBS_AUTO, at([*TW2_SECTOR, *said], "Command (?=Help)? ")) == "tw2-game"


STARLANE_SECTOR = ["Sector 12, the Reach", "Lanes    3", "You      5 turns, 2 credits, 3 fighters, holds 20: 20 free"]


@settings(max_examples=50)
@given(st.lists(st.sampled_from([row for row in FORGED if len(row) < 79 and not row.startswith(" ")]), max_size=6))
def test_no_radio_in_starlane_makes_bbs_auto_think_that_it_is_trade_wars(said: list[str]) -> None:
    notices = [f"Radio, mallory: {row}" for row in said]
    assert taken(BBS_AUTO, at([*STARLANE_SECTOR, *notices], "Command (?=Help)? ")) == "bbs-door-safe"


@pytest.mark.parametrize(
    "live",
    [
        "Command (?=Help)? (C=claim, S=show, L=lift off, Q=quit) [Q]? ",  # a planet of that name
        "Command (?=Help)?> ",  # a chat room
        "To Command (?=Help)?: ",  # a page to such a caller
        "<Command (?=Help)?> Command (?=Help)? ",  # chat
        "How many credits on Your offer? (0-100) [0]? ",  # a bounty
    ],
)
def test_a_name_that_looks_like_a_prompt_of_trade_wars_is_none(live: str) -> None:
    for routes in (TW2_AUTO, BBS_AUTO):
        assert taken(routes, at([], live)) == routes.default.name


def test_an_old_prompt_above_the_cursor_is_no_game() -> None:
    """The cursor has gone on to another row, or the game has left its prompt behind."""
    for sketch in ("Command (?=Help)? \n|", "Command (?=Help)? Q\n<Quit>\nReturning to Door monitor...\n|"):
        assert taken(TW2_AUTO, turn(sketch)) == "tw2-entry"


def test_a_prompt_amid_a_screen_is_no_game() -> None:
    """As where an editor shows what somebody wrote, with the cursor behind it."""
    assert taken(TW2_AUTO, turn("To: alice\nCommand (?=Help)? |\n\nESC: menu  INS")) == "tw2-entry"


def test_a_closed_line_is_no_game() -> None:
    assert taken(TW2_AUTO, turn("Command (?=Help)? |", closed="hung up")) == "tw2-entry"
