"""Snapshots as folders: whole or not there, equal by hash, put back as they were."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from bbs_gym.hosts.host import HostFault, Snapshot
from bbs_gym.hosts.state_folders import put_back, save_folders

AT = "2026-11-30T21:00:00+00:00"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "sbbs"
    for folder in ("ctrl", "data/user", "exec", "xtrn/tw2", "node1", "web"):
        (root / folder).mkdir(parents=True)
    (root / "ctrl/sbbs.ini").write_text("[BBS]\n")
    (root / "data/user/user.tab").write_bytes(b"alice\tbob\n")
    (root / "xtrn/tw2/tw2.json").write_text("{}")
    (root / "exec/sbbs").write_text("a program")
    return root


def save(root: Path, name: str = "clean") -> Snapshot:
    return save_folders(root, root.parent / "snapshots", name, AT)


def test_state_is_kept_and_programs_are_not(root: Path) -> None:
    snapshot = save(root)
    assert snapshot.created_at == AT
    assert sorted(path.name for path in snapshot.path.iterdir()) == ["ctrl", "data", "node1", "xtrn"]
    assert (snapshot.path / "data/user/user.tab").read_bytes() == b"alice\tbob\n"


def test_what_was_there_is_there_again(root: Path) -> None:
    snapshot = save(root)
    (root / "data/user/user.tab").write_bytes(b"mallory\n")
    (root / "data/user/more").write_text("x")
    shutil.rmtree(root / "xtrn")
    (root / "mods").mkdir()
    put_back(snapshot, root)
    assert (root / "data/user/user.tab").read_bytes() == b"alice\tbob\n"
    assert not (root / "data/user/more").exists()
    assert not (root / "mods").exists()
    assert (root / "exec/sbbs").read_text() == "a program"
    assert save(root, "again").sha256 == snapshot.sha256
    assert sorted(path.name for path in root.iterdir()) == ["ctrl", "data", "exec", "node1", "web", "xtrn"]


def test_a_restore_that_was_broken_off_is_completed_by_the_next(root: Path) -> None:
    snapshot = save(root)
    (root / ".bbs-gym-old").mkdir()
    (root / "data").rename(root / ".bbs-gym-old/data")
    (root / ".bbs-gym-new/ctrl").mkdir(parents=True)
    put_back(snapshot, root)
    assert save(root, "again").sha256 == snapshot.sha256


def test_a_snapshot_that_was_changed_is_refused_and_nothing_is_done(root: Path) -> None:
    snapshot = save(root)
    (snapshot.path / "data/user/user.tab").write_bytes(b"mallory\n")
    (root / "data/user/user.tab").write_bytes(b"today\n")
    with pytest.raises(HostFault, match="sha256 differs"):
        put_back(snapshot, root)
    assert (root / "data/user/user.tab").read_bytes() == b"today\n"
    assert not (root / ".bbs-gym-new").exists()


def test_links_stay_links_and_sockets_are_left_out(root: Path) -> None:
    (root / "data/here").symlink_to("user")
    os.mkfifo(root / "ctrl/pipe")
    snapshot = save(root)
    assert (snapshot.path / "data/here").readlink() == Path("user")
    assert not (snapshot.path / "ctrl/pipe").exists()


def test_a_name_is_used_once(root: Path) -> None:
    save(root)
    with pytest.raises(HostFault, match="there already"):
        save(root)


@pytest.mark.parametrize("name", ["", "../out", ".hidden", "a/b"])
def test_a_name_is_no_path(root: Path, name: str) -> None:
    with pytest.raises(HostFault, match="name of a snapshot"):
        save(root, name)


def test_nothing_to_keep(tmp_path: Path) -> None:
    with pytest.raises(HostFault, match="no state of a Synchronet"):
        save_folders(tmp_path / "none", tmp_path / "snapshots", "clean", AT)


def test_half_a_snapshot_is_none(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "tw2.json")

    monkeypatch.setattr(shutil, "copytree", full)
    with pytest.raises(HostFault, match="No space left"):
        save(root)
    assert not (root.parent / "snapshots/clean").exists()


def test_what_is_no_snapshot_is_not_put_back(root: Path) -> None:
    with pytest.raises(HostFault, match="no snapshot of a Synchronet"):
        put_back(Snapshot(name="none", path=root.parent / "none", sha256="", created_at=AT), root)
    assert (root / "ctrl/sbbs.ini").exists()
