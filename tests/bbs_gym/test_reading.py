"""Facts of any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bbs_gym.recorded import turns
from tests.tty_agent.terminal_turns import turn

from bbs_gym.facts import Facts
from bbs_gym.readers.live_screen import of_text
from bbs_gym.reading import observed_facts, prompt_of, read_facts, shown_game

GAMES = ("tw2", "starlane", "bre", "no such game", None)

PIECES = (
    "Command (?=Help)? ", "Command (?=Help)? I", "<Info>", "Sector 1", "Port   Sol", "Sector 12, the Reach",
    "Lanes    1", "You      1 turns, 2 credits, 3 fighters, holds 4: ice 5, ", "Holds    9: ", "         6 free",
    "Ore....... Buying 1 2", "     # with Ore: ", "    Cargo Holds: 5", "Message from x:", "Sold!",
    "Returning to Door monitor...", "Goodbye, x.", "Fighters defending sector", "   None", "NODE: 1 (of 8)",
    "       ADDR: x", "Node 1 of 2, ssh, 80x24 UTF-8 ANSI", "[Hit a key] ", "■ Main ■ 1:00:00 : ", "Main menu: ",
    "You have ", "credits", "turns left.", "\n", ",", "9" * 30, "²", "٣", "\x00", "\ud800",
    "\N{RIGHT-TO-LEFT OVERRIDE}", "\t", "\r",
)  # fmt: skip

screens = st.one_of(
    st.text(),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=40).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=40).map("\n".join),
)


@given(screens, st.sampled_from(GAMES))
def test_any_text_can_be_read(text: str, game: str | None) -> None:
    facts = read_facts(text, game)
    figures = [facts.sector, facts.turns, facts.credits, facts.fighters, facts.holds, facts.free_holds, facts.node]
    assert all(figure is None or figure >= 0 for figure in figures)
    assert all(good.isascii() and good.isalpha() and amount > 0 for good, amount in facts.cargo.items())
    assert facts.game in {game, None} if game is not None else facts.game in {"tw2", "starlane", None}


@given(screens, st.integers(0, 30), st.integers(0, 90), st.sampled_from(GAMES))
def test_any_turn_can_be_read(text: str, row: int, column: int, game: str | None) -> None:
    observed_facts(turn("|", pretty_screen=text, cursor=(row, column)), game)


def test_a_game_shows_itself_where_none_is_named() -> None:
    command = next(moment for moment in turns("turns-a") if moment.typed == b"i")
    assert observed_facts(command.observation, None).game == "tw2"
    assert observed_facts(command.observation, None).sector == 2


def test_another_game_than_the_one_on_the_screen_is_not_read() -> None:
    command = next(moment for moment in turns("turns-a") if moment.typed == b"i")
    assert observed_facts(command.observation, "bre") == Facts()


@pytest.mark.parametrize(
    ("screen", "game"),
    [
        ("Your offer?", "tw2"),
        ("Your offer, 0 walks away (0-380) [38]?", "starlane"),
        ("Command (?=Help)?", None),
        ("[Hit a key]", None),
        ("Main menu:", None),
        ("", None),
    ],
)
def test_which_game_shows_itself(screen: str, game: str | None) -> None:
    assert shown_game(of_text(screen)) == game


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Main menu:", "bbs-main"),
        ("[Hit a key]", "hit-a-key"),
        ("Command (?=Help)?", "tw2-command"),
        ("Lanes    5, 26\nYou      250 turns, 2,000 credits, holds 20: 20 free\nCommand (?=Help)?", "starlane-command"),
        ("Command (?=Help)? I", None),
        ("somebody wrote: Command (?=Help)?\nnothing here", None),
    ],
)  # fmt: skip
def test_a_prompt_is_named_whatever_runs_there(text: str, name: str | None) -> None:
    assert prompt_of(of_text(text)) == name


@given(screens)
def test_any_prompt_can_be_looked_for(text: str) -> None:
    prompt_of(of_text(text))
