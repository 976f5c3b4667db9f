"""A model that says what it was told to: for tests, demonstrations and measurements. It never waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tty_agent.models.answers import Answer, Identity
from tty_agent.models.model import ModelReply, Prompt, ProviderFault, Usage
from tty_agent.models.provider_json import count
from tty_agent.transcript.regular_file import regular_file

Line = str | Answer | ProviderFault
"""One reply: its text, an answer with all its particulars, or a fault to raise."""


class ScriptError(ValueError):
    """A script that can't be read; the message names the file and the line."""


class ScriptedModel:
    """Replies from a list, in order, or from a function of the prompt."""

    provider = "scripted"

    def __init__(
        self,
        replies: Sequence[Line] | Callable[[Prompt], Line],
        *,
        loop: bool = False,
        name: str = "scripted",
        response_filter: str | None = None,
        stateful: bool = False,
    ) -> None:
        """After the last reply of a list it begins again with `loop`, else each call raises ProviderFault `cut_off`."""
        self._replies = replies
        self._loop = loop
        self._identity = Identity(provider=self.provider, model=name, response_filter=response_filter)
        self.stateful = stateful
        self.calls = 0
        """Replies asked for so far."""
        self.last_prompt: Prompt | None = None

    @property
    def name(self) -> str:
        """The model's id, as in traces."""
        return self._identity.model

    async def complete(self, prompt: Prompt) -> ModelReply:
        """The next reply. Raises ProviderFault when there is none, or where the script has one."""
        self.last_prompt = prompt
        line = self._next(prompt)
        self.calls += 1
        if isinstance(line, ProviderFault):
            raise line
        answer = Answer(text=line, stop_reason="stop") if isinstance(line, str) else line
        return self._identity.reply(answer, latency_s=0.0, attempts=1)

    def _next(self, prompt: Prompt) -> Line:
        if callable(self._replies):
            return self._replies(prompt)
        length = len(self._replies)
        if not length or (self.calls >= length and not self._loop):
            raise ProviderFault("cut_off", f"the script has ended after {length} replies")
        return self._replies[self.calls % length]

    async def close(self) -> None:
        """Nothing is held."""


def read_script(path: Path) -> tuple[Line, ...]:
    """The replies of a JSONL file, one a line; empty lines are left out.

    A string is a reply's text. An object with `reply` is that text with, if they are there, `reasoning`,
    `stop_reason`, `input_tokens` and `output_tokens`; an object with `fault` is a ProviderFault of that kind. Any
    other object is itself the reply, as it stands: `{"action": "press_key", "arguments": {"key": "q"}}`.
    Raises OSError, and ScriptError with the file and the number of a line that is none of these.
    """
    lines = regular_file(path).read_bytes().splitlines()
    return tuple(_line(f"{path.name}, line {number}", line) for number, line in enumerate(lines, 1) if line.strip())


def _line(place: str, line: bytes) -> Line:
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ScriptError(f"{place}: it is no JSON ({error}): write one string or one object a line") from error
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        raise ScriptError(f"{place}: it is neither a string nor an object: write one of these a line")
    if isinstance(value.get("fault"), str):
        return ProviderFault(value["fault"], str(value.get("message", "a fault of the script")))
    if isinstance(value.get("reply"), str):
        return _answer(place, value)
    return line.decode("utf-8").strip()


def _answer(place: str, value: dict[str, Any]) -> Answer:
    try:
        said = msgspec.convert(value, _Reply)
    except msgspec.ValidationError as error:
        raise ScriptError(f"{place}: {error}") from error
    usage = Usage(input_tokens=count(said.input_tokens), output_tokens=count(said.output_tokens))
    return Answer(text=said.reply, reasoning=said.reasoning, usage=usage, stop_reason=said.stop_reason)


class _Reply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    reply: str
    reasoning: str = ""
    stop_reason: str | None = "stop"
    input_tokens: int | None = None
    output_tokens: int | None = None
