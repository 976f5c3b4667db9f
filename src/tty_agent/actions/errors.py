"""Why a reply or an action was not carried out: the ladder of errors, from no JSON at all to a key that is unknown.

`ActionError` is the root. `NotAnAction`: the reply has no whole JSON object to act on. `WrongShape`: it has one, and
that is not an action. `Refused`: it is an action, and the policy or the terminal can't take it; of these, `UnknownKey`
and `Unencodable` are named. `NotTaken`: it is one, and the program did not read all of it. A mistake in the game is
none of them: what the program thinks of a key is its affair.

Each error has a `code` for traces and a `message` that tells a model what to change. Messages quote what models
wrote, made inert and cut.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from tty_agent.terminal.inert import inert

MAX_MESSAGE_CHARS: Final = 600
"""Length of a message: it goes into a repair prompt and into traces, and says one thing."""

MAX_QUOTE_CHARS: Final = 40
"""Length of one quotation in a message: enough to find the place."""

_MAX_NAMED_CHARACTERS: Final = 5
"""How many characters an error names: the rest is likely more of the kind."""


class Fault(StrEnum):
    """The closed list of codes."""

    EMPTY_REPLY = "empty_reply"
    REPLY_TOO_LONG = "reply_too_long"
    NO_JSON = "no_json"
    BAD_JSON = "bad_json"
    CUT_OFF = "cut_off"
    NESTED_TOO_DEEPLY = "nested_too_deeply"

    DUPLICATE_KEY = "duplicate_key"
    MISSING_FIELD = "missing_field"
    UNKNOWN_FIELD = "unknown_field"
    WRONG_TYPE = "wrong_type"
    UNKNOWN_ACTION = "unknown_action"
    PLACEHOLDER = "placeholder"

    NOT_ALLOWED = "not_allowed"
    TOO_LONG = "too_long"
    EMPTY = "empty"
    LINE_END = "line_end"
    CONTROL_CHARACTER = "control_character"
    OUT_OF_RANGE = "out_of_range"
    UNENCODABLE = "unencodable"
    UNKNOWN_KEY = "unknown_key"

    NOT_TAKEN = "not_taken"


class ActionError(ValueError):
    """The action was not taken, or not all of it. `message` is one or two sentences for whoever wrote the reply."""

    def __init__(self, code: Fault, message: str) -> None:
        self.code = code
        self.message = inert(message, max_chars=MAX_MESSAGE_CHARS)
        super().__init__(self.message)


class NotAnAction(ActionError):
    """The reply holds no JSON object that could be read."""


class WrongShape(NotAnAction):
    """A JSON object that is not an action: a field is missing, unknown or of the wrong type."""


class Refused(ActionError):
    """An action that this policy or this terminal does not take."""


class NotTaken(ActionError):
    """The program does not read: of the action's `total_bytes` the first `sent_bytes` went out, and no more will."""

    def __init__(self, sent_bytes: int, total_bytes: int) -> None:
        self.sent_bytes = sent_bytes
        self.total_bytes = total_bytes
        super().__init__(
            Fault.NOT_TAKEN,
            f"The program does not read what is typed: {sent_bytes} of {total_bytes} bytes went out, and the rest was"
            " given up. Wait until it reads again, or hang up.",
        )


class UnknownKey(Refused):
    """No key has this name. `near`: names that are like it, the nearest first; `hint`: what else may be meant."""

    def __init__(self, key: str, near: Iterable[str] = (), hint: str = "") -> None:
        self.key = key
        self.near = tuple(near)
        like = f" Near to it: {', '.join(self.near)}." if self.near else ""
        super().__init__(
            Fault.UNKNOWN_KEY,
            f"There is no key {key_shown(key)}: a key is one printable character or a name such as enter, escape, up,"
            f" page_down, f1, ctrl-c.{like}{' ' + hint if hint else ''}",
        )


class Unencodable(Refused):
    """Characters that the terminal's encoding does not have; `characters` are they, each once, in order."""

    def __init__(self, characters: Iterable[str], encoding: str) -> None:
        self.characters = tuple(dict.fromkeys(characters))
        named = ", ".join(_character_name(char) for char in self.characters[:_MAX_NAMED_CHARACTERS])
        more = len(self.characters) - _MAX_NAMED_CHARACTERS
        rest = f" and {more} more" if more > 0 else ""
        super().__init__(
            Fault.UNENCODABLE,
            f"These characters can't be written in {encoding}: {named}{rest}. Use others.",
        )


def quote(text: str) -> str:
    """`text` in backticks, inert and cut, as messages show it."""
    return f"`{inert(text, max_chars=MAX_QUOTE_CHARS)}`"


def key_shown(key: str) -> str:
    """A key as messages show it: one that can't be seen by its code point, U+0085."""
    return f"U+{ord(key):04X}" if len(key) == 1 and not key.isprintable() else quote(key)


def _character_name(char: str) -> str:
    code = f"U+{ord(char):04X}"
    if "\ud800" <= char <= "\udfff":
        return f"{code} (half of a surrogate pair)"
    name = unicodedata.name(char, "")
    return f"{quote(char)} ({code} {name})" if name else f"{quote(char)} ({code})"
