"""What doors write to, copied away and put back."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agentbbs.doors import saves
from agentbbs.doors.config import Door, Share
from agentbbs.doors.saves import Saved, SavesFault


def door(name: str, directory: Path, *writable: Path) -> Door:
    shares = tuple(Share(path, str(path)) for path in writable)
    return Door(id=name, title=name, command=("true",), directory=directory, writable=shares)


def tree(place: Path) -> dict[str, tuple[str, bytes, int]]:
    """Everything in a place: kind and content, and the time of files."""
    found = {}
    for path in sorted([place, *place.rglob("*")]):
        mode = path.lstat().st_mode
        if path.is_symlink():
            found[str(path.relative_to(place))] = ("link", os.fsencode(path.readlink()), mode)
        elif path.is_file():
            content = path.read_bytes() + path.stat().st_mtime_ns.to_bytes(8, "big")
            found[str(path.relative_to(place))] = ("file", content, mode)
        else:
            found[str(path.relative_to(place))] = ("folder", b"", mode)
    return found


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with the files of a door."""
    state = tmp_path / "data" / "doors" / "game"
    (state / "saves").mkdir(parents=True)
    (state / "saves" / "1.sav").write_bytes(bytes(range(256)))
    (state / "run.sh").write_text("#!/bin/sh\n")
    (state / "run.sh").chmod(0o750)
    (state / "last").symlink_to("saves/1.sav")
    os.utime(state / "saves" / "1.sav", ns=(1, 123_456_789))
    return tmp_path / "data"


def test_places_are_counted_once_and_without_those_within_others(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    doors = (door("one", a, b / "score"), door("two", a), door("three", a / "deep", b / "score"))
    assert saves.places(doors) == (a, b / "score")


def test_what_was_saved_comes_back_bit_for_bit(data: Path, tmp_path: Path) -> None:
    game = data / "doors" / "game"
    doors, before = (door("game", game),), tree(game)
    saved = saves.save(doors, data, tmp_path / "kept")
    assert saved == (Saved("doors/game", "0"),)
    (game / "saves" / "1.sav").write_bytes(b"worse")
    (game / "new").mkdir()
    (game / "last").unlink()
    saves.put_back(tmp_path / "kept", saves.allowed(saved, (), data))
    assert tree(game) == before
    assert [path.name for path in game.parent.iterdir()] == ["game"]


def test_it_comes_back_in_another_data_folder(data: Path, tmp_path: Path) -> None:
    game = data / "doors" / "game"
    saved = saves.save((door("game", game),), data, tmp_path / "kept")
    other = tmp_path / "other"
    saves.put_back(tmp_path / "kept", saves.allowed(saved, (), other))
    assert tree(other / "doors" / "game") == tree(game)


def test_a_share_that_is_a_file_comes_back(data: Path, tmp_path: Path) -> None:
    score = tmp_path / "scores"
    score.write_text("ann 7\n")
    doors = (door("game", data / "doors" / "game", score),)
    saved = saves.save(doors, data, tmp_path / "kept")
    score.write_text("eve 999\n")
    saves.put_back(tmp_path / "kept", saves.allowed(saved, doors, data))
    assert score.read_text() == "ann 7\n"


def test_places_outside_of_the_data_folder_are_overwritten_only_where_a_door_has_them(
    data: Path, tmp_path: Path
) -> None:
    place = tmp_path / "outside"
    with pytest.raises(SavesFault, match="no door here writes to"):
        saves.allowed((Saved(str(place), "0"),), (), data)
    assert saves.allowed((Saved(str(place), "0"),), (door("game", place),), data) == {"0": place}


@pytest.mark.parametrize("path", ["../victim", "doors/../../victim", "/victim", "doors/link/victim"])
def test_a_list_that_leads_out_of_the_data_folder_is_refused(data: Path, path: str) -> None:
    (data / "doors" / "link").symlink_to("/")
    with pytest.raises(SavesFault, match="no door here writes to"):
        saves.allowed((Saved(path, "0"),), (), data)


@pytest.mark.parametrize("saved", [Saved(".", "0"), Saved("doors/game", "../x"), Saved("doors/game", "")])
def test_a_damaged_list_is_refused(data: Path, saved: Saved) -> None:
    with pytest.raises(SavesFault, match="damaged"):
        saves.allowed((saved,), (), data)


def test_what_changes_meanwhile_is_copied_again(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = data / "doors" / "game"
    writes = iter(("torn", "whole"))
    copy = saves._copy

    def disturbed(source: Path, target: Path) -> None:
        copy(source, target)
        if text := next(writes, ""):
            (game / "saves" / "1.sav").write_text(text)

    monkeypatch.setattr(saves, "_copy", disturbed)
    pauses: list[float] = []
    saves.save((door("game", game),), data, tmp_path / "kept", pause=pauses.append)
    assert (tmp_path / "kept" / "doors" / "0" / "saves" / "1.sav").read_text() == "whole"
    assert len(pauses) == 2


def test_a_place_without_rest_is_named(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = data / "doors" / "game"
    copy = saves._copy

    def disturbed(source: Path, target: Path) -> None:
        copy(source, target)
        (game / "clock").write_bytes(os.urandom(8))

    monkeypatch.setattr(saves, "_copy", disturbed)
    pauses: list[float] = []
    with pytest.raises(SavesFault, match="when nobody is in that door"):
        saves.save((door("game", game),), data, tmp_path / "kept", pause=pauses.append)
    assert len(pauses) == saves.COPIES


def test_a_database_that_is_written_to_is_copied_as_it_was_at_one_moment(data: Path, tmp_path: Path) -> None:
    game = data / "doors" / "game"
    copy = tmp_path / "kept" / "doors" / "0" / "universe.db"
    with closing(sqlite3.connect(game / "universe.db")) as universe:
        universe.executescript("PRAGMA journal_mode = WAL; CREATE TABLE moves (number); INSERT INTO moves VALUES (1)")
        universe.commit()
        assert (game / "universe.db-wal").exists()
        universe.execute("INSERT INTO moves VALUES (2)")  # a transaction that is open while the copy is taken
        saved = saves.save((door("game", game),), data, tmp_path / "kept")
        universe.commit()
    with closing(sqlite3.connect(copy)) as kept:
        assert kept.execute("SELECT number FROM moves").fetchall() == [(1,)]
    assert not list(copy.parent.glob("*-wal"))
    saves.put_back(tmp_path / "kept", saves.allowed(saved, (), data))
    with closing(sqlite3.connect(game / "universe.db")) as universe:
        assert universe.execute("SELECT number FROM moves").fetchall() == [(1,)]


def test_pipes_and_sockets_are_left_out(data: Path, tmp_path: Path) -> None:
    game = data / "doors" / "game"
    os.mkfifo(game / "pipe")
    saves.save((door("game", game),), data, tmp_path / "kept")
    assert sorted(path.name for path in (tmp_path / "kept" / "doors" / "0").iterdir()) == ["last", "run.sh", "saves"]


def test_a_door_that_has_the_data_folder_is_refused(data: Path, tmp_path: Path) -> None:
    for directory in (data, tmp_path):
        with pytest.raises(SavesFault, match="name another folder"):
            saves.save((door("game", directory),), data, tmp_path / "kept")


def test_a_copy_that_can_not_be_made_is_named(data: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file")
    with pytest.raises(SavesFault, match="can't be copied"):
        saves.save((door("game", data / "doors" / "game"),), data, tmp_path / "kept")
