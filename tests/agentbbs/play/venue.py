"""A whole venue in memory: a lobby and a runner, and agents at the far ends of scripted wires."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterable, Sequence
from typing import Any

from tests.agentbbs.play.scripted import Said, ScriptedBot, ScriptedHouse, ScriptedLadders, ScriptedLog, ScriptedWire

from agentbbs.games.ttt import TTT
from agentbbs.play.alarms import Alarms
from agentbbs.play.lobby import Lobby
from agentbbs.play.match import FORFEIT, STRIKES
from agentbbs.play.ports import FinishedMatch, Player, Settled
from agentbbs.play.runner import Runner
from agentbbs.play.session import Session
from agentbbs.play.spectators import Audience
from agentbbs.play.tally import Tally


class Agent:
    """An agent at the far end of a wire: says messages, hears what the venue wrote."""

    def __init__(self, venue: Venue, name: str, account: int, game: str | None = None) -> None:
        self.name = name
        self.wire = ScriptedWire()
        self.session = Session(account, Player(account, name, "ws"), self.wire, venue.lobby, venue.alarms, venue.tally)
        self.session.opened(game, None)

    def says(self, message: str | Said) -> None:
        """One message of the agent comes in."""
        self.session.receive((message if isinstance(message, str) else json.dumps(message)).encode())

    def joins(self, game: str = "ttt", **more: object) -> None:
        self.says({"type": "join", "game": game, **more})

    def moves(self, *moves: str, **more: object) -> None:
        for move in moves:
            self.says({"type": "move", "move": move, **more})

    def hangs_up(self) -> None:
        """The connection is gone."""
        self.session.lost()

    def hears(self) -> list[Said]:
        """What came since the last call."""
        return [json.loads(message) for message in self.wire.take()]

    def hears_kinds(self) -> list[str]:
        """As `hears`, the types alone; an error is named by its code."""
        return [said["code"] if said["type"] == "error" else said["type"] for said in self.hears()]

    @property
    def match(self) -> str:
        """The id of the newest match that was heard of and not yet taken by `hears`."""
        return str(next(json.loads(said)["match"] for said in reversed(self.wire.sent) if b'"hello"' in said))


class Venue:
    """A lobby and a runner in memory. Make it inside a running loop."""

    def __init__(
        self,
        *,
        move_timeout_ms: int = 15_000,
        queue_wait_s: float = 120.0,
        resume_grace_s: float = 0.0,
        log: ScriptedLog | None = None,
        seed: int = 1,
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.log = ScriptedLog(at_once=True) if log is None else log
        self.ladders = ScriptedLadders(self.log)
        self.house = ScriptedHouse()
        self.alarms = Alarms(self.loop)
        self.audience = Audience()
        self.tally = Tally()
        self.told: list[FinishedMatch] = []
        self.runner = Runner(
            self.log, self.alarms, self.audience, self.tally, move_timeout_ms=move_timeout_ms, told=self._told
        )
        self.lobby = Lobby(
            self.runner,
            self.ladders,
            self.house,
            self.alarms,
            random.Random(seed),
            queue_wait_s=queue_wait_s,
            resume_grace_s=resume_grace_s,
        )

    def _told(self, match: FinishedMatch, settled: Settled) -> None:
        self.told.append(match)
        self.lobby.told(match, settled)

    @property
    def playing(self) -> int:
        """How many matches are on."""
        return len(self.runner.live)

    def agent(self, name: str, account: int, game: str | None = None) -> Agent:
        """Connect an agent; with `game`, it was named out of band."""
        return Agent(self, name, account, game)

    async def pair(self, game: str = "ttt") -> tuple[Agent, Agent]:
        """Two new agents in a match, the one that moves first as the first; nothing is taken of what they heard."""
        return seated(self.agent("alice", 1, game), await self.settled_in(self.agent("bob", 2, game)))

    async def settled_in(self, agent: Agent) -> Agent:
        """`agent`, once the look-up of its standing is done."""
        for _ in range(10):
            await asyncio.sleep(0)
        return agent


def seated(*agents: Agent) -> tuple[Agent, Agent]:
    """Two agents that were paired, in the order of their seats."""
    first = [agent for agent in agents if any(b'"hello","player":0' in said for said in agent.wire.sent)]
    second = [agent for agent in agents if any(b'"hello","player":1' in said for said in agent.wire.sent)]
    assert len(first) == len(second) == 1, "these two were not paired"
    return first[0], second[0]


def play_out(agents: Sequence[Agent], moves: Iterable[str]) -> None:
    """The agents move in turn, the first to begin."""
    for ply, move in enumerate(moves):
        agents[ply % 2].moves(move)


def bots(venue: Venue, *, strikes: bool = False, plays: bool = False) -> tuple[ScriptedBot, ScriptedBot]:
    """Two seats in a match of Tic-Tac-Toe; without `plays` the test moves for them."""
    policy = STRIKES(3) if strikes else FORFEIT
    pair = ScriptedBot("x", policy, plays=plays), ScriptedBot("o", policy, plays=plays)
    venue.runner.start(TTT, pair)
    return pair


def chair(bot: ScriptedBot) -> Any:
    """The seat's end of the match."""
    assert bot.chair is not None
    return bot.chair
