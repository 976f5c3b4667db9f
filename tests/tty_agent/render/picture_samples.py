"""Pictures written by hand, and a stored session, for tests of renders."""

from __future__ import annotations

from pathlib import Path

from tty_agent.terminal.dialect import ANSI_BBS, Dialect
from tty_agent.terminal.picture import Picture
from tty_agent.terminal.screen import Screen
from tty_agent.terminal.style import PLAIN
from tty_agent.transcript.marks import Sender
from tty_agent.transcript.transcript import Transcript

COLUMNS = 20
ROWS = 5


def picture_of(
    *lines: str | list[str],
    looks: dict[tuple[int, int], int] | None = None,
    cursor: tuple[int, int] = (4, 19),
    cursor_visible: bool = True,
    bright_backgrounds: bool = False,
) -> Picture:
    """A 20x5 picture of lines from the top (a list is cells), with attributes where `looks` says so."""
    grid = [([*line] + [" "] * COLUMNS)[:COLUMNS] for line in lines]
    grid += [[" "] * COLUMNS] * (ROWS - len(grid))
    attributes = [[(looks or {}).get((row, column), PLAIN) for column in range(COLUMNS)] for row in range(ROWS)]
    return Picture(
        COLUMNS,
        ROWS,
        tuple(map(tuple, grid)),
        tuple(map(tuple, attributes)),
        cursor,
        cursor_visible,
        bright_backgrounds,
    )


def shown_by(data: bytes, dialect: Dialect = ANSI_BBS, columns: int = 80, rows: int = 24) -> Picture:
    """What a screen shows after those bytes."""
    screen = Screen(columns, rows, dialect)
    screen.feed(data)
    return screen.picture()


LOGIN = b"\x1b[2J\x1b[1;31mLogin:\x1b[0m "
MENU = b"\x1b[2J\x1b[44mMain menu\x1b[0m\r\n"
DOOR = b"Sector 1\r\n"


def stored_session(path: Path, *, columns: int = 40, rows: int = 10) -> int:
    """A transcript of one session: a login, a menu and a door, 250 ms apart; the window grows before the door.
    Returns the offset at which the door begins."""
    with Transcript(path, wall=lambda: 1_800_000_000.0) as transcript:
        transcript.begin(10.0, columns=columns, rows=rows, dialect="ansi-bbs")
        transcript.received(LOGIN, 10.25)
        transcript.sent(b"pa55\r", 10.3, by=Sender.LOGIN, secret=True)
        transcript.received(MENU, 10.5)
        transcript.sent(b"\x1b[3;1R", 10.5, by=Sender.TERMINAL)
        transcript.resized(columns + 10, rows + 2, 10.6)
        door = transcript.offset
        transcript.sent(b"d\r", 10.65, by=Sender.AGENT)
        transcript.received(DOOR, 10.75)
        transcript.end(11.0, kind="exit", detail="exit status 3", code=3)
    return door
