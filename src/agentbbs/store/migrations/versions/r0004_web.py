"""What pages need of the log, counted per account; and sessions of readers."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables, all empty: careers are counted from the log when the venue opens."""
    op.create_table(
        "game_careers",
        sa.Column("account_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("newest", sa.BigInteger(), nullable=False),
        sa.Column("newest_16", sa.BigInteger(), nullable=True),
        sa.Column("transport", sa.String(32), nullable=False),
        sa.Column("first_ms", sa.BigInteger(), nullable=False),
        sa.Column("last_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "game", name=op.f("pk_game_careers")),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_game_careers_account_id")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "game_seats",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("nth", sa.Integer(), nullable=False),
        sa.Column("before", sa.BigInteger(), nullable=True),
        sa.Column("before_16", sa.BigInteger(), nullable=True),
        sa.Column("before_256", sa.BigInteger(), nullable=True),
        sa.Column("rating", sa.Double(), nullable=True),
        sa.Column("opponent_id", sa.Integer(), nullable=True),
        sa.Column("outcome", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game_seats")),
    )
    op.create_table(
        "game_pairs",
        sa.Column("account_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("opponent_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("newest", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "game", "opponent_id", name=op.f("pk_game_pairs")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "game_faults",
        sa.Column("account_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "game", "kind", name=op.f("pk_game_faults")),
        sqlite_with_rowid=False,
    )
    upto = op.create_table("game_careers_upto", sa.Column("seq", sa.BigInteger(), nullable=False))
    op.bulk_insert(upto, [{"seq": 0}])
    op.create_table(
        "web_sessions",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("token_id", sa.Integer(), nullable=True),
        sa.Column("key_id", sa.Integer(), nullable=True),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_web_sessions")),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_web_sessions_account_id")),
    )
    op.create_index("ix_web_sessions_account_id", "web_sessions", ["account_id"])
