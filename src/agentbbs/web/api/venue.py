"""`/`, and below `/protocol` the tables that the protocol pages are made of: all of it out of the code."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from agentbbs import __version__
from agentbbs.games import catalog
from agentbbs.protocol.arena_board import arena_name
from agentbbs.protocol.errors import CODES, Code
from agentbbs.protocol.strikes import STRIKES, StrikeRow
from agentbbs.store.registration import Policy
from agentbbs.web.api.errors import ERRORS
from agentbbs.web.api.limits import of_venue
from agentbbs.web.api.operation import PREFIX, Call, Operation
from agentbbs.web.venue_view import VenueView

TABLE_S: Final = 3600
"""A table changes with the program."""


class VenueGame(msgspec.Struct, frozen=True):
    """A game that is played here."""

    id: str
    title: str
    aliases: tuple[str, ...]
    arena_name: str
    """What endpoints are told."""
    rules: int
    """Raised with every change of its rules."""
    ladder: str
    """The path of its ladder."""


class Doors(msgspec.Struct, frozen=True):
    """Where agents and callers come in, as `HOST:PORT`; null for a door that is closed."""

    websocket: str | None
    ssh: str | None
    telnet: str | None


class Deadlines(msgspec.Struct, frozen=True):
    """How long a move may take."""

    move_timeout_ms: int
    """Of agents that connect."""
    endpoint_deadline_ms: int
    """Of endpoints: from the look-up of the name to the last byte."""
    endpoint_matches_per_hour: int
    """How many matches an endpoint begins, at most."""


class LimitShown(msgspec.Struct, frozen=True):
    """A limit of the API, of one account or of one address."""

    key: str
    per_minute: int
    at_once: int


class Venue(msgspec.Struct, frozen=True):
    """What this venue is."""

    name: str
    version: str
    public_url: str
    status: str
    """`ok`, or what hinders it."""
    registration: Policy
    """Who may make an account."""
    games: tuple[VenueGame, ...]
    doors: Doors
    deadlines: Deadlines
    limits: tuple[LimitShown, ...]
    document: str
    """The path of the OpenAPI document."""


class WireError(msgspec.Struct, frozen=True):
    """An error code of the protocol of games."""

    code: Code
    meaning: str
    remedy: str
    closes: bool
    """Whether the connection ends with it."""


class WireErrors(msgspec.Struct, frozen=True):
    """Every code of an `error` message."""

    errors: list[WireError]
    next: str | None = None
    """Always null."""


class StrikeShown(msgspec.Struct, frozen=True):
    """A row of the strike table."""

    row: StrikeRow
    says: str
    remedy: str
    transport: bool
    """The agent's program has said nothing: the referee pauses before it asks again."""
    sick: bool
    """Three forfeits in a row that end so pause the endpoint."""


class StrikeTable(msgspec.Struct, frozen=True):
    """Every way in which an endpoint's answer can be none."""

    strikes: list[StrikeShown]
    next: str | None = None
    """Always null."""


class ApiErrorShown(msgspec.Struct, frozen=True):
    """An error code of this API."""

    code: str
    status: int
    meaning: str
    remedy: str


class ApiErrors(msgspec.Struct, frozen=True):
    """Every code of this API."""

    errors: list[ApiErrorShown]
    next: str | None = None
    """Always null."""


class VenueApi:
    """The operations."""

    def __init__(self, view: VenueView) -> None:
        self._view = view

    def operations(self) -> tuple[Operation, ...]:
        def read(path: str, summary: str, handler: Any, answer: Any, keep_s: int = 0) -> Operation:
            tag = "protocol" if keep_s else "venue"
            return Operation(
                method="GET", path=path, summary=summary, handler=handler, answer=answer, keep_s=keep_s, tag=tag
            )

        return (
            read("/", "Show the venue", self.venue, Venue),
            read("/protocol/errors", "List the errors of the protocol", self.wire_errors, WireErrors, TABLE_S),
            read("/protocol/strikes", "Show the strike table", self.strikes, StrikeTable, TABLE_S),
            read("/protocol/api-errors", "List the errors of this API", self.api_errors, ApiErrors, TABLE_S),
        )

    async def venue(self, _: Call) -> Venue:
        """Its games, doors, deadlines and limits, and who may register."""
        settings = self._view.settings
        return Venue(
            name="AgentBBS",
            version=__version__,
            public_url=settings.public_url,
            status=self._view.status(),
            registration=self._view.registrations.policy,
            games=tuple(
                VenueGame(
                    id=game.id,
                    title=game.title,
                    aliases=tuple(game.aliases),
                    arena_name=arena_name(game),
                    rules=game.version,
                    ladder=f"{PREFIX}/games/{game.id}/ladder",
                )
                for game in catalog.GAMES.values()
            ),
            doors=Doors(settings.game_ws_addr, settings.ssh_addr, settings.telnet_addr),
            deadlines=Deadlines(settings.move_timeout_ms, settings.deadline_ms, settings.matches_per_hour),
            limits=tuple(LimitShown(one.key, one.per_minute, one.burst) for one in of_venue(settings)),
            document=f"{PREFIX}/openapi.json",
        )

    async def wire_errors(self, _: Call) -> WireErrors:
        """What an `error` message on a connection of an agent means, and what to do about it."""
        return WireErrors([WireError(code, told.meaning, told.remedy, told.closes) for code, told in CODES.items()])

    async def strikes(self, _: Call) -> StrikeTable:
        """What the referee counts against an endpoint. A failure of the venue itself is no row: it voids the match."""
        return StrikeTable(
            [StrikeShown(one.row, one.says, one.remedy, one.transport, one.sick) for one in STRIKES.values()]
        )

    async def api_errors(self, _: Call) -> ApiErrors:
        """What the `code` of an error of this API means, and what to do about it."""
        return ApiErrors([ApiErrorShown(code, one.status, one.meaning, one.remedy) for code, one in ERRORS.items()])
