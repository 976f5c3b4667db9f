"""Message boards, mail, and what else the board keeps of its callers."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_GUEST, _MEMBER, _SYSOP = range(3)

_STARTERS = (
    ("General", "Whatever there is to say", _GUEST, _MEMBER),
    ("Games", "Ladders, matches, doors, strategy", _GUEST, _MEMBER),
    ("Agents", "For agents and those who build them", _GUEST, _MEMBER),
    ("Sysop", "Running this board", _SYSOP, _SYSOP),
)


def upgrade() -> None:
    """Add the tables of the board, and the areas that it starts with."""
    _areas()
    _threads()
    _posts()
    _marks("area")
    _marks("thread")
    _mail()
    _callers()
    _preferences()
    _administration()
    _invites()


def _account(column: str, table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], ["accounts.id"], name=op.f(f"fk_{table}_{column}"))


def _areas() -> None:
    table = op.create_table(
        "board_areas",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("description", sa.String(80), nullable=False),
        sa.Column("read_level", sa.Integer(), nullable=False),
        sa.Column("write_level", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board_areas")),
        sa.UniqueConstraint("name", name=op.f("uq_board_areas_name")),
        sa.CheckConstraint("read_level BETWEEN 0 AND 2", name=op.f("ck_board_areas_read_level")),
        sa.CheckConstraint(
            "write_level BETWEEN 1 AND 2 AND write_level >= read_level", name=op.f("ck_board_areas_write_level")
        ),
    )
    op.bulk_insert(
        table,
        [
            {"name": name, "description": description, "read_level": read, "write_level": write, "position": position}
            for position, (name, description, read, write) in enumerate(_STARTERS, 1)
        ],
    )


def _threads() -> None:
    op.create_table(
        "board_threads",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("area_id", sa.Integer(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=True),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("locked", sa.Boolean(), nullable=False),
        sa.Column("removed_ms", sa.BigInteger(), nullable=True),
        sa.Column("posts", sa.Integer(), nullable=False),
        sa.Column("last_post_id", sa.Integer(), nullable=False),
        sa.Column("last_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board_threads")),
        sa.ForeignKeyConstraint(["area_id"], ["board_areas.id"], name=op.f("fk_board_threads_area_id")),
        _account("account_id", "board_threads"),
    )
    op.create_index("ix_board_threads_newest", "board_threads", ["area_id", "last_post_id"])


def _posts() -> None:
    op.create_table(
        "board_posts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("thread_id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=True),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("reply_to", sa.Integer(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("deleted_ms", sa.BigInteger(), nullable=True),
        sa.Column("deleted_by", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board_posts")),
        sa.ForeignKeyConstraint(["thread_id"], ["board_threads.id"], name=op.f("fk_board_posts_thread_id")),
        _account("account_id", "board_posts"),
        sa.ForeignKeyConstraint(["reply_to"], ["board_posts.id"], name=op.f("fk_board_posts_reply_to")),
        _account("deleted_by", "board_posts"),
    )
    op.create_index("ix_board_posts_thread", "board_posts", ["thread_id", "id"])
    op.create_index("ix_board_posts_author", "board_posts", ["account_id", "created_ms"])


def _marks(of: str) -> None:
    name = f"board_{of}_marks"
    op.create_table(
        name,
        sa.Column("account_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column(f"{of}_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("last_post_id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", f"{of}_id", name=op.f(f"pk_{name}")),
        _account("account_id", name),
        sa.ForeignKeyConstraint([f"{of}_id"], [f"board_{of}s.id"], name=op.f(f"fk_{name}_{of}_id")),
        sqlite_with_rowid=False,
    )


def _mail() -> None:
    op.create_table(
        "mail",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("sender_id", sa.Integer(), nullable=True),
        sa.Column("sender", sa.Text(), nullable=False),
        sa.Column("recipient_id", sa.Integer(), nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("sent_ms", sa.BigInteger(), nullable=False),
        sa.Column("read_ms", sa.BigInteger(), nullable=True),
        sa.Column("sender_keeps", sa.Boolean(), nullable=False),
        sa.Column("recipient_keeps", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mail")),
        _account("sender_id", "mail"),
        _account("recipient_id", "mail"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_mail_inbox", "mail", ["recipient_id", "id"])
    op.create_index("ix_mail_sent", "mail", ["sender_id", "id"])


def _callers() -> None:
    op.create_table(
        "oneliners",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=True),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("written_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oneliners")),
        _account("account_id", "oneliners"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "visits",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("node", sa.Integer(), nullable=False),
        sa.Column("transport", sa.String(16), nullable=False),
        sa.Column("began_ms", sa.BigInteger(), nullable=False),
        sa.Column("ended_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_visits")),
        _account("account_id", "visits"),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_visits_account_id"), "visits", ["account_id"])


def _preferences() -> None:
    op.create_table(
        "preferences",
        sa.Column("account_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("encoding", sa.String(16), nullable=False),
        sa.Column("ansi", sa.String(8), nullable=False),
        sa.Column("columns", sa.Integer(), nullable=True),
        sa.Column("rows", sa.Integer(), nullable=True),
        sa.Column("page_rows", sa.Integer(), nullable=True),
        sa.Column("hotkeys", sa.Boolean(), nullable=False),
        sa.Column("tour_seen", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_preferences")),
        _account("account_id", "preferences"),
    )


def _administration() -> None:
    op.create_table(
        "bans",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=True),
        sa.Column("network", sa.String(64), nullable=True),
        sa.Column("until_ms", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bans")),
        _account("account_id", "bans"),
        _account("made_by", "bans"),
        sa.CheckConstraint("(account_id IS NULL) <> (network IS NULL)", name=op.f("ck_bans_whom")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_bans_account_id"), "bans", ["account_id"])
    op.create_index(op.f("ix_bans_network"), "bans", ["network"])
    op.create_table(
        "audit_log",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("actor_id", sa.Integer(), nullable=True),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.String(32), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
        _account("actor_id", "audit_log"),
    )


def _invites() -> None:
    op.create_table(
        "invites",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("prefix", sa.String(8), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("minted_by", sa.Integer(), nullable=True),
        sa.Column("minted_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.Column("used_by", sa.Integer(), nullable=True),
        sa.Column("used_ms", sa.BigInteger(), nullable=True),
        sa.Column("revoked_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invites")),
        _account("minted_by", "invites"),
        _account("used_by", "invites"),
        sa.UniqueConstraint("hash", name=op.f("uq_invites_hash")),
    )
