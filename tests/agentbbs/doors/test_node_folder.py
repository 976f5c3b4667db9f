"""A node's folder: new at each stay, whatever the last door left there."""

from __future__ import annotations

from pathlib import Path

from tests.agentbbs.doors.playing import door_of, facts_of

from agentbbs.doors.cage import Stay
from agentbbs.doors.node_folder import clear, prepare
from tty_agent.terminal.dialect import Encoding


def stay(drop: Path) -> Stay:
    return Stay(drop=drop, node=1, record=7, handle="alice", caller=Encoding.CP437)


def test_dropfiles_are_as_the_operator_spells_them_and_say_what_the_door_needs(tmp_path: Path) -> None:
    door = door_of(tmp_path, "x", dropfiles=("door32.sys", "CHAIN.TXT"), time_limit_s=600, com_port=2, trusted=False)
    prepare(door, facts_of(), stay(tmp_path / "nodes/1"))
    assert sorted(file.name for file in (tmp_path / "nodes/1").iterdir()) == ["CHAIN.TXT", "door32.sys"]
    lines = (tmp_path / "nodes/1/door32.sys").read_bytes().split(b"\r\n")
    assert (lines[1], lines[8]) == (b"2", b"10")
    assert b"\r\n/drop\r\n" in (tmp_path / "nodes/1/CHAIN.TXT").read_bytes()


def test_what_the_last_door_left_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "1"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "file").touch()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    (folder / "link").symlink_to(tmp_path / "mine")
    prepare(door_of(tmp_path, "x"), facts_of(), stay(folder))
    assert list(folder.iterdir()) == []
    assert (tmp_path / "mine" / "file").exists()


def test_a_folder_that_is_a_link_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    (tmp_path / "1").symlink_to(tmp_path / "mine")
    clear(tmp_path / "1")
    assert (tmp_path / "mine" / "file").exists()
    assert not (tmp_path / "1").exists()
    clear(tmp_path / "1")
