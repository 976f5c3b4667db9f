"""A throw-away CA, and an empty database of this version."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentbbs.referee.throwaway_ca import ThrowawayCa
from agentbbs.store.database import Database


@pytest.fixture(scope="session")
def ca(tmp_path_factory: pytest.TempPathFactory) -> ThrowawayCa:
    """Whom the referee trusts."""
    return ThrowawayCa.make(tmp_path_factory.mktemp("ca"))


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an empty database, to copy: migrations take 300 ms."""
    path = tmp_path_factory.mktemp("migrated") / "venue.db"
    with Database(f"sqlite:///{path}") as database:
        database.upgrade()
    return path


@pytest.fixture
def database(migrated: Path, tmp_path: Path) -> Iterator[Database]:
    """A database without an account."""
    with Database(f"sqlite:///{shutil.copy(migrated, tmp_path / 'venue.db')}") as database:
        yield database
