"""Snapshots by their names."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from bbs_gym.hosts.host import HostFault, Snapshot
from bbs_gym.hosts.snapshot_name import check_snapshot_name
from bbs_gym.hosts.snapshot_record import read_record, write_record


def kept(folder: Path, name: str) -> Snapshot:
    return Snapshot(name=name, path=folder / name, sha256="ab" * 32, created_at="2026-01-31T12:00:00+00:00")


def test_what_was_written_is_read_also_where_the_folder_was_moved_to(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    write_record(kept(tmp_path / "old", "base"))
    assert read_record(tmp_path / "old", "base") == kept(tmp_path / "old", "base")
    (tmp_path / "old").rename(tmp_path / "new")
    assert read_record(tmp_path / "new", "base") == kept(tmp_path / "new", "base")


def test_a_name_that_nobody_saved_is_answered_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(HostFault, match="none was saved there yet"):
        read_record(tmp_path, "base")
    for name in ("two", "one.json"):
        write_record(kept(tmp_path, name))
    with pytest.raises(HostFault, match=r"there are one\.json, two"):
        read_record(tmp_path, "base")


def test_a_record_that_is_damaged_or_can_not_be_written_is_a_fault(tmp_path: Path) -> None:
    write_record(kept(tmp_path, "base"))
    (tmp_path / ".base.json").write_bytes(msgspec.json.encode({"name": "base"}))
    with pytest.raises(HostFault, match="can't be read"):
        read_record(tmp_path, "base")
    with pytest.raises(HostFault, match="can't be written"):
        write_record(kept(tmp_path / "none", "base"))


@pytest.mark.parametrize("name", ["a", "Base-2.0_x", "9" * 64])
def test_names_of_snapshots(name: str) -> None:
    assert check_snapshot_name(name) == name


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "a/b", "a b", "x" * 65, "a\n", "\u00e4"])
def test_what_is_no_name_of_a_folder_is_none_of_a_snapshot(name: str) -> None:
    with pytest.raises(HostFault, match="can't be the name"):
        check_snapshot_name(name)
