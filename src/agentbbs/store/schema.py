"""The tables, as SQLAlchemy Core: SQLite now, and nothing that PostgreSQL would not take.

What is the truth and what is derived: `game_matches` is the log and is only ever added to. `game_ratings`
and `game_lines` follow from it and can be made again (`rebuild.py`). The two epochs are counters by which a
process that keeps things in memory learns that another process changed them: `auth_epoch` is raised by every
change of an account, key or token, in the transaction of the change; `ratings_epoch` by every rebuild.

Every index of `game_matches` is paid for with each match, and one that is written at random places costs as
much as all the rest of the match (35 us of 80). So there are two, and both grow at their end, where a page is
written once for many matches: the id (if ids begin with the time, as UUIDv7 does; random ones fall at random),
and `ix_game_matches_players`, which holds what lists and counts look for, in 30 bytes a match where the row
takes 500. Repeated lines are counted beside the log, many matches at a time (`repeats.py`).

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

HEAD: Final = "0001"
"""The revision that this code works with; the newest file in `migrations/versions`."""

REPEATS: Final = 10
"""Matches of one pair with the same moves and the same winner from which the pair is marked."""

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
