"""A private venue that the tests of one module share."""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from bbs_gym.accounts.account import Account
from bbs_gym.hosts.host import Transport
from bbs_gym.hosts.house import HouseHost
from bbs_gym.hosts.settings import HostSettings
from bbs_gym.login.connecting import connect
from bbs_gym.login.session import BbsSession

GONE_S = 30.0
"""Within which a process that has to end has ended, on the slowest machine."""


@contextmanager
def private_house(folder: Path) -> Iterator[HouseHost]:
    """It runs, and ends with the block."""
    host = HouseHost(HostSettings(), folder)
    asyncio.run(host.start())
    try:
        yield host
    finally:
        asyncio.run(host.stop())


def venue_of(host: HouseHost) -> int:
    """The process of its venue: a descriptor that becomes readable when it has ended."""
    assert host._process is not None
    return os.pidfd_open(host._process.state.pid)


def gone(pidfd: int) -> bool:
    """Wait until that process has ended; the descriptor is closed."""
    ready, _, _ = select.select([pidfd], [], [], GONE_S)
    os.close(pidfd)
    return bool(ready)


@asynccontextmanager
async def calling(host: HouseHost, account: Account, transport: Transport) -> AsyncIterator[BbsSession]:
    """A call of an agent, logged in."""
    (called,) = host.with_secrets([account])
    session = await connect(called, host.endpoint(transport), transport, host=host)
    try:
        yield session
    finally:
        await session.close()
