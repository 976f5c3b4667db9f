"""The short questions: one key, yes or no, a pause, a line."""

from __future__ import annotations

from typing import Final

from agentbbs.hub.keys import Key
from agentbbs.hub.line_editor import Edit, LineEditor, View, redraw
from agentbbs.hub.terminal import Prompt, Terminal
from agentbbs.hub.text import Span, Style, Text
from tty_agent.terminal.inert import inert

MIN_ANSWER_COLUMNS: Final = 16
"""Less room beside a prompt, and the answer gets a line of its own."""


class LineField:
    """A `LineEditor` on a terminal, behind what already stands in the cursor's line."""

    def __init__(self, terminal: Terminal, editor: LineEditor) -> None:
        self.editor = editor
        self._terminal = terminal
        self._view = View()
        self._look = terminal.look
        self.prompt = Prompt(terminal.leave_line, self._draw)

    @property
    def room(self) -> int:
        """Cells that the line may take."""
        return max(self._terminal.columns - self._terminal.column, MIN_ANSWER_COLUMNS)

    def refresh(self) -> None:
        """Show what the editor holds now."""
        if self._look != self._terminal.look:  # what stands there may be impossible to write now
            self._terminal.leave_line()
            self._terminal.draw_line()
            self._view = View()
            self._look = self._terminal.look
        view = self.editor.view(self.room, self.shown)
        change = redraw(self._view, view)
        if change:
            self._terminal.control(change)
        self._view = view

    def refresh_after(self, edit: Edit) -> None:
        """Show what the editor holds, if that may differ from what stands there."""
        if edit is Edit.CHANGED or self._look != self._terminal.look:
            self.refresh()

    def shown(self, char: str) -> str:
        """What a character of the line looks like; an LF from elsewhere is an escape too."""
        return char if " " <= char <= "~" else self._terminal.fit(inert(char))

    async def press(self) -> Edit:
        """Wait for a key, give it to the editor with the text that was typed ahead, and show the change."""
        key = await self._terminal.stroke(self.prompt)
        edit = self.editor.insert(key.text + self._terminal.text_ahead()) if key.text else self.editor.press(key)
        self.refresh_after(edit)
        return edit

    def end(self) -> None:
        """Leave the line as it is, and go to the next."""
        self._terminal.write("\n")

    def _draw(self) -> None:
        self._terminal.draw_line()
        self._view = View()
        self.refresh()


async def ask(terminal: Terminal, prompt: Text, *, max_chars: int, mask: bool, initial: str, strip: bool) -> str | None:
    """A line of input; None if the caller cancelled."""
    put_prompt(terminal, prompt)
    field = LineField(terminal, LineEditor(initial, max_chars=max_chars, mask=mask))
    field.refresh()
    edit = Edit.NOTHING
    while edit not in {Edit.DONE, Edit.CANCELLED}:
        edit = await field.press()
    field.end()
    if edit is Edit.CANCELLED:
        return None
    return field.editor.text.strip() if strip else field.editor.text


def put_prompt(terminal: Terminal, prompt: Text) -> None:
    """Show a prompt, wrapped, and leave the cursor behind it with room for an answer."""
    *above, last = terminal.rows(prompt, used=terminal.column)
    terminal.put_rows(above)
    terminal.write(*last)
    if prompt and terminal.columns - terminal.column < MIN_ANSWER_COLUMNS:
        terminal.write("\n")


async def hotkey(terminal: Terminal, choices: str, *, default: str | None) -> str:
    """One of `choices`, in upper case and echoed."""
    known = choices.upper()
    while True:
        key = await terminal.stroke(terminal.line_prompt)
        answer = key.text.upper()
        if key.name == "enter" and default is not None:
            answer = default.upper()
        if answer and answer in known:
            terminal.write(answer, "\n")
            return answer


async def yes_no(terminal: Terminal, prompt: Text, *, default: bool) -> bool:
    """Y, N or Enter."""
    put_prompt(terminal, (prompt, " ", Span("[Y/n]" if default else "[y/N]", Style.KEY), " "))
    while True:
        key = await terminal.stroke(terminal.line_prompt)
        answer = {"enter": default, "y": True, "n": False, "escape": False, "ctrl-c": False}.get(key.name.lower())
        if answer is not None:
            terminal.write("Yes\n" if answer else "No\n")
            return answer


async def pause(terminal: Terminal) -> Key:
    """Any key; the prompt goes away again."""
    terminal.write(Span("[Hit a key]", Style.NOTICE), " ")
    key = await terminal.stroke(terminal.line_prompt)
    terminal.erase_line()
    return key
