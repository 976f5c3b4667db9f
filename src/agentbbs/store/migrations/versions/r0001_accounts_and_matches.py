"""Accounts with their keys and tokens, the log of matches, what follows from it."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make everything from nothing."""
    _accounts()
    _counters()
    _matches()
    _derived()


def _accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column("skeleton", sa.String(48), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("sysop", sa.Boolean(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("removed_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("skeleton", name=op.f("uq_accounts_skeleton")),
    )
    op.create_table(
        "ssh_keys",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("public_key", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("added_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ssh_keys")),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_ssh_keys_account_id")),
        sa.UniqueConstraint("fingerprint", name=op.f("uq_ssh_keys_fingerprint")),
    )
    op.create_index(op.f("ix_ssh_keys_account_id"), "ssh_keys", ["account_id"])
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("prefix", sa.String(16), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("last_used_ms", sa.BigInteger(), nullable=True),
        sa.Column("revoked_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_tokens_account_id")),
        sa.UniqueConstraint("hash", name=op.f("uq_tokens_hash")),
    )
    op.create_index(op.f("ix_tokens_account_id"), "tokens", ["account_id"])
    op.create_index(op.f("ix_tokens_prefix"), "tokens", ["prefix"])


def _counters() -> None:
    for name, column in (("auth_epoch", "epoch"), ("ratings_epoch", "epoch"), ("game_lines_upto", "seq")):
        table = op.create_table(name, sa.Column(column, sa.BigInteger(), nullable=False))
        op.bulk_insert(table, [{column: 0}])


def _matches() -> None:
    op.create_table(
        "game_matches",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        *_seat(0),
        *_seat(1),
        sa.Column("plies", sa.Text(), nullable=False),
        sa.Column("unplayed", sa.Text(), nullable=False),
        sa.Column("line", sa.BigInteger(), nullable=True),
        sa.Column("winner", sa.Integer(), nullable=False),
        sa.Column("termination", sa.String(32), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("why", sa.Text(), nullable=True),
        sa.Column("move_timeout_ms", sa.Integer(), nullable=False),
        sa.Column("started_ms", sa.BigInteger(), nullable=False),
        sa.Column("ended_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_game_matches")),
        sa.UniqueConstraint("id", name=op.f("uq_game_matches_id")),
        sa.ForeignKeyConstraint(["account_0"], ["accounts.id"], name=op.f("fk_game_matches_account_0")),
        sa.ForeignKeyConstraint(["account_1"], ["accounts.id"], name=op.f("fk_game_matches_account_1")),
        sa.CheckConstraint("winner BETWEEN -1 AND 1", name=op.f("ck_game_matches_winner")),
        sa.CheckConstraint("rated = (why IS NULL)", name=op.f("ck_game_matches_why")),
    )
    op.create_index("ix_game_matches_players", "game_matches", ["seq", "game", "account_0", "account_1", "line"])


def _seat(seat: int) -> tuple[sa.Column[object], ...]:
    return (
        sa.Column(f"account_{seat}", sa.Integer(), nullable=True),
        sa.Column(f"name_{seat}", sa.Text(), nullable=False),
        sa.Column(f"transport_{seat}", sa.String(32), nullable=False),
        sa.Column(f"rating_before_{seat}", sa.Double(), nullable=True),
        sa.Column(f"rating_after_{seat}", sa.Double(), nullable=True),
    )


def _derived() -> None:
    op.create_table(
        "game_ratings",
        sa.Column("account_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("rating", sa.Double(), nullable=False),
        sa.Column("played", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("firsts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "game", name=op.f("pk_game_ratings")),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_game_ratings_account_id")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "game_lines",
        sa.Column("line", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("line", name=op.f("pk_game_lines")),
    )
    op.create_index(
        "ix_game_lines_repeated",
        "game_lines",
        ["times"],
        sqlite_where=sa.text("times >= 10"),
        postgresql_where=sa.text("times >= 10"),
    )
