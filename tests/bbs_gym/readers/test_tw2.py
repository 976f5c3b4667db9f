"""Trade Wars 2: facts and prompts on recorded screens, and on such as it writes."""

from __future__ import annotations

import pytest
from tests.bbs_gym.recorded import turns

from bbs_gym.facts import Facts
from bbs_gym.readers.known_prompt import live_prompt
from bbs_gym.readers.live_screen import of_text, of_turn
from bbs_gym.readers.tw2 import TW2_PROMPTS, tw2_facts, tw2_shown
from bbs_gym.reading import observed_facts, read_facts

RECORDED = {
    "rlogin-alice-tw2-quit": [
        "hit-a-key",
        "tw2-command",
        "tw2-quantity",
        *["tw2-command"] * 5,
        "tw2-computer",
        "tw2-computer",
        "tw2-command",
        "tw2-gamble",
        "tw2-gamble",
        "tw2-command",
        "hit-a-key",
        "hit-a-key",
        "tw2-command",
        "tw2-confirm",
    ],
    "rlogin-bob-tw2-play": [
        "hit-a-key",
        "tw2-command",
        "tw2-command",
        "tw2-instructions",
        "tw2-command",
        "tw2-computer",
        "tw2-computer",
        "tw2-radio-to",
        "tw2-radio-to",
        *["tw2-computer"] * 5,
    ],
}


@pytest.mark.parametrize("name", RECORDED)
def test_every_prompt_of_a_recorded_visit_has_its_name(name: str) -> None:
    found = [live_prompt(TW2_PROMPTS, of_turn(moment.observation)) for moment in turns(name)]
    assert [prompt.name if prompt else "hit-a-key" for prompt in found] == RECORDED[name]


def facts_of_turn(name: str, typed: bytes, *, nth: int = 0) -> Facts:
    moment = [moment for moment in turns(name) if moment.typed == typed][nth]
    return observed_facts(moment.observation, "tw2")


def test_a_recorded_sector() -> None:
    assert facts_of_turn("turns-a", b"i") == Facts(game="tw2", sector=2, safe_to_act=True)


def test_the_recorded_figures_of_a_player() -> None:
    assert facts_of_turn("turns-a", b"qy") == Facts(
        game="tw2", sector=2, turns=499, credits=200, fighters=20, holds=20, free_holds=20, safe_to_act=True
    )


def test_the_recorded_money_is_what_was_said_last() -> None:
    assert facts_of_turn("rlogin-alice-tw2-quit", b"5").credits == 200
    assert facts_of_turn("rlogin-alice-tw2-quit", b"zy").credits == 195


def test_a_recorded_visit_without_turns() -> None:
    facts = facts_of_turn("turns-c", b"\r")
    assert (facts.turns, facts.game, facts.safe_to_act) == (0, None, True)


def test_after_the_game_nothing_of_it_is_told() -> None:
    back = turns("telnet-door-return")[-4]
    assert "Returning to Door monitor" in back.observation.pretty_screen
    assert observed_facts(back.observation, "tw2") == Facts(safe_to_act=True)


PORT = """\
Commerce report for Orion Prime: Mon Nov 30 2026 01:45 pm

 Items     Status   # units  in holds
 =====     ======   =======  ========
Ore....... Buying   1180     5
Organics.. Selling  2300     0
Equipment. Selling  900      12

You have 480 credits and 3 empty cargo holds.

We are buying up to 1180.  You have 5 in your holds.
How many holds of ore do you want to sell [5]?"""


def test_the_board_of_a_port() -> None:
    assert read_facts(PORT, "tw2") == Facts(
        game="tw2", credits=480, free_holds=3, cargo={"ore": 5, "equipment": 12}, safe_to_act=False
    )


def test_a_deal_makes_older_figures_void() -> None:
    after = f"{PORT} 5\nAgreed, 5 units.\nWe'll buy them for 52\nYour offer? 50\nWe'll take them!\n"
    facts = read_facts(f"{after}\nCommand (?=Help)?", "tw2")
    assert (facts.credits, facts.free_holds, facts.cargo) == (None, None, {})


def test_a_move_makes_the_turns_void() -> None:
    seen = "You have 5 turns left.\n\nSector 12\nPort   None\nWarps lead to   3, 4\n\nCommand (?=Help)?"
    facts = read_facts(seen, "tw2")
    assert (facts.sector, facts.turns) == (12, None)


@pytest.mark.parametrize(
    ("row", "figures"),
    [
        ("You have 5 turns left.", {"turns": 5}),
        ("I'm sorry but you don't have any turns left.", {"turns": 0}),
        ("Sorry, but you don't have any turns left.", {"turns": 0}),
        ("Done.  You have 14 fighter(s) in your fleet.", {"fighters": 14}),
        ("You lost 3 fighter(s), 17 remain.", {"fighters": 17}),
        ("You have 20 free cargo holds.", {"free_holds": 20}),
        ("Equipment.    1       5       12", {"cargo": {"equipment": 12}}),
        ("You have 99999999999999999999 credits.", {}),
        ("Sector 7", {}),
    ],
)
def test_single_rows(row: str, figures: dict[str, object]) -> None:
    assert tw2_facts(of_text(f"{row}\n\nCommand (?=Help)?")) == figures


@pytest.mark.parametrize(
    "said", ["You have 999999 credits.", "You have 0 turns left.", "You don't have any turns left.", "<Info>"]
)
def test_what_a_message_says_is_no_fact(said: str) -> None:
    screen = f"Message from mallory:\n{said}\n[Hit a key]"
    assert tw2_facts(of_text(screen)) == {}


@pytest.mark.parametrize(
    ("live", "name"),
    [
        ("To which sector?", "tw2-move"),
        ("To which sector? 1", "tw2-move"),
        ("Your offer?", "tw2-offer"),
        ("How many holds of organics do you want to buy [20]?", "tw2-quantity"),
        ("How many holds do you want to buy [0]?", "tw2-quantity"),
        ("How much [12]?", "tw2-quantity"),
        ("Ore: Increase by how many units?", "tw2-quantity"),
        ("Planet command (?=help)[A]?", "tw2-planet"),
        ("What sector do you want to get to?", "tw2-sector"),
        ("How many fighters do you want defending this sector?", "tw2-fighters"),
        ("How many fighters do you wish to use?", "tw2-fighters"),
        ("Attack bob (Y/N)[Y]?", "tw2-yes-no"),
        ("Do you wish to buy a planet(Y/N) [N]?", "tw2-yes-no"),
        ("Are you sure (Y/N)[N]?", "tw2-confirm"),
        ("What do you want to name this planet? (41 chars. max)?", "tw2-planet-name"),
        ("Which one do you want to increase (1,2,3)?", "tw2-which"),
    ],
)
def test_prompts(live: str, name: str) -> None:
    found = live_prompt(TW2_PROMPTS, of_text(live))
    assert found is not None
    assert found.name == name


def test_the_text_of_a_message_is_asked_for_under_its_ruler() -> None:
    found = live_prompt(TW2_PROMPTS, of_text(f"  [{'-' * 72}]\n? hello"))
    assert found is not None
    assert found.name == "tw2-radio-text"


@pytest.mark.parametrize(
    ("screen", "shown"),
    [
        ("Fighters defending sector\n   None\nWarps lead to   2, 3\n\nCommand (?=Help)?", True),
        ("Command (?=Help)? G\n<Gamble>\nYou have 5 credits.", True),
        ("Fighters defending sector\nWarps lead to   2", False),
        ("Command (?=Help)?", False),
        ("<Gamble>", False),
        ("Command (?=Help)? Q\n<Quit>\nAre you sure (Y/N)? Y\nReturning to Door monitor...\n[Hit a key]", False),
    ],
)
def test_what_only_the_game_lays_out_so(screen: str, shown: bool) -> None:
    assert tw2_shown(of_text(screen)) is shown
