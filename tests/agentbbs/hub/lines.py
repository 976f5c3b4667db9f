"""A caller in memory: a `Line` with a terminal at its end, which the test types on and looks at.

line = ScriptedLine()                      # an ANSI terminal in CP437; terminal="xterm" is one in UTF-8
caller = await called(line)                # a Caller that has found out what the terminal is
asking = asyncio.create_task(caller.ask("Name: "))
await line.until("Name:")
line.type("alice", "enter")
assert await asking == "alice"
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Final

from agentbbs.calls.line import READ_BYTES, LineGone, Size
from agentbbs.hub.caller import Caller
from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Encoding
from tty_agent.terminal.events import Reply
from tty_agent.terminal.screen import Screen

SOON_S: Final = 5
"""No screen takes nearly as long; a test that waits longer has failed."""

KEYS: Final = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "backspace": "\x7f",
    "delete": "\x1b[3~",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[1~",
    "end": "\x1b[4~",
    "page_up": "\x1b[5~",
    "page_down": "\x1b[6~",
}


class VirtualClock:
    """Stands still until the test advances it."""

    def __init__(self) -> None:
        self._now = 1000.0
        self._timers: list[_Timer] = []

    def time(self) -> float:
        return self._now

    def call_at(self, when: float, callback: Callable[[], object], /) -> _Timer:
        timer = _Timer(when, callback)
        self._timers.append(timer)
        return timer

    async def advance(self, seconds: float) -> None:
        """Ring what is due, and let those who waited go on."""
        self._now += seconds
        for timer in [timer for timer in self._timers if timer.when <= self._now]:
            self._timers.remove(timer)
            timer.ring()
        await settled()


class _Timer:
    def __init__(self, when: float, ring: Callable[[], object]) -> None:
        self.when = when
        self._ring: Callable[[], object] | None = ring

    def cancel(self) -> None:
        self._ring = None

    def ring(self) -> None:
        if self._ring is not None:
            self._ring()


async def settled() -> None:
    """Let every task do what it can."""
    for _ in range(20):
        await asyncio.sleep(0)


class ScriptedLine:
    """`Line`. The terminal answers queries unless `answers` is false: then it is a plain one."""

    def __init__(
        self,
        *,
        terminal: str = "ansi-bbs",
        size: Size | None = None,
        size_known: bool = True,
        answers: bool = True,
        transport: str = "telnet",
        address: str = "127.0.0.1",
        private: bool | None = None,
    ) -> None:
        self.transport = transport
        self.address = address
        self.private = transport == "ssh" if private is None else private
        self.terminal = terminal
        self.size = size or Size()
        self.size_known = size_known
        self.answers = answers
        self.screen = Screen(self.size.columns, self.size.rows, XTERM if terminal.startswith("xterm") else ANSI_BBS)
        self.sent = bytearray()
        """All that was written to the line."""
        self.hung_up = False
        """By the board."""
        self._input = bytearray()
        self._gone: str | None = None
        self._came = asyncio.Event()
        self._wrote = asyncio.Event()
        self._resized: Callable[[Size], None] | None = None

    # What the board does: `Line`.

    def on_resize(self, told: Callable[[Size], None] | None) -> None:
        self._resized = told

    async def read(self) -> bytes:
        while not self._input:
            if self._gone is not None:
                raise LineGone(self._gone)
            self._came.clear()
            await self._came.wait()
        data = bytes(self._input[:READ_BYTES])
        del self._input[:READ_BYTES]
        return data

    def write(self, data: bytes) -> None:
        if self._gone is not None:
            return
        self.sent += data
        for event in self.screen.feed(data):
            if isinstance(event, Reply) and self.answers:
                self.feed(event.data)
        self._wrote.set()

    async def drain(self) -> None:
        if self._gone is not None:
            raise LineGone(self._gone)

    def hang_up(self) -> None:
        self.hung_up = True
        self._end("hung up by the board")

    # What the caller does and sees.

    @property
    def encoding(self) -> Encoding:
        return self.screen.dialect.encoding

    @property
    def text(self) -> str:
        """The screen, its rows joined by LF."""
        return self.screen.text()

    @property
    def gone(self) -> bool:
        return self._gone is not None

    def type(self, text: str, *keys: str) -> None:
        """Type characters, then keys by name (`enter`, `up`, `ctrl-c`)."""
        self.feed(text.encode(self.encoding.value))
        self.press(*keys)

    def press(self, *keys: str) -> None:
        """Keys by name, or characters."""
        for key in keys:
            control = re.fullmatch(r"ctrl-([a-z])", key)
            text = chr(ord(control[1]) - 0x60) if control else KEYS.get(key, key)
            self.feed(text.encode(self.encoding.value))

    def feed(self, data: bytes) -> None:
        """Bytes from the caller's side."""
        self._input += data
        self._came.set()

    def forget(self) -> None:
        """What was typed and not read was never typed."""
        self._input.clear()

    def resize(self, columns: int, rows: int) -> None:
        self.size, self.size_known = Size.told(columns, rows), True
        self.screen.resize(columns, rows)
        if self._resized is not None:
            self._resized(self.size)

    def drop(self) -> None:
        """The caller hangs up."""
        self._end("the caller hung up")

    def mark(self) -> int:
        """Where the output is now, for `since` and `until(…, since=)`."""
        return len(self.sent)

    def since(self, mark: int) -> str:
        """What was written after `mark`, without control sequences."""
        text = bytes(self.sent[mark:]).decode(self.encoding.value, "replace")
        return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)

    async def until(self, text: str, *, since: int | None = None, timeout_s: float = SOON_S) -> str:
        """Wait until `text` stands on the screen, or (with `since`, a mark) was written after it. Gives the screen.
        Blanks at the end of a row don't show on a screen, so they need not be there."""
        seen = text if since is not None else "\n".join(row.rstrip() for row in text.split("\n"))
        try:
            async with asyncio.timeout(timeout_s):
                while seen not in (self.text if since is None else self.since(since)):
                    self._wrote.clear()
                    await self._wrote.wait()
        except TimeoutError:
            raise AssertionError(f"{text!r} did not come; the screen is:\n{self.text}") from None
        return self.text

    async def until_gone(self, *, timeout_s: float = SOON_S) -> None:
        """Wait until the board hangs up."""
        async with asyncio.timeout(timeout_s):
            while self._gone is None:
                self._wrote.clear()
                await self._wrote.wait()

    def _end(self, reason: str) -> None:
        self._gone = self._gone or reason
        self._came.set()
        self._wrote.set()


async def called(line: ScriptedLine, *, clock: VirtualClock | None = None, idle_limit_s: float | None = None) -> Caller:
    """A Caller at `line` that knows its terminal. On a terminal that doesn't answer it doesn't wait, but is plain."""
    caller = Caller(line, clock=clock, idle_limit_s=idle_limit_s)
    if line.answers:
        await caller.detect()
    return caller
