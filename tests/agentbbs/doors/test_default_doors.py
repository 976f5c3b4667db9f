"""The doors of a new board."""

from __future__ import annotations

from pathlib import Path

from agentbbs.doors.config import DOORS_FILE, load_doors
from agentbbs.doors.default_doors import write_default_doors


def test_a_new_board_has_starlane(tmp_path: Path) -> None:
    assert write_default_doors(tmp_path)
    (door,) = load_doors(tmp_path / DOORS_FILE)
    assert (door.id, door.directory) == ("starlane", tmp_path / "doors" / "starlane")


def test_a_file_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / DOORS_FILE).touch()
    assert not write_default_doors(tmp_path)
    assert load_doors(tmp_path / DOORS_FILE) == ()
    assert not (tmp_path / "doors").exists()
