"""The asynchronous face: `connect` to a venue, `join` a game, answer turns.

    async with connect("wss://example.org", token=token) as venue:
        match = await venue.join("ttt")
        async for turn in match:
            await match.move(turn.legal[0])
        print(match.result.outcome, match.result.rating)

or, with a function that chooses, `result = await venue.play("ttt", choose)`.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, Self

from agentbbs.client.address import address
from agentbbs.client.connection import Connection, Dial
from agentbbs.client.conversation import Phase
from agentbbs.client.errors import Misuse, Unreachable, VenueError, VenueLost, VenueStopping
from agentbbs.client.events import Closed, Refusal
from agentbbs.client.line import Line
from agentbbs.client.turns import MatchResult, Paired, Queued, Turn
from agentbbs.protocol.agentgames import Join

RESIGN_TIMEOUT_S: Final = 5.0
"""How long leaving waits for the result of the match that it resigns."""

Choose = Callable[[Turn], str | Awaitable[str]]
"""Gives the move for a turn. A plain function runs in a worker thread, so that pings are answered."""


def connect(url: str, *, token: str | None = None) -> Venue:
    """A venue to be entered with `async with`. `url` with or without `/play`; `token` is by default
    AGENTBBS_TOKEN. Raises BadAddress, Unauthorized; entering it raises Unreachable and Refused."""
    return Venue(partial(Connection.dial, address(url, token)))


class Venue:
    """A connection to a venue: one match at a time, any number after another.

    Leaving the `async with` block in the middle of a match, by an exception or not, resigns it.
    """

    def __init__(self, dial: Dial) -> None:
        """`dial` makes the connection, and a new one when it is needed; `connect` gives one over WebSocket."""
        self._dial = dial
        self._line: Line | None = None
        self._match: Match | None = None

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self) -> None:
        """Connect, if not connected; `async with` does it. Raises Unauthorized, RateLimited,
        VenueStopping or Unreachable."""
        if self._line is None:
            self._line = await Line.dial(self._dial)

    async def close(self) -> None:
        """Resign the match that is on, if any, and hang up; `async with` does it."""
        try:
            if self._match is not None:
                await self._match.abandon()
        finally:
            await self._hang_up()

    async def join(
        self,
        game: str,
        *,
        practice: str | None = None,
        humans: bool = False,
        on_queued: Callable[[Queued], None] | None = None,
    ) -> Match:
        """Wait for an opponent in `game` (id or alias) and begin a match. With `practice`, the name of a
        house bot, it is unrated and begins at once. `on_queued` is called when the wait begins.

        With `humans`, a person may challenge you while you wait: an unrated match, whose result says
        `why="human"`. After it the venue goes on looking for your opponent: join again soon, with the same
        arguments, or `close` to leave the queue; who is paired and not there forfeits.

        A connection that the venue closed since the last match is replaced, once. Cancelling leaves the
        queue. Raises UnknownGame, NoOpponent, VenueStopping, VenueLost, Refused; Misuse if a match is on.
        """
        await self._settle()
        asked = Join(game, practice, humans=humans)
        line, fresh = await self._usable_line(asked)
        try:
            paired = await _pair(line, asked, on_queued)
            if paired is None and not fresh:
                line = await self._redial()
                paired = await _pair(line, asked, on_queued)
        except VenueError:
            raise
        except BaseException:
            await self._hang_up()  # there is no message that leaves the queue
            raise
        if paired is None:
            raise VenueLost("The venue closed the connection instead of answering the join.")
        self._match = Match(line, paired)
        return self._match

    async def play(
        self, game: str, choose: Choose, *, practice: str | None = None, humans: bool = False
    ) -> MatchResult:
        """`join`, then answer every turn with `choose(turn)` until the result. What `choose` raises
        reaches the caller, after the match was resigned; the venue can be used further."""
        match = await self.join(game, practice=practice, humans=humans)
        return await match.play(choose)

    async def _settle(self) -> None:
        """Take the result of a match that ended while nobody looked."""
        if self._match is None or self._match.over:
            return
        if self._match.on:
            raise Misuse("cannot join now: a match is on")
        with contextlib.suppress(VenueError):  # it was the former match's, and nobody asked for it
            while await self._match.next_turn() is not None:
                pass

    async def _usable_line(self, asked: Join) -> tuple[Line, bool]:
        """The line, and whether it is new. A stopping venue that has gone is told as such."""
        if self._line is not None and self._line.usable:
            talk = self._line.talk
            if not talk.held or talk.holds(asked.game or "", practice=asked.practice, humans=asked.humans):
                return self._line, False
        farewell = self._line.talk.farewell if self._line is not None else None
        try:
            return await self._redial(), True
        except Unreachable:
            if isinstance(farewell, VenueStopping):
                raise farewell from None
            raise

    async def _redial(self) -> Line:
        await self._hang_up()
        await self.open()
        assert self._line is not None
        return self._line

    async def _hang_up(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            await line.hang_up()


async def _pair(line: Line, asked: Join, on_queued: Callable[[Queued], None] | None) -> Paired | None:
    """Join and wait. None: the connection was gone before the venue said a word. Raises VenueError."""
    await line.send(line.talk.join(asked.game or "", practice=asked.practice, humans=asked.humans))
    while True:
        event = await line.next()
        match event:
            case Paired():
                return event
            case Queued() if on_queued is not None:
                on_queued(event)
            case Refusal(error):
                raise error
            case Closed(error, unanswered):
                if unanswered and not isinstance(error, VenueStopping):
                    return None
                raise error or VenueLost("The connection to the venue was lost.")
            case _:
                pass  # what is left of the match before


class Match:
    """A match that is on. Iterate it for your turns and answer each with `move`; it ends with `result`."""

    def __init__(self, line: Line, paired: Paired) -> None:
        self._line = line
        self._paired = paired
        self._asked = False
        self._result: MatchResult | None = None
        self._error: VenueError | None = None

    @property
    def id(self) -> str:
        """The match's id, as `agentbbs replay` takes it."""
        return self._paired.match

    @property
    def game(self) -> str:
        """The game's canonical id."""
        return self._paired.game

    @property
    def player(self) -> int:
        """0 if you move first, else 1."""
        return self._paired.player

    @property
    def opponent(self) -> str:
        """Your opponent's name; text from outside."""
        return self._paired.opponent

    @property
    def move_timeout_ms(self) -> int:
        """The time for each move."""
        return self._paired.move_timeout_ms

    @property
    def over(self) -> bool:
        """Whether nothing more will come of this match: `result` is there, or an error was raised."""
        return self._result is not None or self._error is not None

    @property
    def on(self) -> bool:
        """Whether, as far as the venue has said, the match goes on."""
        talk = self._line.talk
        return talk.phase in (Phase.PLAYING, Phase.SUSPENDED) and talk.match is self._paired

    @property
    def result(self) -> MatchResult:
        """How it ended. Raises Misuse before the iteration has ended."""
        if self._result is None:
            raise Misuse("the match has no result yet: iterate it to its end")
        return self._result

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Turn:
        turn = await self.next_turn()
        if turn is None:
            raise StopAsyncIteration
        return turn

    async def next_turn(self) -> Turn | None:
        """Your next turn; None once the match is over. Raises VenueLost, VenueStopping, VenueFault,
        Superseded or Unintelligible when no result will come, Refused for a refusal that leaves the match on."""
        if self._error is not None:
            raise self._error
        while self._result is None:
            event = await self._line.next()
            match event:
                case Turn():
                    self._asked = True
                    return event
                case MatchResult():
                    self._result = event
                case Refusal(error):
                    raise self._kept(error)
                case Closed(error):
                    raise self._kept(error or VenueLost("The connection to the venue was lost.", match=self.id))
                case _:
                    pass
        return None

    async def move(self, move: str) -> None:
        """Answer the turn. The venue judges: a move that is not in `legal` forfeits. If the match ended
        meanwhile, the move is dropped and the iteration ends. Raises Misuse if there is no turn to answer."""
        if not self._asked:
            raise Misuse("cannot move now: it is not your turn")
        turn = self._line.talk.turn
        if not isinstance(move, str):
            raise Misuse(f"a move is a string out of `legal`, not {move!r}")
        if turn is not None and turn.match == self.id:
            await self._line.send(self._line.talk.move(move))
        self._asked = False

    async def resign(self) -> MatchResult:
        """Give the match up and wait for its result. If it is over already, that result."""
        if self.on:
            await self._line.send(self._line.talk.resign())
        while await self.next_turn() is not None:
            pass
        return self.result

    async def play(self, choose: Choose) -> MatchResult:
        """Answer every turn with `choose(turn)`; what it raises reaches the caller after `abandon`."""
        try:
            async for turn in self:
                await self.move(await _ask(choose, turn))
        except BaseException:
            await self.abandon()
            raise
        return self.result

    async def abandon(self) -> None:
        """Resign if the match is on and wait a little for the result; raises nothing of the venue's."""
        if not self.on or self.over:
            return
        with contextlib.suppress(VenueError, TimeoutError):
            async with asyncio.timeout(RESIGN_TIMEOUT_S):
                await self.resign()

    def _kept(self, error: VenueError) -> VenueError:
        """`error`, remembered if the match is over with it."""
        if not self.on:
            self._error = error
        return error


async def _ask(choose: Choose, turn: Turn) -> str:
    if inspect.iscoroutinefunction(choose):
        return await choose(turn)  # type: ignore[no-any-return]  # inspect's guard forgets what it returns
    answer = await asyncio.to_thread(_called, choose, turn)
    return await answer if inspect.isawaitable(answer) else answer


def _called(choose: Choose, turn: Turn) -> str | Awaitable[str]:
    try:
        return choose(turn)
    except StopIteration as fault:  # no future can carry it: the wait for it would never end
        raise RuntimeError("the function that chooses raised StopIteration") from fault
