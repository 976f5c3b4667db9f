"""The screen, by what must be on it: the facts of the BBS dialect, and those that both dialects share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import pytest

from tty_agent.terminal.charset import CP437_GLYPHS
from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Dialect, Encoding
from tty_agent.terminal.events import Music, Reply
from tty_agent.terminal.screen import Screen
from tty_agent.terminal.style import Style, unpack


class Shown:
    """An 80x24 screen and what it answered."""

    def __init__(self, *pieces: bytes, dialect: Dialect = ANSI_BBS, columns: int = 80, rows: int = 24) -> None:
        self.screen = Screen(columns, rows, dialect)
        events = [event for piece in pieces for event in self.screen.feed(piece)]
        self.replies = b"".join(event.data for event in events if isinstance(event, Reply))
        self.events = events
        self.rows = self.screen.lines()

    def style(self, column: int, row: int) -> Style:
        return unpack(self.screen.row_attributes(row)[column])

    def background(self, column: int, row: int) -> bool:
        return self.style(column, row).background >= 0


def rows_are(**rows: str) -> Callable[[Shown], bool]:
    """`rows_are(r0="text")`: row 0 is that text."""
    return lambda shown: {name: shown.rows[int(name[1:])] for name in rows} == rows


GLYPHS = bytes([1, 2, 3, 4, 5, 6, *range(0x0E, 0x1A), 0x1C, 0x1D, 0x1E, 0x1F])
HIGH = bytes(range(128, 256))
STRINGS = b"A\x1b_SyncTERM:C;L;x\x1b\\\x1bPq#1;2\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\\x1b]0;t\x07\x1b]8;;u\x1b\\B"

BBS_CASES: list[tuple[str, Sequence[bytes], Callable[[Shown], bool]]] = [
    ("CSI s and u", [b"\x1b[5;10H\x1b[s\x1b[1;1Hab\x1b[uX"], rows_are(r4=" " * 9 + "X")),
    ("CSI 2 J homes", [b"abc\r\ndef\x1b[2JX"], lambda s: s.rows[0] == "X" and s.screen.cursor == (0, 1)),
    ("CSI H and its defaults", [b"\x1b[5;5H\x1b[Ha\x1b[;5Hb\x1b[3Hc\x1b[0;0Hd"], rows_are(r0="d   b", r2="c")),
    ("80 characters and CR LF leave a blank line", [b"x" * 80 + b"\r\nY"], rows_are(r1="", r2="Y")),
    ("80 characters, cursor asked", [b"x" * 80 + b"\x1b[6n"], lambda s: s.replies == b"\x1b[2;1R"),
    ("80 characters, up", [b"\x1b[3;1H" + b"x" * 80 + b"\x1b[AY"], rows_are(r2="Y" + "x" * 79)),
    ("the 80th on the last row scrolls", [b"\x1b[24;1H" + b"x" * 80], rows_are(r22="x" * 80, r23="")),
    ("last column flag", [b"\x1b[=4h" + b"x" * 80 + b"\r\nY"], rows_are(r0="x" * 80, r1="Y")),
    ("no wrap", [b"\x1b[?7l" + b"x" * 80 + b"YZ"], rows_are(r0="x" * 79 + "Z", r1="")),
    ("blink is kept", [b"\x1b[5;44mA"], lambda s: s.style(0, 0).blink),
    ("bold is kept", [b"\x1b[1;31mA\x1b[0mB"], lambda s: s.style(0, 0).bold and not s.style(1, 0).bold),
    ("iCE colours", [b"\x1b[?33h\x1b[5;44mA\x1b[?33lB"], lambda s: s.rows[0] == "AB" and s.background(0, 0)),
    ("SGR 38 and 48", [b"\x1b[38;5;208;48;2;1;2;3mA"], lambda s: s.rows[0] == "A" and s.background(0, 0)),
    ("SGR 91 and 104", [b"\x1b[91;104mA"], lambda s: s.background(0, 0)),
    ("control glyphs", [GLYPHS], rows_are(r0="".join(CP437_GLYPHS[byte] for byte in GLYPHS))),
    ("0x0B is a glyph", [b"a\x0bb"], rows_are(r0="a♂b")),
    ("0x7F is a glyph", [b"a\x7fb"], rows_are(r0="a⌂b")),
    ("0x80-0xFF", [HIGH], lambda s: s.rows[0] + s.rows[1] == HIGH.decode("cp437").rstrip()),
    ("music CSI |", [b"A\x1b[|MFT120O3L8CDE\x0eB"], rows_are(r0="AB")),
    ("music CSI N", [b"A\x1b[NT120CDEFG\x0eB"], rows_are(r0="AB")),
    ("music CSI M", [b"\x1b[=2MA\x1b[MFT120O3L8CDE\x0eB"], rows_are(r0="AB")),
    ("CSI = h, l, n, M", [b"A\x1b[=255h\x1b[=255l\x1b[=1n\x1b[=2MB"], rows_are(r0="AB")),
    ("font", [b"A\x1b[0;40 DB"], rows_are(r0="AB")),
    ("RIP query", [b"A\x1b[!_B"], rows_are(r0="AB")),
    ("DECRQM", [b"A\x1b[?25$pB"], lambda s: s.rows[0] == "AB" and not s.replies),
    ("CSI 6 n", [b"\x1b[5;7H\x1b[6n"], lambda s: s.replies == b"\x1b[5;7R"),
    ("CSI 5 n", [b"\x1b[5n"], lambda s: s.replies == b"\x1b[0n"),
    ("CSI 255 n", [b"\x1b[255n"], lambda s: s.replies == b"\x1b[24;80R"),
    (
        "size probe",
        [b"\x1b[s\x1b[999;999H\x1b[6n\x1b[uX"],
        lambda s: s.replies == b"\x1b[24;80R" and s.rows[0] == "X",
    ),
    ("CSI c", [b"\x1b[c"], lambda s: s.replies.startswith(b"\x1b[=67;84;101;114;109;") and s.replies[-1:] == b"c"),
    ("CUF over blanks", [b"A\x1b[5CB"], rows_are(r0="A     B")),
    ("CUF stops", [b"A\x1b[200CB"], lambda s: s.rows[0].endswith("B") and len(s.rows[0]) == 80),
    ("tab writes nothing", [b"abcdefghij\r\tX"], rows_are(r0="abcdefghXj")),
    ("tab at the last stop", [b"\x1b[1;73Hx\tY"], rows_are(r1="Y")),
    ("tab at the foot scrolls", [b"\x1b[24;80H\tY"], rows_are(r23="Y")),
    ("BS stops at column 1", [b"ab\x08X\r\x08\x08Y"], rows_are(r0="YX")),
    ("FF clears and homes", [b"abc\r\ndef\x0cX"], rows_are(r0="X", r1="")),
    ("NUL", [b"A\x00\x00B"], rows_are(r0="AB")),
    ("BEL", [b"A\x07B"], lambda s: s.rows[0] == "AB" and s.screen.bells == 1),
    ("LF keeps the column", [b"ab\nX"], rows_are(r1="  X")),
    (
        "margins",
        [b"\x1b[1;1Htop\x1b[24;1Hbot\x1b[5;7r\x1b[5;1Ha\r\nb\r\nc\r\nd"],
        rows_are(r0="top", r23="bot", r4="b", r6="d"),
    ),
    ("EL fills", [b"\x1b[44m\x1b[K"], lambda s: s.background(40, 0)),
    ("ED fills", [b"\x1b[44m\x1b[2J"], lambda s: s.background(40, 10)),
    ("scrolling fills", [b"\x1b[24;1H\x1b[44m\r\n"], lambda s: s.background(40, 23)),
    ("IL", [b"a\r\nb\r\nc\x1b[2;1H\x1b[L"], rows_are(r0="a", r1="", r2="b", r3="c")),
    ("DL", [b"a\r\nb\r\nc\x1b[2;1H\x1b[M"], rows_are(r0="a", r1="c", r2="")),
    ("ICH, DCH, ECH", [b"abcdef\r\x1b[2@\x1b[1;8H\x1b[1P\x1b[1;3H\x1b[2XZ"], rows_are(r0="  Z cde")),
    ("SU, SD", [b"a\r\nb\x1b[S\x1b[2T"], rows_are(r0="", r2="b")),
    ("REP", [b"A\x1b[4b"], rows_are(r0="AAAAA")),
    (
        "CNL CPL CHA VPA HVP HPA",
        [b"\x1b[3Ea\x1b[2Fb\x1b[10Gc\x1b[5dd\x1b[6;2fe\x1b[8`g"],
        rows_are(r3="a", r1="b        c", r4=" " * 10 + "d", r5=" e     g"),
    ),
    ("ESC that is none of these", [b"A\x1b(B\x1b=\x1b>B"], rows_are(r0="AB")),
    ("APC, DCS, PM, SOS, OSC", [STRINGS], rows_are(r0="AB")),
    ("a sequence in four pieces", [b"A\x1b", b"[5", b";5", b"HB"], rows_are(r4="    B", r0="A")),
    (
        "SGR without parameters",
        [b"\x1b[1;44m\x1b[mA"],
        lambda s: not s.style(0, 0).bold and not s.background(0, 0),
    ),
    ("reverse is kept", [b"\x1b[7mA"], lambda s: s.style(0, 0).reverse),
    ("CSI 1 J", [b"abc\r\ndef\x1b[2;2H\x1b[1J"], rows_are(r0="", r1="  f")),
    ("second screen", [b"main\x1b[?1049h\x1b[2J\x1b[HALT\x1b[?1049l"], rows_are(r0="main")),
]


@pytest.mark.parametrize(("pieces", "holds"), [case[1:] for case in BBS_CASES], ids=[case[0] for case in BBS_CASES])
def test_the_bbs_dialect(pieces: Sequence[bytes], holds: Callable[[Shown], bool]) -> None:
    shown = Shown(*pieces)
    assert holds(shown), (shown.rows, shown.replies)


XTERM_CASES: list[tuple[str, Sequence[bytes], Callable[[Shown], bool]]] = [
    ("UTF-8 across pieces", [b"h\xc3", b"\xa9llo"], rows_are(r0="héllo")),
    ("each byte that is no character", [b"a\xffb\xc3(c"], rows_are(r0="a\ufffdb\ufffd(c")),
    ("CSI 2 J stays", [b"HELLO\x1b[2JX"], rows_are(r0="     X")),
    ("FF is a line feed", [b"ab\x0cc"], rows_are(r0="ab", r1="  c")),
    ("VT is a line feed", [b"ab\x0bc"], rows_are(r0="ab", r1="  c")),
    ("a DCS is swallowed", [b"\x1bPabc\x1b\\X"], rows_are(r0="X")),
    ("BEL is data in a DCS", [b"\x1bPa\x07bc\x1b\\X"], lambda s: s.rows[0] == "X" and s.screen.bells == 0),
    ("private =", [b"\x1b[=255hX"], rows_are(r0="X")),
    ("private !", [b"\x1b[!pX"], rows_are(r0="X")),
    ("1049", [b"Hi\x1b[?1049hBye\x1b[?1049lX"], rows_are(r0="HiX")),
    ("47", [b"Hi\x1b[?47hBye\x1b[?47l"], lambda s: s.rows[0] == "Hi" and not s.screen.alternate),
    ("1047", [b"Hi\x1b[?1047hBye"], lambda s: s.rows[0] == "  Bye" and s.screen.alternate),
    ("1048", [b"ab\x1b[?1048h\x1b[9;9H\x1b[?1048lX"], rows_are(r0="abX")),
    ("colon SGR", [b"\x1b[38:2::1:2:3mY"], lambda s: s.rows[0] == "Y" and s.style(0, 0).foreground == 0x1010203),
    ("REP", [b"A\x1b[5bZ"], rows_are(r0="AAAAAAZ")),
    ("REP of a wide character", ["漢\x1b[2bZ".encode()], rows_are(r0="漢漢漢Z")),
    ("blink", [b"\x1b[5mX\x1b[25mY"], lambda s: s.style(0, 0).blink and not s.style(1, 0).blink),
    ("line drawing", [b"\x1b(0lqqk\x1b(Bq"], rows_are(r0="┌──┐q")),
    ("line drawing by SO", [b"\x1b)0a\x0ex\x0fx"], rows_are(r0="a│x")),
    ("pending wrap", [b"x" * 80 + b"\r\nY"], rows_are(r0="x" * 80, r1="Y")),
    ("pending wrap, then text", [b"x" * 80 + b"Y"], rows_are(r1="Y")),
    ("pending wrap, cursor asked", [b"x" * 80 + b"\x1b[6n"], lambda s: s.replies == b"\x1b[1;80R"),
    ("EL ends a pending wrap", [b"x" * 80 + b"\x1b[KY"], rows_are(r0="x" * 79 + "Y")),
    ("origin mode", [b"\x1b[5;10r\x1b[?6h\x1b[2;3HX"], rows_are(r5="  X")),
    ("origin mode, cursor asked", [b"\x1b[5;10r\x1b[?6h\x1b[2;3H\x1b[6n"], lambda s: s.replies == b"\x1b[2;3R"),
    ("origin mode stops", [b"\x1b[5;10r\x1b[?6h\x1b[99;1HX"], rows_are(r9="X")),
    ("insert mode", [b"abc\r\x1b[4hXY\x1b[4lZ"], rows_are(r0="XYZbc")),
    ("DECSC keeps attributes", [b"\x1b[1m\x1b7\x1b[m\x1b[5;5H\x1b8X"], lambda s: s.style(0, 0).bold),
    ("RIS", [b"abc\x1b[?6h\x1b[5;9r\x1b[1m\x1bcX"], lambda s: s.rows[0] == "X" and not s.style(0, 0).bold),
    ("DECSTR keeps the text", [b"abc\x1b[4h\x1b[!p\rX"], rows_are(r0="Xbc")),
    ("DECSTR ends attributes", [b"\x1b[1m\x1b[!pX"], lambda s: not s.style(0, 0).bold),
    ("tab stops", [b"\x1b[3g\x1b[1;5H\x1bH\r\tX"], rows_are(r0="    X")),
    ("tab at the last stop", [b"\x1b[3g\tX"], lambda s: s.rows[0] == " " * 79 + "X"),
    ("back tab", [b"a\tb\x1b[ZX"], rows_are(r0="a       X")),
    ("wide characters", ["a漢b".encode()], lambda s: s.screen.row_characters(0)[:4] == ("a", "漢", "", "b")),
    ("half of a wide one", ["漢\x1b[2GX".encode()], rows_are(r0=" X")),
    ("a wide one at the edge", [b"x" * 79 + "漢".encode()], rows_are(r0="x" * 79, r1="漢")),
    ("a combining mark", ["e\u0301x".encode()], lambda s: s.screen.row_characters(0)[:2] == ("e\u0301", "x")),
    ("a mark without a character", ["\u0301x".encode()], rows_are(r0="x")),
    ("format characters", ["a\ufeff\u200e\u202eb".encode()], rows_are(r0="ab")),
    ("title", [b"\x1b]0;one\x07\x1b]2;tw\xc3\xb6\x1b\\\x1b]1;icon\x07"], lambda s: s.screen.title == "twö"),
    ("a title that is broken off", [b"\x1b]0;one\x07\x1b]0;two\x1b[mX"], lambda s: s.screen.title == "one"),
    ("control characters within a sequence", [b"ab\x1b[\r3\nCX"], rows_are(r0="ab", r1="   X")),
    ("ESC within a sequence", [b"\x1b[3\x1b[5CX"], rows_are(r0="     X")),
    ("CAN", [b"\x1b[3\x18mX"], rows_are(r0="mX")),
    ("reverse line feed scrolls", [b"a\x1b[H\x1bMb"], rows_are(r0="b", r1="a")),
    ("ED 3", [b"\n" * 30 + b"\x1b[3J"], lambda s: not s.screen.scrollback()),
    ("DECALN", [b"\x1b#8"], lambda s: s.rows == ["E" * 80] * 24),
    ("VT220", [b"\x1b[c"], lambda s: s.replies == b"\x1b[?62;22c"),
    ("the cursor hides", [b"\x1b[?25l"], lambda s: not s.screen.cursor_visible),
]  # fmt: skip


@pytest.mark.parametrize(("pieces", "holds"), [case[1:] for case in XTERM_CASES], ids=[case[0] for case in XTERM_CASES])
def test_the_xterm_dialect(pieces: Sequence[bytes], holds: Callable[[Shown], bool]) -> None:
    shown = Shown(*pieces, dialect=XTERM)
    assert holds(shown), (shown.rows, shown.replies)


@pytest.mark.parametrize("cases", [BBS_CASES, XTERM_CASES], ids=["ansi-bbs", "xterm"])
def test_no_fact_stands_twice(cases: list[tuple[str, Sequence[bytes], Callable[[Shown], bool]]]) -> None:
    assert len({name for name, _, _ in cases}) == len(cases)


PROBE = (
    b"\r\n\x1b[s\x1b[0c\x1b[255B\x1b[255C\x1b[30;40m\x08_\x1b[6n\x1b[u\x1b[!_\r\xef\xbb\xbf"
    b"\x1b[6n\x1b[0m\x1b[2J\x1b[H\x0c\r\rLogin: "
)
"""What Synchronet sends to learn the terminal, the size and the character set."""


@pytest.mark.parametrize(
    ("dialect", "after_mark"),
    [
        (ANSI_BBS, b"\x1b[2;4R"),
        (msgspec.structs.replace(ANSI_BBS, encoding=Encoding.UTF_8), b"\x1b[2;1R"),
    ],
    ids=["cp437", "utf-8"],
)
def test_synchronets_probe(dialect: Dialect, after_mark: bytes) -> None:
    """A byte order mark is three cells in CP437 and none in UTF-8: so it tells the character set."""
    shown = Shown(PROBE, dialect=dialect)
    attributes, size, mark = shown.events
    assert isinstance(attributes, Reply)
    assert attributes.data.startswith(b"\x1b[=67;84;101;114;109;")
    assert isinstance(size, Reply)
    assert size.data == b"\x1b[24;80R"  # the underscore is printed and the wrap brings the cursor to the next line
    assert isinstance(mark, Reply)
    assert mark.data == after_mark
    assert shown.screen.line(0) == "Login:"
    assert shown.screen.cursor == (0, 7)


@pytest.mark.parametrize("dialect", [ANSI_BBS, XTERM], ids=lambda dialect: dialect.name)
def test_a_reply_tells_where_its_query_ended_and_the_cursor_of_that_place(dialect: Dialect) -> None:
    screen = Screen(dialect=dialect)
    stream = "é漢\x1b[6nab\x1b[6n".encode() + b"\xff\xe6\x1b[6n" + "ü\x1b[6n".encode()
    ends = [at + 4 for at in range(len(stream)) if stream[at : at + 4] == b"\x1b[6n"]
    replies = [event for event in screen.feed(stream) if isinstance(event, Reply)]
    assert [reply.offset for reply in replies] == ends
    assert len({reply.data for reply in replies}) == 4
    assert screen.offset == len(stream)
    assert [event.offset for event in screen.feed(b"\x1b[6n")] == [len(stream) + 4]


def test_a_tune_is_told_where_it_ends() -> None:
    shown = Shown(b"A\x1b[|MFT120O3L8CDE\x0eB")
    assert shown.events == [Music(18, "MFT120O3L8CDE")]


def test_a_tune_that_never_ends_is_cut_by_what_cannot_be_in_one() -> None:
    shown = Shown(b"A\x1b[NT120CDE\x1b[2;3HB")
    assert shown.rows[1] == "  B"
    assert shown.events == [Music(11, "T120CDE")]


def test_a_string_that_never_ends_is_cut_by_what_cannot_be_in_one() -> None:
    assert Shown(b"A\x1b_never ended\xb0B").rows[0] == "A░B"


def test_without_music_m_deletes_lines_and_n_is_nothing() -> None:
    assert Shown(b"a\r\nb\x1b[1;1H\x1b[=0M\x1b[NT\x1b[MX").rows[0] == "bX"


def test_true_colour_of_cterm() -> None:
    style = Shown(b"\x1b[0;1;2;3t\x1b[1;4;5;6tX").style(0, 0)
    assert (style.background, style.foreground) == (0x1010203, 0x1040506)


def test_the_saved_place_of_a_bbs_is_a_place_only() -> None:
    style = Shown(b"\x1b[31m\x1b[s\x1b[32m\x1b[uX").style(0, 0)
    assert style.foreground == 2
    assert Shown(b"\x1b[5;5H\x1b[uX").rows[4] == "    X"  # nothing was saved, nothing moves


def test_the_last_column_flag_for_good() -> None:
    assert Shown(b"\x1b[=5h\x1b[=4l\x1bc" + b"x" * 80 + b"\r\nY").rows[1] == "Y"
    assert Shown(b"\x1b[=4h\x1b[=4l" + b"x" * 80 + b"\r\nY").rows[2] == "Y"


def test_a_revision_changes_with_its_row_alone() -> None:
    screen = Screen()
    before = list(screen.row_revisions)
    assert list(screen.row_revisions) == before
    screen.feed(b"\x1b[3;1HX")
    after = list(screen.row_revisions)
    assert [row for row in range(24) if before[row] != after[row]] == [2]
    screen.feed(b"\x1b[3;1H\x1b[31mX")  # only its colour
    assert screen.row_revisions[2] != after[2]


def test_a_revision_goes_with_a_row_that_scrolls_and_is_never_used_for_another() -> None:
    screen = Screen()
    screen.feed(b"one\r\ntwo\x1b[24;1H")
    first, second, blank = screen.row_revisions[:3]
    screen.feed(b"\n")
    assert screen.row_revisions[0] == second
    screen.feed(b"\x1b[?1049h")
    assert set(screen.row_revisions) == {blank}
    screen.feed(b"\x1b[41m\x1b[2J\x1b[Hone")
    assert not {first, second, blank} & set(screen.row_revisions)


def test_the_picture_is_the_screen() -> None:
    screen = Screen(dialect=msgspec.structs.replace(ANSI_BBS, ice_colors=True))
    screen.feed(b"\x1b[1;33mHi\x1b[?25l")
    picture = screen.picture()
    assert picture.text == screen.text()
    assert picture.line(0) == screen.line(0) == "Hi"
    assert picture.cursor == screen.cursor == (0, 2)
    assert (picture.columns, picture.rows) == (screen.columns, screen.rows) == (80, 24)
    assert picture.attributes[0] == tuple(screen.row_attributes(0))
    assert picture.bright_backgrounds
    assert not picture.cursor_visible
    screen.feed(b"\x1b[2J")
    assert picture.line(0) == "Hi"  # a value


def test_mid_sequence() -> None:
    for dialect, beginning, end in [
        (ANSI_BBS, b"\x1b", b"[m"),
        (ANSI_BBS, b"\x1b[3", b"m"),
        (ANSI_BBS, b"\x1b]0;a", b"\x07"),
        (ANSI_BBS, b"\x1b]0;a\x1b", b"\\"),
        (ANSI_BBS, b"\x1b[|T", b"\x0e"),
        (XTERM, b"a\xe6\xbc", b"\xa2"),
    ]:
        screen = Screen(dialect=dialect)
        screen.feed(beginning)
        assert screen.mid_sequence, beginning
        screen.feed(end)
        assert not screen.mid_sequence, beginning


def test_the_scrollback_keeps_the_newest_rows() -> None:
    screen = Screen(scrollback_rows=5)
    screen.feed(b"".join(b"line %d\r\n" % number for number in range(60)))
    assert screen.scrollback() == [f"line {number}" for number in range(32, 37)]
    assert screen.scrollback(2) == ["line 35", "line 36"]
    assert screen.scrollback(0) == []
    assert screen.line(0) == "line 37"


def test_only_what_leaves_the_top_of_the_main_screen_is_kept() -> None:
    screen = Screen()
    screen.feed(b"\x1b[2;5r\x1b[5;1H" + b"x\r\n" * 9)
    screen.feed(b"\x1b[?1049h\x1b[r\x1b[24;1H" + b"y\r\n" * 9 + b"\x1b[?1049l")
    screen.feed(b"\x1b[r\x1b[H\x1b[3M")
    assert screen.scrollback() == []


def test_no_scrollback() -> None:
    screen = Screen(scrollback_rows=0)
    screen.feed(b"x\r\n" * 60)
    assert screen.scrollback() == []


@pytest.mark.parametrize(("asked", "given"), [((0, 0), (20, 5)), ((1, 1), (20, 5)), ((10**8, 10**8), (1000, 1000))])
def test_sizes_are_clamped(asked: tuple[int, int], given: tuple[int, int]) -> None:
    screen = Screen(*asked)
    assert (screen.columns, screen.rows) == given
    screen = Screen()
    screen.resize(*asked)
    assert (screen.columns, screen.rows) == given
