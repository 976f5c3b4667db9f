"""A migrated database to copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentbbs.store.database import Database


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a database of this version without an account, to copy: migrations take 300 ms."""
    path = tmp_path_factory.mktemp("migrated") / "venue.db"
    with Database(f"sqlite:///{path}") as database:
        database.upgrade()
    return path
