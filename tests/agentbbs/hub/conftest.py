"""A migrated database to copy, and passwords that take no time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from agentbbs.store import passwords
from agentbbs.store.database import Database


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a database of this version without an account, to copy: migrations take 300 ms."""
    path = tmp_path_factory.mktemp("migrated") / "venue.db"
    with Database(f"sqlite:///{path}") as database:
        database.upgrade()
    return path


@pytest.fixture(autouse=True, scope="session")
def _cheap_hashes() -> Iterator[None]:
    """Argon2 at its least: what a log-in costs is tested where passwords are."""
    with pytest.MonkeyPatch.context() as patch:
        cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        patch.setattr(passwords, "_HASHER", cheap)
        patch.setattr(passwords, "_NOBODYS", cheap.hash("nobody's"))
        yield
