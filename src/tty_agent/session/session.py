"""A terminal session: one connection, its transcript, its screen and its turns, the same for every transport.

What comes takes one way, in one task: transcript, screen, the screen's replies to queries back to the program,
observer, whoever waits for the turn. That task never waits for an agent, and replies go out before the next bytes
are looked at, so a program that asks where its cursor is gets the answer of that point of the stream. Turns end by
one timer a session; nothing polls.

The end of a connection is a value (`end`) and a last observation, never an exception. What is raised is a fault of
ours: a transcript that cannot be kept (TranscriptFailed) ends the session, and every call after it says so again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, Self

import structlog

from tty_agent.actions.action import Action
from tty_agent.actions.errors import NotTaken
from tty_agent.actions.keys import keys_for
from tty_agent.actions.policy import ActionPolicy
from tty_agent.actions.strokes import Strokes, strokes
from tty_agent.observation.observation import Observation, Readiness
from tty_agent.observation.observe import observation_of
from tty_agent.observer.observer import Observer
from tty_agent.observer.readiness import Fixed, PromptPattern, TurnPolicy
from tty_agent.session.turn_wait import MIN_TIMEOUT_S, TurnWait, with_timeout
from tty_agent.terminal.dialect import Dialect
from tty_agent.terminal.events import Reply
from tty_agent.terminal.plain import PlainText
from tty_agent.terminal.screen import Screen
from tty_agent.transcript.marks import Sender
from tty_agent.transcript.transcript import Transcript, TranscriptError
from tty_agent.transports.transport import End, EndKind, Transport

MAX_NEW_TEXT_CHARS: Final = 8000
"""Of `new_text`: four full screens of 80x24; the transcript has the rest."""

MAX_TURN_BYTES: Final = 64 * 1024
"""Kept of a turn for `new_text`, the newest: art is mostly control sequences, so more than the characters."""

REPLY_WAIT_S: Final = 1.0
"""A program that asks and then does not read holds the session up no longer. Until it reads again, what it asks
gets no answer."""

TYPING_WAIT_S: Final = 10.0
"""A program that makes no room for so long is typed no more of an action."""

FEED_S: Final = 0.01
"""Spent on what came before timers, signals and other sessions have their turn."""

PIECE_BYTES: Final = 1024
MIN_PIECE_BYTES: Final = 256
PIECE_CELLS: Final = 80 * 50
"""Between two looks at the clock: of a screen with more cells, which may cost more a byte, fewer bytes."""

APPLICATION_CURSOR_KEYS: Final = 1
"""The private mode in which xterm's cursor keys have another form."""

_log = structlog.get_logger(__name__)


class TerminalSession:
    """One session. `open` it, take turns (`observe_turn`, `act`), `close` it; or use it as a context.

    The transport and the transcript are the session's own from here on: it closes both. To come back to the same
    transcript, make a new `Transcript` of its path. `policy` and `prompts` hold for turns that name none of their
    own; `metadata` goes into each observation beside the transport's.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        agent_id: str,
        dialect: Dialect | None = None,
        columns: int = 80,
        rows: int = 24,
        transcript: Transcript | None = None,
        policy: TurnPolicy = Fixed(),  # noqa: B008 - a frozen value
        prompts: Sequence[PromptPattern] = (),
        metadata: Mapping[str, object] | None = None,
    ) -> None:
        """`dialect` None is the transport's own."""
        self.agent_id: Final = agent_id
        dialect = transport.dialect if dialect is None else dialect
        self._transport = transport
        self._transcript = transcript
        self._policy = policy
        self._prompts = tuple(prompts)
        self._metadata = dict(metadata or {})
        self._screen = Screen(columns, rows, dialect)
        self._observer = Observer(self._screen, policy, prompts)
        self._plain = PlainText(dialect, MAX_NEW_TEXT_CHARS)
        self._turn_bytes = bytearray()
        self._base = transcript.offset if transcript is not None else 0
        self._turn_start = self._base
        self._turn_bells = 0
        self._wait_s = 0.0
        self._turn = TurnWait(self._observer)
        self._typing = asyncio.Lock()
        self._pump: asyncio.Task[None] | None = None
        self._room: asyncio.Task[None] | None = None
        self._end: End | None = None
        self._fault: Exception | None = None

    @property
    def screen(self) -> Screen:
        """What the terminal shows. Read it; feeding it is the session's."""
        return self._screen

    @property
    def end(self) -> End | None:
        """How the connection ended; None while it is open."""
        return self._end

    @property
    def position(self) -> int:
        """Bytes received so far, as an offset into the transcript."""
        return self._base + self._screen.offset

    @property
    def metadata(self) -> dict[str, object]:
        """What observations carry: the transport's and the caller's; the caller's win."""
        return self._transport.metadata | self._metadata

    async def open(self) -> None:
        """Connect and begin to read. Raises CannotConnect; then everything is closed already."""
        try:
            await self._transport.open(self._screen.columns, self._screen.rows)
            if self._transcript is not None:
                self._transcript.begin(
                    self._now(),
                    columns=self._screen.columns,
                    rows=self._screen.rows,
                    dialect=self._screen.dialect.name,
                    metadata=self.metadata,
                )
        except BaseException:
            await self.close()
            raise
        self._pump = asyncio.create_task(self._run(), name=f"terminal of {self.agent_id}")

    async def close(self) -> None:
        """Hang up and free everything; may be called twice."""
        try:
            await self._hang_up()
        finally:
            if self._transcript is not None:
                self._transcript.close()

    async def __aenter__(self) -> Self:
        """Opens it."""
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes it."""
        await self.close()

    async def observe(self, seconds: float) -> Observation:
        """The low-level read: what there is after that time, or at the end of the connection if it comes first.
        Turns are what `observe_turn` is for."""
        self._check()
        policy = with_timeout(Fixed(), seconds)
        return self._observation(await self._turn.ready(policy, (), hold_s=seconds, bytes_end_hold=False))

    async def observe_turn(
        self,
        *,
        policy: TurnPolicy | None = None,
        prompts: Sequence[PromptPattern] | None = None,
        timeout_s: float | None = None,
        left_s: float | None = None,
    ) -> Observation:
        """Wait until the turn is ready, and say what the agent sees. After the end of the connection it is ready
        at once, with `ready_reason` `closed`.

        `policy`, `prompts` and its hard limit `timeout_s` are for this turn only. After a `wait` the limit is that
        of the action, and a turn without a single byte is ready when it has passed, not sooner. `left_s` is what the
        run has left: no turn takes longer, whatever its limit.
        """
        self._check()
        wait_s, self._wait_s = self._wait_s, 0.0
        policy = self._policy if policy is None else policy
        timeout_s = timeout_s if timeout_s is not None else (wait_s or None)
        if timeout_s is not None:
            policy = with_timeout(policy, timeout_s)
        prompts = self._prompts if prompts is None else prompts
        left_s = None if left_s is None else max(left_s, MIN_TIMEOUT_S)
        longest = policy.timeout_s if left_s is None else min(policy.timeout_s, left_s)
        hold_s = min(wait_s, longest) if self.position == self._turn_start else 0.0
        return self._observation(await self._turn.ready(policy, prompts, left_s=left_s, hold_s=hold_s))

    async def act(
        self, action: Action, action_policy: ActionPolicy | None = None, *, left_s: float | None = None
    ) -> None:
        """Do what the agent asks for. Raises Refused if the policy, or the terminal's encoding, can't take it, and
        NotTaken if the program reads nothing for `TYPING_WAIT_S`, or not all of it in `left_s`, which is what the run
        has left; the program's opinion is in the next observation. After the end of the connection nothing happens.
        """
        if action_policy is not None:
            action_policy.check(action)
        self._check()
        keys = keys_for(self._screen.dialect, application=APPLICATION_CURSOR_KEYS in self._screen.modes)
        typed = strokes(action, keys, pace_ms=action_policy.pace_ms if action_policy is not None else 0)
        if typed.hangup:
            await self._hang_up()
        self._wait_s = typed.wait_s
        await self._type(typed, by=Sender.AGENT, left_s=left_s)

    async def write(self, data: bytes, *, secret: bool = False, by: Sender = Sender.LOGIN) -> None:
        """Send bytes that are no action: a login. Of a secret the transcript's sidecar keeps the length alone. Raises
        NotTaken as `act` does."""
        self._check()
        await self._type(Strokes(pieces=(data,)), by=by, secret=secret)

    async def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, and tell the program if it cares."""
        self._check()
        self._screen.resize(columns, rows)
        columns, rows = self._screen.columns, self._screen.rows  # within the limits of a screen
        if self._transcript is not None and self._end is None:
            try:
                self._transcript.resized(columns, rows, self._now())
            except TranscriptError as fault:
                self._give_up(fault)
                await self._hang_up()
                raise
        await self._transport.resize(columns, rows)

    async def _run(self) -> None:
        """The way of the bytes, until the end."""
        try:
            while data := await self._transport.read():
                if self._transcript is not None:
                    self._transcript.received(data, self._now())
                taken = await self._take(data)
                while taken < len(data):
                    await asyncio.sleep(0)
                    taken += await self._take(data[taken:])
        except Exception as fault:  # whatever it is, the record would have a hole
            self._give_up(fault)
            await self._transport.close()
        self._finish()

    async def _take(self, data: bytes) -> int:
        """Show what came, for `FEED_S`; return how much of it that was."""
        now = self._now()
        share = PIECE_CELLS / (self._screen.columns * self._screen.rows)
        step = max(MIN_PIECE_BYTES, int(PIECE_BYTES * min(share, 1.0)))
        taken = 0
        while taken < len(data) and self._now() - now < FEED_S:
            for event in self._screen.feed(data[taken : taken + step]):
                if isinstance(event, Reply):
                    await self._answer(event)
            taken = min(taken + step, len(data))
        shown = data[:taken]
        self._turn_bytes += shown
        if len(self._turn_bytes) > 2 * MAX_TURN_BYTES:
            del self._turn_bytes[:-MAX_TURN_BYTES]
        self._observer.received(shown, now)
        self._turn.heard()
        return taken

    async def _answer(self, reply: Reply) -> None:
        """Send the screen's reply. It is under way before the next bytes are looked at."""
        if self._room is not None and not self._room.done():
            return  # it has not read since we were told so
        at = self._base + reply.offset
        self._room = asyncio.create_task(self._transport.room())
        done, _ = await asyncio.wait({self._room}, timeout=REPLY_WAIT_S)
        if not done:
            _log.warning("no_answer", agent_id=self.agent_id, offset=at, why="it does not read")
            return
        self._room.result()
        if self._transcript is not None:
            self._transcript.answered(reply.data, self._now(), offset=at)
        await self._transport.write(reply.data)

    def _give_up(self, fault: Exception) -> None:
        """The session ends for a fault of ours, when the transport is closed next; whoever calls then is told."""
        if self._fault is None:
            self._fault = fault
            _log.error("session_given_up", agent_id=self.agent_id, why=str(fault))

    def _finish(self) -> None:
        now = self._now()
        end = self._transport.end or End(EndKind.EOF, "the connection ended")
        if self._transcript is not None and self._fault is None:
            try:
                self._transcript.end(now, kind=end.kind, detail=end.detail, code=end.code)
            except TranscriptError as fault:
                self._fault = fault
        if self._fault is not None:
            end = End(EndKind.LOST, f"given up: {self._fault}")
            self._turn.fail(self._fault)
        self._end = end
        self._observer.closed(now)
        self._turn.closed()

    async def _hang_up(self) -> None:
        await self._transport.close()
        for task in (self._pump, self._room):
            if task is not None:
                await asyncio.wait({task})

    async def _type(self, typed: Strokes, *, by: Sender, secret: bool = False, left_s: float | None = None) -> None:
        sent = 0
        try:
            async with asyncio.timeout(left_s), self._typing:
                for number, piece in enumerate(typed.pieces):
                    if number:
                        await asyncio.sleep(typed.pace_ms / 1000)  # what comes meanwhile is read: that is another task
                    await self._send(piece, by=by, secret=secret)
                    sent += len(piece)
        except TimeoutError:
            raise NotTaken(sent, len(typed.data)) from None

    async def _send(self, data: bytes, *, by: Sender, secret: bool) -> None:
        """Send it whole, or not at all: then it raises TimeoutError."""
        if self._end is not None or not data:
            return
        async with asyncio.timeout(TYPING_WAIT_S):
            await self._transport.room()
        now = self._now()
        if self._transcript is not None:
            try:
                self._transcript.sent(data, now, by=by, secret=secret)
            except TranscriptError as fault:
                self._give_up(fault)
                await self._hang_up()
                raise
        self._observer.sent(now)
        await self._transport.write(data)

    def _observation(self, readiness: Readiness) -> Observation:
        start, self._turn_start = self._turn_start, self.position
        bells, self._turn_bells = self._screen.bells - self._turn_bells, self._screen.bells
        written = bytes(self._turn_bytes[-MAX_TURN_BYTES:])
        self._turn_bytes.clear()
        return observation_of(
            self._screen,
            readiness,
            agent_id=self.agent_id,
            timestamp=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            new_text=self._plain.feed(written),
            transcript_path=str(self._transcript.path) if self._transcript is not None else None,
            transcript_byte_start=start,
            transcript_byte_end=self._turn_start,
            bells=bells,
            closed=self._end.detail if self._end is not None else None,
            metadata=self.metadata,
        )

    def _check(self) -> None:
        if self._pump is None:
            raise RuntimeError("open() comes first")
        if self._fault is not None:
            raise self._fault

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
