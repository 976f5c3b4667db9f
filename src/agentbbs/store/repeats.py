"""Which accounts play one line over and over: the `repeat_line` mark of the ladders.

A line is a game, a pair, its moves and its winner (`match_rows.line`). Such matches stay rated; the ladder
says so, because ten wins by the same moves are worth less than they look.

Counting each match as it is stored would touch one random page a match and cost as much as storing it. So
`fold` counts many at a time, beside the log and later; what it has not reached yet, a thousand matches or so,
is counted by the question itself. The answer is the same whether or not anybody folds.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, bindparam, text

from agentbbs.store.schema import REPEATS

REPEAT_LINE: Final = "repeat_line"
"""The mark of an account, one of whose pairs played one line at least `REPEATS` times."""


def fold(conn: Connection, max_matches: int | None = None) -> int:
    """Count the lines of the matches that are not counted yet, the oldest `max_matches` of them; returns how
    many matches that were. Wants a connection of `Database.begin`."""
    upto, last = conn.execute(_BOUNDS).one()
    if max_matches is not None:
        last = min(last, upto + max_matches)
    if last <= upto:
        return 0
    conn.execute(_FOLD, {"upto": upto, "last": last})
    conn.execute(_ADVANCE, {"last": last})
    return int(last - upto)


def start_over(conn: Connection) -> None:
    """Forget all counts. Wants a connection of `Database.begin`."""
    conn.execute(text("DELETE FROM game_lines"))
    conn.execute(_ADVANCE, {"last": 0})


def repeating(conn: Connection, game: str) -> frozenset[int]:
    """The accounts to mark on the ladder of `game`."""
    rows = conn.execute(_REPEATING, {"game": game})
    return frozenset(account for row in rows for account in row)


def differing(conn: Connection, most: int) -> list[tuple[int, int | None, int | None]]:
    """Lines (at most `most`) whose count is not that of the log, as (line, stored, counted)."""
    return [(row.line, row.stored, row.counted) for row in conn.execute(_DIFFERING, {"most": most})]


_BOUNDS: Final = text("SELECT (SELECT seq FROM game_lines_upto), coalesce((SELECT max(seq) FROM game_matches), 0)")

_FOLD: Final = text(
    "INSERT INTO game_lines (line, times, seq) "
    "SELECT line, count(*), max(seq) FROM game_matches "
    "WHERE seq > :upto AND seq <= :last AND line IS NOT NULL GROUP BY line "
    "ON CONFLICT (line) DO UPDATE SET times = game_lines.times + excluded.times, seq = excluded.seq"
)

_ADVANCE: Final = text("UPDATE game_lines_upto SET seq = :last")

_REPEATING: Final = text(
    # Those counted already.
    "SELECT m.account_0, m.account_1 FROM game_lines AS l JOIN game_matches AS m ON m.seq = l.seq "
    "WHERE l.times >= :repeats AND m.game = :game "
    # Those that the matches since then complete.
    "UNION SELECT m.account_0, m.account_1 FROM "
    "(SELECT line, count(*) AS times, max(seq) AS seq FROM game_matches "
    "WHERE seq > (SELECT seq FROM game_lines_upto) AND game = :game AND line IS NOT NULL GROUP BY line) AS tail "
    "LEFT JOIN game_lines AS l ON l.line = tail.line JOIN game_matches AS m ON m.seq = tail.seq "
    "WHERE tail.times + coalesce(l.times, 0) >= :repeats"
    # Written into the statement: a partial index serves no parameter.
).bindparams(bindparam("repeats", REPEATS, literal_execute=True))

_DIFFERING: Final = text(
    "WITH counted AS MATERIALIZED (SELECT line, count(*) AS times FROM game_matches "
    "WHERE seq <= (SELECT seq FROM game_lines_upto) AND line IS NOT NULL GROUP BY line) "
    "SELECT c.line AS line, l.times AS stored, c.times AS counted "
    "FROM counted AS c LEFT JOIN game_lines AS l ON l.line = c.line "
    "WHERE l.times IS NULL OR l.times <> c.times "
    "UNION ALL SELECT l.line, l.times, c.times FROM game_lines AS l LEFT JOIN counted AS c ON c.line = l.line "
    "WHERE c.line IS NULL LIMIT :most"
)
