"""`snapshot save` and `restore`."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path
from typing import Any

import pytest
from tests.agentbbs.store.boarding import GENERAL, member

from agentbbs.store import accounts, boards, boards_export, oneliners
from agentbbs.store.database import Database
from agentbbs.venue_folder import LOCK_FILE

DOOR = """
[door.game]
command = "true"
directory = "doors/game"
"""


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Where the snapshot goes."""
    return tmp_path / "kept"


@pytest.fixture
def board(data: Path) -> Path:
    """A data folder with accounts, posts and a door that has saved a game."""
    (data / "doors" / "game").mkdir(parents=True)
    (data / "doors" / "game" / "1.sav").write_bytes(bytes(range(256)))
    (data / "doors.toml").write_text(DOOR)
    write(data, "Hello", "ann")
    return data


def write(data: Path, subject: str, name: str) -> None:
    with Database.in_folder(data) as database:
        database.open()
        with database.begin() as conn:
            boards.start_thread(conn, member(conn, name), GENERAL, subject, "Text", now_ms=1)


def state(data: Path) -> tuple[Any, ...]:
    """What a snapshot keeps."""
    with Database.in_folder(data) as database, database.connect() as conn:
        return (
            accounts.all_accounts(conn),
            list(boards_export.records(conn)),
            oneliners.newest(conn, 10),
            (data / "doors.toml").read_text(),
            {path.name: path.read_bytes() for path in (data / "doors" / "game").iterdir()},
        )


def test_boards_accounts_and_doors_come_back_bit_for_bit(run: Any, board: Path, kept: Path) -> None:
    before = state(board)
    saved = run("snapshot", "save", kept, "--json")
    assert json.loads(saved.stdout) == {"path": str(kept), "accounts": 1, "matches": 0, "doors": ["doors/game"]}
    write(board, "Later", "bob")
    (board / "doors" / "game" / "1.sav").write_bytes(b"worse")
    (board / "doors" / "game" / "2.sav").write_bytes(b"new")
    (board / "doors.toml").write_text("[door.broken")
    assert state(board) != before
    restored = run("snapshot", "restore", kept)
    assert (restored.exit_code, restored.stderr) == (0, "")
    assert restored.stdout == f"{kept}: 1 accounts, 0 matches, 1 places of doors, verified\n"
    assert state(board) == before


def test_a_snapshot_makes_another_data_folder_of_the_same_state(
    run: Any, board: Path, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("snapshot", "save", kept)
    other = tmp_path / "other"
    monkeypatch.setenv("AGENTBBS_DATA", str(other))
    assert run("snapshot", "restore", kept).exit_code == 0
    assert state(other) == state(board)


def test_the_host_key_stays_where_it_is(run: Any, board: Path, kept: Path) -> None:
    (board / "ssh_host_ed25519_key").write_text("secret")
    run("snapshot", "save", kept)
    assert not list(kept.rglob("*host*"))
    (board / "ssh_host_ed25519_key").write_text("newer")
    run("snapshot", "restore", kept)
    assert (board / "ssh_host_ed25519_key").read_text() == "newer"


def test_a_board_without_doors_comes_back_without_doors(run: Any, board: Path, kept: Path) -> None:
    doors_file = board / "doors.toml"
    doors_file.unlink()
    run("snapshot", "save", kept)
    doors_file.write_text(DOOR)
    assert run("snapshot", "restore", kept).exit_code == 0
    assert not doors_file.exists()


def test_nothing_is_restored_under_a_venue_that_runs(run: Any, board: Path, kept: Path) -> None:
    run("snapshot", "save", kept)
    write(board, "Later", "bob")
    before = state(board)
    with (board / LOCK_FILE).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refused = run("snapshot", "restore", kept)
    assert refused.exit_code == 1
    assert "stop it, then restore" in refused.stderr
    assert state(board) == before


def test_a_folder_with_something_in_it_takes_no_snapshot(run: Any, board: Path, kept: Path) -> None:
    kept.mkdir()
    (kept / "letter").write_text("mine")
    refused = run("snapshot", "save", kept)
    assert refused.exit_code == 1
    assert "is not empty" in refused.stderr
    assert (kept / "letter").read_text() == "mine"


def test_a_snapshot_that_fails_leaves_nothing_behind(run: Any, board: Path, kept: Path) -> None:
    (board / "doors.toml").write_text(f'{DOOR}\nwritable = [".:/venue"]\n')
    refused = run("snapshot", "save", kept)
    assert refused.exit_code == 1
    assert "name another folder" in refused.stderr
    assert not list(kept.iterdir())


@pytest.mark.parametrize(
    ("listing", "why"),
    [
        (None, "there is no"),
        (b"{", "is damaged"),
        (b'{"format":"zip","version":1,"made_ms":0,"doors_file":false,"doors":[]}', "another version"),
    ],
)
def test_a_folder_without_a_whole_snapshot_is_refused(
    run: Any, board: Path, kept: Path, listing: bytes | None, why: str
) -> None:
    run("snapshot", "save", kept)
    (kept / "snapshot.json").unlink()
    if listing is not None:
        (kept / "snapshot.json").write_bytes(listing)
    before = state(board)
    refused = run("snapshot", "restore", kept)
    assert refused.exit_code == 1
    assert why in refused.stderr
    assert state(board) == before


@pytest.mark.parametrize("part", ["doors/0/1.sav", "doors.toml", "agentbbs.db"])
def test_a_part_that_is_missing_stops_before_anything_is_replaced(run: Any, board: Path, kept: Path, part: str) -> None:
    run("snapshot", "save", kept)
    (kept / part).unlink()
    if part.startswith("doors/"):
        (kept / part).parent.rmdir()
    write(board, "Later", "bob")
    before = state(board)
    assert run("snapshot", "restore", kept).exit_code == 1
    assert state(board) == before


@pytest.mark.parametrize("command", ["save", "restore"])
def test_a_folder_has_to_be_named(run: Any, command: str) -> None:
    assert run("snapshot", command, "").exit_code == 2
