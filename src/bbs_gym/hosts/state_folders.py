"""A snapshot of a BBS as folders: copied while it is stopped, named by a hash of its content, put back whole.

Links are kept as links. Sockets and pipes belong to a process that has ended, and are left out.
"""

from __future__ import annotations

import re
import shutil
import stat
from pathlib import Path
from typing import Final

from bbs_gym.hosts.content_hash import content_sha256
from bbs_gym.hosts.host import HostFault, Snapshot
from bbs_gym.hosts.snapshot_name import check_snapshot_name

STATE_NAMES: Final = re.compile(r"ctrl|data|fido|mods|nodes|node\d{1,3}|text|xtrn")
"""Folders with the state of a Synchronet. Its programs (`exec`), web pages and backups are none."""

_NEW: Final = ".bbs-gym-new"
_OLD: Final = ".bbs-gym-old"


def save_folders(root: Path, snapshots: Path, name: str, created_at: str) -> Snapshot:
    """Copy the state in `root` into a new folder `snapshots/name`. Blocks. Raises HostFault; then nothing is left."""
    target = snapshots / check_snapshot_name(name)
    if target.exists():
        raise HostFault(f"{target} is there already: take another name, or remove it")
    found = _state_folders(root)
    if not found:
        raise HostFault(f"{root}: there is no state of a Synchronet to keep")
    try:
        for folder in found:
            _copy(folder, target / folder.name)
        digest = content_sha256(target)
    except OSError as fault:
        shutil.rmtree(target, ignore_errors=True)
        raise HostFault(_told("kept", fault)) from fault
    return Snapshot(name=name, path=target, sha256=digest, created_at=created_at)


def put_back(snapshot: Snapshot, root: Path) -> None:
    """Make the state in `root` that of the snapshot. Blocks. Raises HostFault; until all was copied, nothing changed.

    Each folder is replaced by a rename. Interrupted between two of them, a second call completes it.
    """
    found = _state_folders(snapshot.path)
    if not found:
        raise HostFault(f"{snapshot.path}: there is no snapshot of a Synchronet: save one")
    new, old = root / _NEW, root / _OLD
    try:
        shutil.rmtree(new, ignore_errors=True)
        for folder in found:
            _copy(folder, new / folder.name)
        if content_sha256(new) != snapshot.sha256:
            shutil.rmtree(new, ignore_errors=True)
            raise HostFault(f"{snapshot.path}: its content is not what was saved (sha256 differs): save another")
        _swap(root, new, old)
    except OSError as fault:
        raise HostFault(_told("put back", fault)) from fault


def _swap(root: Path, new: Path, old: Path) -> None:
    shutil.rmtree(old, ignore_errors=True)
    old.mkdir()
    wanted = {folder.name for folder in new.iterdir()}
    for folder in _state_folders(root):
        if folder.name not in wanted:  # the snapshot has no such folder
            folder.rename(old / folder.name)
    for folder in sorted(new.iterdir()):
        here = root / folder.name
        if here.is_symlink():
            here.unlink()
        elif here.exists():
            here.rename(old / folder.name)
        folder.rename(here)
    new.rmdir()
    shutil.rmtree(old, ignore_errors=True)


def _state_folders(root: Path) -> list[Path]:
    if not root.is_dir():
        return []
    return sorted(path for path in root.iterdir() if STATE_NAMES.fullmatch(path.name) and path.is_dir())


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target, symlinks=True, ignore=_specials)


def _specials(folder: str, names: list[str]) -> set[str]:
    modes = {name: (Path(folder) / name).lstat().st_mode for name in names}
    return {
        name for name, mode in modes.items() if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))
    }


def _told(what: str, fault: OSError) -> str:
    where = f" {fault.filename}" if fault.filename else ""
    reason = fault.strerror or str(fault)
    return (
        f"the state can't be {what}:{where} {reason}: files of a container belong to its user, see docs/synchronet.md"
    )
