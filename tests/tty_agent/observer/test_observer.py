"""When a turn is ready and why, on a virtual clock."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tty_agent.watched import Watched, every, together

from tty_agent.observation.observation import ReadyReason
from tty_agent.observer.observer import Observer
from tty_agent.observer.readiness import Adaptive, Fixed, PromptPattern, TurnPolicy
from tty_agent.terminal.dialect import XTERM
from tty_agent.terminal.screen import Screen

COMMAND = PromptPattern("command", r"Command\? $")


def clock(second: int) -> bytes:
    return b"\x1b[s\x1b[24;70H12:00:%02d\x1b[u" % second


def ticks(count: int = 100) -> list[tuple[float, bytes]]:
    """A clock in the corner, four times a second."""
    return every(0.25, (clock(number % 60) for number in range(count)))


class TestThreshold:
    @pytest.mark.parametrize("quiet_s", [0.1, 0.35, 1.0, 3.0])
    def test_ready_exactly_when_the_quiet_time_has_passed(self, quiet_s: float) -> None:
        watched = Watched(Fixed(quiet_s))
        ready = watched.turn([(0.0, b"Welcome\r\n"), (0.05, b"Command? ")])
        assert watched.now == pytest.approx(0.05 + quiet_s, abs=0.001)
        assert ready.reason is ReadyReason.STABLE
        assert ready.threshold_ms == round(quiet_s * 1000)
        assert ready.stable_ms == ready.byte_quiet_ms == round(quiet_s * 1000)

    def test_asking_for_a_second_takes_a_second_not_the_default(self) -> None:
        watched = Watched(Fixed(1.0))
        watched.turn([(0.0, b"Command? ")])
        assert 1.0 <= watched.now <= 1.05

    def test_not_ready_a_moment_before(self) -> None:
        watched = Watched(Fixed(1.0))
        watched.show(b"Command? ")
        watched.observer.start_turn(0.0)
        assert watched.observer.deadline() == pytest.approx(1.0)
        assert watched.observer.poll(0.999) is None
        assert watched.observer.poll(1.0) is not None

    def test_a_poll_that_comes_late_says_how_long_it_was_quiet(self) -> None:
        watched = Watched(Fixed(0.35))
        watched.show(b"Command? ")
        watched.observer.start_turn(0.0)
        ready = watched.observer.poll(5.0)
        assert ready is not None
        assert (ready.waited_ms, ready.stable_ms, ready.reason) == (5000, 5000, ReadyReason.STABLE)

    def test_each_change_begins_the_quiet_time_anew(self) -> None:
        watched = Watched(Fixed(0.35))
        watched.turn(every(0.3, (b"row %d\r\n" % number for number in range(10))))
        assert watched.now == pytest.approx(2.7 + 0.35)

    @given(
        st.lists(st.tuples(st.floats(0.001, 0.6), st.binary(min_size=1, max_size=12)), max_size=25),
        st.floats(0.05, 1.0),
    )
    @settings(max_examples=60, deadline=None)
    def test_no_turn_ends_before_its_quiet_time_or_after_its_limit(
        self, steps: list[tuple[float, bytes]], quiet_s: float
    ) -> None:
        """Whatever comes: never sooner than the quiet time, never later than the hard limit."""
        output, at = [], 0.0
        for pause, data in steps:
            at += pause
            output.append((at, data))
        watched = Watched(Fixed(quiet_s, timeout_s=4.0))
        ready = watched.turn(output)
        assert quiet_s - 0.001 <= watched.now <= 4.001
        assert ready.waited_ms == round(watched.now * 1000)


class TestTurns:
    def test_without_any_output_the_turn_is_ready_after_the_quiet_time(self) -> None:
        watched = Watched(Fixed(0.35))
        watched.show(b"Command? ")
        watched.now = 10.0
        ready = watched.answer()
        assert watched.now == pytest.approx(10.35)
        assert (ready.reason, ready.first_byte_ms, ready.bytes_read) == (ReadyReason.STABLE, None, 9)

    def test_no_deadline_while_nobody_waits(self) -> None:
        watched = Watched(Fixed())
        assert watched.observer.deadline() is None
        assert watched.observer.poll(3.0) is None
        watched.turn([(0.0, b"x")])
        assert watched.observer.deadline() is None

    def test_the_outcome_stays_until_the_next_turn(self) -> None:
        watched = Watched(Fixed())
        ready = watched.turn([(0.0, b"x")])
        watched.show(b"later", watched.now + 1)
        assert watched.observer.poll(watched.now + 9) is ready

    def test_bytes_between_turns_belong_to_the_next(self) -> None:
        watched = Watched(Fixed())
        watched.turn([(0.0, b"x")])
        watched.show(b"12345", 3.0)
        watched.observer.sent(4.0)
        watched.now = 4.0
        ready = watched.turn([(0.08, b"678")])
        assert (ready.bytes_read, ready.first_byte_ms) == (8, 80)

    def test_an_answer_that_comes_before_somebody_waits_counts(self) -> None:
        watched = Watched(Adaptive())
        watched.turn([(0.0, b"Command? ")])
        watched.observer.sent(1.0)
        watched.show(b"x\r\nCommand? ", 1.01)
        ready = watched.turn(start=1.02)
        assert ready.reason is ReadyReason.PROMPT
        assert watched.now < 1.1

    def test_a_policy_can_be_given_to_a_turn(self) -> None:
        watched = Watched(Fixed(0.35))
        watched.observer.start_turn(0.0, policy=Fixed(2.0), prompts=[COMMAND])
        watched.show(b"Command? ", 0.0)
        assert watched.observer.deadline() == pytest.approx(2.0)
        ready = watched.observer.poll(2.0)
        assert ready is not None
        assert ready.matched_prompt == "command"


class TestCutAnywhere:
    @given(st.lists(st.integers(1, 400), max_size=12), st.sampled_from([Fixed(), Adaptive()]))
    @settings(max_examples=40, deadline=None)
    def test_how_the_bytes_of_a_moment_are_cut_does_not_matter(self, cuts: list[int], policy: TurnPolicy) -> None:
        """Nor for a clock that is cut, since its pieces come at one time."""
        whole = [(0.0, b"\x1b[2J\x1b[1;31mMenu\x1b[0m\r\n\r\n1 Play\r\n2 Quit\r\nCommand? "), *ticks(12)[1:]]
        pieces: list[tuple[float, bytes]] = []
        position = 0
        for at, data in whole:
            begin = 0
            for cut in sorted(cuts):
                if begin < cut - position < len(data):
                    pieces.append((at, data[begin : cut - position]))
                    begin = cut - position
            pieces.append((at, data[begin:]))
            position += len(data)
        uncut, cut_up = Watched(policy), Watched(policy)
        expected, found = uncut.turn(whole), cut_up.turn(pieces)
        assert (cut_up.now, found.reason) == (uncut.now, expected.reason)


class TestReasons:
    def test_blank_when_nothing_is_there_and_nothing_comes(self) -> None:
        watched = Watched(Fixed(0.35, blank_s=2.0))
        ready = watched.turn()
        assert watched.now == pytest.approx(2.0)
        assert (ready.reason, ready.bytes_read) == (ReadyReason.BLANK, 0)

    def test_a_cleared_screen_is_waited_on_like_a_blank_one(self) -> None:
        watched = Watched(Fixed(0.35))
        watched.show(b"menu")
        watched.now = 1.0
        ready = watched.answer([(0.0, b"\x1b[2J"), (1.0, b"next page")])
        assert ready.reason is ReadyReason.STABLE
        assert watched.screen.line(0) == "next page"

    def test_timeout_while_the_screen_still_changes(self) -> None:
        watched = Watched(Fixed(0.35, timeout_s=5.0))
        ready = watched.turn(every(0.1, (b"row %d\r\n" % number for number in range(100))))
        assert ready.reason is ReadyReason.TIMEOUT
        assert (ready.waited_ms, ready.timeout_ms) == (5000, 5000)
        assert ready.detail == "the limit of the turn passed before the screen had been still for as long as asked"

    def test_what_the_run_has_left_is_a_limit_too_and_named(self) -> None:
        watched = Watched(Fixed(0.35, timeout_s=5.0))
        watched.observer.start_turn(0.0, left_s=0.5)
        for at, data in every(0.1, (b"row %d\r\n" % number for number in range(5))):
            watched.show(data, at)
        assert watched.observer.deadline() == pytest.approx(0.5)
        ready = watched.observer.poll(0.5)
        assert ready is not None
        assert (ready.reason, ready.waited_ms, ready.timeout_ms) == (ReadyReason.TIMEOUT, 500, 500)
        assert ready.detail.startswith("the time of the run passed before")

    def test_a_limit_below_the_quiet_time_is_no_time_out_where_nothing_changed(self) -> None:
        watched = Watched(Fixed(0.35, timeout_s=0.2))
        watched.show(b"Command? ")
        watched.now = 1.0
        ready = watched.answer()
        assert (ready.reason, ready.waited_ms) == (ReadyReason.STABLE, 200)
        assert ready.detail == "nothing changed on the screen until the limit of the turn passed"
        assert watched.answer([(0.1, b"\x07")]).reason is ReadyReason.STABLE
        assert watched.answer([(0.1, b"Y")]).reason is ReadyReason.TIMEOUT
        assert watched.answer([(0.1, b"\x1b[")]).reason is ReadyReason.TIMEOUT, "half of something came"

    def test_a_limit_below_the_blank_time_finds_a_blank_screen_where_nothing_came(self) -> None:
        ready = Watched(Fixed(timeout_s=1.0)).turn()
        assert (ready.reason, ready.waited_ms) == (ReadyReason.BLANK, 1000)
        assert ready.detail == "nothing is on the screen, and nothing came until the limit of the turn passed"
        assert Watched(Fixed()).turn().detail == "nothing is on the screen, and nothing came for as long as asked"
        cleared = Watched(Fixed(timeout_s=1.0)).turn([(0.1, b"menu"), (0.2, b"\x1b[2J")])
        assert cleared.reason is ReadyReason.TIMEOUT

    def test_closed_at_once(self) -> None:
        watched = Watched(Fixed())
        watched.observer.start_turn(0.0)
        watched.show(b"Goodbye", 0.1)
        watched.observer.closed(0.15)
        assert (watched.observer.deadline() or 0) <= 0.15
        ready = watched.observer.poll(0.15)
        assert ready is not None
        assert ready.reason is ReadyReason.CLOSED

    def test_a_turn_on_a_closed_line_is_ready_at_once(self) -> None:
        watched = Watched(Adaptive())
        watched.observer.closed(1.0)
        watched.now = 2.0
        assert watched.turn().reason is ReadyReason.CLOSED
        assert watched.now == 2.0

    def test_a_half_arrived_sequence_delays_but_not_for_ever(self) -> None:
        watched = Watched(Fixed(0.35, mid_sequence_s=1.0))
        ready = watched.turn([(0.0, b"Command? \x1b[3")])
        assert watched.now == pytest.approx(1.0)
        assert ready.mid_sequence

    def test_the_rest_of_a_sequence_is_waited_for(self) -> None:
        watched = Watched(Fixed(0.35))
        ready = watched.turn([(0.0, b"\x1b[3"), (0.8, b"1mCommand? ")])
        assert not ready.mid_sequence
        assert watched.now == pytest.approx(1.15)

    def test_a_half_arrived_character_delays_too(self) -> None:
        watched = Watched(Fixed(0.35), dialect=XTERM)
        watched.turn([(0.0, b"caf\xc3"), (0.6, b"\xa9")])
        assert watched.screen.line(0) == "caf\u00e9"


class TestVisibleChange:
    def test_a_change_of_colour_alone_is_a_change(self) -> None:
        """Case 119: a light bar that moves each 100 ms is not stable at 0.39 s."""
        items = [b"Messages", b"Files", b"Doors", b"Goodbye"]

        def menu(chosen: int) -> bytes:
            rows = (
                b"\x1b[%d;5H%b%b\x1b[0m" % (5 + n, b"\x1b[7m" * (n == chosen), item) for n, item in enumerate(items)
            )
            return b"".join(rows) + b"\x1b[20;1H"

        watched = Watched(Fixed(0.35))
        ready = watched.turn(every(0.1, (menu(number % 4) for number in range(30))))
        assert watched.now == pytest.approx(2.9 + 0.35)
        assert ready.reason is ReadyReason.STABLE

    def test_a_bar_that_moves_in_one_row_is_a_change(self) -> None:
        bars = [b"\x1b[5;1H\x1b[7mYes\x1b[0m No \x1b[20;1H", b"\x1b[5;1HYes \x1b[7mNo\x1b[0m \x1b[20;1H"]
        watched = Watched(Fixed(0.35))
        watched.turn(every(0.1, (bars[number % 2] for number in range(30))))
        assert watched.now == pytest.approx(2.9 + 0.35)

    def test_a_repaint_of_the_same_is_none(self) -> None:
        page = b"\x1b[H\x1b[1;32mMenu\x1b[0m\r\n1 Play\r\n2 Quit\r\nYour choice: "
        watched = Watched(Fixed(0.35))
        watched.turn(every(0.1, [page] * 50))
        assert watched.now == pytest.approx(0.35)

    def test_a_cursor_that_moves_is_a_change(self) -> None:
        watched = Watched(Fixed(0.35))
        watched.show(b"Name:")
        watched.turn(every(0.2, [b" "] * 5))
        assert watched.now == pytest.approx(0.8 + 0.35)

    def test_text_written_letter_by_letter_holds_the_turn(self) -> None:
        watched = Watched(Fixed(0.35))
        text = b"You walk through the dark forest."
        watched.turn(every(0.1, (text[n : n + 1] for n in range(len(text)))))
        assert watched.screen.line(0) == text.decode()
        assert watched.now == pytest.approx(0.1 * (len(text) - 1) + 0.35)

    def test_a_resize_is_a_change(self) -> None:
        watched = Watched(Fixed(0.35))
        watched.observer.start_turn(0.0)
        watched.show(b"Menu", 0.0)
        watched.screen.resize(100, 30)
        watched.show(b"\x1b[m", 0.2)
        assert watched.observer.deadline() == pytest.approx(0.55)


class TestPeriodicRegions:
    @pytest.mark.parametrize("policy", [Fixed(), Adaptive()])
    @pytest.mark.parametrize("offset", [0.0, 0.05, 0.1, 0.2, 0.24])
    @pytest.mark.parametrize("row", [0, 4, 22, 23])
    def test_a_clock_in_the_corner_does_not_hold_the_turn(self, policy: TurnPolicy, offset: float, row: int) -> None:
        """Case 117; in the last row, the clock stands in that of the cursor."""
        watched = Watched(policy, [COMMAND])
        ready = watched.turn(together(ticks(), [(offset, b"\x1b[%d;1HCommand? " % (row + 1))]))
        assert watched.now <= 0.6
        assert ready.reason in {ReadyReason.PERIODIC_REGION, ReadyReason.PROMPT}
        assert ready.matched_prompt == "command"
        assert ready.periodic_rows == (23,)
        assert watched.screen.cursor == (row, 9)

    def test_a_clock_that_repaints_the_same_time_neither(self) -> None:
        watched = Watched(Fixed(), [COMMAND])
        watched.turn(together([(0.0, b"Command? ")], every(0.25, [clock(1)] * 50)))
        assert watched.now <= 0.6

    def test_a_clock_whose_pieces_come_apart_neither(self) -> None:
        pieces = [(at + 0.005 * n, bytes([byte])) for at, data in ticks(40) for n, byte in enumerate(data)]
        watched = Watched(Fixed())
        ready = watched.turn(together([(0.0, b"\x1b[5;1HCommand? ")], pieces))
        assert watched.now <= 0.8
        assert watched.screen.line(4) == "Command?"
        assert ready.periodic_rows == (23,)

    def test_a_clock_known_from_before_does_not_count_as_an_answer(self) -> None:
        watched = Watched(Adaptive())
        watched.turn(together([(0.0, b"\x1b[5;1HCommand? ")], ticks(3)))
        watched.answer([(0.1, clock(40)), (0.3, b"l\r\nLook\r\nCommand? ")])
        assert watched.screen.line(5) == "Look"

    def test_output_behind_a_clock_still_holds_the_turn(self) -> None:
        watched = Watched(Fixed(0.35))
        watched.turn(together(ticks(40), every(0.2, (b"row %d\r\n" % n for n in range(10)))))
        assert watched.now == pytest.approx(1.8 + 0.35)

    def test_a_spinner_at_the_cursor_does_not_hold_the_turn(self) -> None:
        watched = Watched(Fixed(0.35))
        spin = every(0.1, (b"\x08" + b"|/-\\"[n % 4 : n % 4 + 1] for n in range(200)), start=0.1)
        ready = watched.turn([(0.0, b"[Hit a key] |"), *spin])
        assert watched.now <= 1.5
        assert ready.reason is ReadyReason.PERIODIC_REGION
        assert ready.periodic_rows == (0,)

    def test_a_spinner_elsewhere_neither(self) -> None:
        watched = Watched(Fixed(0.35))
        spin = every(0.1, (b"\x1b[s\x1b[1;80H%c\x1b[u" % b"|/-\\"[n % 4] for n in range(200)))
        watched.turn(together([(0.0, b"\x1b[5;1HCommand? ")], spin))
        assert watched.now <= 0.8

    @pytest.mark.parametrize("hidden", [b"", b"\x1b[?25l"])
    def test_a_counter_at_the_cursor_is_output(self, hidden: bytes) -> None:
        """A percentage that grows says that the program is busy."""
        watched = Watched(Fixed(0.35))
        watched.turn([(0.0, hidden), *every(0.1, (b"\rReceived %3d%%" % n for n in range(1, 51)), start=0.1)])
        assert watched.now == pytest.approx(5.0 + 0.35)

    def test_a_prompt_that_pulses_does_not_hold_the_turn(self) -> None:
        colours = (b"\r\x1b[%dmPress any key" % (31 + n % 3) for n in range(200))
        ready = Watched(Fixed(0.35)).turn(every(0.15, colours))
        assert ready.reason is ReadyReason.PERIODIC_REGION

    def test_what_input_changes_at_even_times_is_not_periodic(self) -> None:
        watched = Watched(Fixed(0.35))
        watched.show(b"\x1b[1;70HGold: 100\x1b[5;1HCommand? ")
        for gold in range(101, 106):
            ready = watched.answer([(0.1, b"\x1b[s\x1b[1;76H%d\x1b[u" % gold)])
            assert ready.reason is ReadyReason.STABLE
            assert ready.stable_ms == 350


class TestPrompts:
    def test_a_named_prompt_is_a_note_and_ends_nothing(self) -> None:
        watched = Watched(Fixed(0.35), [COMMAND])
        ready = watched.turn([(0.0, b"Command? ")])
        assert watched.now == pytest.approx(0.35)
        assert (ready.reason, ready.matched_prompt) == (ReadyReason.STABLE, "command")

    @pytest.mark.parametrize("opted", ["pattern", "policy"])
    def test_the_fast_path_is_taken_where_it_is_asked_for(self, opted: str) -> None:
        prompt = PromptPattern("command", r"Command\? $", fast=opted == "pattern")
        watched = Watched(Fixed(0.35, prompt_fast=opted == "policy"), [prompt])
        ready = watched.turn([(0.2, b"Command? ")])
        assert watched.now == pytest.approx(0.25)
        assert (ready.reason, ready.threshold_ms) == (ReadyReason.PROMPT, 50)

    def test_the_fast_path_does_not_take_the_prompt_of_before(self) -> None:
        watched = Watched(Fixed(0.35), [PromptPattern("command", r"Command\? $", fast=True)])
        watched.turn([(0.0, b"Command? ")])
        watched.answer([(0.3, b"l\r\nLook\r\nCommand? ")])
        assert watched.screen.line(2) == "Command?"

    def test_only_the_row_of_the_cursor_is_a_prompt(self) -> None:
        """Case 120: an old question above the live prompt is never the prompt."""
        prompts = [PromptPattern("offer", r"Your offer\?"), PromptPattern("command", r"Command \(\?=Help\)\?")]
        watched = Watched(Fixed(), prompts)
        ready = watched.turn([(0.0, b"Your offer? 200\r\nSold.\r\n\r\nCommand (?=Help)? ")])
        assert ready.matched_prompt == "command"

    def test_a_prompt_with_the_cursor_in_its_field_matches_by_the_whole_row(self) -> None:
        watched = Watched(Fixed(), [PromptPattern("name", r"^Name: _+ \(esc to leave\)")])
        ready = watched.turn([(0.0, b"Name: ____ (esc to leave)\x1b[7G")])
        assert ready.matched_prompt == "name"


class TestAdaptive:
    def test_a_prompt_that_came_last_ends_the_turn_soon(self) -> None:
        watched = Watched(Adaptive())
        ready = watched.turn([(0.0, b"Welcome\r\n"), (0.02, b"Login: ")])
        assert ready.reason is ReadyReason.PROMPT
        assert watched.now < 0.1

    def test_an_empty_row_is_waited_on(self) -> None:
        watched = Watched(Adaptive())
        watched.turn([(0.0, b"Loading...\r\n"), (0.6, b"Done\r\nLogin: ")])
        assert watched.screen.line(2) == "Login:"

    def test_the_answer_is_waited_for_although_the_old_prompt_stands_there(self) -> None:
        watched = Watched(Adaptive())
        watched.turn([(0.0, b"Command? ")])
        watched.answer([(0.25, b"l\r\nLook\r\nCommand? ")])
        assert watched.screen.line(1) == "Look"

    def test_an_echo_is_no_answer(self) -> None:
        watched = Watched(Adaptive())
        watched.turn([(0.0, b"Command? ")])
        watched.answer([(0.01, b"l"), (0.2, b"\r\nLook\r\nCommand? ")])
        assert watched.screen.line(1) == "Look"

    def test_a_screen_that_changes_above_an_old_prompt_is_not_ready_at_once(self) -> None:
        watched = Watched(Adaptive())
        watched.turn([(0.0, b"\x1b[20;1HCommand? ")])
        watched.answer([(0.01, b"\x1b[s\x1b[1;1HScanning\x1b[u"), (0.2, b"\x1b[s\x1b[2;1HNothing found\x1b[u")])
        assert watched.screen.line(1) == "Nothing found"

    def test_a_source_that_pauses_behind_its_prompts_is_given_more_time(self) -> None:
        watched = Watched(Adaptive())
        stutter = [(0.0, b"x\r\nCommand? "), (0.1, b"(10 minutes left)\r\nCommand? ")]
        waits = []
        for _ in range(4):
            begin = watched.now
            watched.answer(stutter)
            waits.append(watched.now - begin)
            if waits[-1] < 0.1:  # cut: the rest comes between the turns
                watched.show(stutter[1][1], begin + 0.1)
            watched.now = begin + 5
        assert waits[0] < 0.1 < waits[1] < 0.4

    def test_what_is_learned_is_bounded(self) -> None:
        watched = Watched(Adaptive())
        for _ in range(50):
            begin = watched.now
            watched.answer([(0.0, b"x\r\nCommand? ")])
            watched.show(b"y\r\nCommand? ", begin + 1.9)
            watched.now = begin + 5
        begin = watched.now
        watched.answer([(0.0, b"x\r\nCommand? ")])
        assert watched.now - begin <= Adaptive().prompt_s[1] + 0.001

    def test_a_message_an_hour_later_teaches_nothing(self) -> None:
        watched = Watched(Adaptive())
        watched.turn([(0.0, b"Command? ")])
        watched.show(b"\r\nbob: hi\r\nCommand? ", 3600.0)
        begin = watched.now
        watched.answer([(0.0, b"x\r\nCommand? ")])
        assert watched.now - begin < 0.1

    def test_without_an_answer_the_wait_is_bounded(self) -> None:
        watched = Watched(Adaptive())
        watched.turn([(0.0, b"Command? ")])
        begin = watched.now
        ready = watched.answer()
        assert ready.reason is ReadyReason.STABLE
        assert watched.now - begin == pytest.approx(Adaptive().answer_s)


def test_an_observer_of_a_screen_that_shows_something_begins_there() -> None:
    screen = Screen()
    screen.feed(b"Command? ")
    observer = Observer(screen, Fixed())
    observer.start_turn(7.0)
    assert observer.deadline() == pytest.approx(7.35)
