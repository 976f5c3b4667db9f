"""Folders as bytes, to go from machine to machine: what is packed on one is unpacked on another, and nowhere else."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from pathlib import Path
from typing import Final

MAX_ARCHIVE_BYTES: Final = 1024 * 1024 * 1024
"""Of one match, unpacked: it is held in memory. Transcripts and traces of a match are some MB."""

MAX_FILES: Final = 100_000

_MODES: Final = 0o777


class BadArchive(ValueError):
    """It is too large, or would write where it may not; nothing more is unpacked."""


def packed(folder: Path, *, leave_out: tuple[str, ...] = ()) -> bytes:
    """All regular files below `folder`, with their modes, but for what is in the folders `leave_out`. Raises
    BadArchive, OSError."""
    buffer = io.BytesIO()
    total = 0
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder)
            if name.parts[0] in leave_out or path.is_symlink() or not path.is_file():
                continue
            total += path.stat().st_size
            if total > MAX_ARCHIVE_BYTES:
                raise BadArchive(f"{folder} has more than {MAX_ARCHIVE_BYTES} bytes")
            entry = zipfile.ZipInfo(name.as_posix())
            entry.external_attr = stat.S_IMODE(path.stat().st_mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return buffer.getvalue()


def unpack(content: bytes, folder: Path) -> None:
    """Write the files into `folder`, where none of them is yet. Raises BadArchive, OSError."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_FILES or sum(entry.file_size for entry in entries) > MAX_ARCHIVE_BYTES:
                raise BadArchive(f"it unpacks to more than {MAX_ARCHIVE_BYTES} bytes, or {MAX_FILES} files")
            for entry in entries:
                _write(folder, entry, archive.read(entry))
    except (zipfile.BadZipFile, NotImplementedError, EOFError) as fault:
        raise BadArchive(f"it is no archive ({fault})") from fault


def _write(folder: Path, entry: zipfile.ZipInfo, content: bytes) -> None:
    name = Path(entry.filename)
    if name.is_absolute() or not name.parts or ".." in name.parts:
        raise BadArchive(f"it has a file {entry.filename!r}, outside of its folder")
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    mode = (entry.external_attr >> 16) & _MODES or 0o600
    fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
    with os.fdopen(fd, "wb") as file:
        file.write(content)
