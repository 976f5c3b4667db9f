"""Dialogues as tests: a script of what is shown, what is asked, and what the caller answers.

A line with a `|` is a prompt and its answer: `Command (?=Help)? |M`. It must be the very next prompt. Any other line
must have been shown since the prompt before it, in the order of the script; lines that are not in the script don't
matter. `…` stands for anything. When the script ends, the caller hangs up at the next prompt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress

from starlane.door.console import HungUp
from starlane.door.dialogues.cockpit import Cockpit
from starlane.door.styles import Line, Span
from starlane.orders import Actor
from starlane.universe.universe import Universe


class ScriptedConsole:
    """A `Console` whose caller follows a script."""

    columns = 80
    rows = 24

    def __init__(self, script: str) -> None:
        self.idle: Callable[[], Sequence[Line]] = tuple
        self.shown: list[str] = []
        """Everything, prompts with their answers among it."""
        self._steps = [line.strip() for line in script.strip().splitlines()]
        self._since: list[str] = []

    def show(self, *lines: Line) -> None:
        texts = [plain(line) for line in lines]
        self.shown += texts
        self._since += texts

    def clear(self) -> None:
        self.show("")

    def key(self, prompt: Line, keys: Sequence[str], *, default: str = "") -> str:
        answer = self._answer(plain(prompt)).upper()
        assert answer in {*keys, ""}, f"{answer} is none of {keys}"
        return answer or default

    def command(self, prompt: Line, keys: Sequence[str]) -> str | int:
        answer = self._answer(plain(prompt)).upper()
        if answer.isdigit():
            return int(answer)
        assert answer in {*keys, ""}, f"{answer} is none of {keys}"
        return answer

    def number(self, prompt: str, low: int, high: int, default: int | None = None) -> int | None:
        shown = "" if default is None else f" [{default}]"
        answer = self._answer(f"{prompt} ({low}-{high}){shown}?")
        if not answer:
            return default
        assert low <= int(answer) <= high
        return int(answer)

    def text(self, prompt: str, max_chars: int, *, default: str = "") -> str:
        shown = f" [{default}]" if default else ""
        return self._answer(f"{prompt}{shown}:")[:max_chars] or default

    def confirm(self, prompt: str, *, default: bool = False) -> bool:
        return self.key(f"{prompt} (Y/N) [{'Y' if default else 'N'}]? ", ["Y", "N"], default="NY"[default]) == "Y"

    def pause(self) -> None:
        self._answer("[Hit a key]")

    def finish(self) -> None:
        """The dialogue is over: so must be the script."""
        while self._steps:
            assert "|" not in self._steps[0], f"never asked: {self._steps[0]}\n{self._seen()}"
            self._expect(self._steps.pop(0))

    def _answer(self, prompt: str) -> str:
        self.show(*self.idle())
        while self._steps and "|" not in self._steps[0]:
            self._expect(self._steps.pop(0))
        if not self._steps:
            raise HungUp
        expected, _, answer = self._steps.pop(0).rpartition("|")
        assert _fits(prompt, expected), f"asked: {prompt}\nexpected: {expected}\n{self._seen()}"
        self.shown.append(f"{prompt.strip()} {answer}")
        self._since = []
        return answer

    def _expect(self, line: str) -> None:
        assert any(_fits(shown, line) for shown in self._since), f"not shown: {line}\n{self._seen()}"
        while not _fits(self._since.pop(0), line):
            pass

    def _seen(self) -> str:
        return "\n".join(["the dialogue:", *self.shown])


def _fits(shown: str, expected: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in expected.strip().split("…"))
    return re.fullmatch(pattern, shown.strip()) is not None


def plain(line: Line) -> str:
    """The text of a line."""
    parts = (line,) if isinstance(line, str | Span) else line
    return "".join(part if isinstance(part, str) else part.text for part in parts)


def plain_all(lines: Sequence[Line]) -> list[str]:
    """The text of each line."""
    return [plain(line).rstrip() for line in lines]


def converse(universe: Universe, who: Actor, dialogue: Callable[[Cockpit], object], script: str) -> list[str]:
    """Let `who` go through a dialogue by the script. What was shown; a script that hangs up ends it, too."""
    console = ScriptedConsole(script)
    cockpit = Cockpit(console, universe, who)
    console.idle = cockpit.overheard
    with suppress(HungUp):
        dialogue(cockpit)
    console.finish()
    return console.shown
