"""Rankings as doors print them, read from text: a table of players with a figure each. Pure, and takes any text.

Known are the scoreboard of Trade Wars 2 (its JavaScript door lists the lowest first; what is returned is sorted anew),
and any other with a heading that names its columns, or with rows that end in the score. A row that is neither is no
row. Names are what the door printed: data, to be compared with names that are known, never trusted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from bbs_gym.hosts.host import Score

MAX_RANKING_CHARS: Final = 200_000
"""A ranking of thousands of players; what comes after is left out."""

MAX_LINE_CHARS: Final = 400
"""Five rows of a screen; a longer line is no row of a table."""

PLAYER_HEADINGS: Final = frozenset(
    {"player", "name", "realm", "realm name", "empire", "baron", "trader", "trader name", "pilot", "alias", "who"}
)
SCORE_HEADINGS: Final = (
    "score", "net worth", "networth", "worth", "value", "total", "points", "assets", "experience", "exp", "land",
)  # fmt: skip
"""The first of these that a table has is its score."""

_ESCAPES: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_FRAMES: Final = re.compile(r"[|\u2502\u2551\u00b3\u00ba]")
_GAP: Final = re.compile(r"\s{2,}|\t")
_TW2_ROW: Final = re.compile(r" {0,3}(\d{1,4}) {1,13}(-?\d{1,15}) (.{6}) (\S.*)")
_TW2_HEADING: Final = re.compile(r"\s*Rank\s+Value\s+Team\s+Player\s*")
_PLAIN_ROW: Final = re.compile(
    r"\s{0,40}(?:#?\d{1,5}[.):]?\s{1,20})?(\S.{0,79}?)(?:\s{2,}|[ .]{3,}|\t|:\s)(\S{1,30})\s*"
)
_NUMBER: Final = re.compile(r"[$+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[$+-]?\d{1,18}(?:\.\d{1,9})?")


def read_ranking(text: str, game: str = "") -> tuple[Score, ...]:
    """The players of a ranking, the best first, equals by name; none if there is no table. A player who is listed
    twice has the first score that was found."""
    lines = [_plain(line) for line in text[:MAX_RANKING_CHARS].splitlines()]
    found = _tw2(lines) if game == "tw2" else ()
    found = found or _headed(lines) or _bare(lines)
    first: dict[str, Score] = {}
    for one in found:
        first.setdefault(one.player.casefold(), one)
    return tuple(sorted(first.values(), key=lambda one: (-one.score, one.player)))


def _plain(line: str) -> str:
    shown = _FRAMES.sub("  ", _ESCAPES.sub("", line)).rstrip()
    return shown if len(shown) <= MAX_LINE_CHARS else ""


def _tw2(lines: Sequence[str]) -> tuple[Score, ...]:
    """The rows under its heading, up to the first that is none: the teams have a table of their own below."""
    start = next((at for at, line in enumerate(lines) if _TW2_HEADING.fullmatch(line)), None)
    if start is None:
        return ()
    found: list[Score] = []
    for line in lines[start + 1 :]:
        row = _TW2_ROW.fullmatch(line)
        if row is None:
            if found:
                break
            continue
        found.append(Score(player=row[4].strip(), score=float(row[2]), parts=_team(row[3])))
    return tuple(found)


def _team(text: str) -> dict[str, float]:
    return {"team": float(text)} if text.strip().isdecimal() else {}


def _headed(lines: Sequence[str]) -> tuple[Score, ...]:
    """The rows under a heading that names a player's and a score's column, and have as many columns as it."""
    for at, line in enumerate(lines):
        columns = [cell.casefold() for cell in _cells(line)]
        player = next((place for place, name in enumerate(columns) if name in PLAYER_HEADINGS), None)
        score = next((columns.index(name) for name in SCORE_HEADINGS if name in columns), None)
        if player is not None and score is not None:
            rows = (_row(_cells(row), columns, player, score) for row in lines[at + 1 :])
            return tuple(row for row in rows if row is not None)
    return ()


def _row(cells: Sequence[str], columns: Sequence[str], player: int, score: int) -> Score | None:
    if len(cells) != len(columns):
        return None
    figures = {name: number for name, cell in zip(columns, cells, strict=True) if (number := _number(cell)) is not None}
    value = figures.pop(columns[score], None)
    if value is None or not cells[player].strip("=- "):
        return None
    figures.pop(columns[player], None)
    return Score(player=cells[player], score=value, parts=figures)


def _bare(lines: Sequence[str]) -> tuple[Score, ...]:
    """Rows of a name and a figure at the end, with or without a place before them."""
    found = []
    for line in lines:
        row = _PLAIN_ROW.fullmatch(line)
        value = None if row is None else _number(row[2])
        if row is not None and value is not None:
            found.append(Score(player=row[1].rstrip(" ."), score=value))
    return tuple(found)


def _cells(line: str) -> list[str]:
    return [cell for cell in _GAP.split(line.strip()) if cell]


def _number(text: str) -> float | None:
    if _NUMBER.fullmatch(text) is None:
        return None
    return float(text.replace(",", "").replace("$", ""))
