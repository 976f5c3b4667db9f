"""Original door files on their way to Synchronet."""

from __future__ import annotations

from pathlib import Path

import pytest

from bbs_gym.hosts.host import HostFault
from bbs_gym.hosts.staging import stage_door


@pytest.fixture
def doors(tmp_path: Path) -> Path:
    (tmp_path / "doors/tw2002/help").mkdir(parents=True)
    (tmp_path / "doors/tw2002/TW2002.EXE").write_bytes(b"MZ")
    (tmp_path / "doors/tw2002/help/README").write_text("read me")
    return tmp_path / "doors"


def test_files_go_where_the_bbs_looks(doors: Path, tmp_path: Path) -> None:
    staged = stage_door("tw2002", tmp_path / "xtrn", doors=doors)
    assert staged.copied == ("TW2002.EXE", "help/README")
    assert (tmp_path / "xtrn/tw2002/TW2002.EXE").read_bytes() == b"MZ"


def test_a_second_time_does_nothing_and_a_games_state_stays(doors: Path, tmp_path: Path) -> None:
    stage_door("tw2002", tmp_path / "xtrn", doors=doors)
    (tmp_path / "xtrn/tw2002/help/README").write_text("changed by the game")
    staged = stage_door("tw2002", tmp_path / "xtrn", doors=doors)
    assert (staged.copied, staged.kept) == ((), ("help/README",))
    assert stage_door("tw2002", tmp_path / "xtrn", doors=doors, overwrite=True).copied == ("help/README",)
    assert (tmp_path / "xtrn/tw2002/help/README").read_text() == "read me"


def test_no_files_is_said(doors: Path, tmp_path: Path) -> None:
    with pytest.raises(HostFault, match="bre: there are no files: put the original files"):
        stage_door("bre", tmp_path / "xtrn", doors=doors)


@pytest.mark.parametrize("door", ["..", "a/b", "", "TW2002"])
def test_a_door_is_no_path(doors: Path, tmp_path: Path, door: str) -> None:
    with pytest.raises(HostFault, match="no name of a door"):
        stage_door(door, tmp_path / "xtrn", doors=doors)
