"""Bytes to what they do: the loop that everything a program writes goes through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tty_agent.terminal import erasing, modes, movement
from tty_agent.terminal.charset import Decoder, encoded_length
from tty_agent.terminal.events import Event, Music, Reply
from tty_agent.terminal.page import Page
from tty_agent.terminal.parser import CONTROL, CSI, ESCAPE, NEW_LINE, PLAIN_CSI, TEXT, TOKEN, Parser, State, numbers
from tty_agent.terminal.printing import repeat, write, write_narrow
from tty_agent.terminal.queries import answer
from tty_agent.terminal.sgr import CHANGES, change_for, rgb_change

MAX_BLOCK_BYTES: Final = 1 << 16
"""Taken at once, so that the memory in use does not depend on how much is fed in one call."""

MAX_TITLE_CHARS: Final = 256
"""Of a window's title; more is cut."""

Handler = Callable[[Page, tuple[int, ...]], None]


class Interpreter:
    """A page and what has arrived for it. Also the `Sink` of its parser."""

    __slots__ = ("_counted", "_decoder", "_events", "_offset", "_parser", "_start", "_text", "page")

    def __init__(self, page: Page) -> None:
        self.page = page
        self._decoder = Decoder(page.dialect)
        self._parser = Parser(cterm=page.dialect.cterm)
        self._events: list[Event] = []
        self._offset = 0
        self._text = ""
        self._start = 0
        self._counted = (0, 0)

    @property
    def offset(self) -> int:
        """Bytes taken so far."""
        return self._offset

    @property
    def mid_sequence(self) -> bool:
        """A control sequence, a string or a character has arrived in part."""
        return self._parser.state is not State.GROUND or bool(self._decoder.rest)

    def feed(self, data: bytes) -> Sequence[Event]:
        """Do what `data` says; return what came of it beside the picture."""
        if len(data) <= MAX_BLOCK_BYTES:
            self._take(data)
        else:
            for start in range(0, len(data), MAX_BLOCK_BYTES):
                self._take(data[start : start + MAX_BLOCK_BYTES])
        if not self._events:
            return ()
        events, self._events = self._events, []
        return events

    def _take(self, data: bytes) -> None:
        self._start = self._offset - len(self._decoder.rest)
        self._counted = (0, 0)
        text = self._text = self._decoder.decode(data)
        self._offset += len(data)
        parser, at, end = self._parser, 0, len(text)
        while at < end:
            at = self._run(text, at) if parser.state is State.GROUND else parser.resume(text, at, self)
        self._text = ""

    def _run(self, text: str, at: int) -> int:  # noqa: C901, PLR0912 - a call a branch costs a third of its speed
        """Read from `at` on while everything is whole; return where it is not.

        This is where the time of a terminal goes: what is common is done in place, by slices and without a call.
        """
        page, narrow = self.page, self._decoder.one_byte
        columns = page.columns
        for token in TOKEN.finditer(text, at):
            kind = token.lastindex
            if kind == TEXT:
                run = token[1]
                if page.simple and (narrow or run.isascii()):
                    start = page.column
                    stop = start + len(run)
                    if stop < columns:
                        row = page.lines[page.row]
                        if row.shared:
                            row = page.own(page.row)
                        row.characters[start:stop] = run
                        row.attributes[start:stop] = [page.attributes] * (stop - start)
                        row.text = None
                        page.column = stop
                        page.last_text = run
                    else:
                        write_narrow(page, run)
                elif narrow:
                    write_narrow(page, run)
                else:
                    write(page, run)
            elif kind == PLAIN_CSI:
                parameters, final = token.group(2, 3)
                if final == "m":
                    keep, put = CHANGES.get(parameters) or change_for(parameters)
                    page.attributes = page.attributes & keep | put
                elif (handler := PLAIN.get(final)) is not None:
                    handler(page, numbers(parameters))
                else:
                    self._ask("", numbers(parameters), "", final, token.end())
            elif kind == NEW_LINE:
                page.column = 0
                page.line_feed()
            elif kind == CONTROL:
                self.control(token[9], token.end())
            elif kind == ESCAPE:
                self.escape(*token.group(10, 11))
            elif kind == CSI:
                self.csi(token[4], token[5], token[6], token[7], token.end())
                if self._parser.state is not State.GROUND:
                    return token.end()
            else:
                self._parser.begin()
                return token.end()
        return len(text)

    def control(self, char: str, at: int) -> None:  # noqa: ARG002 - one shape for all of a sink
        """A C0 control character, or DEL."""
        act = CONTROLS.get(char)
        if act is not None:
            act(self.page)

    def escape(self, intermediates: str, final: str) -> None:
        """ESC and its final character."""
        if not intermediates:
            act = ESCAPES.get(final)
            if act is not None:
                act(self.page)
        elif intermediates in {"(", ")"}:
            modes.designate(self.page, intermediates, final)
        elif intermediates == "#" and final == "8":
            _fill_with_e(self.page)

    def csi(self, private: str, parameters: str, intermediates: str, final: str, at: int) -> None:
        """Any control sequence."""
        page = self.page
        if private or intermediates:
            handler = MARKED.get(private + intermediates + final)
        elif final == "m":
            keep, put = change_for(parameters)
            page.attributes = page.attributes & keep | put
            return
        elif modes.begins_tune(page, final, parameters):
            self._parser.begin_tune()
            return
        else:
            handler = PLAIN.get(final)
        if handler is not None:
            handler(page, numbers(parameters))
        else:
            self._ask(private, numbers(parameters), intermediates, final, at)

    def string(self, kind: str, content: str) -> None:
        """A control string: of them all a screen heeds the title."""
        if kind == "]":
            command, _, value = content.partition(";")
            if command in {"0", "2"}:
                shown = value[:MAX_TITLE_CHARS].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
                self.page.title = shown.replace("\r", " ").replace("\n", " ")

    def tune(self, content: str, at: int) -> None:
        """ANSI music."""
        self._events.append(Music(self._bytes_until(at), content))

    def _ask(self, private: str, parameters: tuple[int, ...], intermediates: str, final: str, at: int) -> None:
        if final == "t" and len(parameters) == 4 and not private and self.page.dialect.cterm:
            keep, put = rgb_change(*parameters)
            self.page.attributes = self.page.attributes & keep | put
            return
        reply = answer(self.page, private, parameters, intermediates, final)
        if reply is not None:
            self._events.append(Reply(self._bytes_until(at), reply))

    def _bytes_until(self, at: int) -> int:
        """The offset in the stream of index `at` of the text in work."""
        if self._decoder.one_byte:
            return self._start + at
        index, counted = self._counted  # no character is counted twice
        counted += encoded_length(self._text[index:at])
        self._counted = (at, counted)
        return self._start + counted


def _line_feed(page: Page) -> None:
    page.line_feed()
    if page.new_line:
        page.column = 0


def _next_line(page: Page) -> None:
    page.line_feed()
    page.column = 0


def _form_feed(page: Page) -> None:
    if page.dialect.form_feed_clears:
        erasing.erase_display(page, (2,))
        page.home()
    else:
        _line_feed(page)


def _bell(page: Page) -> None:
    page.bells += 1


def _fill_with_e(page: Page) -> None:
    """DECALN."""
    page.set_rows(0, page.rows, page.row_of("E", 0))
    page.top, page.bottom = 0, page.rows - 1
    page.move(0, 0)


def _place_saved(page: Page) -> None:
    movement.save_cursor(page, ())


def _place_restored(page: Page) -> None:
    movement.restore_cursor(page, ())


CONTROLS: Final[dict[str, Callable[[Page], None]]] = {
    "\x07": _bell,
    "\x08": movement.backspace,
    "\x09": movement.tabulate,
    "\x0a": _line_feed,
    "\x0b": _line_feed,
    "\x0c": _form_feed,
    "\x0d": movement.carriage_return,
    "\x0e": lambda page: modes.shift(page, 1),
    "\x0f": lambda page: modes.shift(page, 0),
}

ESCAPES: Final[dict[str, Callable[[Page], None]]] = {
    "7": _place_saved,
    "8": _place_restored,
    "D": Page.line_feed,
    "E": _next_line,
    "H": movement.set_tab,
    "M": movement.reverse_line_feed,
    "c": Page.reset,
}

PLAIN: Final[dict[str, Handler]] = {
    "@": erasing.insert_characters,
    "A": movement.cursor_up,
    "B": movement.cursor_down,
    "C": movement.cursor_forward,
    "D": movement.cursor_back,
    "E": movement.next_line,
    "F": movement.previous_line,
    "G": movement.column_absolute,
    "H": movement.cursor_position,
    "I": movement.tab_forward,
    "J": erasing.erase_display,
    "K": erasing.erase_line,
    "L": erasing.insert_lines,
    "M": erasing.delete_lines,
    "P": erasing.delete_characters,
    "S": erasing.scroll_up,
    "T": erasing.scroll_down,
    "X": erasing.erase_characters,
    "Y": movement.tab_forward,
    "Z": movement.tab_back,
    "`": movement.column_absolute,
    "a": movement.cursor_forward,
    "b": lambda page, parameters: repeat(page, parameters[0] or 1),
    "d": movement.row_absolute,
    "e": movement.cursor_down,
    "f": movement.cursor_position,
    "g": movement.clear_tabs,
    "h": modes.set_modes,
    "j": movement.cursor_back,
    "k": movement.cursor_up,
    "l": modes.reset_modes,
    "r": movement.margins,
    "s": movement.save_cursor,
    "u": movement.restore_cursor,
}
"""Control sequences without a private mark or intermediates, by final character. Those of `queries` follow."""

MARKED: Final[dict[str, Handler]] = {
    "?h": modes.set_private_modes,
    "?l": modes.reset_private_modes,
    "=h": modes.set_cterm_modes,
    "=l": modes.reset_cterm_modes,
    "=M": modes.set_music,
    "!p": modes.soft_reset,
    " @": erasing.scroll_left,
    " A": erasing.scroll_right,
    " d": movement.remove_tab,
}
"""The others, by private mark, intermediates and final."""
