"""The stop of a venue, as callers see it who are on the BBS, over telnet."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from agentbbs.config import Address, Settings
from agentbbs.games.catalog import find
from agentbbs.hub.games.human_seat import HumanSeat
from agentbbs.serve import Venue
from agentbbs.servers.switchboard import STOPPING
from agentbbs.store import accounts

NOON_MS: Final = 1_767_268_800_000
SOON_S: Final = 5
"""Nothing here takes nearly as long but the drain, which the test ends."""

LOOPBACK: Final = Address("127.0.0.1", 0)


def _settings(data: Path) -> Settings:
    off = ("AGENTBBS_GAME_WS_ADDR", "AGENTBBS_SSH_ADDR", "AGENTBBS_RLOGIN_ADDR", "AGENTBBS_WEB_ADDR")
    variables = dict.fromkeys(off, "")
    return Settings.from_env(
        {**variables, "AGENTBBS_DATA": str(data), "AGENTBBS_TELNET_ADDR": str(LOOPBACK), "AGENTBBS_DRAIN": "30"}
    )


async def _call(venue: Venue) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    assert venue.telnet is not None
    return await asyncio.open_connection(venue.telnet.host, venue.telnet.port)


async def test_who_is_on_is_told_before_the_drain_and_nobody_comes_in(tmp_path: Path) -> None:
    async with asyncio.timeout(4 * SOON_S), Venue(_settings(tmp_path / "data")) as venue:
        with venue.database.begin() as conn:
            one, other = (
                HumanSeat(accounts.add(conn, name, now_ms=NOON_MS).id, name, lambda: None) for name in ("ann", "bob")
            )
        venue.runner.start(find("ttt"), (one, other), why_unrated="a challenge")
        reader, writer = await _call(venue)
        await reader.readuntil(b"Login: ")
        stop = asyncio.create_task(venue.stop())
        await reader.readuntil(b"The BBS closes in 30 seconds.")
        late, late_writer = await _call(venue)
        assert STOPPING.encode() in await late.read()
        assert not stop.done()
        one.resign()
        assert STOPPING.encode() in await reader.read()
        await stop
        for each in (writer, late_writer):
            each.close()
            await each.wait_closed()
