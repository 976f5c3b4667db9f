"""What a caller types, over time: the adapter between a line and a `KeyDecoder`."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from agentbbs.calls.line import MAX_UNREAD_BYTES, Line, LineGone
from agentbbs.hub.keys import CursorReport, Key, KeyDecoder, Press, retyped
from tty_agent.terminal.dialect import Encoding

TURN_KEYS: Final = 64
"""Taken in one turn of the loop: a line of type-ahead; a paste lets everybody else go on after so many."""

TURN_STEPS: Final = 1024
"""Of the decoder in one turn, whether keys come of them or not: about a millisecond."""

TURN_S: Final = 0.002
"""What taking keys and drawing what they do may hold the loop; with every node pasting a turn stays unnoticed."""


class Timer(Protocol):
    """What `Clock.call_at` gives."""

    def cancel(self) -> None:
        """Don't call."""
        ...


class Clock(Protocol):
    """Seconds, and calls at times; a running event loop is one."""

    def time(self) -> float:
        """Now."""
        ...

    def call_at(self, when: float, callback: Callable[[], object], /) -> Timer:
        """Call at that time."""
        ...


class Keyboard:
    """One reader's view of a line's input. Reads ahead in a task of its own, so that a hang-up is seen at once and no
    byte is lost when a wait is given up; bytes become keys only when one is asked for, so that a door gets the rest."""

    def __init__(self, line: Line, encoding: Encoding, clock: Clock) -> None:
        self.decoder = KeyDecoder(encoding)
        self._line = line
        self._clock = clock
        self._unread = bytearray()
        self._pressed: deque[Press] = deque()
        self._came_at = clock.time()
        self._gone: Exception | None = None
        self._rung = False
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._pump: asyncio.Task[None] | None = None
        self._keys_left = TURN_KEYS
        self._steps_left = TURN_STEPS
        self._turn_until = clock.time() + TURN_S

    def ring(self) -> None:
        """Let the `press` that waits, or the next one that would, return None."""
        self._rung = True
        self._wake.set()

    def close(self) -> None:
        """Read no more."""
        if self._pump is not None:
            self._pump.cancel()
        self._gone = self._gone or LineGone("the visit is over")
        self._wake.set()

    async def press(self, until: float | None) -> Press | None:
        """The next key or report; None at time `until`, or when somebody rang. Raises LineGone. However much was typed
        ahead, the loop gets a turn after `TURN_KEYS`, `TURN_STEPS` or `TURN_S`."""
        self._start()
        await self._give_turn()
        while (press := self._next()) is None:
            await self._give_turn()
            if self._gone is not None and not self._unread:
                raise self._gone
            now = self._clock.time()
            patience_s = None if self._unread else self.decoder.patience_s
            settle_at = None if patience_s is None else self._came_at + patience_s
            if settle_at is not None and now >= settle_at:
                self._pressed += self.decoder.settle()
            elif self._rung or (until is not None and now >= until):
                self._rung = False
                return None
            elif not self._unread:
                await self._wait(min((at for at in (settle_at, until) if at is not None), default=None))
        return press

    def text_ahead(self) -> str:
        """The characters that were typed ahead up to the next other key, as far as they come within this turn."""
        text = ""
        while self._keys_left > 0 and (press := self._next()) is not None:
            if not isinstance(press, Key) or not press.text:
                self._pressed.appendleft(press)
                break
            text += press.text
        return text

    async def report(self, until: float) -> CursorReport | None:
        """The next cursor report, with the keys before it kept for `press`; None at time `until`, or with
        `MAX_UNREAD_BYTES` keys before it. Raises LineGone."""
        keys: list[Press] = []
        try:
            while len(keys) < MAX_UNREAD_BYTES:
                press = await self.press(until)
                if press is None and self._clock.time() >= until:
                    break
                if isinstance(press, Key):
                    keys.append(press)
                elif press is not None:
                    return press
        finally:
            self._pressed.extendleft(reversed(keys))
        return None

    async def raw(self) -> bytes:
        """What came and is not yet taken, as bytes; waits for some. Raises LineGone."""
        self._start()
        while not (data := self._taken()):
            if self._gone is not None:
                raise self._gone
            await self._wait(None)
        return data

    def forget(self) -> None:
        """Drop what was typed and not read."""
        self._unread.clear()
        self._pressed.clear()
        self._room.set()
        self.decoder.reset()

    def _taken(self) -> bytes:
        keys = (key for key in self._pressed if isinstance(key, Key))
        data = b"".join(retyped(key, self.decoder.encoding) for key in keys) + self._unread
        self._pressed.clear()
        self._unread.clear()
        self._room.set()
        return data

    def _next(self) -> Press | None:
        if not self._pressed and self._unread:
            pressed, used = self.decoder.first(self._unread, max_steps=self._steps_left)
            self._pressed += pressed
            self._steps_left -= used
            del self._unread[:used]
            self._room.set()
        if not self._pressed:
            return None
        self._keys_left -= 1
        return self._pressed.popleft()

    async def _give_turn(self) -> None:
        """Let the rest of the venue go on, if this turn has done its share."""
        if self._keys_left <= 0 or self._steps_left <= 0 or self._clock.time() >= self._turn_until:
            await asyncio.sleep(0)
            self._begin_turn()

    def _begin_turn(self) -> None:
        self._keys_left, self._steps_left = TURN_KEYS, TURN_STEPS
        self._turn_until = self._clock.time() + TURN_S

    def _start(self) -> None:
        if self._pump is None and self._gone is None:
            self._pump = asyncio.create_task(self._read(), name="caller input")

    async def _wait(self, until: float | None) -> None:
        self._wake.clear()
        timer = None if until is None else self._clock.call_at(until, self._wake.set)
        try:
            await self._wake.wait()
            self._begin_turn()
        finally:
            if timer is not None:
                timer.cancel()

    async def _read(self) -> None:
        try:
            while True:
                data = await self._line.read()
                self._unread += data
                self._came_at = self._clock.time()
                self._wake.set()
                while len(self._unread) >= MAX_UNREAD_BYTES:
                    self._room.clear()
                    await self._room.wait()
        except Exception as gone:
            self._gone = gone
            self._wake.set()
