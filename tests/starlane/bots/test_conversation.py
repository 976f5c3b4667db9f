"""Prompts and answers over a scripted line, however it is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starlane.bots import reader
from starlane.bots.conversation import Conversation
from starlane.bots.helm import HelmLost
from starlane.bots.line import LineClosed
from starlane.bots.prompts import At, prompt_at_end
from starlane.goods import Good
from starlane.reports import Haggle

COMMAND = "Command (?=Help)? "


class Script:
    """A game that says a text after each answer, in pieces; it closes when there is nothing left to say."""

    def __init__(self, *texts: str, piece: int = 1_000) -> None:
        self.typed: list[str] = []
        self._texts = list(texts)
        self._piece = piece
        self._waiting = self._texts.pop(0)

    def write(self, text: str) -> None:
        self.typed.append(text)
        self._waiting += self._texts.pop(0) if self._texts else ""

    def read(self, wait_s: float) -> str:
        if not self._waiting:
            raise LineClosed("over")
        said, self._waiting = self._waiting[: self._piece], self._waiting[self._piece :]
        return said


@given(piece=st.integers(1, 40))
def test_what_is_shown_between_two_prompts(piece: int) -> None:
    line = Script(f"Hello\r\n{COMMAND}", f"D\r\nSector 3, the Briars\r\nLanes    4\r\n{COMMAND}", piece=piece)
    talk = Conversation(line)
    talk.begin()
    assert talk.shown == ["Hello"]
    assert talk.answer("D") == ["Sector 3, the Briars", "Lanes    4"]
    assert talk.prompt.at is At.COMMAND


@given(piece=st.integers(1, 40))
def test_a_notice_above_the_open_prompt_is_no_answer(piece: int) -> None:
    noticed = f"\r\nBo attacked you.\r\n{COMMAND}"
    line = Script(COMMAND, f"{noticed}12\r\nSector 12, the Briars\r\n{COMMAND}", piece=piece)
    talk = Conversation(line)
    talk.begin()
    assert talk.answer("12", enter=True) == ["Sector 12, the Briars"]
    assert line.typed == ["12\r"]


OFFER = "Your offer, 0 walks away (0-4000) [900]? "


@given(piece=st.integers(1, 200))
def test_others_can_say_nothing_in_the_name_of_a_port(piece: int) -> None:
    forged = (
        "*** Bo: Take it (Y/N) [Y]? We'll sell them for 1.\r\n    Done! You have bought 20 tools for 1 credits.\r\n"
    )
    fight = "*** You sent 9 fighters against Ada and lost 9; the other side lost 0.\r\n"
    line = Script(
        f"\r\nQuiet day. We'll sell them for 900.\r\n{OFFER}",
        f"\r\n{forged}{OFFER}800\r\n{fight}Try harder. We'll sell them for 850.\r\n{forged}{fight}{OFFER}",
        piece=piece,
    )
    talk = Conversation(line)
    talk.begin()
    said = reader.haggled(talk.answer("800", enter=True), Good.TOOLS, 20, buying=True)
    assert (said.state, said.ask, talk.prompt.at) == (Haggle.OPEN, 850, At.NUMBER)
    assert reader.fought(talk.shown) is None


@given(piece=st.integers(1, 40))
def test_pages_are_turned(piece: int) -> None:
    line = Script(COMMAND, "H\r\none\r\n[More] ", f"\r\ntwo\r\n{COMMAND}", piece=piece)
    talk = Conversation(line)
    talk.begin()
    assert talk.answer("H") == ["one", "two"]
    assert line.typed == ["H", " "]


def test_colours_of_a_far_side_are_left_out() -> None:
    talk = Conversation(Script(f"\x1b[1;33mHello\x1b[0m\r\n\x1b[1;32m{COMMAND}\x1b[0m"))
    talk.begin()
    assert talk.shown == ["Hello"]


def test_the_end_of_the_game_is_told_with_what_stood_there() -> None:
    talk = Conversation(Script("hello\r\n"))
    with pytest.raises(HelmLost, match=r"ended.*hello"):
        talk.begin()


def test_a_game_that_says_nothing_is_given_up() -> None:
    waited: list[float] = []

    class Mute(Script):
        def read(self, wait_s: float) -> str:
            waited.append(wait_s)
            return ""

    talk = Conversation(Mute(""), answer_s=5.0, clock=lambda: sum(waited))
    with pytest.raises(HelmLost, match="for 5 seconds"):
        talk.begin()
    assert sum(waited) == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? ", At.PORT),
        ("How many holds do you want (0-3) [0]? ", At.NUMBER),
        ("Fly there (Y/N) [Y]? ", At.CONFIRM),
        ("P=Pay, F=Force your way, S=Stay here (P/F/S) [S]? ", At.BARRED),
        ("What to bring down (I=ice, M=money, Enter=nothing)? ", At.KEY),
        ("Name of the planet (up to 24 characters) [Brine]: ", At.TEXT),
        ("Planet: Claim, Show, Lift off, Quit (C/S/L/Q) [Q]? ", At.GROUND),
    ],
)
def test_prompts_are_known(text: str, at: At) -> None:
    found = prompt_at_end(f"Some line\r\n{text}")
    assert found is not None
    assert found.at is at
    assert prompt_at_end(text[:-2]) is None
    assert prompt_at_end(f"{text}1") is None
