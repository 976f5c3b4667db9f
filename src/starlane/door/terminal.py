"""The console of a caller: prompts, fields and pages over a line. It keeps the rules of `door.console`."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from starlane.door.console import TimeUp
from starlane.door.fields import After, Field
from starlane.door.keys import ESCAPE_WAIT_S, Key, KeyDecoder, Press
from starlane.door.paint import BELL, NEW_LINE, Painter, width_of
from starlane.door.styles import Line, Span, Style
from starlane.door.wire import COMMON_SIZE, LARGEST, SMALLEST, Size, Wire
from starlane.inert import inert

IDLE_S: Final = 1.0
"""Between two looks for notices: soon enough to read of an attack while it goes on, little work for many callers."""
WARNING_S: Final = 60.0
"""Before the end of the caller's time a notice says so: enough to finish a bargain and land."""
MAX_NUMBER_CHARS: Final = 16
"""Of a typed number: all amounts have ten digits at most, with commas thirteen."""
MAX_DRAINS: Final = 64
"""Reads of what was typed too early, so that a flood of bytes can't keep a prompt from being shown."""

_MORE: Final = Span(Style.PROMPT, "[More] ")
_PAUSE: Final = Span(Style.PROMPT, "[Hit a key] ")
_OF_NUMBERS: Final = frozenset("0123456789,- ")
_NUMBER_HINT: Final = Span(Style.FAINT, "A number goes here, then Enter; Backspace takes keys back.")
_WARNING: Final = Span(Style.NOTICE, "Your time on this board ends in less than a minute.")


def _no_notices() -> Sequence[Line]:
    return ()


class Terminal:
    """A `Console` over a line. `fixed` is the size whatever the line says, `otherwise` the one where it says nothing;
    `seconds` is the time that the caller has from now on by `clock`, None without a limit."""

    def __init__(
        self,
        wire: Wire,
        painter: Painter,
        *,
        fixed: Size | None = None,
        otherwise: Size = COMMON_SIZE,
        seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.idle: Callable[[], Sequence[Line]] = _no_notices
        self._wire: Final = wire
        self._painter: Final = painter
        self._fixed: Final = fixed
        self._otherwise: Final = otherwise
        self._clock: Final = clock
        self._ends_at: Final = None if seconds is None else clock() + seconds
        self._decoder: Final = KeyDecoder(painter.encoding)
        self._keys: deque[Key] = deque()
        self._held: list[Line] = []
        """Notices that came just when something was typed."""
        self._prompt: Line = ""
        """The one that was shown last."""
        self._column = 0
        """Where the cursor is; not 0 while a prompt is open."""
        self._row = 0
        """Rows shown since the caller last pressed a key."""
        self._enter_owed = False
        """A hotkey was the last key: on a pipe one Enter more belongs to it."""
        self._warned = False
        self._over = False

    @property
    def columns(self) -> int:
        """See `Console`."""
        return min(max(self._size().columns, SMALLEST.columns), LARGEST.columns)

    @property
    def rows(self) -> int:
        """See `Console`."""
        return min(max(self._size().rows, SMALLEST.rows), LARGEST.rows)

    def show(self, *lines: Line) -> None:
        """See `Console`. The rows since the last key count, whoever showed them."""
        shown = self._fresh_row()
        for line in lines:
            for row in self._painter.rows(line, self._width):
                if self._row >= self.rows - 1 and not self._over:
                    self._wire.write(shown)
                    shown = b""
                    if not self._goes_on():
                        return
                shown += self._painter.row(row) + NEW_LINE
                self._row += 1
        self._wire.write(shown)

    def clear(self) -> None:
        """See `Console`."""
        self._wire.write(self._fresh_row() + self._painter.blank())
        self._row = 0

    def key(self, prompt: Line, keys: Sequence[str], *, default: str = "") -> str:
        """See `Console`."""
        wanted = {key.upper() for key in keys}
        while True:
            self._open(prompt)
            pressed = self._stroke()
            answer = _hotkey(pressed, wanted, default)
            if answer is not None:
                return self._answered(pressed, answer)
            self._refuse(pressed, keys, default)

    def command(self, prompt: Line, keys: Sequence[str]) -> str | int:
        """See `Console`. A number whose digits are all taken back makes way for a hotkey again."""
        wanted = {key.upper() for key in keys}
        while True:
            self._open(prompt)
            pressed = self._stroke()
            while _is_digit(pressed):
                typed = self._line(prompt, MAX_NUMBER_CHARS, first=pressed, digits=True)
                if typed:
                    number = _whole(typed)
                    if number is not None:
                        return number
                    self.show("That is no whole number.")
                    self._open(prompt)
                pressed = self._stroke()
            answer = _hotkey(pressed, wanted, "")
            if answer is not None:
                return self._answered(pressed, answer)
            self._refuse(pressed, keys, "", number=True)

    def number(self, prompt: str, low: int, high: int, default: int | None = None) -> int | None:
        """See `Console`. Thousands may be parted by commas."""
        shown = (Span(Style.PROMPT, prompt), f" ({low}-{high}){'' if default is None else f' [{default}]'}? ")
        while True:
            self._open(shown)
            typed = self._line(shown, MAX_NUMBER_CHARS, digits=True)
            if not typed.strip():
                return default
            number = _whole(typed)
            if number is not None and low <= number <= high:
                return number
            enter = "Enter alone for none" if default is None else f"Enter alone for {default}"
            self.show(f"Please type a whole number from {low} to {high}; {enter}.")

    def text(self, prompt: str, max_chars: int, *, default: str = "") -> str:
        """See `Console`."""
        limit = f" (up to {max_chars} characters)"
        shown = (Span(Style.PROMPT, prompt), f"{limit}{f' [{inert(default)}]' if default else ''}: ")
        self._open(shown)
        return inert(self._line(shown, max_chars).strip()) or default

    def confirm(self, prompt: str, *, default: bool = False) -> bool:
        """See `Console`."""
        usual = "Y" if default else "N"
        return self.key((Span(Style.PROMPT, prompt), f" (Y/N) [{usual}]? "), "YN", default=usual) == "Y"

    def pause(self) -> None:
        """See `Console`."""
        self._open(_PAUSE)
        self._answered(self._stroke(), "")

    def close(self) -> None:
        """Leave the caller's terminal as it should be found. Raises HungUp."""
        self._wire.write(self._fresh_row())

    # The screen

    @property
    def _width(self) -> int:
        """Columns of a row: one is left free, for terminals differ in what they do after the last."""
        return self.columns - 1

    def _size(self) -> Size:
        return self._fixed or self._wire.size() or self._otherwise

    def _fresh_row(self) -> bytes:
        """What ends the row of an open prompt."""
        if not self._column:
            return b""
        self._column = 0
        self._row += 1
        return NEW_LINE

    def _prompted(self, prompt: Line) -> bytes:
        """The prompt as it is shown, the cursor behind it."""
        rows = self._painter.rows(prompt, self._width)
        self._column = width_of(rows[-1])
        return NEW_LINE.join(map(self._painter.row, rows))

    def _goes_on(self) -> bool:
        """Stop at the end of a page; whether the caller wants the next."""
        self._drain()
        self._wire.write(self._prompted(_MORE))
        pressed = self._stroke(typing=True)
        self._enter_owed = pressed is not Press.ENTER
        self._wire.write(self._painter.wiped())
        self._column = 0
        return pressed not in {"q", "Q", Press.CANCEL}

    # Prompts

    def _open(self, prompt: Line) -> None:
        """Show a prompt. What was typed before is no answer to it; notices come first."""
        notices = self._notices()
        self.show(*notices)
        self._drain()
        self._prompt = prompt
        self._wire.write(self._prompted(prompt))

    def _drain(self) -> None:
        """Drop what was typed too early."""
        if not self._wire.interactive:
            return
        for _ in range(MAX_DRAINS):
            data = self._wire.read(0)
            if not data:
                break
            self._decoder.feed(data)
        self._decoder.settle()
        self._keys.clear()

    def _answered(self, pressed: Key, answer: str) -> str:
        self._enter_owed = pressed is not Press.ENTER
        self._wire.write(self._painter.encoded(answer) + NEW_LINE)
        self._column = 0
        return answer

    def _refuse(self, pressed: Key, keys: Sequence[str], default: str, *, number: bool = False) -> None:
        """Say what can be pressed."""
        self._enter_owed = pressed is not Press.ENTER
        possible = " ".join(key.upper() for key in keys)
        enter = f", Enter for {default.upper()}" if default else ""
        self.show(Span(Style.FAINT, f"Keys here: {possible}{enter}{', or a number and Enter' if number else ''}"))

    def _line(self, prompt: Line, max_chars: int, *, first: Key | None = None, digits: bool = False) -> str:
        """What is typed into a field behind the open prompt, up to Enter. With the `first` key of it, nothing as soon
        as all is taken back, the prompt still open. A field for `digits` says so, once, to whoever types others."""
        field = Field(max_chars, start=self._column, width=self._width)
        key = first
        while True:
            pressed = key if key is not None else self._stroke(typing=bool(field.text))
            key = None
            edit = field.press(pressed)
            strange = edit.after is After.SHOWN and not _OF_NUMBERS.issuperset(field.text)
            if digits and strange and not self._keys:  # what comes in one piece is judged at its Enter
                digits = False
                hint = self._painter.row(self._painter.rows(_NUMBER_HINT, self._width)[0])
                again = self._prompted(prompt) + self._painter.encoded(field.shown())
                self._wire.write(self._painter.encoded(edit.echo) + NEW_LINE + hint + NEW_LINE + again)
                continue
            if edit.after is After.DONE:
                self._wire.write(NEW_LINE)
                self._column = 0
                return field.text
            if edit.after is After.REFUSED:
                self._wire.write(BELL)
            elif edit.after is After.ANEW:
                self._wire.write(NEW_LINE + self._prompted(prompt) + self._painter.encoded(field.shown()))
            else:
                self._wire.write(self._painter.encoded(edit.echo))
            if first is not None and not field.text:
                return ""

    # Keys, time and notices

    def _stroke(self, *, typing: bool = False) -> Key:
        """The next key. Notices appear above the prompt while it is waited for, unless `typing` has begun."""
        while True:
            while self._keys:
                key = self._keys.popleft()
                owed, self._enter_owed = self._enter_owed, False
                if owed and key is Press.ENTER and not self._wire.interactive:
                    continue
                self._row = 0
                return key
            data = self._wire.read(self._patience(typing=typing))
            if data:
                self._keys.extend(self._decoder.feed(data))
            elif self._decoder.unsettled:
                self._keys.extend(self._decoder.settle())
            elif not typing:
                self._interject()

    def _patience(self, *, typing: bool) -> float | None:
        """Seconds to wait for a key before there is something else to do. Raises TimeUp."""
        waits = [] if typing else [IDLE_S]
        if self._decoder.unsettled:
            waits.append(ESCAPE_WAIT_S)
        if self._ends_at is not None:
            left = self._ends_at - self._clock()
            if left <= 0:
                self._over = True
                raise TimeUp
            waits.append(left)
        return min(waits, default=None)

    def _notices(self) -> list[Line]:
        notices = [*self._held, *self.idle()]
        self._held = []
        if self._ends_at is not None and not self._warned and self._ends_at - self._clock() <= WARNING_S:
            self._warned = True
            notices.append(_WARNING)
        return notices

    def _interject(self) -> None:
        """Show what is new above the prompt, and the prompt again, unless a key has come meanwhile."""
        notices = self._notices()
        if not notices:
            return
        self._keys.extend(self._decoder.feed(self._wire.read(0)))
        if self._keys:
            self._held = notices
            return
        rows = [row for notice in notices for row in self._painter.rows(notice, self._width)]
        shown = b"".join(self._painter.row(row) + NEW_LINE for row in rows)
        self._wire.write(self._painter.wiped() + shown + self._prompted(self._prompt))


def _hotkey(pressed: Key, wanted: set[str], default: str) -> str | None:
    """What a key answers where only `wanted` can be pressed; None for nothing."""
    if pressed is Press.ENTER:
        return default.upper()
    if isinstance(pressed, Press):
        return None
    return pressed.upper() if pressed.upper() in wanted else None


def _is_digit(pressed: Key) -> bool:
    return isinstance(pressed, str) and pressed.isascii() and pressed.isdigit()


def _whole(typed: str) -> int | None:
    """The whole number that was typed, commas between thousands or not; None if it is none."""
    digits = typed.strip()
    first, *rest = digits.removeprefix("-").split(",")
    if not all(len(part) == 3 for part in rest) or not all(_is_digit(part) for part in (first, *rest)):
        return None
    return int(digits.replace(",", ""))
