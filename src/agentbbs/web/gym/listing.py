"""Which runs there are in a folder, the newest first.

A run is a folder in it, or a match in `CAMPAIGN/matches` of a campaign's folder in it (the folder itself may be a
campaign's). What is listed is what there is: an address names an entry of the listing, and is never made a path by
itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import Final

import msgspec

from agentbbs.web.gym.folders import began, is_run
from agentbbs.web.gym.matches import JOURNAL
from agentbbs.web.gym.places import file_stamp, is_folder, is_name, own_folders

MATCHES: Final = "matches"

MAX_RUNS: Final = 20_000
"""As many are put in order; a folder with more of them lists those that changed last."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A run that is there."""

    run_id: str
    folder: Path
    began_ms: int
    campaign: str | None
    campaign_folder: Path | None
    """Where its campaign's summary would be."""


class Listing:
    """Of one folder. For threads."""

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        self._known: dict[Path, _Known] = {}

    def entries(self) -> tuple[Entry, ...]:
        """All runs, the newest first. Raises OSError where the folder can't be read."""
        there = [(mark, path, campaign) for parent, campaign in _parents(self.folder) for mark, path in _inside(parent)]
        there.sort(key=_changed)
        found: dict[str, Entry] = {}
        known: dict[Path, _Known] = {}
        for mark, path, campaign in there[-MAX_RUNS:]:
            known[path] = self._look(mark, path, campaign)
            entry = known[path].entry
            if entry is not None and (entry.run_id not in found or campaign is None):
                found[entry.run_id] = entry
        self._known = known
        return tuple(sorted(found.values(), key=attrgetter("began_ms", "run_id"), reverse=True))

    def find(self, run_id: str) -> Entry | None:
        """The run of that id. Raises OSError where the folder can't be read."""
        if not is_name(run_id):
            return None
        for parent, campaign in _parents(self.folder):
            path = parent / run_id
            if is_folder(parent) and is_folder(path):
                entry = self._look(_mark(path.lstat()), path, campaign).entry
                if entry is not None:
                    return entry
        return None

    def _look(self, mark: _Mark, path: Path, campaign: Path | None) -> _Known:
        """What a folder is, read anew if anything came into it or went."""
        kept = self._known.get(path)
        return kept if kept is not None and kept.mark == mark else _Known(mark, _entry(path, campaign))


_Mark = tuple[int, int]


class _Known(msgspec.Struct, frozen=True):
    mark: _Mark
    entry: Entry | None
    """None: it is no run's."""


def _parents(root: Path) -> Iterator[tuple[Path, Path | None]]:
    """The folders with runs in them, each with the folder of the campaign that they are of."""
    if file_stamp(root / JOURNAL) is not None:
        yield root / MATCHES, root
        return
    yield root, None
    for entry in own_folders(root):
        path = Path(entry.path)
        if file_stamp(path / JOURNAL) is not None:
            yield path / MATCHES, path


def _inside(parent: Path) -> Iterator[tuple[_Mark, Path]]:
    """The folders in it. One that goes meanwhile is not there."""
    if not parent.is_dir():
        return
    for entry in own_folders(parent):
        with suppress(OSError):
            yield _mark(entry.stat(follow_symlinks=False)), Path(entry.path)


def _mark(found: os.stat_result) -> _Mark:
    return found.st_ino, found.st_mtime_ns


def _changed(one: tuple[_Mark, Path, Path | None]) -> tuple[int, str]:
    return one[0][1], one[1].name


def _entry(folder: Path, campaign: Path | None) -> Entry | None:
    """What a folder is; None if nothing in it is of a run, or it can't be read."""
    try:
        if not is_run(folder):
            return None
        began_ms, name = began(folder)
    except OSError:
        return None
    return Entry(
        run_id=folder.name,
        folder=folder,
        began_ms=began_ms,
        campaign=name or (campaign.name if campaign is not None else None),
        campaign_folder=campaign,
    )
