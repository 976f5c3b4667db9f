"""Callers in doors: who is in which, and each stay from the dropfiles to the end of its last process."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from pathlib import Path
from typing import Final, Protocol

import msgspec

from agentbbs.calls.line import LineGone, Size
from agentbbs.doors import cage, node_folder
from agentbbs.doors.config import Door
from agentbbs.doors.dropfiles import DropfileFacts
from agentbbs.doors.ending import DoorEnd, EndKind, ended_by_itself, told_status
from agentbbs.doors.program import Program
from agentbbs.doors.transcoding import Keystrokes, Transcoder, for_caller, for_door, restored
from tty_agent.terminal.dialect import Encoding
from tty_agent.terminal.inert import inert
from tty_agent.transports.transport import CannotConnect

LOOK_S: Final = 5.0
"""When a key came and then nothing, either way, for so long, the door is looked at: whether it was stopped."""
HANG_KEYS: Final = 5
"""So many keys without an answer make a silent door a hung one: a game may well ignore one or two."""
SHOWN_BYTES: Final = 8 * 1024
"""Of a door's output at a time: two full screens with colours, transcoded in a few ms."""
KILLED: Final = -9
"""The status of a door that heeded neither SIGHUP nor SIGTERM."""


class DoorLine(Protocol):
    """What a stay needs of a caller's line; `calls.line.Line` has it."""

    def read(self) -> Awaitable[bytes]:
        """The next input. Raises LineGone."""
        ...

    def write(self, data: bytes) -> None:
        """Queue output; never waits."""
        ...

    def drain(self) -> Awaitable[None]:
        """Wait until little waits to be sent. Raises LineGone."""
        ...

    def on_resize(self, told: Callable[[Size], None] | None) -> None:
        """Call `told` at each change of the size from now on; None: no longer."""
        ...


class Occupant(msgspec.Struct, frozen=True):
    """A caller in a door."""

    node: int
    record: int
    name: str


class DoorRunner:
    """The doors of one board, whose name and sysop the dropfiles tell. `data` is the venue's data folder; it and
    `home`, by default the venue's own, are out of every door's sight."""

    def __init__(
        self,
        data: Path,
        doors: Iterable[Door] = (),
        *,
        board: str = "AgentBBS",
        sysop: str = "Sysop",
        home: Path | None = None,
    ) -> None:
        self.doors: Final = {door.id: door for door in doors}
        self.board: Final = board
        self.sysop: Final = sysop
        self._data = data.resolve()
        self._hidden = (self._data, (home or Path.home()).resolve())
        self._inside: dict[str, list[Occupant]] = {}
        self._refusal: asyncio.Task[str | None] | None = None

    def occupants(self, door_id: str) -> tuple[Occupant, ...]:
        """Who is in the door, the longest first."""
        return tuple(self._inside.get(door_id, ()))

    @property
    def busy(self) -> bool:
        """Whether anybody is in any door."""
        return any(self._inside.values())

    async def run(
        self,
        door: Door,
        facts: DropfileFacts,
        line: DoorLine,
        *,
        encoding: Encoding,
        size: Size,
        terminal: str = "",
    ) -> DoorEnd:
        """One stay. Nobody else may read the line meanwhile. `encoding` and `terminal` are the caller's. Returns how it
        ended, with every process of it gone and its place free; raises nothing but CancelledError, after the same."""
        who = Occupant(facts.node, facts.record, facts.handle)
        why = self._taken(door, who)
        if why is not None:
            return DoorEnd(EndKind.BUSY, why)
        inside = self._inside.setdefault(door.id, [])
        inside.append(who)
        stay = cage.Stay(
            drop=self._data / node_folder.NODES_FOLDER / str(facts.node),
            node=facts.node,
            record=facts.record,
            handle=facts.handle,
            caller=encoding,
            ansi=facts.ansi,
            terminal=terminal,
        )
        try:
            return await self._stay(door, facts, stay, line, size)
        finally:
            inside.remove(who)

    def _taken(self, door: Door, who: Occupant) -> str | None:
        inside = self._inside.get(door.id, ())
        for other in inside:
            if other.record == who.record:
                return f"the same account is in it already, on node {other.node}"
        if len(inside) >= door.concurrent:
            return f"it is full: {inert(', '.join(f'{other.name} on node {other.node}' for other in inside))}"
        return None

    async def _stay(self, door: Door, facts: DropfileFacts, stay: cage.Stay, line: DoorLine, size: Size) -> DoorEnd:
        try:
            why = None if door.trusted else await self._no_cage(door)
            if why is not None:
                return DoorEnd(EndKind.REFUSED, why)
            await asyncio.to_thread(node_folder.prepare, door, facts, stay)
            command = cage.command_of(door, stay) if door.trusted else self._caged(door, stay)
            program = Program(command, environment=cage.environment_of(door, stay), directory=door.directory)
            talk = _Talk(door, program, line, stay.caller)
            async with _opened(program, size):
                end = await talk.last()
            end = talk.judged(end)
        except CannotConnect as fault:
            return DoorEnd(EndKind.REFUSED, inert(str(fault)))
        except OSError as fault:
            return DoorEnd(EndKind.REFUSED, f"its files can't be made: {inert(str(fault))}")
        if end.kind is not EndKind.HUNG_UP and stay.ansi:
            line.write(restored(stay.caller))
        with contextlib.suppress(OSError):  # the next stay on this node clears it, or is refused with the reason
            await asyncio.to_thread(node_folder.clear, stay.drop)
        return end

    def _caged(self, door: Door, stay: cage.Stay) -> tuple[str, ...]:
        accounts = self._data / node_folder.NODES_FOLDER / "etc"
        cage.write_accounts(accounts)
        return cage.caged_command(door, stay, accounts, self._hidden)

    async def _no_cage(self, door: Door) -> str | None:
        share = cage.exposed(door, self._data)
        if share is not None:
            return f"{inert(str(share))} would show it the venue's data folder: give the door a folder of its own"
        if self._refusal is None:
            self._refusal = asyncio.create_task(cage.refusal())
        why = await asyncio.shield(self._refusal)
        if why is not None:
            self._refusal = None  # looked at again next time: the operator may have mended it
        return why


@contextlib.asynccontextmanager
async def _opened(program: Program, size: Size) -> AsyncIterator[None]:
    """The program runs within. Raises CannotConnect."""
    try:
        await program.open(size.columns, size.rows)
        yield
    finally:
        closing = asyncio.ensure_future(program.close())
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            await closing  # bounded; a program that outlives its stay would hold the door's files
            raise


class _Talk:
    """Bytes both ways until something ends it."""

    def __init__(self, door: Door, program: Program, line: DoorLine, caller: Encoding) -> None:
        self._door = door
        self._program = program
        self._line = line
        self._shown: Transcoder = for_caller(door.encoding, caller)
        self._typed: Transcoder = for_door(door.encoding, caller)
        self._loop = asyncio.get_running_loop()
        self._began = self._pressed_at = self._shown_at = self._silent_at = self._loop.time()
        self._keys = 0
        """Pressed since the last output; the first of them at `_silent_at`."""
        self._looked = True
        """Whether it was stopped, since the last key."""
        self._resizing: set[asyncio.Task[None]] = set()

    async def last(self) -> DoorEnd | None:
        """Until the end; None if the door ended by itself. The program must be closed next, and the end judged."""
        pumps = (asyncio.create_task(self._show()), asyncio.create_task(self._type()))
        self._line.on_resize(self._resized)
        try:
            return await self._watch(pumps)
        finally:
            self._line.on_resize(None)
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)

    def judged(self, end: DoorEnd | None) -> DoorEnd:
        """The end as it is known once the program is closed."""
        seconds = self._loop.time() - self._began
        code = self._program.code
        if code is not None:
            code = told_status(code, caged=not self._door.trusted)
        if end is None:
            return ended_by_itself(code, seconds)
        if code == KILLED and end.kind in {EndKind.TIME_LIMIT, EndKind.IDLE}:
            end = msgspec.structs.replace(end, kind=EndKind.HUNG, detail=f"{end.detail}, and it had to be killed")
        return msgspec.structs.replace(end, code=code)

    async def _watch(self, pumps: tuple[asyncio.Task[None], ...]) -> DoorEnd | None:
        while True:
            now = self._loop.time()
            end = await self._due(now)
            if end is not None:
                return end
            done, _ = await asyncio.wait(
                pumps, timeout=max(self._next_look(now) - now, 0.0), return_when=asyncio.FIRST_COMPLETED
            )
            for pump in done:
                fault = pump.exception()
                if isinstance(fault, LineGone):
                    return self._end(EndKind.HUNG_UP, f"the caller is gone: {inert(str(fault))}")
                if fault is not None:
                    raise fault
                return None

    def _next_look(self, now: float) -> float:
        door = self._door
        times = [self._began + door.time_limit_s]
        if door.idle_limit_s:
            times.append(self._pressed_at + door.idle_limit_s)
        times.append(now + LOOK_S)
        return min(times)

    async def _due(self, now: float) -> DoorEnd | None:
        """The limit that is reached."""
        door = self._door
        if self._keys >= HANG_KEYS and door.hang_limit_s and self._pressed_at - self._silent_at >= door.hang_limit_s:
            return self._end(EndKind.HUNG, f"it gave no answer to {self._keys} keys in {door.hang_limit_s} s")
        if not self._looked and now - max(self._shown_at, self._pressed_at) >= LOOK_S:
            self._looked = True
            if await self._program.stopped():
                return self._end(EndKind.HUNG, "it was stopped")
        if now - self._began >= door.time_limit_s:
            return await self._limit(EndKind.TIME_LIMIT, f"its {door.time_limit_s} s are up")
        if door.idle_limit_s and now - self._pressed_at >= door.idle_limit_s:
            return await self._limit(EndKind.IDLE, f"the caller typed nothing for {door.idle_limit_s} s")
        return None

    async def _limit(self, kind: EndKind, detail: str) -> DoorEnd:
        if await self._program.stopped():
            return self._end(EndKind.HUNG, f"it was stopped, and {detail}")
        return self._end(kind, detail)

    def _end(self, kind: EndKind, detail: str) -> DoorEnd:
        return DoorEnd(kind, detail, None, self._loop.time() - self._began)

    async def _show(self) -> None:
        """From the door to the caller, until the door ends. Raises LineGone."""
        while data := await self._program.read():
            self._keys = 0
            self._shown_at = self._loop.time()
            for start in range(0, len(data), SHOWN_BYTES):
                self._line.write(self._shown.feed(data[start : start + SHOWN_BYTES]))
                await self._line.drain()
                await asyncio.sleep(0)  # others have their turn beside a door that floods

    async def _type(self) -> None:
        """From the caller to the door. Ends by LineGone alone."""
        keys = Keystrokes()
        writing: asyncio.Task[None] | None = None
        try:
            while True:
                data = self._typed.feed(keys.feed(await self._line.read()))
                if not data:
                    continue
                self._pressed_at = self._loop.time()
                self._looked = False
                if not self._keys:
                    self._silent_at = self._pressed_at
                self._keys += 1
                if writing is None or writing.done():  # else the door reads nothing, and its keyboard is full
                    writing = asyncio.create_task(self._program.write(data))
                    await asyncio.sleep(0)
        finally:
            if writing is not None:
                writing.cancel()

    def _resized(self, size: Size) -> None:
        task = asyncio.create_task(self._program.resize(size.columns, size.rows))
        self._resizing.add(task)
        task.add_done_callback(self._resizing.discard)
