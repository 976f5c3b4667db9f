"""What a screen asks and tells, by the words of each kind of BBS."""

from __future__ import annotations

import pytest

from bbs_gym.login.prompts import (
    ANY,
    HOUSE,
    SYNCHRONET,
    Asks,
    Manners,
    Says,
    View,
    banner_node,
    log_off_keys,
    manners_of,
    menu_node,
    prompt_of,
    recognise,
    told_in,
)
from tty_agent.observer.readiness import PromptPattern


def shown(*rows: str, column: int | None = None, stable: bool = True) -> View:
    """The cursor is in the last row, behind its text if no column is given."""
    last = rows[-1]
    texts = tuple(row.rstrip() for row in rows)
    return View(texts, (len(rows) - 1, len(last) if column is None else column), 1, stable)


ASKED = {
    "Login: ": Asks.NAME,
    "Password: ": Asks.PASSWORD,
    "[Hit a key] ": Asks.PAUSE,
    "Enter number of bulletin or [Quit]: ": Asks.BULLETINS,
    "Enter number of bulletin or [(Q)uit]: ": Asks.BULLETINS,
    "[√] Search all groups for new messages? [Yes] No ": Asks.QUESTION,
    "[+] Read your mail now? Yes [No] ": Asks.QUESTION,
    "Log off? [Y/n] ": Asks.QUESTION,
    "[√] Enter your full real name: ": Asks.DETAILS,
    "■ Main ■ 3:59:58 [1] Local [1] Notices: ": Asks.MENU,
    "Main menu: ": Asks.MENU,
    "Command (?=Help)? ": None,
    "Which, Quit or [1]: ": None,
    "bob: what is your Password: ": None,
    "New password: ": None,
    "Login: alice": None,
    "": None,
}


@pytest.mark.parametrize(("row", "asks"), ASKED.items())
def test_what_the_cursors_row_asks(row: str, asks: Asks | None) -> None:
    for stable in (False, True):
        assert recognise(shown("art", row, stable=stable), ANY).asks is asks


def test_a_prompt_that_is_being_written_is_none_yet() -> None:
    for cut in range(len("Password: ")):
        assert prompt_of(shown("Password: "[:cut], column=cut, stable=False), ANY) is None
    assert prompt_of(shown("Password:", stable=True), ANY) is not None


def test_a_prompt_with_something_behind_the_cursor_is_none() -> None:
    assert prompt_of(shown("Password:  old text", column=10), ANY) is None
    assert prompt_of(shown("[Hit a key]", column=4), ANY) is None


def test_only_whole_rows_above_the_cursor_tell() -> None:
    assert recognise(shown("Invalid Logon", ""), ANY).says == {Says.WRONG_PASSWORD}
    for rows in (("eve: Invalid Logon", ""), ("Invalid Logon (eve)", ""), ("Invalid Logon",)):
        assert not recognise(shown(*rows), ANY).says


def test_the_name_of_a_registration() -> None:
    assert told_in(["UNKNOWN USER: bob", "Starting new user registration ..."], SYNCHRONET).named == "bob"
    assert told_in(["Starting new user registration ..."], SYNCHRONET).named is None


@pytest.mark.parametrize(
    ("rows", "manners", "banner", "menu"),
    [
        (("       NODE: 3 (of 8) - Debian", ""), SYNCHRONET, 3, None),
        (("▀▌ █Last On: Nov30'26  Node    1 Up 0m", "■ Main ■"), SYNCHRONET, None, 1),
        (("Node 12 of 32, ssh, UTF-8 80x24", ""), HOUSE, 12, None),
        ((" AgentBBS     ann  Node 2  1 here  13:45", ""), HOUSE, None, 2),
        (("ann says: Node 2  1 here", ""), HOUSE, None, None),
    ],
)
def test_nodes(rows: tuple[str, ...], manners: Manners, banner: int | None, menu: int | None) -> None:
    for known in (manners, ANY):
        assert banner_node(shown(*rows), known) == banner
        assert menu_node(shown(*rows), known) == menu


def test_logging_off_is_known_of_main_menus_alone() -> None:
    assert log_off_keys(shown("Main menu: ")) == b"qy"
    assert log_off_keys(shown("■ Main ■ 3:59:58 [1] Local [1] Notices: ")) == b"/o"
    assert log_off_keys(shown("Command (?=Help)? ")) == b""


def test_manners_by_kind() -> None:
    assert manners_of("house") is HOUSE
    assert manners_of("synchronet") is SYNCHRONET
    assert manners_of(None) is ANY
    assert manners_of("mystic") is ANY


@pytest.mark.parametrize("manners", [SYNCHRONET, HOUSE])
def test_every_prompt_is_fit_for_turns(manners: Manners) -> None:
    """They wake a session up, which refuses patterns that may take for ever."""
    for prompt in manners.prompts:
        assert PromptPattern(prompt.asks, prompt.pattern).name == prompt.asks
