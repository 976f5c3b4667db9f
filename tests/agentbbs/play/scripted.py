"""In-memory partners for what `play` talks to: a wire, a desk, a chair, a log, ladders, house bots.

Each does just what its contract says, and complains about a caller that does not: a wire checks every
message that the venue says against the table of the conversation.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from typing import Any, Final

from tests.agentbbs.play.virtual_time import VirtualTimeLoop

from agentbbs.games.game import NOBODY, Game
from agentbbs.games.ttt import TTT
from agentbbs.play.alarms import Alarms
from agentbbs.play.match import FORFEIT, Policy
from agentbbs.play.ports import FinishedMatch, Player, Settled, Standing
from agentbbs.play.seat import Chair
from agentbbs.play.session import Session, UnknownBot
from agentbbs.play.tally import Tally
from agentbbs.protocol.agentgames import SERVER_MESSAGES, Hello, Result, ServerMessage, State, Termination
from agentbbs.protocol.conversation import VENUE_RULES, Stage
from agentbbs.protocol.errors import Code
from agentbbs.ratings import elo

Said = dict[str, Any]

_KINDS: Final[dict[str, type[ServerMessage]]] = {str(kind.__struct_config__.tag): kind for kind in SERVER_MESSAGES}


class ScriptedWire:
    """Keeps what was written and how it was closed. Implements `play.session.Wire`."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.closed: tuple[int, str] | None = None
        self.stages: set[Stage] = {Stage.IDLE}
        """Where the peer may believe that the conversation stands."""

    def write(self, *messages: bytes) -> None:
        for message in messages:
            assert self.closed is None, f"written after the close: {message!r}"
            self.sent.append(message)
            kind = _KINDS[json.loads(message)["type"]]
            self.stages = {to for stage in self.stages for to in VENUE_RULES.get((stage, kind), ())}
            assert self.stages, f"the table of the conversation has no place for {message!r}"

    def close(self, code: int, reason: str) -> None:
        assert self.closed is None, "closed twice"
        self.closed = (code, reason)

    def take(self) -> list[bytes]:
        """What was written since the last call."""
        taken, self.sent = self.sent, []
        return taken


class ScriptedDesk:
    """Keeps who joined; knows the house bot `random` alone. Implements `play.session.Desk`.

    With `queues` it lets everybody wait, as the lobby does when nobody else is there.
    """

    def __init__(self) -> None:
        self.queues = False
        self.joined: list[tuple[str, str | None]] = []
        self.left = 0
        self.humans = False
        """Of the newest join."""

    def join(self, session: Session, game: Game, practice: str | None, *, humans: bool = False) -> None:
        self.humans = humans
        if practice not in (None, "random"):
            raise UnknownBot(f"no house bot is called {practice!r}: there is random")
        self.joined.append((game.id, practice))
        if self.queues:
            session.queued(game, 1)

    def leave(self, session: Session) -> None:
        self.left += 1

    def resume(self, session: Session, token: str) -> str | None:
        return "no seat is kept under that token"


class ScriptedChair:
    """Keeps what a seat does. Implements `play.seat.Chair` as far as a session calls it."""

    def __init__(self, game: Game) -> None:
        self.game = game.id
        self.position = game.initial()
        self.calls: list[tuple[Any, ...]] = []

    def state(self) -> State:
        raise AssertionError("a session does not ask where the match stands")

    def handed(self) -> None:
        self.calls.append(("handed",))

    def move(self, move: str, ply: int | None = None, reason: str | None = None, nonce: str | None = None) -> None:
        self.calls.append(("move", move, ply))

    def fault(
        self,
        kind: str,
        offered: str | None = None,
        *,
        detail: str | None = None,
        reason: str | None = None,
        nonce: str | None = None,
    ) -> None:
        self.calls.append(("fault", kind, offered))

    def resign(self) -> None:
        self.calls.append(("resign",))

    def leave(self) -> None:
        self.calls.append(("leave",))

    def fail(self, reason: str) -> None:
        self.calls.append(("fail", reason))


class Booth:
    """A session with scripted partners all around, and no match or lobby behind it."""

    def __init__(self, loop: VirtualTimeLoop) -> None:
        self.loop = loop
        self.wire = ScriptedWire()
        self.desk = ScriptedDesk()
        self.chair = ScriptedChair(TTT)
        self.alarms = Alarms(loop)
        self.tally = Tally()
        self.session = Session(7, Player(7, "alice", "ws"), self.wire, self.desk, self.alarms, self.tally)

    def says(self, message: bytes | Said) -> None:
        """The agent says something."""
        self.session.receive(message if isinstance(message, bytes) else json.dumps(message).encode())

    def hears(self) -> list[Said]:
        """What came since the last call."""
        return [json.loads(message) for message in self.wire.take()]

    def waits(self, seconds: float) -> None:
        """Time passes, and what falls due meanwhile happens."""
        self.loop.run_until_complete(asyncio.sleep(seconds))

    def goes_to(self, stage: Stage) -> None:
        """Bring a fresh session to `stage`, as the lobby and the runner do; what was said is taken."""
        hello = Hello(player=0, game="ttt", opponent="bob", match="m1", move_timeout_ms=15_000)
        position = State(observation={}, your_turn=True, ply=0, last_move=None, remaining_ms=15_000)
        result = Result(0, "win", 1516, "m1", None, Termination.NORMAL, True, 1500, 1484)
        for reached in list(Stage)[: list(Stage).index(stage) + 1]:
            if reached is Stage.QUEUED:
                self.desk.queues = True
                self.session.opened("ttt", None)
                self.desk.queues = False
                self.desk.joined.clear()
            elif reached is Stage.PLAYING:
                self.session.seated(self.chair, hello)
                self.session.ask(position, 0)
            elif reached is Stage.SETTLING:
                self.session.show(position, over=True)
            elif reached is Stage.DONE:
                self.session.finished(result)
        assert self.session.stage is stage
        self.wire.take()


class ScriptedLog:
    """A match log that commits when the test says so. Implements `play.ports.MatchLog`.

    `at_once` commits within `record`; else matches gather in `pending` until `commit` or `fail`.
    """

    def __init__(self, *, at_once: bool = False) -> None:
        self.at_once = at_once
        self.recorded: list[FinishedMatch] = []
        self.committed: list[FinishedMatch] = []
        self.pending: list[tuple[FinishedMatch, Callable[[Settled | None], None]]] = []
        self.standings: dict[tuple[int, str], Standing] = {}

    def record(self, match: FinishedMatch, settled: Callable[[Settled | None], None]) -> None:
        self.recorded.append(match)
        if self.at_once:
            settled(self._booked(match))
        else:
            self.pending.append((match, settled))

    def commit(self, index: int = 0) -> None:
        """Commit one of the matches that are pending."""
        match, settled = self.pending.pop(index)
        settled(self._booked(match))

    def commit_all(self, rng: random.Random | None = None) -> None:
        """Commit everything that is pending, in an order that `rng` draws."""
        while self.pending:
            self.commit(0 if rng is None else rng.randrange(len(self.pending)))

    def fail(self, index: int = 0) -> None:
        """The first attempt to write one of them failed."""
        _, settled = self.pending.pop(index)
        settled(None)

    def standing(self, account: int | None, game: str) -> Standing | None:
        """What is booked; None for a house bot."""
        return None if account is None else self.standings.get((account, game), Standing())

    def _booked(self, match: FinishedMatch) -> Settled:
        self.committed.append(match)
        one, other = (self.standing(player.account, match.game) for player in match.players)
        if not match.rated or one is None or other is None:
            return Settled((one, other), (one, other))
        score = 0.5 if match.winner == NOBODY else 1.0 - match.winner
        ratings = elo.updated(one.rating, other.rating, score)
        after = (_played(one, ratings[0], score, first=True), _played(other, ratings[1], 1 - score, first=False))
        for player, standing in zip(match.players, after, strict=True):
            assert player.account is not None
            self.standings[player.account, match.game] = standing
        return Settled((one, other), after)


def _played(before: Standing, rating: float, score: float, *, first: bool) -> Standing:
    return Standing(
        rating=rating,
        played=before.played + 1,
        wins=before.wins + (score == 1.0),
        draws=before.draws + (score == 0.5),
        losses=before.losses + (score == 0.0),
        firsts=before.firsts + first,
    )


class ScriptedLadders:
    """Reads the standings of a log, or what the test set. Implements `play.ports.Ladders`.

    With `gate` set, a look-up waits until the gate opens; with `broken`, it raises.
    """

    def __init__(self, log: ScriptedLog) -> None:
        self.log = log
        self.gate: asyncio.Event | None = None
        self.broken = False
        self.asked: list[tuple[int, str]] = []

    async def standing(self, account: int, game: str) -> Standing:
        self.asked.append((account, game))
        found = self.log.standing(account, game)
        if self.gate is not None:
            await self.gate.wait()
        if self.broken:
            raise OSError("the disk is gone")
        assert found is not None
        return found


class ScriptedBot:
    """A house bot that plays the first legal move, or fails. Implements `play.seat.Seat`."""

    def __init__(self, name: str = "random", policy: Policy = FORFEIT, *, plays: bool = True) -> None:
        self.player = Player(None, name, "house")
        self.policy = policy
        self.plays = plays
        self.frames = 0
        self.chair: Chair | None = None
        self.heard: list[tuple[Any, ...]] = []
        self.hands_at_once = True
        """What `ask` answers: False for a transport that has to wait."""

    def seated(self, chair: Chair, hello: Hello) -> None:
        self.chair = chair
        self.heard.append(("hello", hello))

    def ask(self, state: State, strikes: int) -> bool:
        self.heard.append(("ask", state, strikes))
        if self.plays and self.chair is not None:
            asyncio.get_running_loop().call_soon(self.chair.move, self.chair.position.legal[0])
        return self.hands_at_once

    def show(self, state: State, *, over: bool) -> None:
        self.heard.append(("show", state, over))

    def refuse(self, code: Code, why: str) -> None:
        self.heard.append(("refuse", code))

    def finished(self, result: Result) -> None:
        self.heard.append(("result", result))

    def unsettled(self, match_id: str) -> None:
        self.heard.append(("unsettled", match_id))

    def told(self, kind: str) -> list[tuple[Any, ...]]:
        """What was heard of one kind."""
        return [heard for heard in self.heard if heard[0] == kind]


class ScriptedHouse:
    """Seats the bots that a test brings. Implements `play.lobby.SeatFactory`."""

    def __init__(self) -> None:
        self.seated: list[ScriptedBot] = []

    def seat(self, bot: str) -> ScriptedBot:
        if bot != "random":
            raise UnknownBot(f"no house bot is called {bot!r}: there is random")
        self.seated.append(ScriptedBot(bot))
        return self.seated[-1]
