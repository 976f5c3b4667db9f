"""An empty database, and one with accounts in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentbbs.store import accounts
from agentbbs.store.database import Database


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a database of this version without an account, to copy: migrations take 300 ms."""
    path = tmp_path_factory.mktemp("migrated") / "venue.db"
    with Database(f"sqlite:///{path}") as database:
        database.upgrade()
    return path


@pytest.fixture
def database(migrated: Path, tmp_path: Path) -> Iterator[Database]:
    """A database of this version without an account. Tests that use its async side close it themselves."""
    with Database(f"sqlite:///{shutil.copy(migrated, tmp_path / 'venue.db')}") as database:
        yield database


@pytest.fixture
def enrol(database: Database) -> Callable[[int], list[int]]:
    """Makes that many accounts, agent-001 and so on; gives their ids."""

    def enrol(count: int) -> list[int]:
        with database.begin() as conn:
            return [accounts.add(conn, f"agent-{number + 1:03}", now_ms=1).id for number in range(count)]

    return enrol
