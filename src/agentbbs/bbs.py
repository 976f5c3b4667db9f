"""The house BBS of a venue: the board, its doors and its servers, wired from the settings.

`serve.py` makes the venue's own parts (database, lobby, runner) and hands them in; this file knows which parts of the
hub, the doors and the servers go together, and in which order they open and close.
"""

from __future__ import annotations

import asyncio
import math
import time
from typing import Final

import structlog

from agentbbs.config import Address, Settings
from agentbbs.doors.config import DOORS_FILE, load_doors
from agentbbs.doors.default_doors import write_default_doors
from agentbbs.doors.runner import DoorRunner
from agentbbs.hub import catalog
from agentbbs.hub.board import Board
from agentbbs.hub.chat_rooms import ChatRooms
from agentbbs.hub.endpoint_probe import EndpointProbe
from agentbbs.hub.games import GameRoom
from agentbbs.hub.nodes import Nodes
from agentbbs.hub.settings import BoardSettings
from agentbbs.hub.text import Span, Style
from agentbbs.play.alarms import Alarms
from agentbbs.play.tally import Tally
from agentbbs.servers.rlogin import rlogin_endpoint
from agentbbs.servers.ssh_hub import SshHub
from agentbbs.servers.switchboard import MAX_CALLERS, Switchboard
from agentbbs.servers.telnet import telnet_endpoint
from agentbbs.store import visits
from agentbbs.store.database import Database
from agentbbs.store.key_ring import KeyRing
from agentbbs.store.logins import Logins
from agentbbs.store.registration import Policy, Registrations

SPARE_CALLERS: Final = 64
"""Beyond the nodes: callers who are told that none is free."""

CLOSES: Final = "The BBS closes in {seconds} seconds."

_log = structlog.get_logger(__name__)


class Bbs:
    """The BBS in this event loop. `begin` before any call comes, `listen_…`, and `shut_down` in the end."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        games: GameRoom,
        tally: Tally,
        alarms: Alarms,
        *,
        probe: EndpointProbe | None = None,
    ) -> None:
        """`probe` calls endpoints for their owners; None: this venue calls none. Raises doors.config.WrongDoors, and
        OSError where the first doors.toml can't be written."""
        write_default_doors(settings.data)
        found = catalog.find()
        policy = Policy(settings.registration)
        self.registrations = Registrations(database, policy)
        """One for the whole venue: pages and board count an address together."""
        self.logins = Logins(database)
        self._database = database
        self._settings = settings
        self.board = Board(
            database,
            nodes=Nodes(settings.nodes),
            passwords=self.logins,
            registrations=self.registrations,
            games=games,
            chat=ChatRooms(),
            doors=DoorRunner(settings.data, load_doors(settings.data / DOORS_FILE)),
            plugins=found.plugins,
            broken=found.broken,
            settings=BoardSettings(
                registration=policy, ssh_address=_ssh_line(settings.ssh_addr), address_lines=_other_ways(settings)
            ),
            now_ms=now_ms,
            probe=probe,
        )
        self.switchboard = Switchboard(
            self.board,
            tally,
            plaintext_login=settings.plaintext_login,
            total=max(MAX_CALLERS, settings.nodes + SPARE_CALLERS),
        )
        self.ssh = SshHub(KeyRing(database), self.logins, self.switchboard)
        """For the SSH server, which it shares with the games."""
        self._telnet = telnet_endpoint(self.switchboard, alarms)
        self._rlogin = rlogin_endpoint(self.switchboard, alarms)

    async def begin(self) -> None:
        """Before the first call: visits that a crash left open are over."""
        await self._database.write(visits.end_lost)
        if self._settings.plaintext_login:
            _log.warning(
                "plaintext_login", remedy="unset AGENTBBS_PLAINTEXT_LOGIN: passwords cross the network in clear"
            )

    async def listen_telnet(self, address: Address) -> Address:
        """Serve telnet; where it listens. Raises OSError."""
        return Address(*await self._telnet.listen(address.host, address.port))

    async def listen_rlogin(self, address: Address) -> Address:
        """Serve rlogin; where it listens. Raises OSError."""
        return Address(*await self._rlogin.listen(address.host, address.port))

    async def recheck(self) -> None:
        """Accounts, keys or bans have changed."""
        await self.board.recheck()

    def begin_to_close(self, seconds: float) -> None:
        """Take no more calls, tell those who are on when the venue stops, and begin and wait for no match of a person
        against a house bot any more. Then drain, then `shut_down`."""
        self.switchboard.refuse()
        notice = Span(CLOSES.format(seconds=math.ceil(seconds)), Style.NOTICE)
        self.board.presence.broadcast(notice)
        for present in self.board.presence.logging_in():
            self.board.presence.tell(present.node, notice)
        self.board.games.close()

    async def shut_down(self, timeout_s: float) -> None:
        """Take no more calls, tell those who are on that the venue stops, and wait for their visits to end."""
        await asyncio.gather(self._telnet.shut_down(timeout_s), self._rlogin.shut_down(timeout_s))
        await self.switchboard.shut_down(timeout_s)

    def close(self) -> None:
        """After `shut_down`: free what is left."""
        self.logins.close()


def now_ms() -> int:
    """Unix milliseconds."""
    return time.time_ns() // 1_000_000


def _other_ways(settings: Settings) -> tuple[str, ...]:
    """How to call besides SSH, where the port is known beforehand."""
    ways = (("telnet {0.host} {0.port}", settings.telnet_addr), ("rlogin -p {0.port} {0.host}", settings.rlogin_addr))
    return tuple(line.format(address) for line, address in ways if address is not None and address.port)


def _ssh_line(address: Address | None) -> str:
    """How to call by SSH, for those who are on the board."""
    if address is None or address.port == 0:
        return "ssh NAME@HOST"
    return f"ssh -p {address.port} NAME@{address.host}"
