"""How careers are counted: the tables that `careers.py` reads, brought up to date some matches at a time.

Sorted by account, a thousand matches would touch two thousand pages, and cost four times as much as storing them. So
the matches of an account are chained instead (`game_seats`), in a table that only grows at its end; whom it met is
added up once per `SPAN` of its matches; and the one row that moves with each match is small.

Everything is a few large statements: see `ledger.py` for why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import chain
from typing import Final

from sqlalchemy import Connection, text

from agentbbs.store import match_faults
from agentbbs.store.database import Database, driver_execute
from agentbbs.store.schema import LEAP, SPAN

CATCH_UP_MATCHES: Final = 50_000
"""Matches a transaction while nobody waits: about two seconds."""

CATCH_UP_CACHE_KIB: Final = 65_536
"""Kept of the database in memory meanwhile. With SQLite's usual 2 MB it takes twice as long."""

_ROWS_A_STATEMENT: Final = 64


def fold(conn: Connection, max_matches: int | None = None) -> int:
    """Count the matches that are not counted yet, the oldest `max_matches` of them; returns how many matches that
    were. Wants a connection of `Database.begin`."""
    upto, last = conn.execute(_BOUNDS).one()
    if max_matches is not None:
        last = min(last, upto + max_matches)
    if last <= upto:
        return 0
    of = {"upto": upto, "last": last, "newer": 2 * upto + 1}
    for statement in _FOLD:
        conn.execute(statement, of)
    _fold_faults(conn, upto, last)
    conn.execute(_ADVANCE, {"last": last})
    return int(last - upto)


def start_over(conn: Connection) -> None:
    """Forget all that was counted. Wants a connection of `Database.begin`."""
    for table in ("game_careers", "game_seats", "game_pairs", "game_faults"):
        conn.execute(text(f"DELETE FROM {table}"))  # noqa: S608 - names of ours
    conn.execute(_ADVANCE, {"last": 0})


def uncounted(conn: Connection) -> int:
    """How many matches are not counted yet."""
    upto, last = conn.execute(_BOUNDS).one()
    return int(last - upto)


def catch_up(database: Database, *, progress: Callable[[int, int], None]) -> int:
    """Count all matches that are not counted yet, in parts that are committed one by one: who is interrupted goes on
    there the next time. Returns how many they were. `progress` is called after each part with the number of matches
    counted so far and that of all. Blocks."""
    with database.connect() as conn:
        whole = uncounted(conn)
    done = 0
    conn = database.writing_connection()
    try:
        driver_execute(conn, f"PRAGMA cache_size = -{CATCH_UP_CACHE_KIB}")
        while done < whole:
            with conn.begin():
                part = fold(conn, CATCH_UP_MATCHES)
            if not part:
                break
            done += part
            progress(done, max(done, whole))
    finally:
        conn.invalidate()  # nobody else shall get the large cache
        conn.close()
    return done


def _fold_faults(conn: Connection, upto: int, last: int) -> None:
    counts = Counter(
        (account, row.game, kind)
        for row in match_faults.between(conn, upto, last)
        for account, kind in match_faults.faults(row)
    )
    # In the order of the table, so that each page is touched once.
    every = sorted(counts.items())
    for rows in (every[start : start + _ROWS_A_STATEMENT] for start in range(0, len(every), _ROWS_A_STATEMENT)):
        values = ", ".join(["(?, ?, ?, ?)"] * len(rows))
        driver_execute(
            conn,
            f"INSERT INTO game_faults (account_id, game, kind, times) VALUES {values} "  # noqa: S608 - question marks
            "ON CONFLICT (account_id, game, kind) DO UPDATE SET times = game_faults.times + excluded.times",
            tuple(chain.from_iterable((*key, times) for key, times in rows)),
        )


_BOUNDS: Final = text("SELECT (SELECT seq FROM game_careers_upto), coalesce((SELECT max(seq) FROM game_matches), 0)")

_ADVANCE: Final = text("UPDATE game_careers_upto SET seq = :last")

_SEATS: Final = text("""
    INSERT INTO game_seats (id, account_id, game, nth, before, rating, opponent_id, outcome)
    WITH batch AS (
        SELECT 2 * m.seq + s.seat AS id, m.game AS game,
            CASE s.seat WHEN 0 THEN m.account_0 ELSE m.account_1 END AS account_id,
            CASE s.seat WHEN 0 THEN m.rating_after_0 ELSE m.rating_after_1 END AS rating,
            CASE WHEN NOT m.rated THEN NULL WHEN s.seat = 0 THEN m.account_1 ELSE m.account_0 END AS opponent_id,
            CASE
                WHEN NOT m.rated THEN NULL
                WHEN m.winner < 0 THEN 0
                WHEN m.winner = s.seat THEN 1
                ELSE -1
            END AS outcome
        FROM game_matches AS m CROSS JOIN (SELECT 0 AS seat UNION ALL SELECT 1) AS s
        WHERE m.seq > :upto AND m.seq <= :last AND CASE s.seat
            WHEN 0 THEN m.account_0 IS NOT NULL
            ELSE m.account_1 IS NOT NULL AND (m.account_0 IS NULL OR m.account_0 <> m.account_1) END
    )
    SELECT b.id, b.account_id, b.game, coalesce(k.matches, 0) + row_number() OVER chain,
        coalesce(lag(b.id) OVER chain, k.newest), b.rating, b.opponent_id, b.outcome
    FROM batch AS b LEFT JOIN game_careers AS k ON k.account_id = b.account_id AND k.game = b.game
    WINDOW chain AS (PARTITION BY b.account_id, b.game ORDER BY b.id)
    ORDER BY b.id
""")

_LEAPS: Final = text("""
    UPDATE game_seats SET before_16 = earlier.id
    FROM (
        SELECT s.id AS later,
            coalesce(lag(s.id) OVER (PARTITION BY s.account_id, s.game ORDER BY s.id), k.newest_16) AS id
        FROM game_seats AS s LEFT JOIN game_careers AS k ON k.account_id = s.account_id AND k.game = s.game
        WHERE s.id > :newer AND s.nth % :leap = 0
    ) AS earlier
    WHERE game_seats.id = earlier.later
""").bindparams(leap=LEAP)

_LONG_LEAPS: Final = text("""
    WITH RECURSIVE walk (later, id, nth) AS (
        SELECT id, before_16, nth - :leap FROM game_seats WHERE id > :newer AND nth % :span = 0
        UNION ALL
        SELECT w.later, s.before_16, w.nth - :leap FROM walk AS w JOIN game_seats AS s ON s.id = w.id
        WHERE w.nth % :span <> 0
    )
    UPDATE game_seats SET before_256 = w.id FROM walk AS w WHERE game_seats.id = w.later AND w.nth % :span = 0
""").bindparams(leap=LEAP, span=SPAN)

_PAIRS: Final = text("""
    INSERT INTO game_pairs (account_id, game, opponent_id, wins, draws, losses, newest)
    WITH RECURSIVE walk (id, account_id, game, nth, before, opponent_id, outcome) AS (
        SELECT id, account_id, game, nth, before, opponent_id, outcome FROM game_seats
        WHERE id > :newer AND nth % :span = 0
        UNION ALL
        SELECT s.id, s.account_id, s.game, s.nth, s.before, s.opponent_id, s.outcome
        FROM walk AS w JOIN game_seats AS s ON s.id = w.before
        WHERE w.nth % :span <> 1
    )
    SELECT account_id, game, opponent_id, sum(CASE outcome WHEN 1 THEN 1 ELSE 0 END),
        sum(CASE outcome WHEN 0 THEN 1 ELSE 0 END), sum(CASE outcome WHEN -1 THEN 1 ELSE 0 END), max(id)
    FROM walk WHERE opponent_id IS NOT NULL GROUP BY account_id, game, opponent_id
    ON CONFLICT (account_id, game, opponent_id) DO UPDATE SET wins = game_pairs.wins + excluded.wins,
        draws = game_pairs.draws + excluded.draws, losses = game_pairs.losses + excluded.losses,
        newest = excluded.newest
""").bindparams(span=SPAN)

_CAREERS: Final = text("""
    INSERT INTO game_careers (account_id, game, matches, newest, newest_16, transport, first_ms, last_ms)
    SELECT t.account_id, t.game, t.matches, t.newest, t.newest_16,
        CASE t.newest % 2 WHEN 0 THEN l.transport_0 ELSE l.transport_1 END, f.ended_ms, l.ended_ms
    FROM (
        SELECT account_id, game, count(*) AS matches, min(id) AS oldest, max(id) AS newest,
            max(CASE WHEN nth % :leap = 0 THEN id END) AS newest_16
        FROM game_seats WHERE id > :newer GROUP BY account_id, game
    ) AS t
    JOIN game_matches AS f ON f.seq = t.oldest / 2
    JOIN game_matches AS l ON l.seq = t.newest / 2
    WHERE TRUE -- else ON CONFLICT is taken for that of the join
    ON CONFLICT (account_id, game) DO UPDATE SET matches = game_careers.matches + excluded.matches,
        newest = excluded.newest, newest_16 = coalesce(excluded.newest_16, game_careers.newest_16),
        transport = excluded.transport, last_ms = excluded.last_ms
""").bindparams(leap=LEAP)

# The chain goes on from what `game_careers` has, so that this one is moved last.
_FOLD: Final = (_SEATS, _LEAPS, _LONG_LEAPS, _PAIRS, _CAREERS)
