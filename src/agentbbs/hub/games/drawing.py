"""Boards as text in styles. Pure: the caller's terminal finds the characters that it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from agentbbs.games.game import Position
from agentbbs.hub.games.grid import Place
from agentbbs.hub.text import Span, Style, Text

MARGIN: Final = "   "
"""Before every row of a board."""

STYLES: Final = {"X": Style.FIRST, "O": Style.SECOND}
"""The pieces of both seats, as the games of the house mark them."""

EMPTY: Final = "."


def board(game: str, position: Position, cursor: Place | None = None, last: str | None = None) -> list[Text]:
    """The rows of a board. `cursor` is marked, and the piece of the move `last` where the board shows it; where a
    cell can be played, its move stands in it."""
    draw = _DRAWN.get(game)
    return _any(position, cursor) if draw is None else draw(position, cursor, last)


def _ttt(position: Position, cursor: Place | None, last: str | None) -> list[Text]:
    cells: list[str] = position.observation()["board"]
    rows: list[Text] = []
    for row in range(3):
        pieces: list[Text] = [MARGIN]
        for column in range(3):
            number = 3 * row + column
            mark = cells[number]
            free = mark == EMPTY
            shown = f"[{mark}]" if str(number) == last else f" {number if free else mark} "
            style = Style.CURSOR if cursor == Place(column, row) else Style.DIM if free else STYLES[mark]
            pieces += ["│" if column else "", Span(shown, style)]
        rows += [MARGIN + "───┼───┼───"] if row else []
        rows.append(tuple(pieces))
    return rows


def _c4(position: Position, cursor: Place | None, last: str | None) -> list[Text]:
    cells: list[list[str]] = position.observation()["board"]
    width = len(cells[0])
    fell = None if last is None else _top(cells, int(last))
    rows: list[Text] = []
    if cursor is not None:
        rows.append((MARGIN + " " + "    " * cursor.column, Span(" ▼ ", Style.CURSOR)))
    for number, row in enumerate(cells):
        pieces: list[Text] = [MARGIN, "│"]
        for column, mark in enumerate(row):
            shown = f"[{mark}]" if fell == (column, number) else "   " if mark == EMPTY else f" {mark} "
            pieces += [Span(shown, STYLES.get(mark, Style.PLAIN)), "│"]
        rows.append(tuple(pieces))
    rows.append(MARGIN + "└" + "┴".join(["───"] * width) + "┘")
    numbers: list[Text] = [MARGIN, " "]
    for column in range(width):
        chosen = cursor is not None and cursor.column == column
        playable = str(column) in position.legal
        numbers += [Span(f" {column} ", Style.CURSOR if chosen else Style.KEY if playable else Style.DIM), " "]
    rows.append(tuple(numbers))
    return rows


def _top(cells: list[list[str]], column: int) -> tuple[int, int] | None:
    """Where the uppermost disc of a column lies: the last move there."""
    return next(((column, row) for row, marks in enumerate(cells) if marks[column] != EMPTY), None)


def _any(position: Position, cursor: Place | None) -> list[Text]:
    """A game that is not known here draws itself, over a row of its legal moves while somebody chooses one."""
    rows: list[Text] = [MARGIN + line for line in position.text().split("\n")]
    if cursor is not None and position.legal:
        moves: list[Text] = [Span("Moves: ", Style.LABEL)]
        for number, move in enumerate(position.legal):
            moves += [Span(move, Style.CURSOR if number == cursor.column else Style.KEY), " "]
        rows += ["", tuple(moves)]
    return rows


_DRAWN: Final[dict[str, Callable[[Position, Place | None, str | None], list[Text]]]] = {"ttt": _ttt, "c4": _c4}
