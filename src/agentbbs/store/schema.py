"""The tables, as SQLAlchemy Core: SQLite now, and nothing that PostgreSQL would not take.

What is the truth and what is derived: `game_matches` is the log and is only ever added to. `game_ratings`,
`game_lines` and careers (`game_careers` and its neighbours) follow from it and can be made again
(`rebuild.py`). The two epochs are counters by which a process that keeps things in memory learns that another
process changed them: `auth_epoch` is raised by every change of an account, key or token, in the transaction of
the change; `ratings_epoch` by every rebuild.

Every index of `game_matches` is paid for with each match, and one that is written at random places costs as
much as all the rest of the match (35 us of 80). So there are two, and both grow at their end, where a page is
written once for many matches: the id (if ids begin with the time, as UUIDv7 does; random ones fall at random),
and `ix_game_matches_players`, which holds what lists and counts look for, in 30 bytes a match where the row
takes 500. Repeated lines are counted beside the log, many matches at a time (`repeats.py`).

What people write is kept with the name that its author had, and shown with what the account says now: the name of
an account that was removed is struck out. A null account is a guest, or the house. Tables whose newest rows may
go count on (AUTOINCREMENT), so that an id that somebody holds never comes to mean another row.

Times are Unix milliseconds.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

HEAD: Final = "0004"
"""The revision that this code works with; the newest file in `migrations/versions`."""

REPEATS: Final = 10
"""Matches of one pair with the same moves and the same winner from which the pair is marked."""

LEAP: Final = 16
SPAN: Final = 256
"""Matches of one account at one game that one look goes back (see `game_seats`)."""

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

accounts = Table(
    "accounts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(24), nullable=False),
    # `names.skeleton(name)`: unique, so that no two names look alike. A removed account keeps its own.
    Column("skeleton", String(48), nullable=False, unique=True),
    Column("password_hash", Text),
    Column("sysop", Boolean, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("removed_ms", BigInteger),
)

ssh_keys = Table(
    "ssh_keys",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account_id", Integer, ForeignKey("accounts.id"), nullable=False, index=True),
    Column("fingerprint", String(64), nullable=False, unique=True),
    Column("public_key", Text, nullable=False),
    Column("comment", Text, nullable=False),
    Column("added_ms", BigInteger, nullable=False),
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account_id", Integer, ForeignKey("accounts.id"), nullable=False, index=True),
    # The first characters, by which lists show a token and people name it.
    Column("prefix", String(16), nullable=False, index=True),
    # SHA-256 in hexadecimal. A token is 256 random bits: there is nothing to guess, so nothing to slow down.
    Column("hash", String(64), nullable=False, unique=True),
    Column("created_ms", BigInteger, nullable=False),
    Column("last_used_ms", BigInteger),
    Column("revoked_ms", BigInteger),
)

auth_epoch = Table("auth_epoch", metadata, Column("epoch", BigInteger, nullable=False))
"""One row, made by the first migration."""

ratings_epoch = Table("ratings_epoch", metadata, Column("epoch", BigInteger, nullable=False))
"""One row, made by the first migration."""

game_matches = Table(
    "game_matches",
    metadata,
    # The order of the commits, given by the writer: ratings are applied in this order.
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),
    Column("id", String(64), nullable=False, unique=True),
    Column("game", String(32), nullable=False),
    Column("rules_version", Integer, nullable=False),
    # An account is null for a house bot, and so are its ratings. In an unrated match before = after.
    Column("account_0", Integer, ForeignKey("accounts.id")),
    Column("name_0", Text, nullable=False),
    Column("transport_0", String(32), nullable=False),
    Column("rating_before_0", Double),
    Column("rating_after_0", Double),
    Column("account_1", Integer, ForeignKey("accounts.id")),
    Column("name_1", Text, nullable=False),
    Column("transport_1", String(32), nullable=False),
    Column("rating_before_1", Double),
    Column("rating_after_1", Double),
    # A seat's own time for an answer; null where it is `move_timeout_ms`.
    Column("clock_ms_0", Integer),
    Column("clock_ms_1", Integer),
    # JSON, see `match_rows.py`: the plies, and the strikes after the last of them.
    Column("plies", Text, nullable=False),
    Column("unplayed", Text, nullable=False),
    # Of a rated match: 63 bits of a hash over game, pair, winner and moves. Null otherwise.
    Column("line", BigInteger),
    Column("winner", Integer, nullable=False),
    Column("termination", String(32), nullable=False),
    Column("reason", Text),
    Column("rated", Boolean, nullable=False),
    Column("why", Text),
    Column("move_timeout_ms", Integer, nullable=False),
    Column("started_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger, nullable=False),
    CheckConstraint("winner BETWEEN -1 AND 1", name="winner"),
    CheckConstraint("rated = (why IS NULL)", name="why"),
)

Index(
    "ix_game_matches_players",
    game_matches.c.seq,
    game_matches.c.game,
    game_matches.c.account_0,
    game_matches.c.account_1,
    game_matches.c.line,
)

game_ratings = Table(
    "game_ratings",
    metadata,
    Column("account_id", Integer, ForeignKey("accounts.id"), primary_key=True, autoincrement=False),
    Column("game", String(32), primary_key=True),
    Column("rating", Double, nullable=False),
    Column("played", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    Column("draws", Integer, nullable=False),
    Column("losses", Integer, nullable=False),
    Column("firsts", Integer, nullable=False),
    # One tree instead of a table and an index beside it: half the pages a commit writes.
    sqlite_with_rowid=False,
)

game_lines = Table(
    "game_lines",
    metadata,
    Column("line", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),
    Column("times", Integer, nullable=False),
    # One of the matches, to find the pair by.
    Column("seq", BigInteger, nullable=False),
)
"""How often each line was played in the matches up to `game_lines_upto`."""

Index(
    "ix_game_lines_repeated",
    game_lines.c.times,
    sqlite_where=game_lines.c.times >= REPEATS,
    postgresql_where=game_lines.c.times >= REPEATS,
)

game_lines_upto = Table("game_lines_upto", metadata, Column("seq", BigInteger, nullable=False))
"""One row, made by the first migration."""


board_areas = Table(
    "board_areas",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(32), nullable=False, unique=True),
    Column("description", String(80), nullable=False),
    # `boards.Level`, from 0 (guests) to 2 (sysops).
    Column("read_level", Integer, nullable=False),
    Column("write_level", Integer, nullable=False),
    # Lists show areas in this order, then by id.
    Column("position", Integer, nullable=False),
    CheckConstraint("read_level BETWEEN 0 AND 2", name="read_level"),
    # Guests have no name to answer for; and who may not read an area may not write there.
    CheckConstraint("write_level BETWEEN 1 AND 2 AND write_level >= read_level", name="write_level"),
)
"""The first four are made by the second migration."""

board_threads = Table(
    "board_threads",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("area_id", Integer, ForeignKey("board_areas.id"), nullable=False),
    Column("subject", Text, nullable=False),
    # `wording.fold(subject)`, for the search.
    Column("folded", Text, nullable=False),
    # Who began it.
    Column("account_id", Integer, ForeignKey("accounts.id")),
    Column("author", Text, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("locked", Boolean, nullable=False),
    Column("removed_ms", BigInteger),
    # Of its posts, kept with each of them: how many, and the newest.
    Column("posts", Integer, nullable=False),
    Column("last_post_id", Integer, nullable=False),
    Column("last_ms", BigInteger, nullable=False),
)

Index("ix_board_threads_newest", board_threads.c.area_id, board_threads.c.last_post_id)

board_posts = Table(
    "board_posts",
    metadata,
    # Grows with each post on the whole board: what is new to somebody is what has a higher id.
    Column("id", Integer, primary_key=True),
    Column("thread_id", Integer, ForeignKey("board_threads.id"), nullable=False),
    Column("account_id", Integer, ForeignKey("accounts.id")),
    Column("author", Text, nullable=False),
    Column("reply_to", Integer, ForeignKey("board_posts.id")),
    # Both are "" in a post that was deleted; `folded` is `wording.fold(body)`, for the search.
    Column("body", Text, nullable=False),
    Column("folded", Text, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("deleted_ms", BigInteger),
    Column("deleted_by", Integer, ForeignKey("accounts.id")),
)

Index("ix_board_posts_thread", board_posts.c.thread_id, board_posts.c.id)
Index("ix_board_posts_author", board_posts.c.account_id, board_posts.c.created_ms)

board_area_marks = Table(
    "board_area_marks",
    metadata,
    Column("account_id", Integer, ForeignKey("accounts.id"), primary_key=True, autoincrement=False),
    Column("area_id", Integer, ForeignKey("board_areas.id"), primary_key=True, autoincrement=False),
    Column("last_post_id", Integer, nullable=False),
    sqlite_with_rowid=False,
)
"""Of each account, the newest post in an area that it has read, with all before it."""

board_thread_marks = Table(
    "board_thread_marks",
    metadata,
    Column("account_id", Integer, ForeignKey("accounts.id"), primary_key=True, autoincrement=False),
    Column("thread_id", Integer, ForeignKey("board_threads.id"), primary_key=True, autoincrement=False),
    Column("last_post_id", Integer, nullable=False),
    sqlite_with_rowid=False,
)
"""The same for threads; a post is read if either mark says so."""

mail = Table(
    "mail",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("sender_id", Integer, ForeignKey("accounts.id")),
    Column("sender", Text, nullable=False),
    Column("recipient_id", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("recipient", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("sent_ms", BigInteger, nullable=False),
    Column("read_ms", BigInteger),
    # A letter that neither side keeps is no more.
    Column("sender_keeps", Boolean, nullable=False),
    Column("recipient_keeps", Boolean, nullable=False),
    sqlite_autoincrement=True,
)

Index("ix_mail_inbox", mail.c.recipient_id, mail.c.id)
Index("ix_mail_sent", mail.c.sender_id, mail.c.id)

oneliners = Table(
    "oneliners",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account_id", Integer, ForeignKey("accounts.id")),
    Column("author", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("written_ms", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)

visits = Table(
    "visits",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account_id", Integer, ForeignKey("accounts.id"), index=True),
    Column("name", Text, nullable=False),
    Column("node", Integer, nullable=False),
    Column("transport", String(16), nullable=False),
    Column("began_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger),
    sqlite_autoincrement=True,
)

preferences = Table(
    "preferences",
    metadata,
    Column("account_id", Integer, ForeignKey("accounts.id"), primary_key=True, autoincrement=False),
    Column("encoding", String(16), nullable=False),
    Column("ansi", String(8), nullable=False),
    # Null: as the caller's terminal says.
    Column("columns", Integer),
    Column("rows", Integer),
    Column("page_rows", Integer),
    Column("hotkeys", Boolean, nullable=False),
    Column("tour_seen", Boolean, nullable=False),
)

bans = Table(
    "bans",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account_id", Integer, ForeignKey("accounts.id"), index=True),
    # As `ipaddress` writes it, with the length of the prefix.
    Column("network", String(64), index=True),
    # Null: for good.
    Column("until_ms", BigInteger),
    Column("reason", Text, nullable=False),
    Column("made_by", Integer, ForeignKey("accounts.id")),
    Column("made_ms", BigInteger, nullable=False),
    CheckConstraint("(account_id IS NULL) <> (network IS NULL)", name="whom"),
    sqlite_autoincrement=True,
)

audit_log = Table(
    "audit_log",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
    Column("actor_id", Integer, ForeignKey("accounts.id")),
    Column("actor", Text, nullable=False),
    Column("action", String(32), nullable=False),
    Column("target", Text, nullable=False),
    Column("detail", Text, nullable=False),
)
"""Only ever added to."""

invites = Table(
    "invites",
    metadata,
    Column("id", Integer, primary_key=True),
    # The first characters, by which lists show an invite and people name it.
    Column("prefix", String(8), nullable=False),
    # SHA-256 in hexadecimal of 100 random bits.
    Column("hash", String(64), nullable=False, unique=True),
    Column("minted_by", Integer, ForeignKey("accounts.id")),
    Column("minted_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
    Column("used_by", Integer, ForeignKey("accounts.id")),
    Column("used_ms", BigInteger),
    Column("revoked_ms", BigInteger),
)

arena_endpoints = Table(
    "arena_endpoints",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account_id", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("game", String(32), nullable=False),
    Column("url", Text, nullable=False),
    Column("scheme", String(16), nullable=False),
    # Not a hash: requests are signed with it. "" once the endpoint is removed.
    Column("secret", Text, nullable=False),
    # The one before, by which requests are signed, too, until then.
    Column("old_secret", Text),
    Column("old_secret_until_ms", BigInteger),
    Column("status", String(16), nullable=False),
    # Why it is paused, for its owner.
    Column("why", Text),
    # In a row, by timeout or connection.
    Column("forfeits", Integer, nullable=False),
    Column("latency_ms", Integer),
    Column("created_ms", BigInteger, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
    Column("removed_ms", BigInteger),
    CheckConstraint("status IN ('active', 'paused')", name="status"),
    sqlite_autoincrement=True,
)

Index(
    "ix_arena_endpoints_live",
    arena_endpoints.c.account_id,
    arena_endpoints.c.game,
    unique=True,
    sqlite_where=arena_endpoints.c.removed_ms.is_(None),
    postgresql_where=arena_endpoints.c.removed_ms.is_(None),
)

game_careers = Table(
    "game_careers",
    metadata,
    Column("account_id", Integer, ForeignKey("accounts.id"), primary_key=True, autoincrement=False),
    Column("game", String(32), primary_key=True),
    # Rated or not: the `nth` of its newest row in `game_seats`, which is `newest`.
    Column("matches", Integer, nullable=False),
    Column("newest", BigInteger, nullable=False),
    # The newest of those whose `nth` is a multiple of `LEAP`.
    Column("newest_16", BigInteger),
    # Of its newest match.
    Column("transport", String(32), nullable=False),
    # When its first match ended, and its newest.
    Column("first_ms", BigInteger, nullable=False),
    Column("last_ms", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""This and the four tables below follow from the matches up to `game_careers_upto` (`careers.py`)."""

game_seats = Table(
    "game_seats",
    metadata,
    # Twice the match's `seq`, and the seat; who sat in both has one row, that of seat 0.
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),
    Column("account_id", Integer, nullable=False),
    Column("game", String(32), nullable=False),
    # Of the account at this game, from 1, in the order of the log.
    Column("nth", Integer, nullable=False),
    # The `id` of the same account's match before at this game; where `nth` is a multiple of `LEAP` or of `SPAN`, also
    # of the one so many matches before.
    Column("before", BigInteger),
    Column("before_16", BigInteger),
    Column("before_256", BigInteger),
    # After this match.
    Column("rating", Double),
    # Of a rated match: the other, and 1, 0 or -1 for a win, a draw or a loss.
    Column("opponent_id", Integer),
    Column("outcome", Integer),
)
"""The matches of an account, chained: it grows at its end, where sorted by account it would grow everywhere."""

game_pairs = Table(
    "game_pairs",
    metadata,
    Column("account_id", Integer, primary_key=True, autoincrement=False),
    Column("game", String(32), primary_key=True),
    Column("opponent_id", Integer, primary_key=True, autoincrement=False),
    # Of rated matches, from the account's side; `newest` is the last of them, as in `game_seats`.
    Column("wins", Integer, nullable=False),
    Column("draws", Integer, nullable=False),
    Column("losses", Integer, nullable=False),
    Column("newest", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""Of each account at a game, what its whole spans of `SPAN` matches add up to; what came after is in `game_seats`."""

game_faults = Table(
    "game_faults",
    metadata,
    Column("account_id", Integer, primary_key=True, autoincrement=False),
    Column("game", String(32), primary_key=True),
    # A `Strike.kind`; or of the seat that lost by it, a forfeiting `Termination`, after `lost by `.
    Column("kind", String(32), primary_key=True),
    Column("times", Integer, nullable=False),
    sqlite_with_rowid=False,
)

game_careers_upto = Table("game_careers_upto", metadata, Column("seq", BigInteger, nullable=False))
"""One row, made by the fourth migration."""

web_sessions = Table(
    "web_sessions",
    metadata,
    # SHA-256 in hexadecimal of the cookie, which is 256 random bits.
    Column("hash", String(64), primary_key=True),
    Column("account_id", Integer, ForeignKey("accounts.id"), nullable=False, index=True),
    # What the reader proved: a session ends with the token or the key that began it.
    Column("token_id", Integer),
    Column("key_id", Integer),
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
)
