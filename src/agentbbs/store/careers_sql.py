"""The queries of `careers.py`.

What they ask of matches that are not folded yet stands in the narrow index of the log, so that rows are read only for
those that are wanted. The chain of an account (`game_seats`) is walked from its newest match back.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import bindparam, text

from agentbbs.store.schema import LEAP, SPAN

CAREERS: Final = text(
    "SELECT game, matches, transport, first_ms, last_ms FROM game_careers WHERE account_id = :account"
)

TAIL_CAREERS: Final = text("""
    SELECT t.game, t.matches, CASE WHEN l.account_0 = :account THEN l.transport_0 ELSE l.transport_1 END,
        f.ended_ms, l.ended_ms
    FROM (
        SELECT game, count(*) AS matches, min(seq) AS oldest, max(seq) AS newest FROM game_matches
        WHERE seq > (SELECT seq FROM game_careers_upto) AND (account_0 = :account OR account_1 = :account)
        GROUP BY game
    ) AS t
    JOIN game_matches AS f ON f.seq = t.oldest
    JOIN game_matches AS l ON l.seq = t.newest
""")

MATCHES_FOLDED: Final = text("SELECT matches FROM game_careers WHERE account_id = :account AND game = :game")

EVERY_RATING: Final = text("""
    WITH RECURSIVE walk (id, nth, rating, before, before_16, before_256) AS (
        SELECT s.id, s.nth, s.rating, s.before, s.before_16, s.before_256
        FROM game_careers AS k JOIN game_seats AS s ON s.id = k.newest
        WHERE k.account_id = :account AND k.game = :game
        UNION ALL
        -- Where a leap would go back further than there are matches, smaller steps lead to the first.
        SELECT s.id, s.nth, s.rating, s.before, s.before_16, s.before_256
        FROM walk AS w JOIN game_seats AS s ON s.id = CASE
            WHEN :stride >= :span AND w.before_256 IS NOT NULL THEN w.before_256
            WHEN :stride >= :leap AND w.before_16 IS NOT NULL THEN w.before_16
            ELSE w.before END
    )
    SELECT nth, id / 2, rating FROM walk
    WHERE rating IS NOT NULL AND (nth % :stride = 0 OR nth = 1 OR nth = :count)
    ORDER BY nth
""").bindparams(leap=LEAP, span=SPAN)

TAIL_RATINGS: Final = text("""
    SELECT r.seq AS seq, CASE WHEN r.account_0 = :account THEN r.rating_after_0 ELSE r.rating_after_1 END AS rating
    FROM game_matches AS r WHERE r.seq IN (
        SELECT seq FROM game_matches
        WHERE seq > (SELECT seq FROM game_careers_upto) AND (account_0 = :account OR account_1 = :account)
            AND game = :game
    )
    ORDER BY r.seq
""")

TRENDS: Final = text("""
    WITH RECURSIVE walk (account_id, nth, before, rating, shown) AS (
        SELECT s.account_id, s.nth, s.before, s.rating, 1
        FROM game_careers AS k JOIN game_seats AS s ON s.id = k.newest
        WHERE k.game = :game AND k.account_id IN :accounts
        UNION ALL
        SELECT s.account_id, s.nth, s.before, s.rating, w.shown + 1
        FROM walk AS w JOIN game_seats AS s ON s.id = w.before
        WHERE w.shown < :last
    )
    SELECT account_id, rating FROM walk WHERE rating IS NOT NULL ORDER BY account_id, nth
""").bindparams(bindparam("accounts", expanding=True))

TAIL_TRENDS: Final = text("""
    SELECT t.account_id, CASE t.seat WHEN 0 THEN r.rating_after_0 ELSE r.rating_after_1 END AS rating
    FROM (
        SELECT seq, 0 AS seat, account_0 AS account_id FROM game_matches
        WHERE seq > (SELECT seq FROM game_careers_upto) AND game = :game AND account_0 IN :accounts
        UNION ALL
        SELECT seq, 1, account_1 FROM game_matches
        WHERE seq > (SELECT seq FROM game_careers_upto) AND game = :game AND account_1 IN :accounts
            AND (account_0 IS NULL OR account_0 <> account_1)
    ) AS t
    JOIN game_matches AS r ON r.seq = t.seq
    ORDER BY t.seq
""").bindparams(bindparam("accounts", expanding=True))

TRANSPORTS: Final = text("SELECT account_id, transport FROM game_careers WHERE game = :game")

TAIL_TRANSPORTS: Final = text("""
    SELECT t.account_id, CASE t.newest % 2 WHEN 0 THEN r.transport_0 ELSE r.transport_1 END
    FROM (
        SELECT account_id, max(id) AS newest FROM (
            SELECT 2 * seq AS id, account_0 AS account_id FROM game_matches
            WHERE seq > (SELECT seq FROM game_careers_upto) AND game = :game AND account_0 IS NOT NULL
            UNION ALL
            SELECT 2 * seq + 1, account_1 FROM game_matches
            WHERE seq > (SELECT seq FROM game_careers_upto) AND game = :game AND account_1 IS NOT NULL
                AND (account_0 IS NULL OR account_0 <> account_1)
        ) AS seats
        GROUP BY account_id
    ) AS t
    JOIN game_matches AS r ON r.seq = t.newest / 2
""")

OPPONENTS: Final = text("""
    WITH RECURSIVE walk (id, nth, before, opponent_id, outcome) AS (
        -- The matches after the last whole span.
        SELECT s.id, s.nth, s.before, s.opponent_id, s.outcome
        FROM game_careers AS k JOIN game_seats AS s ON s.id = k.newest
        WHERE k.account_id = :account AND k.game = :game AND k.matches % :span <> 0
        UNION ALL
        SELECT s.id, s.nth, s.before, s.opponent_id, s.outcome
        FROM walk AS w JOIN game_seats AS s ON s.id = w.before
        WHERE w.nth % :span <> 1
    ),
    single (opponent_id, outcome, seq) AS (
        SELECT opponent_id, outcome, id / 2 FROM walk WHERE opponent_id IS NOT NULL
        UNION ALL
        -- Those that are not folded yet.
        SELECT CASE WHEN r.account_0 = :account THEN r.account_1 ELSE r.account_0 END,
            CASE
                WHEN r.winner < 0 THEN 0
                WHEN (r.winner = 0 AND r.account_0 = :account) OR (r.winner = 1 AND r.account_1 = :account) THEN 1
                ELSE -1
            END,
            r.seq
        FROM game_matches AS r WHERE r.rated AND r.seq IN (
            SELECT seq FROM game_matches
            WHERE seq > (SELECT seq FROM game_careers_upto) AND (account_0 = :account OR account_1 = :account)
                AND game = :game
        )
    ),
    parts (opponent_id, wins, draws, losses, seq) AS (
        SELECT opponent_id, wins, draws, losses, newest / 2 FROM game_pairs
        WHERE account_id = :account AND game = :game
        UNION ALL
        SELECT opponent_id, CASE outcome WHEN 1 THEN 1 ELSE 0 END, CASE outcome WHEN 0 THEN 1 ELSE 0 END,
            CASE outcome WHEN -1 THEN 1 ELSE 0 END, seq
        FROM single
    ),
    met (opponent_id, wins, draws, losses, total, seq) AS (
        SELECT opponent_id, sum(wins), sum(draws), sum(losses), sum(wins + draws + losses), max(seq) FROM parts
        GROUP BY opponent_id ORDER BY 5 DESC, 6 DESC LIMIT :limit OFFSET :offset
    )
    SELECT CASE WHEN a.removed_ms IS NULL THEN a.name ELSE :removed END, met.wins, met.draws, met.losses, r.ended_ms
    FROM met
    JOIN accounts AS a ON a.id = met.opponent_id
    JOIN game_matches AS r ON r.seq = met.seq
    ORDER BY met.total DESC, met.seq DESC
""").bindparams(span=SPAN)

FAULTS: Final = text("SELECT kind, times FROM game_faults WHERE account_id = :account AND game = :game")

TAIL_SEQS: Final = text("""
    SELECT seq FROM game_matches
    WHERE seq > (SELECT seq FROM game_careers_upto) AND (account_0 = :account OR account_1 = :account) AND game = :game
""")

TAIL_MATCHES: Final = text("""
    SELECT seq FROM game_matches
    WHERE seq > (SELECT seq FROM game_careers_upto) AND seq < :before
        AND (account_0 = :account OR account_1 = :account) AND (:game IS NULL OR game = :game)
    ORDER BY seq DESC LIMIT :limit
""")

FOLDED_MATCHES: Final = text("""
    WITH RECURSIVE walk (id, before, before_16, before_256, shown) AS (
        SELECT s.id, s.before, s.before_16, s.before_256, CASE WHEN s.id / 2 < :before THEN 1 ELSE 0 END
        FROM game_careers AS k JOIN game_seats AS s ON s.id = k.newest
        WHERE k.account_id = :account AND (:game IS NULL OR k.game = :game)
        UNION ALL
        -- By the longest leap that does not go past those that are wanted, then match by match.
        SELECT s.id, s.before, s.before_16, s.before_256, w.shown + CASE WHEN s.id / 2 < :before THEN 1 ELSE 0 END
        FROM walk AS w JOIN game_seats AS s ON s.id = CASE
            WHEN w.before_256 / 2 >= :before THEN w.before_256
            WHEN w.before_16 / 2 >= :before THEN w.before_16
            ELSE w.before END
        WHERE w.shown < :limit
    )
    SELECT id / 2 FROM walk WHERE id / 2 < :before ORDER BY id DESC LIMIT :limit
""")
