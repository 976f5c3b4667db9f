"""A site, an endpoint and a throw-away CA."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agentbbs.referee.throwaway_ca import ThrowawayCa
from agentbbs.store.database import Database

from .site import Endpoint, Site


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an empty database, to copy: migrations take 300 ms."""
    path = tmp_path_factory.mktemp("migrated") / "venue.db"
    with Database(f"sqlite:///{path}") as database:
        database.upgrade()
    return path


@pytest.fixture(scope="session")
def ca(tmp_path_factory: pytest.TempPathFactory) -> ThrowawayCa:
    """Whom the site trusts."""
    return ThrowawayCa.make(tmp_path_factory.mktemp("ca"))


@pytest.fixture
async def site(migrated: Path, tmp_path: Path, ca: ThrowawayCa) -> AsyncIterator[Site]:
    """A site that calls this machine."""
    database = Database(f"sqlite:///{shutil.copy(migrated, tmp_path / 'venue.db')}").open()
    async with Site(database, ca.ca_file).served() as served:
        yield served


@pytest.fixture
async def strict_site(migrated: Path, tmp_path: Path) -> AsyncIterator[Site]:
    """A site as anybody else would run it: no address of this machine is called."""
    database = Database(f"sqlite:///{shutil.copy(migrated, tmp_path / 'venue.db')}").open()
    async with Site(database, None, loopback=False, dev=False).served() as served:
        yield served


@pytest.fixture
async def endpoint(ca: ThrowawayCa) -> AsyncIterator[Endpoint]:
    """An endpoint that plays legally until it is told otherwise."""
    async with Endpoint().served(ca.server_context()) as served:
        yield served
