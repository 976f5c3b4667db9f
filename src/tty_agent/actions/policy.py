"""What an agent may do in one activity: which actions, how much of each; and how a model is told.

The schema and the description are rendered from the policy, so a model is shown what it may use and nothing else.
`check` judges mechanics only: length, encoding, control characters, keys that exist. Whether a key makes sense to the
program is the program's to say.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Final

import msgspec

from tty_agent.actions.action import (
    Action,
    ActionName,
    PressKey,
    SendRaw,
    SubmitLine,
    SubmitLines,
    TypeText,
    Wait,
    name_of,
)
from tty_agent.actions.errors import Fault, Refused, Unencodable, UnknownKey, key_shown, quote
from tty_agent.actions.forms import FORMS, ActionForm, ArgumentKind
from tty_agent.actions.keys import encode, key_name
from tty_agent.terminal.dialect import Encoding

DEFAULT_ALLOWED: Final = (ActionName.PRESS_KEY, ActionName.TYPE_TEXT, ActionName.SUBMIT_LINE, ActionName.WAIT)
"""What plays any menu. Hanging up ends a run and several lines are for editors: both only where a profile names
them. Raw bytes likewise, and no profile of ordinary play does."""

_LONE: Final = re.compile("[\ud800-\udfff]")
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]")

_PLACEHOLDERS: Final = frozenset(
    text for form in FORMS.values() for text in re.findall(r'"(<[^"]*>)"', form.placeholder)
)

_NAMED_KEYS: Final = (
    "enter, escape, tab, backtab, space, backspace, delete, insert, up, down, left, right, home, end, page_up,"
    " page_down, f1 to f12, ctrl-a to ctrl-z (also ctrl-@ ctrl-[ ctrl-\\ ctrl-] ctrl-^ ctrl-_), alt- before a character"
)


class ActionPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """Limits are inclusive. Raises ValueError when made of values that make no sense."""

    allowed: tuple[ActionName, ...] = DEFAULT_ALLOWED
    """The actions, in the order in which they are shown; at least one."""
    keys: tuple[str, ...] = ()
    """The only keys that press_key takes, for a menu that is known; empty: every key."""
    max_text_chars: int = 500
    """Of type_text and submit_line: several times the longest input line that programs take (about 80 to 250)."""
    max_lines: int = 50
    """Of submit_lines: two screens of a message."""
    max_line_chars: int = 240
    """Of each line of submit_lines: three screen widths, for editors that wrap."""
    max_wait_s: float = 30.0
    """Longer waits are several decisions: the screen is looked at in between."""
    max_raw_bytes: int = 64
    """Of send_raw: a few control sequences."""
    encoding: Encoding | None = None
    """What characters must be encodable in, so that a model is told before anything is typed; the bytes are those of
    the session's terminal. None: only the terminal says what it lacks, when it is typed."""
    pace_ms: int = 0
    """Pause between keystrokes, for programs that drop keys of a burst; 0: all at once."""

    def __post_init__(self) -> None:
        if not self.allowed:
            raise ValueError("a policy allows at least one action")
        if len(set(self.allowed)) != len(self.allowed):
            raise ValueError("a policy names each action once")
        limits = {
            "max_text_chars": self.max_text_chars,
            "max_lines": self.max_lines,
            "max_line_chars": self.max_line_chars,
            "max_raw_bytes": self.max_raw_bytes,
        }
        for name, limit in limits.items():
            if limit < 1:
                raise ValueError(f"{name} is {limit}; it is at least 1")
        if not (math.isfinite(self.max_wait_s) and self.max_wait_s > 0):
            raise ValueError(f"max_wait_s is {self.max_wait_s}; it is a finite number above 0")
        if self.pace_ms < 0:
            raise ValueError(f"pace_ms is {self.pace_ms}; it is at least 0")
        for key in self.keys:
            key_name(key)

    def without(self, names: Iterable[ActionName]) -> ActionPolicy:
        """This policy less some actions. Raises ValueError if none is left."""
        gone = frozenset(names)
        return msgspec.structs.replace(self, allowed=tuple(name for name in self.allowed if name not in gone))

    def check(self, action: Action) -> None:
        """Returns if `action` may be carried out. Raises Refused, its kinds UnknownKey and Unencodable included."""
        self.check_allowed(name_of(action))
        match action:
            case PressKey(key):
                self._check_key(key)
            case TypeText(text):
                if not text:
                    raise Refused(Fault.EMPTY, f"type_text with empty text types nothing.{self._enter_hint()}")
                self._check_text("text", text, self.max_text_chars)
            case SubmitLine(text):
                self._check_text("text", text, self.max_text_chars)
            case SubmitLines(lines):
                self._check_lines(lines)
            case Wait(seconds):
                self._check_wait(seconds)
            case SendRaw(text):
                self._check_raw(text)
            case _:
                pass  # hangup has nothing to check

    def check_allowed(self, name: ActionName) -> None:
        """Returns if an action of this name may be used at all. Raises Refused."""
        if name not in self.allowed:
            raise Refused(Fault.NOT_ALLOWED, f"{name} is not available here. Use one of: {', '.join(self.allowed)}.")

    def schema(self, *, strict: bool = False) -> dict[str, object]:
        """JSON Schema of an answer: an object of `action` (one of the allowed names) and `arguments` (any of their
        shapes).

        With `strict` it keeps to what providers with strict structured output take: every field required, no
        limits of length and number. The limits are checked all the same when the answer is read.
        """
        shapes: list[dict[str, object]] = []
        for form in self._forms():
            shape = self._arguments_schema(form, strict=strict)
            if shape not in shapes:
                shapes.append(shape)
        arguments = shapes[0] if len(shapes) == 1 else {"anyOf": shapes}
        return _object(
            {"action": {"type": "string", "enum": [str(name) for name in self.allowed]}, "arguments": arguments}
        )

    def tied_schema(self) -> dict[str, object]:
        """As `schema`, but as one alternative for each action, so that the arguments are those of the action: for
        local servers that turn a schema into a grammar. Providers that want an object at the root refuse it."""
        shapes = [
            _object({"action": {"const": str(form.name)}, "arguments": self._arguments_schema(form, strict=False)})
            for form in self._forms()
        ]
        return shapes[0] if len(shapes) == 1 else {"oneOf": shapes}

    def describe(self) -> str:
        """What a model is told: the form of an answer, the actions it may use with their limits, the keys."""
        lines = [
            'Answer with exactly one JSON object: {"action": NAME, "arguments": {...}}. These actions are available:',
            "",
        ]
        for form in self._forms():
            argument = f'"{form.argument}": {form.placeholder}' if form.argument else ""
            lines.append(f'- {{"action": "{form.name}", "arguments": {{{argument}}}}}')
            limit = self._limit(form)
            lines.append(f"  {form.summary}{' ' + limit if limit else ''}")
        lines.append("")
        lines.append("Replace what stands in angle brackets, brackets included.")
        if ActionName.PRESS_KEY in self.allowed:
            lines.append(f"The keys are: {', '.join(self.keys)}." if self.keys else f"Named keys: {_NAMED_KEYS}.")
        if self.encoding is not None:
            lines.append(f"Use only characters of {self.encoding.value}.")
        return "\n".join(lines)

    def _forms(self) -> list[ActionForm]:
        return [FORMS[name] for name in self.allowed]

    def _limit(self, form: ActionForm) -> str:
        match form.kind:
            case ArgumentKind.TEXT:
                return f"At most {self.max_text_chars} characters, no line ends."
            case ArgumentKind.LINES:
                return f"At most {self.max_lines} lines of {self.max_line_chars} characters."
            case ArgumentKind.SECONDS:
                return f"At most {self.max_wait_s:g} seconds."
            case ArgumentKind.RAW:
                return f"At most {self.max_raw_bytes} bytes."
            case _:
                return ""

    def _arguments_schema(self, form: ActionForm, *, strict: bool) -> dict[str, object]:
        if form.argument is None:
            return _object({})
        value: dict[str, object]
        limits: dict[str, object]
        match form.kind:
            case ArgumentKind.KEY:
                value = {"type": "string", "enum": list(self.keys)} if self.keys else {"type": "string"}
                limits = {} if self.keys else {"minLength": 1}
            case ArgumentKind.LINES:
                line = {"type": "string"} if strict else {"type": "string", "maxLength": self.max_line_chars}
                value = {"type": "array", "items": line}
                limits = {"minItems": 1, "maxItems": self.max_lines}
            case ArgumentKind.SECONDS:
                value, limits = {"type": "number"}, {"minimum": 0, "maximum": self.max_wait_s}
            case ArgumentKind.RAW:
                value, limits = {"type": "string"}, {"minLength": 1, "maxLength": self.max_raw_bytes}
            case _:
                value, limits = {"type": "string"}, {"maxLength": self.max_text_chars}
        return _object({form.argument: value if strict else value | limits})

    def _check_key(self, key: str) -> None:
        try:
            name = key_name(key)
        except UnknownKey as error:
            several = ActionName.TYPE_TEXT in self.allowed and not error.near
            hint = "To type several characters use type_text." if several else ""
            raise UnknownKey(error.key, error.near, hint) from None
        if self.keys and name not in {key_name(offered) for offered in self.keys}:
            raise Refused(
                Fault.NOT_ALLOWED, f"The key {key_shown(key)} is not offered here; use one of: {', '.join(self.keys)}."
            )
        character = name.removeprefix("alt-")
        if len(character) == 1:
            self._check_encodable(character)

    def _check_text(self, argument: str, text: str, limit: int) -> None:
        if len(text) > limit:
            raise Refused(Fault.TOO_LONG, f"`{argument}` has {len(text)} characters; at most {limit} are taken.")
        if text in _PLACEHOLDERS:
            raise Refused(Fault.PLACEHOLDER, f"{quote(text)} stands for text of your own; write that in its place.")
        if "\n" in text or "\r" in text:
            raise Refused(Fault.LINE_END, f"`{argument}` holds a line end.{self._lines_hint()}")
        if found := _CONTROL.search(text):
            raise Refused(
                Fault.CONTROL_CHARACTER,
                f"`{argument}` holds the control character {quote(found[0])} at place {found.start()}."
                f"{self._control_hint(found[0])}",
            )
        self._check_encodable(text)

    def _check_encodable(self, text: str) -> None:
        if self.encoding is not None:
            encode(text, self.encoding)
        elif lone := _LONE.findall(text):
            raise Unencodable(lone, Encoding.UTF_8.value)

    def _check_lines(self, lines: tuple[str, ...]) -> None:
        if not lines:
            raise Refused(Fault.EMPTY, f"`lines` is empty.{self._enter_hint()}")
        if len(lines) > self.max_lines:
            raise Refused(Fault.TOO_LONG, f"`lines` has {len(lines)} lines; at most {self.max_lines} are taken.")
        for number, line in enumerate(lines):
            self._check_text(f"lines[{number}]", line, self.max_line_chars)

    def _check_wait(self, seconds: float) -> None:
        if not 0 <= seconds <= self.max_wait_s:  # NaN too
            raise Refused(Fault.OUT_OF_RANGE, f"`seconds` is {seconds:g}; it is from 0 to {self.max_wait_s:g}.")

    def _check_raw(self, text: str) -> None:
        if not text:
            raise Refused(Fault.EMPTY, "send_raw with empty text sends nothing.")
        if text in _PLACEHOLDERS:
            raise Refused(Fault.PLACEHOLDER, f"{quote(text)} stands for characters of your own.")
        if len(text) > self.max_raw_bytes:
            raise Refused(Fault.TOO_LONG, f"`text` has {len(text)} bytes; at most {self.max_raw_bytes} are taken.")
        beyond = [char for char in text if char > "\xff"]
        if beyond:
            raise Unencodable(beyond, "one byte (up to U+00FF)")

    def _enter_hint(self) -> str:
        if ActionName.SUBMIT_LINE in self.allowed:
            return " Enter alone is submit_line with empty text."
        return " Enter alone is press_key with enter." if ActionName.PRESS_KEY in self.allowed else ""

    def _lines_hint(self) -> str:
        if ActionName.SUBMIT_LINES in self.allowed:
            return " Give several lines to submit_lines, one text a line."
        if ActionName.SUBMIT_LINE in self.allowed:
            return " One action sends one line; submit_line presses Enter at its end."
        return " Press Enter with press_key." if ActionName.PRESS_KEY in self.allowed else ""

    def _control_hint(self, char: str) -> str:
        if ActionName.PRESS_KEY not in self.allowed or char >= "\x80":
            return " Leave it out."
        return f" Press that key with press_key: {key_name(char)}."


def _object(properties: dict[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
