"""One hash of what a kept state holds: equal states have equal hashes, on every machine and at every time.

The files are taken in the order of their names, each with its name and its content. Of a SQLite database its tables
count, not its bytes: what it is defined as, and all rows in order. The same rows lie in different pages after each
use, and with what was deleted still between them. Left out is what is no state of play: see `LEFT_OUT`. Modes, owners
and times of files are none either.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import quote

from bbs_gym.hosts.host import HostFault
from tty_agent.terminal.inert import inert

LEFT_OUT: Final = ("snapshot.json", "*-wal", "*-shm", "*-journal", "*.lock", "universe.before-*.db")
"""By the names of files: when a snapshot was made, what SQLite keeps beside an open database, empty files that are
locked, and copies of former worlds."""

READ_BYTES: Final = 1024 * 1024
"""Of a file at a time."""

_SQLITE: Final = b"SQLite format 3\0"
"""The first bytes of every SQLite database (https://www.sqlite.org/fileformat.html)."""


class _Digest(Protocol):
    def update(self, data: bytes, /) -> None:
        """Add to it."""

    def digest(self) -> bytes:
        """What it comes to."""


def content_sha256(folder: Path) -> str:
    """The hash of all files below `folder`, in hexadecimal. Nobody may write to them meanwhile. Raises HostFault."""
    whole = hashlib.sha256()
    try:
        for name, path in _files(folder):
            _add(whole, os.fsencode(name))
            _add(whole, _content(path))
    except (OSError, sqlite3.Error) as fault:
        raise HostFault(f"{folder} can't be read whole ({inert(str(fault))}): take another snapshot") from fault
    return whole.hexdigest()


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Names relative to the folder, in order, with their paths. Raises OSError for a folder that can't be read."""

    def refuse(fault: OSError) -> None:
        raise fault

    found: dict[str, Path] = {}
    for place, folders, files in os.walk(folder, onerror=refuse):
        links = [name for name in folders if Path(place, name).is_symlink()]
        for name in (*files, *links):
            if not any(fnmatchcase(name, pattern) for pattern in LEFT_OUT):
                path = Path(place, name)
                found[path.relative_to(folder).as_posix()] = path
    yield from sorted(found.items())


def _content(path: Path) -> bytes:
    """The hash of one file."""
    digest = hashlib.sha256()
    if path.is_symlink():
        _add(digest, b"link")
        _add(digest, os.fsencode(path.readlink()))
    elif _is_database(path):
        _add(digest, b"tables")
        _add_tables(digest, path)
    else:
        _add(digest, b"bytes")
        with path.open("rb") as file:
            while block := file.read(READ_BYTES):
                digest.update(block)
    return digest.digest()


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _add_tables(digest: _Digest, path: Path) -> None:
    """Definitions in order of name, and each table's rows in order of all its columns."""
    # Immutable: nobody writes, so SQLite needs no lock and leaves no files beside it.
    address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as database:
        database.text_factory = bytes  # text that is no UTF-8 is content too
        for pragma in ("application_id", "user_version"):
            _add(digest, repr(database.execute(f"PRAGMA {pragma}").fetchone()).encode())
        definitions = database.execute(
            "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\' ORDER BY 2, 1"
        ).fetchall()
        for kind, name, text in definitions:
            _add(digest, repr((kind, name, text)).encode())
            if kind == b"table":
                _add_rows(digest, database, name.decode())


def _add_rows(digest: _Digest, database: sqlite3.Connection, table: str) -> None:
    quoted = '"' + table.replace('"', '""') + '"'
    # typeof tells text from bytes, which are both read as bytes here.
    columns = [row[1].decode() for row in database.execute(f"PRAGMA table_info({quoted})")]
    names = ['"' + column.replace('"', '""') + '"' for column in columns]
    wanted = ", ".join(f"typeof({name}), {name}" for name in names)
    order = ", ".join(str(2 * number) for number in range(1, len(names) + 1))
    for row in database.execute(f"SELECT {wanted} FROM {quoted} ORDER BY {order}"):  # noqa: S608 - names of its tables
        _add(digest, repr(row).encode())


def _add(digest: _Digest, data: bytes) -> None:
    """With its length, so that no two lists of parts run together to the same bytes."""
    digest.update(len(data).to_bytes(8, "big"))
    digest.update(data)
