"""Names and files of runs: what an address may name, and what of a folder is read.

Only what lies in the folder itself counts: an entry that is a link, a pipe or a device is as good as none, so no name
and no link leads anywhere else, and nothing that is read can wait for ever.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

NAME: Final = r"[A-Za-z0-9_\-][A-Za-z0-9._\-]{0,99}"
"""Of a run or an agent, as docs/runs.md has it; a leading dot, which drafts and hidden files have, is left out."""

MAX_JSON_BYTES: Final = 16 * 1024 * 1024
"""Of a manifest or a score: a match of a hundred agents takes a hundredth of it."""

_NAME: Final = re.compile(NAME)


class TooLarge(Exception):
    """A file is larger than anything that writes such files would make it."""


def is_name(text: str) -> bool:
    """Whether a run or an agent can be called so."""
    return _NAME.fullmatch(text) is not None


def file_stamp(path: Path) -> tuple[int, int, int] | None:
    """What changes when a file does: inode, time and size; None if there is no file of the folder's own."""
    try:
        found = path.lstat()
    except (OSError, ValueError):
        return None
    return (found.st_ino, found.st_mtime_ns, found.st_size) if stat.S_ISREG(found.st_mode) else None


def is_folder(path: Path) -> bool:
    """Whether a folder, and no link to one, is there."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def own_folders(folder: Path) -> Iterator[os.DirEntry[str]]:
    """The folders in `folder` that can be those of runs, in no order. Raises OSError."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if is_name(entry.name) and entry.is_dir(follow_symlinks=False):
                yield entry


def read_whole(path: Path) -> bytes | None:
    """A small file; None if there is none of the folder's own. Raises TooLarge, OSError."""
    if file_stamp(path) is None:
        return None
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(fd, "rb") as file:  # noqa: PTH123 - of a descriptor
        content = file.read(MAX_JSON_BYTES + 1)
    if len(content) > MAX_JSON_BYTES:
        raise TooLarge(f"it is longer than {MAX_JSON_BYTES} bytes")
    return content
