"""Prompts over a line that is a script: what is sent, what is taken, and what is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starlane.door.console import Console, HungUp, TimeUp
from starlane.door.keys import Encoding
from starlane.door.paint import Painter
from starlane.door.styles import Span, Style
from starlane.door.terminal import Terminal
from starlane.door.wire import Size


class ScriptedWire:
    """A caller that types each burst of `script` when it is waited for, and hangs up after the last. A number is a
    pause of so many seconds. `early` is typed before the next prompt: it is there when the door looks."""

    def __init__(self, *script: bytes | float, interactive: bool = True, size: Size | None = None) -> None:
        self.script = list(script)
        self.interactive = interactive
        self.sent = b""
        self.early = b""
        self.now = 0.0
        self.shape = size

    def size(self) -> Size | None:
        return self.shape

    def clock(self) -> float:
        return self.now

    def read(self, wait_s: float | None) -> bytes:
        early, self.early = self.early, b""
        if early or wait_s == 0:
            return early
        if not self.script:
            raise HungUp
        step = self.script[0]
        if isinstance(step, bytes):
            self.script.pop(0)
            return step
        waited = step if wait_s is None else min(step, wait_s)
        self.now += waited
        if waited == step:
            self.script.pop(0)
        else:
            self.script[0] = step - waited
        return b""

    def write(self, data: bytes) -> None:
        self.sent += data


def over(wire: ScriptedWire, *, ansi: bool = False, **options: Any) -> Terminal:
    return Terminal(wire, Painter(encoding=Encoding.UTF_8, ansi=ansi), clock=wire.clock, **options)


def said(wire: ScriptedWire) -> list[str]:
    return wire.sent.decode().split("\r\n")


def test_it_is_a_console() -> None:
    console: Console = over(ScriptedWire())
    assert (console.columns, console.rows) == (80, 24)


@pytest.mark.parametrize(
    ("told", "otherwise", "fixed", "size"),
    [
        (Size(132, 50), Size(80, 25), None, (132, 50)),
        (None, Size(80, 25), None, (80, 25)),
        (Size(132, 50), Size(80, 25), Size(100, 40), (100, 40)),
        (Size(20, 5), Size(80, 25), None, (40, 10)),
        (Size(9999, 9999), Size(80, 25), None, (500, 500)),
    ],
)
def test_sizes(told: Size | None, otherwise: Size, fixed: Size | None, size: tuple[int, int]) -> None:
    console = over(ScriptedWire(size=told), otherwise=otherwise, fixed=fixed)
    assert (console.columns, console.rows) == size


# Hotkeys


def test_a_hotkey_acts_at_once_in_either_case() -> None:
    wire = ScriptedWire(b"m", b"Q")
    console = over(wire)
    assert console.key("Command? ", "MQ") == "M"
    assert console.key("Command? ", "MQ") == "Q"
    assert said(wire) == ["Command? M", "Command? Q", ""]


def test_enter_gives_the_default_or_nothing() -> None:
    assert over(ScriptedWire(b"\r")).key("Sure? ", "YN", default="n") == "N"
    assert over(ScriptedWire(b"\r")).key("Sure? ", "YN") == ""


@pytest.mark.parametrize("wrong", [b"x", b"\x1b[A", b"\x03", b"\t", "ü".encode()])
def test_another_key_is_told_what_is_possible(wrong: bytes) -> None:
    wire = ScriptedWire(wrong, b"y")
    assert over(wire).key("Sure? ", "YN", default="N") == "Y"
    assert said(wire) == ["Sure? ", "Keys here: Y N, Enter for N", "Sure? Y", ""]


def test_a_lone_escape_is_told_too() -> None:
    wire = ScriptedWire(b"\x1b", 0.4, b"y")
    assert over(wire).key("Sure? ", "YN") == "Y"
    assert said(wire) == ["Sure? ", "Keys here: Y N", "Sure? Y", ""]


@pytest.mark.parametrize("burst", [b"m\r", b"m\r\n", b"mmm", b"move 5\r"])
def test_the_rest_of_a_burst_is_no_answer_to_the_next_prompt(burst: bytes) -> None:
    wire = ScriptedWire(burst, b"q")
    console = over(wire)
    assert console.key("One? ", "MQ") == "M"
    assert console.key("Two? ", "MQ", default="M") == "Q"


def test_what_came_before_a_prompt_is_no_answer_to_it() -> None:
    wire = ScriptedWire(b"n")
    console = over(wire)
    wire.early = b"yyy\r"
    assert console.key("Sure? ", "YN") == "N"


def test_an_escape_before_a_prompt_is_none_either() -> None:
    wire = ScriptedWire(b"n")
    console = over(wire)
    wire.early = b"\x1b"
    assert console.key("Sure? ", "YN") == "N"


def test_a_sequence_cut_by_a_prompt_leaves_no_letters() -> None:
    wire = ScriptedWire(b"[A", b"q")
    console = over(wire)
    wire.early = b"\x1b"
    assert console.key("Command? ", "AQ") == "Q"


def test_after_a_wrong_key_the_burst_is_dropped_as_well() -> None:
    wire = ScriptedWire(b"xym\r", b"q")
    assert over(wire).key("Command? ", "MQ") == "Q"
    assert wire.sent.count(b"Keys here") == 1


@pytest.mark.parametrize("script", [b"m20\rq", b"m\n20\nq\n", b"m\r\n20\r\nq\r\n"])
def test_on_a_pipe_keys_are_taken_in_order(script: bytes) -> None:
    for cut in range(len(script) + 1):
        console = over(ScriptedWire(script[:cut], script[cut:], interactive=False))
        assert console.key("Command? ", "MQ") == "M"
        assert console.number("How many", 0, 50, 10) == 20
        assert console.key("Command? ", "MQ") == "Q"


def test_on_a_pipe_one_enter_belongs_to_a_hotkey_and_no_more() -> None:
    console = over(ScriptedWire(b"m\n\n", interactive=False))
    assert console.key("Command? ", "M") == "M"
    assert console.number("How many", 0, 50, 10) == 10


# Commands


def test_a_command_is_a_hotkey_or_a_number() -> None:
    wire = ScriptedWire(b"m", b"20\r", b"3", b"7", b"\r", b"\r")
    console = over(wire)
    assert console.command("Command (?=Help)? ", "M?") == "M"
    assert console.command("Command (?=Help)? ", "M?") == 20
    assert console.command("Command (?=Help)? ", "M?") == 37
    assert console.command("Command (?=Help)? ", "M?") == ""


def test_a_number_taken_back_makes_way_for_a_hotkey() -> None:
    wire = ScriptedWire(b"12", b"\x7f\x7f", b"m")
    assert over(wire).command("Command? ", "M") == "M"
    assert said(wire)[-2] == "Command? 12\b \b\b \bM"


def test_a_number_with_letters_is_explained() -> None:
    wire = ScriptedWire(b"5m\r", b"5\r")
    assert over(wire).command("Command? ", "M") == 5
    assert said(wire) == ["Command? 5m", "That is no whole number.", "Command? 5", ""]


# Fields


def test_a_number_shows_its_range_and_default() -> None:
    wire = ScriptedWire(b"\r", b"7\r")
    console = over(wire)
    assert console.number("How many holds", 0, 20, 20) == 20
    assert console.number("Which", 1, 9) == 7
    assert said(wire) == ["How many holds (0-20) [20]? ", "Which (1-9)? 7", ""]


@pytest.mark.parametrize(
    "typed", [b"21\r", b"-1\r", b"x\r", b"1.5\r", b"1,5\r", "²\r".encode(), b"99999999999999999999\r"]
)
def test_anything_but_a_number_in_range_is_explained(typed: bytes) -> None:
    wire = ScriptedWire(typed, b"\r")
    assert over(wire).number("How many", 0, 20) is None
    assert "Please type a whole number from 0 to 20; Enter alone for none." in said(wire)


def test_whoever_types_letters_into_a_number_is_told_at_once_and_once() -> None:
    wire = ScriptedWire(b"n", b"o", b"\x7f\x7f", b"7", b"\r")
    assert over(wire).number("How many", 0, 20, 20) == 7
    assert said(wire)[:3] == [
        "How many (0-20) [20]? n",
        "A number goes here, then Enter; Backspace takes keys back.",
        "How many (0-20) [20]? no\b \b\b \b7",
    ]


def test_thousands_may_have_commas() -> None:
    assert over(ScriptedWire(b" 1,250,000 \r")).number("Offer", 0, 10**9) == 1_250_000
    assert over(ScriptedWire(b"0012\r")).number("Offer", 0, 20) == 12


def test_a_text_is_stripped_and_cut() -> None:
    wire = ScriptedWire(b"  Sunny Reach  Four \r")
    assert over(wire).text("Name", 14) == "Sunny Reach"
    assert said(wire)[0].startswith("Name (up to 14 characters): ")
    assert wire.sent.count(b"\a") == 6


def test_enter_alone_gives_the_default_text() -> None:
    wire = ScriptedWire(b"\r")
    assert over(wire).text("Name", 24, default="Ada") == "Ada"
    assert said(wire)[0] == "Name (up to 24 characters) [Ada]: "


def test_escape_and_ctrl_c_empty_a_field() -> None:
    assert over(ScriptedWire(b"abc", b"\x1b", 0.4, b"d\r")).text("Name", 24) == "d"
    assert over(ScriptedWire(b"abc\x03d\r")).text("Name", 24) == "d"


def test_an_arrow_changes_nothing_in_a_field() -> None:
    wire = ScriptedWire(b"ab\x1b[Dc\r")
    assert over(wire).text("Name", 24) == "abc"
    assert b"\x1b" not in wire.sent


def test_confirm_shows_its_default() -> None:
    wire = ScriptedWire(b"\r", b"y")
    console = over(wire)
    assert console.confirm("Attack Ada") is False
    assert console.confirm("Leave", default=True) is True
    assert said(wire) == ["Attack Ada (Y/N) [N]? N", "Leave (Y/N) [Y]? Y", ""]


def test_pause_takes_any_key() -> None:
    wire = ScriptedWire(b"\x1b[B", b"q")
    console = over(wire)
    console.pause()
    assert console.key("Command? ", "Q") == "Q"
    assert said(wire) == ["[Hit a key] ", "Command? Q", ""]


# Pages


def test_a_long_screen_stops_at_each_page() -> None:
    wire = ScriptedWire(b" ", b" ", size=Size(80, 10))
    over(wire).show(*(str(number) for number in range(25)))
    expected = [*map(str, range(9)), "[More] ", *map(str, range(9, 18)), "[More] ", *map(str, range(18, 25)), ""]
    assert said(wire) == expected


def test_a_screen_that_fits_does_not_stop() -> None:
    wire = ScriptedWire(size=Size(80, 10))
    over(wire).show(*"123456789")
    assert b"[More]" not in wire.sent


@pytest.mark.parametrize("key", [b"q", b"Q", b"\x03"])
def test_q_skips_the_rest(key: bytes) -> None:
    wire = ScriptedWire(key, b"y", size=Size(80, 10))
    console = over(wire)
    console.show(*(str(number) for number in range(100)))
    assert console.confirm("Go on") is True
    assert "9" not in said(wire)


def test_rows_of_several_screens_count_together() -> None:
    wire = ScriptedWire(b" ", b"q", b"q", size=Size(80, 10))
    console = over(wire)
    for _ in range(2):
        console.show(*"12345")
    assert wire.sent.count(b"[More]") == 1
    console.key("Command? ", "Q")
    console.show(*"12345678")
    assert wire.sent.count(b"[More]") == 1


def test_on_a_pipe_the_enter_after_more_belongs_to_it() -> None:
    wire = ScriptedWire(b"x\n\n", interactive=False, size=Size(80, 10))
    console = over(wire)
    console.show(*map(str, range(12)))
    assert console.number("How many", 0, 9, 3) == 3


# Notices


def telling(*notices: str) -> Callable[[], list[Span]]:
    waiting = [[Span(Style.NOTICE, text)] if text else [] for text in notices]
    return lambda: waiting.pop(0) if waiting else []


def test_notices_come_before_a_prompt() -> None:
    wire = ScriptedWire(b"q")
    console = over(wire)
    console.idle = telling("Ada docks.")
    console.key("Command? ", "Q")
    assert said(wire) == ["Ada docks.", "Command? Q", ""]


def test_notices_come_above_a_prompt_that_waits() -> None:
    wire = ScriptedWire(1.5, b"q")
    console = over(wire)
    console.idle = telling("", "Ada docks.")
    console.key("Command? ", "Q")
    assert said(wire) == ["Command? ", "Ada docks.", "Command? Q", ""]


def test_with_ansi_the_prompt_moves_down() -> None:
    wire = ScriptedWire(1.5, b"q")
    console = over(wire, ansi=True)
    console.idle = telling("", "Ada docks.")
    console.key("Command? ", "Q")
    assert b"Command? \r\x1b[K\x1b[1;35mAda docks.\x1b[0m\r\nCommand? Q\r\n" in wire.sent


def test_no_notice_comes_once_something_is_typed() -> None:
    wire = ScriptedWire(b"1", 5.0, b"2\r")
    console = over(wire)
    console.idle = telling("", "Ada docks.")
    assert console.number("How many", 0, 50) == 12
    assert b"docks" not in wire.sent


def test_notices_come_again_when_a_field_is_empty() -> None:
    wire = ScriptedWire(b"1\x7f", 1.5, b"2\r")
    console = over(wire)
    console.idle = telling("", "Ada docks.")
    assert console.number("How many", 0, 50) == 2
    assert said(wire)[1:] == ["Ada docks.", "How many (0-50)? 2", ""]


def test_a_key_that_comes_just_with_a_notice_holds_it_back() -> None:
    wire = ScriptedWire(1.5, b"\r")
    console = over(wire)
    notices = telling("", "Ada docks.")

    def idle() -> list[Span]:
        told = notices()
        wire.early = b"4" if told else b""
        return told

    console.idle = idle
    assert console.number("How many", 0, 50) == 4
    console.idle = telling()
    with pytest.raises(HungUp):
        console.pause()
    assert said(wire) == ["How many (0-50)? 4", "Ada docks.", "[Hit a key] "]


def test_what_idle_raises_comes_out_of_the_prompt() -> None:
    console = over(ScriptedWire(5.0))

    def gone() -> list[Span]:
        raise LookupError("elsewhere")

    console.idle = gone
    with pytest.raises(LookupError):
        console.pause()


# Ends


def test_time_is_up_after_a_warning() -> None:
    wire = ScriptedWire(500.0, b"q")
    console = over(wire, seconds=120.0)
    with pytest.raises(TimeUp):
        console.key("Command? ", "Q")
    assert wire.now == pytest.approx(120.0)
    assert wire.sent.count(b"ends in less than a minute") == 1
    with pytest.raises(TimeUp):
        console.pause()
    console.show(*map(str, range(100)))
    assert b"[More]" not in wire.sent


def test_time_is_up_in_the_middle_of_a_field() -> None:
    wire = ScriptedWire(b"1", 500.0)
    with pytest.raises(TimeUp):
        over(wire, seconds=120.0).number("How many", 0, 50)


PROMPTS: dict[str, Callable[[Console], object]] = {
    "key": lambda console: console.key("Command? ", "MQ"),
    "command": lambda console: console.command("Command? ", "MQ"),
    "number": lambda console: console.number("How many", 0, 20, 5),
    "text": lambda console: console.text("Name", 20),
    "confirm": lambda console: console.confirm("Sure"),
    "pause": lambda console: console.pause(),
    "show": lambda console: console.show(*map(str, range(50))),
}


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
@pytest.mark.parametrize("interactive", [True, False])
def test_a_hang_up_at_any_prompt_is_one(prompt: Callable[[Console], object], interactive: bool) -> None:
    with pytest.raises(HungUp):
        prompt(over(ScriptedWire(interactive=interactive)))
    with pytest.raises(HungUp):
        prompt(over(ScriptedWire(b"\x1b", interactive=interactive)))


def test_after_a_prompt_that_was_left_open_lines_begin_on_a_row_of_their_own() -> None:
    wire = ScriptedWire(500.0)
    console = over(wire, seconds=1.0)
    with pytest.raises(TimeUp):
        console.key("Command? ", "Q")
    console.show("Good-bye.")
    console.close()
    assert said(wire)[-3:] == ["Command? ", "Good-bye.", ""]


@settings(max_examples=50)
@given(
    st.lists(st.one_of(st.binary(max_size=6), st.sampled_from([b"\r", b"m", b"5\r", b"\x1b", 0.5, 2.0])), max_size=12),
    st.sampled_from(list(PROMPTS.values())),
    st.booleans(),
    st.sampled_from([Size(40, 10), Size(80, 24), Size(200, 60)]),
)
def test_whatever_is_typed_a_prompt_ends_in_an_answer_or_a_hang_up(
    script: list[bytes | float], prompt: Callable[[Console], object], interactive: bool, size: Size
) -> None:
    wire = ScriptedWire(*script, interactive=interactive, size=size)
    console = over(wire)
    try:
        for _ in range(5):
            prompt(console)
    except HungUp:
        pass
    assert b"\x1b" not in wire.sent
