"""BBSes: prompts and nodes of Synchronet, as recorded, and of the house."""

from __future__ import annotations

import pytest
from tests.bbs_gym.recorded import turns

from bbs_gym.readers.board import BOARD_PROMPTS
from bbs_gym.readers.known_prompt import live_prompt
from bbs_gym.readers.live_screen import of_text, of_turn
from bbs_gym.reading import observed_facts, read_facts


def names(recording: str) -> list[str | None]:
    found = [live_prompt(BOARD_PROMPTS, of_turn(moment.observation)) for moment in turns(recording)]
    return [prompt.name if prompt else None for prompt in found]


def test_a_recorded_call_from_login_to_log_off() -> None:
    assert names("telnet-bob-logoff") == [
        "bbs-login",
        "bbs-password",
        "hit-a-key",
        "bbs-bulletins",
        "bbs-yes-no",
        "bbs-main",
        "bbs-log-off",
    ]


def test_a_recorded_way_back_from_a_door() -> None:
    assert names("telnet-door-return")[-4:] == ["hit-a-key", "bbs-doors", "bbs-door-sections", "bbs-main"]


def test_a_recorded_terminal_without_any_sequence() -> None:
    assert [name for name in names("telnet-dumb") if name] == [
        "bbs-login",
        "bbs-password",
        "hit-a-key",
        "bbs-bulletins",
        "bbs-yes-no",
        "hit-a-key",
        "bbs-main",
        "bbs-main",
    ]


@pytest.mark.parametrize(
    ("recording", "nodes"),
    [
        ("telnet-door-return", [2, 2, None, None, None, 2, None, None, None, None, None, 2]),
        ("rlogin-alice-crlf", [None, None, None, 1]),
        ("telnet-alice-dup3", [3, 3, None, None]),
    ],
)
def test_the_node_is_read_off_the_recorded_banner_and_menu(recording: str, nodes: list[int | None]) -> None:
    assert [observed_facts(moment.observation, None).node for moment in turns(recording)] == nodes


def test_the_time_at_the_menu_is_no_time_left() -> None:
    """For an account that is exempt from time limits it counts up."""
    menu = turns("rlogin-fast")[-1].observation
    assert "0:00:01" in menu.pretty_screen
    assert observed_facts(menu, None).minutes_left is None


@pytest.mark.parametrize(
    ("live", "name"),
    [
        ("Main menu:", "bbs-main"),
        ("Login: ali", "bbs-login"),
        ("Password: ****", "bbs-password"),
        ("Log off? [Y/n]", "bbs-log-off"),
        ("Quote bob? [y/N]", "bbs-yes-no"),
        ("-- More -- Enter: go on, Q: quit, C: all", "bbs-more"),
        ("Number or key (N S Q ?): 1", "bbs-list"),
        ("Key (N P U R T Q ?):", "bbs-keys"),
        ("Arrows or number, Enter: choose, Q: quit", "bbs-choose"),
        ("Number, N: next, Q: quit: 3", "bbs-choose"),
        ("Subject:", "bbs-subject"),
        ("To: bo", "bbs-to"),
        ("  1: hello", "bbs-text"),
        ("Your move: e2e4", "games-move"),
        ("Your opponent thinks. Esc resigns.", "games-wait"),
        ("main> hello", "chat-line"),
        ("Are you really there? Press a key.", "bbs-idle"),
        ("alice! Are you really there?", "bbs-idle"),
    ],
)
def test_prompts(live: str, name: str) -> None:
    found = live_prompt(BOARD_PROMPTS, of_text(live))
    assert found is not None
    assert found.name == name


HOUSE_MENU = (
    " The House                      alice  Node 7  Mail 2  4 here  14:05 UTC\n\n [B] Message boards\n\nMain menu:"
)
HOUSE_BANNER = "░▒▓ The House ▓▒░\nNode 3 of 32, telnet, 80x24 CP437 ANSI\n\nEnter your name.\n\nLogin:"


@pytest.mark.parametrize(("screen", "node"), [(HOUSE_MENU, 7), (HOUSE_BANNER, 3)])
def test_the_node_of_the_house(screen: str, node: int) -> None:
    assert read_facts(screen, None).node == node


@pytest.mark.parametrize(
    "post",
    [
        "Node 9 of 32, telnet, 80x24 CP437 ANSI",
        "       NODE: 9 (of 8) - Debian",
        " The House                      alice  Node 9  Mail 2  4 here  14:05 UTC",
        "█Last On: Nov30'26  Node    9 Up 3m",
    ],
)
def test_a_node_that_somebody_writes_into_a_post_is_none(post: str) -> None:
    screen = f" General: hello                                   post 1 of 1\n\nFrom mallory\n\n{post}\n\nKey (N Q ?):"
    assert read_facts(screen, None).node is None
