"""The ground of a caller's terminal: text out, keys in, notices between, and the watch over idleness."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Final

import msgspec

from agentbbs.calls.line import Line, LineGone, Size
from agentbbs.hub.idle import Idle
from agentbbs.hub.keyboard import Clock, Keyboard
from agentbbs.hub.keys import CursorReport, Key
from agentbbs.hub.paint import Look, fit, fitted, painted
from agentbbs.hub.probe import DUMB, FIRST_ANSWER_S, PROBE_S, Probe, told_encoding
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.wrapping import Row, row_width, wrap
from tty_agent.terminal.dialect import Encoding

MAX_NOTICES: Final = 50
"""That wait for a caller who is at no prompt: two screens full. The oldest go first; how many did is told."""

LATE_ANSWER_S: Final = 10.0
"""After the probe is given up, so long a lone ESC may be the first byte of an answer: more than any network takes."""

IDLE_QUESTION: Final = "Are you really there? Press a key. "
IDLE_GOODBYE: Final = "You have been inactive too long. Good-bye."


class Prompt(msgspec.Struct, frozen=True):
    """What is on the screen while a key is waited for."""

    leave: Callable[[], None]
    """Takes it away, and the cursor to an empty line."""
    draw: Callable[[], None]
    """Brings it back."""


class Raw(msgspec.Struct, frozen=True):
    """A line without a terminal over it."""

    read: Callable[[], Awaitable[bytes]]
    """The next input. Raises LineGone."""
    write: Callable[[bytes], None]
    """Queue output."""
    drain: Callable[[], Awaitable[None]]
    """Wait until little waits to be sent. Raises LineGone."""


class Terminal:
    """See `Caller`, which is a `Terminal` with the house's ways to ask."""

    def __init__(self, line: Line, *, clock: Clock | None = None, idle_limit_s: float | None = None) -> None:
        self.line: Final = line
        self.size = line.size
        """Of the screen, as it is now."""
        self._clock: Clock = asyncio.get_running_loop() if clock is None else clock
        told = told_encoding(line.terminal)
        self._look = Look(encoding=told or Encoding.UTF_8, seven_bit=told is None)
        self._keyboard = Keyboard(line, self._look.encoding, self._clock)
        self._idle = Idle(idle_limit_s, self._clock.time())
        self._probe: Probe | None = None
        self._probe_until = 0.0
        self._current: list[Span] = []
        self._notices: deque[tuple[Text, ...]] = deque()
        self._lost_notices = 0
        self._nudged = False
        self._rows_since_key = 0
        self.line_prompt: Final = Prompt(self.leave_line, self.draw_line)
        """The prompt that stands in the cursor's line, as `write` made it."""
        line.on_resize(self._resized)

    @property
    def look(self) -> Look:
        """What the terminal can show, as far as is known."""
        return self._look

    @property
    def ansi(self) -> bool:
        """Whether the terminal knows ANSI: it answered, or somebody set it."""
        return self._look.ansi

    @ansi.setter
    def ansi(self, ansi: bool) -> None:
        self._look = msgspec.structs.replace(self._look, ansi=ansi)

    @property
    def encoding(self) -> Encoding:
        """Of characters both ways. While nothing is known, ASCII is written."""
        return self._look.encoding

    @encoding.setter
    def encoding(self, encoding: Encoding) -> None:
        self._look = msgspec.structs.replace(self._look, encoding=encoding, seven_bit=False)
        self._keyboard.decoder.encoding = encoding

    @property
    def idle_limit_s(self) -> float | None:
        """Of stillness, after which the line is hung up; warned at three quarters. None: never."""
        return self._idle.limit_s

    @idle_limit_s.setter
    def idle_limit_s(self, limit_s: float | None) -> None:
        self._idle.limit_s = limit_s
        self._keyboard.ring()

    async def detect(self) -> None:
        """Find out what the terminal is (`probe.py`); call it once, before the first prompt. Returns when all is
        answered, or `FIRST_ANSWER_S` without any answer: what comes until `PROBE_S` still counts. Raises LineGone."""
        if self.line.terminal in DUMB:
            return
        self._probe = Probe(size_known=self.line.size_known)
        self._keyboard.decoder.reports_due += self._probe.due
        now = self._clock.time()
        self._probe_until = now + PROBE_S
        self.line.write(self._probe.question)
        until = now + FIRST_ANSWER_S
        while self._probe.due:
            report = await self._keyboard.report(until)
            if report is None:
                break
            self._reported(report)
            until = self._probe_until
        told = told_encoding(self.line.terminal)
        if told is not None and self._probe.encoding is None:
            self.encoding = told

    def write(self, *texts: Text) -> None:
        """Show text from where the cursor is. Never waits."""
        self._put(fitted(texts, self._look))

    def say(self, *texts: Text) -> None:
        """Show text, wrapped at words to the screen's width, and end the line."""
        self.put_rows(self.rows(*texts, used=self.column))

    def rows(self, *texts: Text, used: int = 0) -> list[Row]:
        """Text in rows that the screen has room for; `used` cells of the first are taken."""
        return wrap(fitted(texts, self._look), self.columns, first=max(self.columns - used, 0))

    def put_rows(self, rows: Iterable[Row]) -> None:
        """Show what `rows` gave, each with a line end."""
        self._put([piece for row in rows for piece in (*row, Span("\n"))])

    def fit(self, text: str) -> str:
        """`text` as it will show: inert but for LF, in characters that the terminal has."""
        return fit(text, self._look)

    def control(self, text: str) -> None:
        """Send what the house itself made: fitted text with BS, CR, BEL, and ESC if the terminal knows ANSI."""
        self.line.write(text.encode(self._look.encoding.value))

    @property
    def columns(self) -> int:
        """What a row of text may take: one less than the screen, so that no terminal wraps by itself."""
        return self.size.columns - 1

    @property
    def column(self) -> int:
        """Cells that are written since the last line end."""
        return row_width(self._current)

    @property
    def page_full(self) -> bool:
        """Since the last key so much was shown that another row would push some of it off the screen."""
        return self._rows_since_key >= self.size.rows - 1

    def leave_line(self) -> None:
        """Empty the line that the cursor is in."""
        if self.column > self.columns:  # it wrapped: what is above can't be reached
            self.control("\r\n")
        self.control("\r\x1b[K" if self.ansi else "\r" + " " * self.columns + "\r")

    def draw_line(self) -> None:
        """Bring back what stood in it."""
        self.line.write(painted(fitted(tuple(self._current), self._look), self._look))

    def erase_line(self) -> None:
        """Empty the line for good, as after a pause."""
        self.leave_line()
        self.forget_line()

    def clear(self) -> None:
        """An empty screen and the cursor at its top; a few empty lines on a plain terminal."""
        self.line.write(b"\x1b[0m\x1b[2J\x1b[H" if self.ansi else b"\r\n\r\n")
        self._current.clear()
        self._rows_since_key = 0

    async def flush(self) -> None:
        """Wait until nearly everything is sent. Raises LineGone."""
        await self.line.drain()

    async def key(self, timeout_s: float | None = None, *, notices: bool = False) -> Key | None:
        """The next key; None after `timeout_s`, or if somebody nudged. Notices wait meanwhile, unless `notices`: then
        the line that the cursor is in is taken away for them and shown again. Raises LineGone."""
        await self.line.drain()
        until = None if timeout_s is None else self._clock.time() + timeout_s
        prompt = self.line_prompt if notices else None
        while True:
            key = await self._look_up(prompt, self._clock.time() if self._nudged else until)
            if key is not None:
                return key
            if self._nudged or (until is not None and self._clock.time() >= until):
                self._nudged = False
                return None

    async def stroke(self, prompt: Prompt) -> Key:
        """The next key, while `prompt` is on the screen: notices are shown above it. Raises LineGone."""
        await self.line.drain()
        while (key := await self._look_up(prompt, None)) is None:
            pass
        return key

    def text_ahead(self) -> str:
        """Characters that were typed ahead behind the last key, to be taken with it and shown at once; the rest of
        them comes by `stroke`."""
        return self._keyboard.text_ahead()

    def nudge(self) -> None:
        """Let the `key` that waits, or else the next one, return None: something else happened. From the same loop."""
        self._nudged = True
        self._keyboard.ring()

    def post(self, *texts: Text) -> None:
        """A notice from elsewhere: it is shown, with a line end, above the prompt that waits or the next one."""
        if len(self._notices) == MAX_NOTICES:
            self._notices.popleft()
            self._lost_notices += 1
        self._notices.append(texts)
        self._keyboard.ring()

    @asynccontextmanager
    async def raw(self) -> AsyncIterator[Raw]:
        """The line's bytes, for a door: what was typed ahead first. Prompts, notices and the idle watch rest."""
        await self.line.drain()
        try:
            yield Raw(self._keyboard.raw, self.line.write, self.line.drain)
        finally:
            self._keyboard.decoder.reset()
            self._idle.pressed(self._clock.time())
            self._current.clear()
            self._rows_since_key = 0

    def forget_typed(self) -> None:
        """Drop what was typed ahead."""
        self._keyboard.forget()

    def close(self) -> None:
        """The visit is over: read no more. The line stays; hang it up yourself."""
        self.line.on_resize(None)
        self._keyboard.close()

    def forget_line(self) -> None:
        """The cursor was moved to an empty line, or to the left edge of one that is drawn otherwise."""
        self._current.clear()

    def _put(self, pieces: Iterable[Span]) -> None:
        pieces = list(pieces)
        self.line.write(painted(pieces, self._look))
        for piece in pieces:
            *ended, rest = piece.text.split("\n")
            if ended:
                self._rows_since_key += len(ended)
                self._current.clear()
            if rest:
                self._current.append(Span(rest, piece.style))

    async def _look_up(self, prompt: Prompt | None, until: float | None) -> Key | None:
        """One wait for a key; None if anything else came."""
        if prompt is not None and self._notices and not self._idle.warned:
            self._show_notices(prompt)
        self._watch_idle(prompt)
        self._close_probe()
        times = (until, self._idle.next_at)
        press = await self._keyboard.press(min((at for at in times if at is not None), default=None))
        if isinstance(press, Key):
            self._rows_since_key = 0
            if self._idle.pressed(self._clock.time()):
                return press
            self._answered(prompt)
        elif press is not None:
            self._reported(press)
        return None

    def _show_notices(self, prompt: Prompt) -> None:
        prompt.leave()
        current, self._current = self._current, []
        if self._lost_notices:
            self.say(Span(f"({self._lost_notices} earlier notices were too many to keep)", Style.DIM))
            self._lost_notices = 0
        while self._notices:
            self.say(*self._notices.popleft())
        self._current = current
        prompt.draw()

    def _watch_idle(self, prompt: Prompt | None) -> None:
        now = self._clock.time()
        if self._idle.over(now):
            self.control("\r\n")
            self._current.clear()
            self.say(Span(IDLE_GOODBYE, Style.BAD))
            self.line.hang_up()
            raise LineGone("hung up: the caller was inactive too long")
        if self._idle.to_warn(now):
            self._idle.warned = True
            if prompt is not None:
                prompt.leave()
                self.line.write(painted([Span(IDLE_QUESTION, Style.NOTICE)], self._look))
            else:
                self._on_foot(IDLE_QUESTION)
            self.control("\x07")

    def _answered(self, prompt: Prompt | None) -> None:
        """The key that says that the caller is there has come."""
        if prompt is not None:
            self.leave_line()
            prompt.draw()
        else:
            self._on_foot("")

    def _on_foot(self, text: str) -> None:
        """Show a text in the last row of a screen that somebody else draws."""
        if self.ansi:
            self.control(f"\x1b[s\x1b[{self.size.rows};1H\x1b[K{text}\x1b[u")
        else:
            self.control(f"\r\n{text}")

    def _reported(self, report: CursorReport) -> None:
        """An answer to the probe; one that is late, or that nobody asked for, is dropped."""
        probe = self._probe
        if probe is None or not probe.due or self._clock.time() > self._probe_until:
            return
        probe.report(report)
        self.ansi = True
        if probe.size is not None and not self.line.size_known:
            self.size = probe.size
        if probe.encoding is not None:
            self.encoding = probe.encoding

    def _close_probe(self) -> None:
        """Answers that are so late come no more: an ESC need not be suspected of being one."""
        if self._probe is not None and self._clock.time() > self._probe_until + LATE_ANSWER_S:
            self._probe = None
            self._keyboard.decoder.reports_due = 0

    def _resized(self, size: Size) -> None:
        self.size = size
