"""What an agent can do at a terminal, as values: terminal input, never a command of a game.

On the wire of models and traces an action is `{"action": NAME, "arguments": {…}}`. What a model may use, and how
much of it, is an `ActionPolicy` (policy.py); how a key becomes bytes is a table (keys.py).
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class ActionName(StrEnum):
    """The closed list."""

    PRESS_KEY = "press_key"
    TYPE_TEXT = "type_text"
    SUBMIT_LINE = "submit_line"
    SUBMIT_LINES = "submit_lines"
    WAIT = "wait"
    HANGUP = "hangup"
    SEND_RAW = "send_raw"


class PressKey(msgspec.Struct, frozen=True, tag_field="action", tag="press_key"):
    """Exactly one key, without Enter: a printable character, or a named key such as `enter` or `ctrl-c`."""

    key: str


class TypeText(msgspec.Struct, frozen=True, tag_field="action", tag="type_text"):
    """Text as typed, without Enter."""

    text: str


class SubmitLine(msgspec.Struct, frozen=True, tag_field="action", tag="submit_line"):
    """Text, then the transport's Enter. Empty text is Enter alone."""

    text: str = ""


class SubmitLines(msgspec.Struct, frozen=True, tag_field="action", tag="submit_lines"):
    """Several lines, each with Enter."""

    lines: tuple[str, ...]


class Wait(msgspec.Struct, frozen=True, tag_field="action", tag="wait"):
    """Type nothing; look again when the screen has settled, after `seconds` at most."""

    seconds: float = 1.0


class Hangup(msgspec.Struct, frozen=True, tag_field="action", tag="hangup"):
    """Close the connection."""


class SendRaw(msgspec.Struct, frozen=True, tag_field="action", tag="send_raw"):
    r"""Exact characters; control characters by JSON escapes (`\u001b[A`), each character one byte up to U+00FF.
    A gated escape hatch, off in every policy that does not name it."""

    text: str


Action = PressKey | TypeText | SubmitLine | SubmitLines | Wait | Hangup | SendRaw


def name_of(action: Action) -> ActionName:
    """The name of an action."""
    return ActionName(str(type(action).__struct_config__.tag))


def to_json(action: Action) -> dict[str, object]:
    """The object as models write it: `{"action": …, "arguments": {…}}`."""
    fields: dict[str, object] = msgspec.to_builtins(action)
    return {"action": fields.pop("action"), "arguments": fields}
