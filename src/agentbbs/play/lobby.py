"""The lobby: who waits, who is paired, who has waited long enough.

All pairing of the venue goes through here. The rules are `play.pairing`; this file knows sessions, the
clock and where standings come from. An entry is in a pool only while its connection is there: `leave`
takes it out at once.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter, OrderedDict
from functools import partial
from typing import Final, Protocol

import msgspec
import structlog

from agentbbs.games.game import Game
from agentbbs.play.alarms import Alarms
from agentbbs.play.pairing import Pool, Waiting, first_mover
from agentbbs.play.ports import FinishedMatch, Ladders, Player, Settled, Standing
from agentbbs.play.resume import KeptSeat, Resumptions
from agentbbs.play.runner import Runner
from agentbbs.play.seat import Seat
from agentbbs.play.session import Session
from agentbbs.protocol.agentgames import HUMAN
from agentbbs.protocol.conversation import Stage
from agentbbs.protocol.errors import Code

SWEEP_S: Final = 0.25
"""How often the widened windows are tried again while two accounts wait."""

MAX_STANDINGS: Final = 50_000
"""Standings kept in memory (about 150 bytes each): more than the agents of a day."""

RETURN_PAUSE_S: Final = 2.0
"""How long an agent is left alone after a match with a person: what it sent as that match ended must not become a move
of the next one, and it may want to leave."""

PRACTICE: Final = "practice"
"""Why a match against a house bot is not rated."""

_log = structlog.get_logger(__name__)


class SeatFactory(Protocol):
    """Where house bots come from."""

    def seat(self, bot: str) -> Seat:
        """A seat in which the house bot of that name plays. Raises session.UnknownBot."""
        ...


class Entrant(Protocol):
    """Who waits without a connection of its own: an endpoint that the referee calls."""

    @property
    def key(self) -> int:
        """Unique among all entries, sessions too: of `Alarms.add`."""
        ...

    @property
    def account(self) -> int: ...

    @property
    def player(self) -> Player: ...

    @property
    def peers_from(self) -> float:
        """From when (loop time, s) it meets others of its kind."""
        ...

    def seat(self) -> Seat:
        """It is paired: its seat in the match that begins now."""
        ...

    def turned_away(self, code: Code, why: str) -> None:
        """It does not wait any more, by no fault of its own."""
        ...

    def shut_down(self) -> None:
        """The venue stops."""
        ...


class Queue(msgspec.Struct, frozen=True):
    """One waiting entry, for people who ask why nobody comes."""

    game: str
    name: str
    account: int
    rating: int
    waited_s: float
    window: int


class Challengeable(msgspec.Struct, frozen=True):
    """A waiting agent that plays people too. `key` names its entry in `Lobby.challenge`."""

    key: int
    game: str
    name: str
    rating: int
    waited_s: float


class NotWaiting(LookupError):
    """Who was challenged does not wait any more: it was paired, or has left."""


class _Entry:
    """A session or an entrant in the lobby: from the join until it is seated, turned away or gone."""

    __slots__ = ("alarm", "game", "humans", "session", "since", "standing")

    def __init__(self, session: Session | Entrant, game: Game, *, humans: bool = False) -> None:
        self.session = session
        self.game = game
        self.humans = humans
        self.alarm = -1
        self.since = 0.0
        self.standing = Standing()


class Lobby:
    """Pairs sessions and starts their matches. Implements `play.session.Desk`."""

    def __init__(
        self,
        runner: Runner,
        ladders: Ladders,
        house: SeatFactory,
        alarms: Alarms,
        rng: random.Random,
        *,
        queue_wait_s: float,
        resume_grace_s: float = 0.0,
    ) -> None:
        self._runner = runner
        self._ladders = ladders
        self._house = house
        self._alarms = alarms
        self._rng = rng
        self._queue_wait_s = queue_wait_s
        self._resumptions = Resumptions(alarms, resume_grace_s)
        self._pools: dict[str, Pool] = {}
        self._entries: dict[int, _Entry] = {}
        self._waiting: Counter[str] = Counter()
        self._standings: OrderedDict[tuple[int, str], Standing] = OrderedDict()
        self._lookups: set[asyncio.Task[None]] = set()
        self._sweeping = False
        self._sweep_at = 0.0
        self._sweep_alarm = alarms.add(self._sweep)
        self._stopping = False

    def __len__(self) -> int:
        """How many connections wait, for whatever game."""
        return len(self._entries)

    def waiting(self, game: str) -> int:
        """How many connections wait for `game`, those whose standing is still being read among them."""
        return self._waiting[game]

    @property
    def kept_seats(self) -> int:
        """Seats that can be taken back with a resume token."""
        return len(self._resumptions)

    def queues(self) -> tuple[Queue, ...]:
        """Everybody who waits, the longest first."""
        now = self._runner.now()
        found = [
            Queue(
                game=game,
                name=self._entries[entry.key].session.player.name,
                account=entry.account,
                rating=round(entry.rating),
                waited_s=round(now - entry.since, 1),
                window=round(entry.window(now)),
            )
            for game, pool in self._pools.items()
            for entry in pool
        ]
        return tuple(sorted(found, key=lambda queue: -queue.waited_s))

    def challengeable(self) -> tuple[Challengeable, ...]:
        """Those who wait and play people too, the longest first."""
        now = self._runner.now()
        found = [
            Challengeable(
                key=waiting.key,
                game=game,
                name=self._entries[waiting.key].session.player.name,
                rating=round(waiting.rating),
                waited_s=now - waiting.since,
            )
            for game, pool in self._pools.items()
            for waiting in pool
            if self._entries[waiting.key].humans
        ]
        return tuple(sorted(found, key=lambda one: -one.waited_s))

    def challenge(self, key: int, seat: Seat, *, move_timeout_ms: int) -> str:
        """Begin an unrated match between the waiting entry `key` and a person in `seat`, and return its id. The
        entry is out of the pool meanwhile, and goes back after the result. Raises NotWaiting."""
        entry = self._entries.get(key)
        session = None if entry is None else entry.session
        if (
            entry is None
            or not isinstance(session, Session)
            or not entry.humans
            or not self._pool(entry.game).remove(key)
        ):
            raise NotWaiting("that agent does not wait any more")
        self._discharge(entry)
        waited_s = self._runner.now() - entry.since
        agent = self._resumptions.keep(session)
        return self._runner.start(
            entry.game,
            (agent, seat) if self._toss() else (seat, agent),
            why_unrated=HUMAN,
            move_timeout_ms=move_timeout_ms,
            then=partial(self._return, entry, agent, waited_s),
        )

    def join(self, session: Session, game: Game, practice: str | None, *, humans: bool = False) -> None:
        now = self._runner.now()
        if self._stopping:
            session.shut_down()
            return
        if practice is not None:
            house = self._house.seat(practice)
            seats: tuple[Seat, Seat] = (self._resumptions.keep(session), house)
            self._runner.start(game, seats if self._toss() else (seats[1], seats[0]), why_unrated=PRACTICE)
            return
        entry = _Entry(session, game, humans=humans)
        self._admit(entry)
        session.queued(game, self._waiting[game.id])
        self._find_standing(entry, now)

    def enter(self, entrant: Entrant, game: Game) -> None:
        """Let an endpoint wait, for as long as it takes. It is asked for its seat once it is paired."""
        if self._stopping:
            entrant.shut_down()
            return
        entry = _Entry(entrant, game)
        self._admit(entry)
        self._find_standing(entry, self._runner.now())

    def leave(self, session: Session | Entrant) -> None:
        """It does not wait any longer; nothing happens if it did not."""
        entry = self._entries.get(session.key)
        if entry is not None and entry.session is session:
            self._discharge(entry)
            self._pool(entry.game).remove(session.key)

    def resume(self, session: Session, token: str) -> str | None:
        if self._resumptions.take_back(session, token):
            return None
        if not self._resumptions.allowed:
            return "this venue keeps no seat for a dropped connection: join without `resume`"
        return "no seat is kept under that token: its time of grace is over; join without `resume`"

    def told(self, match: FinishedMatch, settled: Settled) -> None:
        """A match was committed: keep the standings that came of it."""
        for player, standing in zip(match.players, settled.after, strict=True):
            if player.account is not None and standing is not None:
                self._keep(player.account, match.game, standing)

    def stop(self) -> None:
        """Pair nobody any more: those who wait are told that the venue stops."""
        self._stopping = True
        for entry in tuple(self._entries.values()):
            self.leave(entry.session)
            entry.session.shut_down()

    def _admit(self, entry: _Entry) -> None:
        """The entry waits from now on."""
        self._entries[entry.session.key] = entry
        self._waiting[entry.game.id] += 1

    def _return(self, former: _Entry, seat: Session | KeptSeat, waited_s: float) -> None:
        """A match with a person is over: its agent waits on, if it is still there."""
        session = seat if isinstance(seat, Session) else seat.told
        if session is None or session.closed or session.stage is not Stage.DONE:
            return
        if self._stopping:
            session.shut_down()
            return
        entry = _Entry(session, former.game, humans=True)
        self._admit(entry)
        session.returned(entry.game, self._waiting[entry.game.id])
        entry.standing = former.standing
        entry.alarm = self._alarms.add(partial(self._enter_again, entry, waited_s))
        self._alarms.set(entry.alarm, self._runner.now() + RETURN_PAUSE_S)

    def _enter_again(self, entry: _Entry, waited_s: float) -> None:
        self._alarms.drop(entry.alarm)
        standing = self._standings.get((entry.session.account, entry.game.id), entry.standing)
        self._enter(entry, standing, self._runner.now(), waited_s)

    def _discharge(self, entry: _Entry) -> None:
        """The entry does not wait any longer."""
        del self._entries[entry.session.key]
        self._waiting[entry.game.id] -= 1
        self._alarms.drop(entry.alarm)

    def _pool(self, game: Game) -> Pool:
        pool = self._pools.get(game.id)
        if pool is None:
            pool = self._pools[game.id] = Pool()
        return pool

    def _keep(self, account: int, game: str, standing: Standing) -> None:
        self._standings[account, game] = standing
        self._standings.move_to_end((account, game))
        if len(self._standings) > MAX_STANDINGS:
            self._standings.popitem(last=False)

    def _find_standing(self, entry: _Entry, now: float) -> None:
        """Let the entry in with its standing, once that is known."""
        standing = self._standings.get((entry.session.account, entry.game.id))
        if standing is not None:
            self._enter(entry, standing, now)
            return
        task = asyncio.create_task(self._look_up(entry))
        self._lookups.add(task)
        task.add_done_callback(self._lookups.discard)

    async def _look_up(self, entry: _Entry) -> None:
        """Read the standing of an account that is not kept yet, then let the entry in."""
        account = entry.session.account
        try:
            standing = await self._ladders.standing(account, entry.game.id)
        except Exception:
            _log.exception("standing_unread", account=account, game=entry.game.id)
            if self._entries.get(entry.session.key) is entry:
                self._discharge(entry)
                entry.session.turned_away(Code.INTERNAL, "the ladder could not be read; try again")
            return
        standing = self._standings.get((account, entry.game.id), standing)  # one that was told meanwhile is newer
        self._keep(account, entry.game.id, standing)
        if self._entries.get(entry.session.key) is entry:
            self._enter(entry, standing, self._runner.now())

    def _enter(self, entry: _Entry, standing: Standing, now: float, waited_s: float = 0.0) -> None:
        """Pair the entry, which has waited so long already, with somebody in the pool, or put it there."""
        entry.standing = standing
        entry.since = now - waited_s
        session = entry.session
        peers_from = None if isinstance(session, Session) else session.peers_from
        waiting = Waiting(session.key, session.account, standing.rating, entry.since, peers_from)
        pool = self._pool(entry.game)
        other = pool.partner(waiting, now)
        if other is not None:
            pool.remove(other.key)
            self._start(entry, self._entries[other.key], pool)
            return
        pool.add(waiting)
        if isinstance(session, Session):
            entry.alarm = self._alarms.add(partial(self._expire, entry, session))
            self._alarms.set(entry.alarm, entry.since + self._queue_wait_s)
        self._sweep_later(now)

    def _start(self, one: _Entry, other: _Entry, pool: Pool) -> None:
        for entry in (one, other):
            self._discharge(entry)
        first = first_mover(one.standing, other.standing, self._toss)
        pool.met(one.session.account, other.session.account)
        seats = (self._seat(one), self._seat(other))
        self._runner.start(one.game, seats if first == 0 else (seats[1], seats[0]))

    def _seat(self, entry: _Entry) -> Seat:
        session = entry.session
        return self._resumptions.keep(session) if isinstance(session, Session) else session.seat()

    def _expire(self, entry: _Entry, session: Session) -> None:
        if self._entries.get(session.key) is entry:
            self.leave(session)
            session.no_opponent(self._queue_wait_s)

    def _sweep_later(self, now: float) -> None:
        """Try again soon, if somebody waits who could be paired once the windows are wider; not before two endpoints
        may meet, if nobody else is there."""
        times = [at for pool in self._pools.values() if (at := pool.next_meeting(now)) is not None]
        if not times:
            return
        at = max(min(times), now + SWEEP_S)
        if not self._sweeping or at < self._sweep_at:
            self._sweeping = True
            self._sweep_at = at
            self._alarms.set(self._sweep_alarm, at)

    def _sweep(self) -> None:
        self._sweeping = False
        now = self._runner.now()
        for pool in self._pools.values():
            for one, other in pool.sweep(now):
                self._start(self._entries[one.key], self._entries[other.key], pool)
        self._sweep_later(now)

    def _toss(self) -> bool:
        return self._rng.random() < 0.5
