"""A backup brings back what was there, to the letter."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest
from tests.agentbbs.store.boarding import GENERAL, account, member

from agentbbs.store import accounts, backup, boards, boards_export, mail, restore
from agentbbs.store.backup import BackupFault
from agentbbs.store.database import Database, SchemaTooNew
from agentbbs.store.schema import metadata


def _everything(database: Database) -> dict[str, list[Any]]:
    with database.connect() as conn:
        return {table.name: list(conn.execute(table.select())) for table in metadata.sorted_tables} | {
            "export": list(boards_export.records(conn))
        }


@pytest.fixture
def saved(database: Database, tmp_path: Path) -> Path:
    """A backup of a board with something on it."""
    with database.begin() as conn:
        ann = member(conn, "ann")
        boards.start_thread(conn, ann, GENERAL, "Hello", "\x1b[2J caf\u00e9 \u202e", now_ms=1)
        mail.send(conn, account(ann), "ann", "Note", "to myself", now_ms=2)
    backup.backup(database, tmp_path / "saved", ())
    return tmp_path / "saved"


def test_everything_is_as_it_was(database: Database, saved: Path) -> None:
    before = _everything(database)
    with database.begin() as conn:
        accounts.remove(conn, "ann", now_ms=3)
        boards.start_thread(conn, member(conn, "bob"), GENERAL, "Later", "x", now_ms=4)
    assert _everything(database) != before
    assert restore.restore(saved, database) == (1, 0)
    with Database(database.url.render_as_string()) as restored:
        assert _everything(restored) == before
    assert stat.S_IMODE(database.path.stat().st_mode) == 0o600
    assert restore.restore(saved, database) == (1, 0), "again, from the same backup"


def test_what_was_written_ahead_is_not_taken_for_the_backups(database: Database, saved: Path) -> None:
    before = _everything(database)
    # As after kill -9: everything since the last checkpoint is in the log alone.
    killed = sqlite3.connect(database.path, isolation_level=None)
    killed.execute("PRAGMA wal_autocheckpoint = 0")
    killed.execute("UPDATE board_posts SET body = 'forged'")
    log = database.path.with_name(f"{database.path.name}-wal")
    kept = log.read_bytes()
    killed.close()
    log.write_bytes(kept)
    restore.restore(saved, database)
    with Database(database.url.render_as_string()) as restored:
        assert _everything(restored) == before


def test_a_damaged_or_missing_database_is_restored(database: Database, saved: Path, tmp_path: Path) -> None:
    before = _everything(database)
    database.dispose()
    database.path.write_bytes(b"Dear diary, " * 1000)
    assert restore.restore(saved, database) == (1, 0)
    with Database(f"sqlite:///{tmp_path / 'new' / 'venue.db'}") as new:
        restore.restore(saved, new)
    with Database(new.url.render_as_string()) as restored:
        assert _everything(restored) == before


def test_a_bad_backup_changes_nothing(database: Database, saved: Path) -> None:
    before = _everything(database)
    with sqlite3.connect(saved / "agentbbs.db") as copy:
        copy.execute("UPDATE alembic_version SET version_num = '9999'")
    copy.close()
    with pytest.raises(SchemaTooNew):
        restore.restore(saved, database)
    (saved / "agentbbs.db").unlink()
    with pytest.raises(BackupFault, match="holds a backup"):
        restore.restore(saved, database)
    with Database(database.url.render_as_string()) as same:
        assert _everything(same) == before
    assert not list(database.path.parent.glob(".*restored*"))


def test_a_database_in_use_is_left_alone(database: Database, saved: Path) -> None:
    with Database(database.url.render_as_string()) as venue, venue.begin():
        with pytest.raises(BackupFault, match="stop the venue"):
            restore.restore(saved, database)
        assert database.path.exists()
