"""Clocks and spinners, told from output change by change."""

from __future__ import annotations

import msgspec
import pytest

from tty_agent.observer.changes import Change
from tty_agent.observer.periodic import (
    MAX_AGE_S,
    MAX_REGION_COLUMNS,
    MAX_REGIONS,
    UPDATES_AWAY,
    UPDATES_COLOUR,
    Regions,
)

PROMPT = (4, 9)


def change(
    row: int, text: str, column: int = 70, *, clock: bool = False, colour: bool = False, even: bool = True
) -> Change:
    line = (" " * column + text).ljust(80)
    return Change(row, column, column + len(text) - 1, text=not colour, line=line, clock=clock, even=even)


def judged(
    changes: list[Change],
    *,
    cursor: tuple[int, int] | None = PROMPT,
    interval: float = 0.25,
    regions: Regions | None = None,
) -> list[bool]:
    regions = regions or Regions()
    return [regions.judge([one], cursor, number * interval) for number, one in enumerate(changes)]


def test_a_clock_elsewhere_is_believed_at_first_sight() -> None:
    assert judged([change(23, "12:00:01", clock=True)]) == [True]


def test_a_clock_with_seconds_away_from_the_cursor_is_believed_at_first_sight_in_its_row_too() -> None:
    ticks = [change(4, f"12:00:0{second}", clock=True) for second in range(4)]
    assert judged(ticks) == [True] * 4


@pytest.mark.parametrize("column", [69, 70, 74, 77, 78])
def test_a_clock_that_touches_the_cursor_proves_itself(column: int) -> None:
    ticks = [change(4, f"12:00:0{second}", clock=True) for second in range(4)]
    assert judged(ticks, cursor=(4, column)) == [False, False, True, True]


def test_a_time_before_the_cursor_that_changes_first_after_input_is_the_prompt_drawn_anew() -> None:
    ticks = [change(4, f"Main 3:59:4{9 - second} >", 0, clock=True) for second in range(3)]
    ticks = [msgspec.structs.replace(one, first=11, last=11) for one in ticks]
    assert judged(ticks, cursor=(4, 14)) == [True] * 3, "nobody asked"
    regions = Regions()
    regions.ask()
    assert judged(ticks, cursor=(4, 14), regions=regions) == [False, True, True]
    regions.ask()
    assert regions.judge(ticks[:1], (4, 14), 0.75), "it is known by now"


def test_a_time_without_seconds_in_the_row_of_the_cursor_proves_itself() -> None:
    ticks = [change(4, f"12:0{minute}", clock=True) for minute in range(4)]
    assert judged(ticks) == [False, False, True, True]


def test_a_counter_elsewhere_is_periodic_at_its_third_change() -> None:
    assert judged([change(0, str(number)) for number in range(100, 105)]).index(True) == UPDATES_AWAY - 1


def test_uneven_changes_are_output() -> None:
    regions = Regions()
    times = [0.0, 0.1, 2.0, 2.1, 4.0, 4.1]
    assert not any(regions.judge([change(0, f"{at:.1f}")], PROMPT, at) for at in times)


def test_a_counter_in_the_row_of_the_cursor_is_output() -> None:
    assert not any(judged([change(4, f"{number:3}%", 10) for number in range(1, 60)], cursor=(4, 14)))


def test_a_spinner_at_the_cursor_brings_back_its_states() -> None:
    found = judged([change(4, "|/-\\"[number % 4], 10) for number in range(12)], cursor=(4, 11))
    assert found.index(True) == 5
    assert all(found[5:])


def test_text_that_grows_is_output() -> None:
    assert not any(judged([change(0, "x", column) for column in range(40)]))


def test_wide_changes_are_output() -> None:
    assert not any(judged([change(0, "x" * (MAX_REGION_COLUMNS + 1), 10)] * 9))


def test_one_change_that_is_output_makes_the_update_output() -> None:
    assert not Regions().judge([change(23, "12:00:01", clock=True), change(3, "You are hit!", 0)], PROMPT, 0.0)


def test_a_stretch_that_pulses_needs_many_turns_without_another_change() -> None:
    pulse = [change(4, "Press a key", 0, colour=True)] * 8
    assert judged(pulse).index(True) == UPDATES_COLOUR - 1
    regions = Regions()
    assert not any(judged(pulse[: UPDATES_COLOUR - 1], regions=regions))
    regions.disturb()
    assert not any(judged(pulse[: UPDATES_COLOUR - 1], regions=regions))


def test_a_light_bar_is_no_pulse() -> None:
    assert not any(judged([change(4, "Yes No", 0, colour=True, even=False)] * 20))


def test_input_makes_the_unproven_begin_anew() -> None:
    regions = Regions()
    for number in range(8):
        regions.ask()
        assert not regions.judge([change(0, str(number))], PROMPT, number * 1.0)


def test_input_leaves_the_proven_alone_until_they_stop() -> None:
    regions = Regions()
    judged([change(0, str(number)) for number in range(100, 104)], regions=regions)
    regions.ask()
    assert regions.rows(1.0) == (0,)
    assert regions.judge([change(0, "104")], PROMPT, 1.0)
    assert regions.rows(1.0 + MAX_AGE_S + 0.1) == ()


def test_a_bounded_number_is_remembered() -> None:
    regions = Regions()
    for row in range(3 * MAX_REGIONS):
        regions.judge([change(row, "12:00", clock=True)], None, row / 100)
    assert len(regions.rows(0.5)) == MAX_REGIONS
