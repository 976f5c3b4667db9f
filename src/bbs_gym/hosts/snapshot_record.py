"""What a snapshot was when it was saved, kept beside it, so that it can be put back by its name."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bbs_gym.hosts.host import HostFault, Snapshot
from bbs_gym.hosts.snapshot_name import check_snapshot_name


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    """A `Snapshot` but for its place, which may be moved with what lies in it."""

    name: str
    sha256: str
    created_at: str


def write_record(snapshot: Snapshot) -> None:
    """Keep it in the folder that holds the snapshot. Raises HostFault."""
    record = _record(snapshot.path.parent, snapshot.name)
    draft = record.with_suffix(".draft")
    content = _Record(name=snapshot.name, sha256=snapshot.sha256, created_at=snapshot.created_at)
    try:
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(content)) + b"\n")
        draft.replace(record)
    except OSError as fault:
        raise HostFault(f"{record} can't be written ({fault.strerror}): the snapshot itself is whole") from fault


def read_record(folder: Path, name: str) -> Snapshot:
    """The snapshot of that name among those in `folder`. Raises HostFault, with the names that there are."""
    record = _record(folder, check_snapshot_name(name))
    try:
        found = msgspec.json.decode(record.read_bytes(), type=_Record)
    except FileNotFoundError as fault:
        names = sorted(path.name[1:].removesuffix(".json") for path in folder.glob(".*.json"))
        known = f"there are {', '.join(names)}" if names else "none was saved there yet"
        raise HostFault(f"there is no snapshot {name} in {folder}: {known}") from fault
    except (OSError, msgspec.MsgspecError) as fault:
        raise HostFault(f"{record} can't be read: save another snapshot") from fault
    return Snapshot(name=name, path=folder / name, sha256=found.sha256, created_at=found.created_at)


def _record(folder: Path, name: str) -> Path:
    """No snapshot's name begins with a dot."""
    return folder / f".{name}.json"
