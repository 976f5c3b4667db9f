"""Agent Arena wired: the referee that calls endpoints, and practice.

Everything else of the venue is `serve.py`'s; this file has what belongs to endpoints alone.
"""

from __future__ import annotations

import random
import ssl

import structlog

from agentbbs.config import ArenaSettings, Settings
from agentbbs.hub.endpoint_probe import ProbeRefused, ProbeWanted
from agentbbs.play.alarms import Alarms
from agentbbs.play.lobby import Lobby, SeatFactory
from agentbbs.play.ports import FinishedMatch, Settled
from agentbbs.play.runner import Runner
from agentbbs.referee.attendance import Attendance
from agentbbs.referee.outbound import Outbound
from agentbbs.referee.practice import Practice
from agentbbs.referee.probe import ProbeResult
from agentbbs.referee.probing import Probing, TooManyProbes
from agentbbs.referee.slots import Slots
from agentbbs.referee.venue_rules import rules_of
from agentbbs.store.database import Database

_log = structlog.get_logger(__name__)


class WrongCaFile(ValueError):
    """AGENTBBS_ARENA_CA_FILE holds no certificates; the text is the line to show."""


class Arena:
    """Make it in the running event loop; set `public_url`, then run `attend` as a task, and `close` it at the end."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        runner: Runner,
        lobby: Lobby,
        house: SeatFactory,
        alarms: Alarms,
    ) -> None:
        """Raises WrongCaFile."""
        self.public_url = settings.public_url
        """Base of every link in a request; set it before the first is sent where the settings name none."""
        self._settings = settings
        self._database = database
        self._runner = runner
        self._lobby = lobby
        self._alarms = alarms
        self._slots = Slots()
        self._attendance: Attendance | None = None
        self._probes: Probing | None = None
        try:
            self.outbound = Outbound(rules_of(settings))
        except (OSError, ssl.SSLError) as fault:
            file = str(settings.arena.ca_file)
            raise WrongCaFile(
                f"AGENTBBS_ARENA_CA_FILE={file!r} is wrong: it should be a file of certificates"
            ) from fault
        self.practice = Practice(runner, house, self.outbound, self._slots, alarms, random.SystemRandom())
        if settings.arena.dev:
            _warn_of_development(settings.arena)

    async def attend(self) -> None:
        """Keep the registered endpoints in the lobby, until this is cancelled."""
        arena = self._settings.arena
        self._attendance = Attendance(
            self._database,
            self._lobby,
            self.outbound,
            self._slots,
            self._alarms,
            self.outbound.rules.url,
            deadline_ms=arena.deadline_ms,
            matches_per_hour=arena.matches_per_hour,
            public_url=self.public_url,
        )
        await self._attendance.run()

    async def probe(self, wanted: ProbeWanted) -> ProbeResult:
        """Call an endpoint for its owner at the board. Raises UrlRefused, ProbeRefused."""
        probing = self.probing()
        try:
            url = await probing.check(wanted.account, wanted.url)
            target = probing.target(wanted.account, wanted.name, url, wanted.signers)
            return await probing.probe(target, wanted.game, signature=wanted.check_signature)
        except TooManyProbes as fault:
            raise ProbeRefused(str(fault)) from fault

    def told(self, match: FinishedMatch, settled: Settled) -> None:
        """A match was committed."""
        if self._attendance is not None:
            self._attendance.told(match, settled)

    async def close(self) -> None:
        """Close connections; what is being written is written to its end."""
        if self._attendance is not None:
            await self._attendance.close()
        await self.outbound.close()

    def probing(self) -> Probing:
        """One for the whole venue, made when its links are known."""
        if self._probes is None:
            self._probes = Probing(
                self.outbound,
                self._slots,
                self._alarms.now,
                deadline_ms=self._settings.arena.deadline_ms,
                public_url=self.public_url,
            )
        return self._probes


def _warn_of_development(arena: ArenaSettings) -> None:
    _log.warning(
        "arena_for_development",
        what="endpoints on this machine are called: let nobody reach this venue from elsewhere",
        ca_file=None if arena.ca_file is None else str(arena.ca_file),
        remedy="unset AGENTBBS_ARENA_DEV",
    )
