"""Keeps the registered endpoints in the lobby: who is there, how often each plays, and who is too sick to be called.

The table is read again every few seconds, so that what the command line, the hub or another process changes is felt
here. An endpoint plays one match at a time and begins at most so many in any hour; with another endpoint it meets at an
even pace, so that the hour's matches are there for agents that connect.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final

import structlog

from agentbbs.games import catalog
from agentbbs.games.game import Game
from agentbbs.play.alarms import Alarms
from agentbbs.play.lobby import Lobby
from agentbbs.play.ports import ARENA_TRANSPORT, FinishedMatch, Player, Settled
from agentbbs.play.seat import Seat
from agentbbs.protocol.agentgames import Termination
from agentbbs.protocol.errors import Code
from agentbbs.protocol.signing import Scheme, Signer
from agentbbs.protocol.strikes import STRIKES, StrikeRow
from agentbbs.referee.endpoint_url import EndpointUrl, UrlRefused, UrlRules, parse
from agentbbs.referee.slots import Slots
from agentbbs.referee.webhook_seat import Dialler, Target, WebhookSeat
from agentbbs.store import endpoints
from agentbbs.store.database import Database
from agentbbs.store.endpoints import Endpoint, NoSuchEndpoint

REFRESH_S: Final = 2.0
"""How soon a change of the table is felt: nobody registers and looks away."""

HOUR_S: Final = 3600.0

SICK_FORFEITS: Final = 3
"""Forfeits in a row by timeout or connection after which an endpoint is paused."""

VOID_REST_S: Final = 30.0
"""After a match that became void: what failed at the venue is not mended within a second."""

RETURN_S: Final = 1.0
"""After a match, before it waits again: what was told of the match is read first."""

_log = structlog.get_logger(__name__)


class _Attendee:
    """One endpoint as the lobby sees it. Implements `play.lobby.Entrant`."""

    def __init__(self, room: Attendance, endpoint: Endpoint, game: Game, url: EndpointUrl, key: int) -> None:
        self.endpoint = endpoint
        self.game = game
        self.url = url
        self.key = key
        self.account = endpoint.account_id
        self.playing: WebhookSeat | None = None
        self.waiting = False
        self.gone = False
        self.not_before = 0.0
        self.begun: deque[float] = deque()
        """When its matches of the last hour began (loop time, s)."""
        self._room = room

    @property
    def player(self) -> Player:
        return Player(self.account, self.endpoint.name, ARENA_TRANSPORT)

    @property
    def peers_from(self) -> float:
        return self.begun[-1] + self._room.spacing_s if self.begun else 0.0

    def seat(self) -> Seat:
        return self._room.seated(self)

    def turned_away(self, code: Code, why: str) -> None:
        self.waiting = False
        self.not_before = self._room.now() + REFRESH_S
        _log.warning("endpoint_turned_away", endpoint=self.endpoint.id, code=code, why=why)

    def shut_down(self) -> None:
        self.waiting = False


class Attendance:
    """All registered endpoints. Start `run` as a task; `close` ends it and withdraws everybody."""

    def __init__(
        self,
        database: Database,
        lobby: Lobby,
        outbound: Dialler,
        slots: Slots,
        alarms: Alarms,
        rules: UrlRules,
        *,
        deadline_ms: int,
        matches_per_hour: int,
        public_url: str,
        refresh_s: float = REFRESH_S,
    ) -> None:
        self.now: Callable[[], float] = alarms.now
        self.spacing_s = HOUR_S / matches_per_hour
        """Between two matches with other endpoints."""
        self._database = database
        self._lobby = lobby
        self._outbound = outbound
        self._slots = slots
        self._alarms = alarms
        self._rules = rules
        self._deadline_ms = deadline_ms
        self._per_hour = matches_per_hour
        self._public_url = public_url
        self._refresh_s = refresh_s
        self._attendees: dict[int, _Attendee] = {}
        self._former: dict[tuple[int, str], deque[float]] = {}
        """By account and game, of endpoints that are paused or removed: what they began in the last hour counts on."""
        self._writes: set[asyncio.Task[None]] = set()
        self._closed = False

    def __len__(self) -> int:
        """Endpoints that are active."""
        return sum(not attendee.gone for attendee in self._attendees.values())

    async def run(self) -> None:
        """Read the table again and again; ends when it is cancelled."""
        while True:
            try:
                await self.refresh()
            except Exception:  # the next look tries again
                _log.exception("endpoints_not_read")
            await asyncio.sleep(self._refresh_s)

    async def refresh(self) -> None:
        """Read the table, and let everybody wait who may."""
        found = {endpoint.id: endpoint for endpoint in await self._database.read(endpoints.active)}
        for key in self._attendees.keys() - found.keys():
            await self._dismiss(self._attendees[key])
        for endpoint in found.values():
            known = self._attendees.get(endpoint.id)
            if known is None or known.gone or known.endpoint != endpoint:
                self._welcome(endpoint, known)
        self._forget_former()
        for attendee in self._attendees.values():
            self._admit(attendee)

    async def close(self) -> None:
        """Nobody waits any more; what is being written is written to its end."""
        self._closed = True
        for attendee in tuple(self._attendees.values()):
            self._withdraw(attendee)
        self._attendees.clear()
        if self._writes:
            await asyncio.gather(*self._writes, return_exceptions=True)

    def told(self, match: FinishedMatch, settled: Settled) -> None:  # noqa: ARG002 - the ratings are the lobby's
        """A match was stored: count forfeits in a row, and pause who is sick."""
        for seat, player in enumerate(match.players):
            if player.transport != ARENA_TRANSPORT or player.account is None:
                continue
            attendee = self._playing(player.account, match.game)
            if attendee is None:
                continue
            if not match.rated:
                if match.termination is Termination.SERVER:
                    attendee.not_before = self.now() + VOID_REST_S
                continue
            row = _forfeited_by(match, seat)
            if row is not None and STRIKES[row].sick:
                self._write(partial(self._count_forfeit, attendee.endpoint, row))
            elif attendee.endpoint.forfeits:
                self._write(partial(self._note_sound, attendee.endpoint))

    def seated(self, attendee: _Attendee) -> WebhookSeat:
        """`attendee` was paired: its seat in the match that begins."""
        attendee.waiting = False
        attendee.begun.append(self.now())
        endpoint = attendee.endpoint
        target = Target(
            account=endpoint.account_id,
            name=endpoint.name,
            url=attendee.url,
            signers=_signers(endpoint),
            deadline_ms=self._deadline_ms,
            public_url=self._public_url,
        )
        attendee.playing = WebhookSeat(
            target,
            self._outbound,
            self._slots,
            struck=partial(self._struck, attendee),
            over=partial(self._over, attendee),
        )
        return attendee.playing

    def _welcome(self, endpoint: Endpoint, former: _Attendee | None) -> None:
        """An endpoint is new here, is back, or was changed; a match that is on is played to its end with the former
        URL. One that could not be seated is paused: the lobby has to find a seat for whom it pairs."""
        try:
            url = parse(endpoint.url, self._rules)
            game = catalog.find(endpoint.game)
            _signers(endpoint)
        except UrlRefused as fault:
            self._write(partial(self._pause, endpoint, f"this venue does not call that URL any more: {fault.why}"))
            return
        except catalog.UnknownGame as fault:
            self._write(partial(self._pause, endpoint, str(fault)))
            return
        except ValueError:  # of the scheme or the secret
            self._write(partial(self._pause, endpoint, "requests can't be signed with its secret: rotate it"))
            return
        if former is not None:
            former.endpoint, former.url = endpoint, url
            if former.gone and not self._closed:
                former.gone = False
                former.key = self._alarms.add(lambda: None)
            return
        attendee = _Attendee(self, endpoint, game, url, self._alarms.add(lambda: None))
        attendee.begun = self._former.pop((endpoint.account_id, game.id), attendee.begun)
        self._attendees[endpoint.id] = attendee
        _log.info("endpoint_there", endpoint=endpoint.id, agent=endpoint.name, game=game.id, where=url.authority)

    async def _dismiss(self, attendee: _Attendee) -> None:
        """It is paused or removed. One that is removed forfeits its match; a paused one plays it to its end, and is
        known until then."""
        self._withdraw(attendee)
        self._former[attendee.account, attendee.game.id] = attendee.begun
        if attendee.playing is None:
            del self._attendees[attendee.endpoint.id]
            _log.info("endpoint_gone", endpoint=attendee.endpoint.id, agent=attendee.endpoint.name)
        elif await self._database.read(_is_removed, attendee.endpoint.id) and attendee.playing is not None:
            attendee.playing.leave()

    def _withdraw(self, attendee: _Attendee) -> None:
        if attendee.gone:
            return
        attendee.gone = True
        attendee.waiting = False
        self._lobby.leave(attendee)
        self._alarms.drop(attendee.key)

    def _forget_former(self) -> None:
        """Drop what was begun more than an hour ago by those who are away."""
        since = self.now() - HOUR_S
        for key, begun in tuple(self._former.items()):
            if not begun or begun[-1] <= since:
                del self._former[key]

    def _admit(self, attendee: _Attendee) -> None:
        """Let it wait, if it neither waits nor plays and has matches left in this hour."""
        now = self.now()
        while attendee.begun and attendee.begun[0] <= now - HOUR_S:
            attendee.begun.popleft()
        if attendee.waiting or attendee.playing is not None or attendee.gone or self._closed:
            return
        if len(attendee.begun) >= self._per_hour or now < attendee.not_before:
            return
        attendee.waiting = True
        self._lobby.enter(attendee, attendee.game)

    def _over(self, attendee: _Attendee) -> None:
        attendee.playing = None
        attendee.not_before = max(attendee.not_before, self.now() + RETURN_S)

    def _struck(self, attendee: _Attendee, row: StrikeRow) -> None:
        if row is StrikeRow.ADDRESS_REFUSED:
            self._write(partial(self._pause, attendee.endpoint, f"{STRIKES[row].says}. {STRIKES[row].remedy}"))

    def _playing(self, account: int, game: str) -> _Attendee | None:
        mine = (one for one in self._attendees.values() if one.account == account and one.game.id == game)
        return next((one for one in mine if one.playing is not None), None)

    def _write(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        task = asyncio.create_task(_logged(work))
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)

    async def _count_forfeit(self, endpoint: Endpoint, row: StrikeRow) -> None:
        now_ms = time.time_ns() // 1_000_000
        try:
            forfeits = await self._database.write(endpoints.note_forfeit, endpoint.id, now_ms)
        except NoSuchEndpoint:
            return
        if forfeits >= SICK_FORFEITS:
            info = STRIKES[row]
            why = f"{forfeits} matches in a row were forfeited, the last by `{row}`: {info.says}. {info.remedy}"
            await self._pause(endpoint, why)

    async def _note_sound(self, endpoint: Endpoint) -> None:
        await self._database.write(endpoints.note_sound, endpoint.id)

    async def _pause(self, endpoint: Endpoint, why: str) -> None:
        try:
            await self._database.write(endpoints.pause, endpoint.id, why, time.time_ns() // 1_000_000)
        except NoSuchEndpoint:
            return
        _log.warning("endpoint_paused", endpoint=endpoint.id, agent=endpoint.name, why=why)
        attendee = self._attendees.get(endpoint.id)
        if attendee is not None:
            self._withdraw(attendee)


async def _logged(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """What can't be written is lost, and the venue goes on."""
    try:
        await work()
    except Exception:
        _log.exception("endpoint_not_written")


def _signers(endpoint: Endpoint) -> tuple[Signer, ...]:
    """What requests to it are signed with now. Raises ValueError."""
    secrets = endpoint.secrets(time.time_ns() // 1_000_000)
    return tuple(Signer(Scheme(endpoint.scheme), secret) for secret in secrets)


def _is_removed(conn: Any, endpoint_id: int) -> bool:
    try:
        endpoints.get(conn, endpoint_id)
    except NoSuchEndpoint:
        return True
    return False


def _forfeited_by(match: FinishedMatch, seat: int) -> StrikeRow | None:
    """The row of the strike that cost `seat` the match; None if nothing of that kind did."""
    if match.termination is not Termination.STRIKES or match.winner != 1 - seat or not match.unplayed:
        return None
    try:
        return StrikeRow(match.unplayed[-1].kind)
    except ValueError:
        return None
