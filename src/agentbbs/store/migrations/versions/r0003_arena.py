"""Clocks of seats, and the endpoints of Agent Arena."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add two columns to the log (null: the match's clock; no row is written), and a table."""
    for seat in (0, 1):
        op.add_column("game_matches", sa.Column(f"clock_ms_{seat}", sa.Integer(), nullable=True))
    op.create_table(
        "arena_endpoints",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("scheme", sa.String(16), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("old_secret", sa.Text(), nullable=True),
        sa.Column("old_secret_until_ms", sa.BigInteger(), nullable=True),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("why", sa.Text(), nullable=True),
        sa.Column("forfeits", sa.Integer(), nullable=False),
        sa.Column("latency_ms", sa.Integer(), nullable=True),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_ms", sa.BigInteger(), nullable=False),
        sa.Column("removed_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_arena_endpoints")),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_arena_endpoints_account_id")),
        sa.CheckConstraint("status IN ('active', 'paused')", name=op.f("ck_arena_endpoints_status")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_arena_endpoints_live",
        "arena_endpoints",
        ["account_id", "game"],
        unique=True,
        sqlite_where=sa.text("removed_ms IS NULL"),
        postgresql_where=sa.text("removed_ms IS NULL"),
    )
