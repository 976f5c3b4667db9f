"""Which item a program marks by colour."""

from __future__ import annotations

import pytest

from tty_agent.observation.highlight import highlight
from tty_agent.observation.observation import Highlight
from tty_agent.terminal.dialect import XTERM
from tty_agent.terminal.screen import Screen

ITEMS = (b"Messages", b"File areas", b"Doors", b"Goodbye")


def marked(data: bytes, *, utf_8: bool = False) -> str | None:
    found = found_in(data, utf_8=utf_8)
    return None if found is None else found.text


def found_in(data: bytes, *, utf_8: bool = False) -> Highlight | None:
    screen = Screen(80, 24, XTERM) if utf_8 else Screen()
    screen.feed(data)
    return highlight(screen.picture())


def at(row: int, column: int, text: bytes, colours: bytes = b"0") -> bytes:
    return b"\x1b[%d;%dH\x1b[%bm%b\x1b[0m" % (row, column, colours, text)


def menu(
    chosen: int, mark: bytes = b"7", plain: bytes = b"0", *, width: int = 0, items: tuple[bytes, ...] = ITEMS
) -> bytes:
    rows = (at(5 + n, 10, item.ljust(width), mark if n == chosen else plain) for n, item in enumerate(items))
    return b"".join(rows)


class TestLists:
    @pytest.mark.parametrize("chosen", range(4))
    @pytest.mark.parametrize("mark", [b"7", b"44", b"30;46", b"1;37;41", b"48;5;200", b"48;2;1;2;3"])
    def test_reverse_or_a_background_of_its_own(self, chosen: int, mark: bytes) -> None:
        assert found_in(menu(chosen, mark)) == Highlight(4 + chosen, 9, ITEMS[chosen].decode())

    @pytest.mark.parametrize("chosen", range(4))
    def test_a_bar_as_wide_as_the_list(self, chosen: int) -> None:
        assert marked(menu(chosen, width=20)) == ITEMS[chosen].decode()

    @pytest.mark.parametrize("chosen", range(4))
    def test_a_coloured_box_with_a_title(self, chosen: int) -> None:
        title = at(4, 10, b"Main menu".center(20), b"30;47")
        assert marked(title + menu(chosen, b"30;46", b"37;44", width=20)) == ITEMS[chosen].decode()

    @pytest.mark.parametrize("chosen", [0, 1])
    def test_two_items(self, chosen: int) -> None:
        assert marked(menu(chosen, items=(b"Play", b"Quit"))) == (b"Play", b"Quit")[chosen].decode()

    @pytest.mark.parametrize("chosen", range(4))
    def test_centred_items(self, chosen: int) -> None:
        rows = (at(8 + n, 40 - len(item) // 2, item, b"7" if n == chosen else b"0") for n, item in enumerate(ITEMS))
        assert marked(b"".join(rows)) == ITEMS[chosen].decode()

    def test_a_mark_before_the_chosen_item(self) -> None:
        rows = [at(5, 12, b"Messages"), at(6, 10, b"> Files", b"7"), at(7, 12, b"Doors")]
        assert marked(b"".join(rows)) == "> Files"

    def test_a_framed_list_of_a_file_manager(self) -> None:
        rows = [
            at(3 + n, 1, b"\xb3" + b"%-38b" % name + b"\xb3", b"37;44")
            for n, name in enumerate((b"/..", b"bin", b"etc", b"usr"))
        ]
        rows.append(at(5, 2, b"etc".ljust(38), b"30;46"))
        assert marked(b"".join(rows)) == "etc"

    def test_a_framed_list_above_the_prompt_of_a_shell(self) -> None:
        rows = [at(3 + n, 1, b"|%-20b|" % name) for n, name in enumerate((b"/..", b"bin", b"etc"))]
        data = b"".join([*rows, at(4, 2, b"bin".ljust(20), b"30;46"), b"\x1b[10;1Hbob:~$ "])
        assert marked(data) == "bin"

    def test_bright_backgrounds(self) -> None:
        assert marked(b"\x1b[?33h" + menu(2, b"5;40")) == "Doors"

    def test_wide_characters(self) -> None:
        rows = "".join(
            f"\x1b[{5 + n};10H\x1b[{7 * (n == 1)}m{item}\x1b[0m" for n, item in enumerate(("一", "二三", "四"))
        )
        assert found_in(rows.encode(), utf_8=True) == Highlight(5, 9, "二三")

    def test_a_bar_over_the_whole_width_within_a_table(self) -> None:
        table = b"".join(at(5 + n, 1, b"%5d root  process" % (n * 777), b"0") for n in range(6))
        assert marked(table + at(8, 1, b"%-80b" % b" 2331 root  process", b"30;46")) == "2331 root  process"


class TestLightBars:
    @pytest.mark.parametrize("colours", [b"7", b"1;37;44"])
    def test_beside_a_question(self, colours: bytes) -> None:
        assert marked(b"Search for new messages? " + b"\x1b[%bm[Yes]\x1b[0m No " % colours) == "[Yes]"
        assert marked(b"Search for new messages? Yes " + b"\x1b[%bm[No]\x1b[0m" % colours) == "[No]"

    def test_alone_in_its_row(self) -> None:
        assert marked(b"\x1b[7m[Yes]\x1b[0m No") == "[Yes]"
        assert marked(b"\r\nYes \x1b[7mNo\x1b[0m Cancel") == "No"

    def test_a_letter_in_brackets(self) -> None:
        assert marked(b"Go on? [\x1b[7mY\x1b[0m] [N]") == "Y"

    def test_in_a_coloured_box(self) -> None:
        box = b"".join(at(row, 20, b" " * 40, b"37;44") for row in range(8, 14))
        assert (
            marked(
                box + at(9, 22, b"Save it? ", b"37;44") + at(9, 31, b"[Yes]", b"30;47") + at(9, 36, b" No ", b"37;44")
            )
            == "[Yes]"
        )

    def test_the_buttons_of_a_dialog(self) -> None:
        row = b"\xb3    \x1b[7m<  OK  >\x1b[0m      <Cancel>    \xb3"
        assert marked(b"\x1b[10;20H" + row) == "<  OK  >"

    def test_a_menu_bar(self) -> None:
        bar = at(1, 1, b"  File  Edit  View  Help".ljust(80), b"30;47") + at(1, 9, b"Edit", b"37;40")
        text = b"".join(at(row, 1, b"some text of the document", b"0") for row in range(3, 9))
        assert marked(bar + at(1, 9, b"Edit", b"37;44") + text) == "Edit"


class TestNoMark:
    def test_a_screen_of_one_background(self) -> None:
        assert marked(b"\x1b[31mMenu\r\n\x1b[1;32m1 Play\r\n2 Quit") is None
        assert marked(b"") is None

    @pytest.mark.parametrize("row", [1, 24])
    def test_a_status_bar(self, row: int) -> None:
        text = b"".join(at(other, 1, b"line %d" % other) for other in range(2, 24))
        assert marked(text + at(row, 1, b"Ln 1, Col 1".ljust(79), b"7")) is None

    def test_a_status_bar_above_a_command_line(self) -> None:
        text = b"".join(at(other, 1, b"line %d" % other) for other in range(1, 23))
        assert marked(text + at(23, 1, b"file.txt".ljust(80), b"7") + at(24, 1, b":set number")) is None

    def test_the_head_of_a_table(self) -> None:
        table = b"".join(at(8 + n, 1, b"%5d root" % n) for n in range(5))
        assert marked(table + at(7, 1, b"  PID USER".ljust(80), b"7")) is None

    def test_labels_of_keys(self) -> None:
        keys = b"   ".join(b"\x1b[7m^%c\x1b[0m Help it" % key for key in b"GXOR")
        assert marked(b"\x1b[23;1H" + keys + b"\x1b[24;1H" + keys + b"\x1b[1;1H") is None

    def test_striped_rows(self) -> None:
        striped = b"".join(at(3 + n, 1, b"row %d" % n, b"44" if n % 2 else b"0") for n in range(8))
        assert marked(striped + b"\x1b[20;1H") is None

    def test_a_drawn_picture(self) -> None:
        picture = b"".join(at(3 + n, 10, b"\xdc\xdb\xdf" * 5, b"3%d;4%d" % (n % 8, 7 - n % 8)) for n in range(15))
        assert marked(picture) is None

    def test_a_screen_of_confetti(self) -> None:
        confetti = b"".join(b"\x1b[4%dmx" % (n % 7) for n in range(80 * 23))
        assert marked(confetti) is None

    def test_a_coloured_word_in_a_sentence(self) -> None:
        text = b"The door is \x1b[41mlocked\x1b[0m and there is no key to be seen anywhere.\r\nYou hear a noise."
        assert marked(text) is None

    @pytest.mark.parametrize("said", [b"ERROR\x1b[0m: disk full", b"ERROR\x1b[0m disk full", b"ERROR\x1b[0m"])
    def test_a_coloured_word_of_output_above_a_prompt(self, said: bytes) -> None:
        assert marked(b"bash-5.2# make\r\n\x1b[41m" + said + b"\r\nbash-5.2# ", utf_8=True) is None

    def test_a_coloured_word_of_a_log(self) -> None:
        log = b"INFO started\r\nINFO ready\r\n\x1b[41mERROR\x1b[0m disk full\r\n"
        assert marked(log) is None

    def test_a_list_above_a_prompt_is_output_unless_its_cursor_is_hidden(self) -> None:
        listing = b"\x1b[30;42mtmp\x1b[0m  bin   etc\r\nbash-5.2# "
        assert marked(listing) is None
        assert marked(menu(1) + b"\x1b[20;1HChoose: ") is None
        assert marked(menu(1) + b"\x1b[20;1HChoose: \x1b[?25l") == "File areas"

    def test_a_prompt_with_a_coloured_word(self) -> None:
        assert marked(b"\x1b[41mroot\x1b[0m host # ls") is None

    def test_a_creature_on_a_map(self) -> None:
        level = b"-----\r\n|...|\r\n|.k\x1b[7mu\x1b[0m+\r\n|.@.|\r\n-----\x1b[4;3H"
        assert marked(level) is None
        assert marked(level.replace(b".k\x1b[7mu", b".\x1b[7mku")) is None
        assert marked(b"\x1b[10;1H\x1b[7mu\x1b[0m   k   @\x1b[10;9H") is None

    def test_a_shell_prompt_of_coloured_segments(self) -> None:
        assert marked(b"\x1b[44m bob \x1b[45m ~/src \x1b[0m ") is None

    def test_the_cursor_decides_between_alike_ones(self) -> None:
        striped = b"".join(at(3 + n, 1, b"row %d" % n, b"44" if n % 2 else b"0") for n in range(8))
        assert marked(striped + b"\x1b[6;1H") == "row 3"
