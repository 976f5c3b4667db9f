"""Backups: consistent while matches are written, verified, and never half there."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest
from sqlalchemy import insert

from agentbbs.play.ports import FinishedMatch, Player
from agentbbs.protocol.agentgames import Termination
from agentbbs.store import accounts, backup, rebuild
from agentbbs.store.database import Database, NoSchema
from agentbbs.store.ledger import Ledger
from agentbbs.store.schema import game_ratings

ENOUGH_MATCHES = 400


def a_match(number: int, one: int, other: int) -> FinishedMatch:
    return FinishedMatch(
        id=f"match-{number:08}",
        game="ttt",
        rules_version=1,
        players=(Player(one, "ann", "websocket"), Player(other, "bob", "websocket")),
        plies=(),
        unplayed=(),
        winner=number % 3 - 1,
        termination=Termination.NORMAL,
        reason=None,
        rated=True,
        why=None,
        move_timeout_ms=15_000,
        started_ms=number,
        ended_ms=number + 1,
    )


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database.in_folder(tmp_path / "data").open()


@pytest.fixture
def players(database: Database) -> tuple[int, int]:
    with database.begin() as conn:
        return accounts.add(conn, "ann", now_ms=1).id, accounts.add(conn, "bob", now_ms=1).id


def test_a_backup_holds_what_was_committed_and_opens_as_a_database(
    database: Database, players: tuple[int, int], tmp_path: Path
) -> None:
    conn = database.writing_connection()
    Ledger().commit(conn, [a_match(number, *players) for number in range(20)])
    conn.close()
    done = backup.backup(database, tmp_path / "copy", ())
    assert (done.accounts, done.matches) == (2, 20)
    assert {path.name for path in (tmp_path / "copy").iterdir()} == {"agentbbs.db"}
    with Database.in_folder(tmp_path / "copy") as copy, copy.connect() as reading:
        assert rebuild.check(reading) == ()
    database.dispose()


def test_a_backup_made_while_matches_are_written_is_of_one_moment(
    database: Database, players: tuple[int, int], tmp_path: Path
) -> None:
    written = threading.Event()
    enough = threading.Event()

    def write() -> None:
        conn, ledger, number = database.writing_connection(), Ledger(), 0
        while not enough.is_set():
            ledger.commit(conn, [a_match(number + each, *players) for each in range(4)])
            number += 4
            if number >= ENOUGH_MATCHES:
                written.set()
        conn.close()

    writer = threading.Thread(target=write)
    writer.start()
    assert written.wait(60)
    try:
        done = [backup.backup(database, tmp_path / f"copy-{number}", ()) for number in range(3)]
    finally:
        enough.set()
        writer.join(60)
    assert all(one.matches >= ENOUGH_MATCHES and one.matches % 4 == 0 for one in done)
    database.dispose()


def test_files_of_the_data_folder_come_along_with_their_modes(database: Database, tmp_path: Path) -> None:
    key = tmp_path / "data" / "ssh_host_ed25519_key"
    key.write_text("secret")
    key.chmod(0o600)
    done = backup.backup(database, tmp_path / "copy", (key, tmp_path / "data" / "nothing"))
    assert done.files == (str(tmp_path / "copy" / key.name),)
    assert stat.S_IMODE((tmp_path / "copy" / key.name).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "copy" / "agentbbs.db").stat().st_mode) == 0o600
    database.dispose()


def test_a_backup_is_never_written_over_another(database: Database, tmp_path: Path) -> None:
    backup.backup(database, tmp_path / "copy", ())
    with pytest.raises(backup.BackupFault, match="is there already"):
        backup.backup(database, tmp_path / "copy", ())
    database.dispose()


def test_a_copy_whose_ladders_contradict_its_matches_gets_no_name(
    database: Database, players: tuple[int, int], tmp_path: Path
) -> None:
    with database.begin() as conn:
        row = {"rating": 1700.0, "played": 3, "wins": 3, "draws": 0, "losses": 0, "firsts": 1}
        conn.execute(insert(game_ratings).values(account_id=players[0], game="ttt", **row))
    with pytest.raises(backup.BackupFault, match="not good"):
        backup.backup(database, tmp_path / "copy", ())
    assert list((tmp_path / "copy").iterdir()) == []
    database.dispose()


def test_a_folder_that_cant_be_made_is_one_sentence(database: Database, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(backup.BackupFault, match="can't be written"):
        backup.backup(database, tmp_path / "file" / "copy", ())
    database.dispose()


def test_there_must_be_a_database(tmp_path: Path) -> None:
    nothing = Database.in_folder(tmp_path / "empty")
    with pytest.raises(NoSchema):
        backup.backup(nothing, tmp_path / "copy", ())
    nothing.dispose()
