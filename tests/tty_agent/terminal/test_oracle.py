"""The xterm dialect against avt, the terminal of asciinema: generated streams and what real programs write.

Where the two differ on purpose the streams keep away: after a character in the last column avt erases nothing and
a line feed at the foot keeps the wrap pending (xterm: it erases that column, and ends it); avt knows no combining
marks, deletes lines outside of the margins, jumps at a reverse line feed in origin mode, and does not insert
after a wrap nor before a wide character.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import termios
import time
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tty_agent.terminal.dialect import XTERM
from tty_agent.terminal.events import Reply
from tty_agent.terminal.screen import Screen

avt = pytest.importorskip("avt", reason="the oracle comes with the test extra (pyavt)")

COLUMNS: Final = 24
ROWS: Final = 7
QUIET_S: Final = 0.08
"""A program that has written nothing for so long waits for a key."""
MOST_S: Final = 0.4
"""For one key: top and htop never fall silent."""
START_S: Final = 10.0
"""For the first byte, on a machine that is busy."""

THEIR_GLYPHS: Final = str.maketrans("⋅♦", "·◆")
"""Two of the line-drawing set, which avt shows by other characters than xterm does."""


class Pair:
    """The same stream on both."""

    def __init__(self, columns: int, rows: int) -> None:
        self.ours = Screen(columns, rows, XTERM)
        self.theirs = avt.Vt(columns, rows)
        self._last = columns - 1

    def feed(self, text: str) -> None:
        self.ours.feed(text.encode())
        self.theirs.feed_str(text)

    def check(self) -> None:
        """Every row, and the cursor; avt counts one column more while a wrap is pending."""
        assert self.ours.lines() == [line.text.translate(THEIR_GLYPHS).rstrip() for line in self.theirs.view()]
        cursor = self.theirs.cursor
        assert self.ours.cursor == (cursor.row, min(cursor.col, self._last))
        assert self.ours.cursor_visible == cursor.visible


NUMBERS: Final = st.integers(0, 30)
WORDS: Final = st.text(st.sampled_from("abcxyz  éß─│░漢字한😀"), min_size=1, max_size=40)


def csi(final: str) -> st.SearchStrategy[str]:
    return NUMBERS.map(lambda number: f"\x1b[{number or ''}{final}")


IN_MARGINS: Final = "\x1b[?6h\x1b[2;3H"
ERASES: Final = st.sampled_from("JKX@P").flatmap(
    lambda final: st.tuples(st.integers(1, COLUMNS), st.integers(0, 2 if final in "JK" else COLUMNS + 3)).map(
        lambda pair: f"\x1b[{pair[0]}G\x1b[{pair[1]}{final}"
    )
)
MARGINS: Final = st.tuples(st.integers(1, ROWS - 1), st.integers(1, ROWS)).map(
    lambda pair: f"\x1b[{min(pair[0], ROWS - 1)};{max(pair[0] + 1, pair[1])}r"
)
OPERATIONS: Final = st.one_of(
    WORDS,
    st.text("abc é", max_size=18).map(lambda word: f"\x1b[4G\x1b[4h{word}\x1b[4l"),
    *(csi(final) for final in "ABCDEFG`adeSTIZ"),
    st.tuples(NUMBERS, NUMBERS).map(lambda pair: f"\x1b[{pair[0]};{pair[1]}H"),
    ERASES,
    MARGINS,
    st.sampled_from("LM").map(lambda final: f"{IN_MARGINS}\x1b[3{final}"),
    st.sampled_from(["a\x1b[5b", "\x1b[5Gz\x1b[9b"]),
    st.sampled_from(["\r\n", "\r", "\x08", "\t", "\x1b[G\n", "\x1b[G\x1bD", "\x1bE"]),
    st.sampled_from(["\x1b[?6l\x1bM", "\x1b[?6l\x1b[3d\x1bM"]),
    st.sampled_from(["\x1b[20h", "\x1b[20l", "\x1b[?7h", "\x1b[?6h", "\x1b[?6l"]),
    st.sampled_from(["\x1b[G\x1b7", "\x1b8", "\x1b[G\x1b[s", "\x1b[u"]),
    st.sampled_from(["\x1b[?25l", "\x1b[?25h", "\x1b[?1049h", "\x1b[?1049l", "\x1b[?1047h", "\x1b[?1047l"]),
    st.sampled_from(["\x1b(0lqk\x1b(B", "\x1b)0\x0ex\x0f", "\x1b[!p", "\x1bc", "\x1b[31;1m", "\x1b[m", "\x1bH"]),
    st.sampled_from(["\x1b]0;title\x07", "\x1bPq#1\x1b\\", "\x1b_apc\x1b\\", "\x1b[g", "\x1b[3g", "\x1b[r\x1b#8"]),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(OPERATIONS, max_size=40))
def test_generated_streams(operations: list[str]) -> None:
    pair = Pair(COLUMNS, ROWS)
    for operation in operations:
        pair.feed(operation)
        pair.check()


TEXT: Final = "".join(f"line {number} {'wörd 漢字 ' * (number % 9)}\n" for number in range(120))

PROGRAMS: Final[dict[str, tuple[list[str], list[bytes]]]] = {
    "vim.tiny": (["text"], [b"\x06", b"Gihello\x1b", b":split\r", b":set nu\r", b"ggdd", b"/line 5\r", b":qa!\r"]),
    "nano": (["text"], [b"hello\r", b"\x16", b"\x0b\x0b", b"\x18n"]),
    "less": (["-R", "text"], [b" ", b"b", b"G", "/wörd\n".encode(), b"q"]),
    "top": (["-d", "0.3"], [b"1", b"q"]),
    "htop": (["-d", "3"], [b"t", b"q"]),
    "mc": ([], [b"\x1b[B", b"\x1b0", b"\x1b9", b"\x1b0", b"\x1b0", b"\r"]),
    "nethack": (["-u", "Agent"], [b" ", b"i", b" ", b"j", b"l", b"#quit\n", b"y", b"q", b" "]),
    "bash": (
        ["--norc", "-i"],
        [b"ls --color=always -C / /usr\r", b"\x1b[A\x1b[D12\r", b"echo " + b"x" * 200 + b"\x01y\x05\r", b"clear\r"],
    ),
}  # fmt: skip


def written_by(program: str, arguments: list[str], keys: list[bytes], home: Path) -> bytes:
    """All that a program writes to an 80x24 terminal while these keys are typed, one a pause."""
    (home / "text").write_text(TEXT)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {
        "TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": str(home), "PATH": os.environ["PATH"],
        "NETHACKOPTIONS": "color,DECgraphics,!legacy,role:Valkyrie,race:human,gender:female,align:neutral",
    }  # fmt: skip
    with subprocess.Popen(
        [program, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=home,
        start_new_session=True, preexec_fn=_take_terminal,  # noqa: PLW1509 - nothing else runs in this process
    ) as process:  # fmt: skip
        os.close(theirs)
        try:
            return _converse(ours, keys)
        finally:
            process.kill()
            os.close(ours)


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _converse(line: int, keys: list[bytes]) -> bytes:
    screen, written = Screen(80, 24, XTERM), bytearray()
    try:
        for key in (b"", *keys):
            os.write(line, key)
            end = time.monotonic() + (MOST_S if written else START_S)
            while time.monotonic() < end and select.select([line], [], [], QUIET_S if written else START_S)[0]:
                data = os.read(line, 1 << 16)
                written += data
                for event in screen.feed(data):
                    if isinstance(event, Reply):
                        os.write(line, event.data)
    except OSError:  # the program is gone
        pass
    return bytes(written)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_writes(name: str, tmp_path: Path) -> None:
    program = shutil.which(name, path=f"{os.environ['PATH']}:/usr/games")
    if program is None:
        pytest.skip(f"{name} is not installed")
    arguments, keys = PROGRAMS[name]
    stream = written_by(program, arguments, keys, tmp_path).decode("utf-8", "replace")
    assert stream
    pair, last = Pair(80, 24), 0
    places = [*[match.start() for match in re.finditer("\x1b", stream)][::11], len(stream)]
    for place in places:
        pair.feed(stream[last:place])
        pair.check()
        last = place
