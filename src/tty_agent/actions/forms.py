"""How each action is written, as a table: its arguments and what it does.

The schema and the description that models are shown (policy.py) and the reader of replies
(parsing.py) are made from it.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from types import MappingProxyType
from typing import Final

import msgspec

from tty_agent.actions.action import (
    Action,
    ActionName,
    Hangup,
    PressKey,
    SendRaw,
    SubmitLine,
    SubmitLines,
    TypeText,
    Wait,
)


class ArgumentKind(StrEnum):
    """What an argument holds."""

    KEY = "key"
    TEXT = "text"
    LINES = "lines"
    SECONDS = "seconds"
    RAW = "raw"


class ActionForm(msgspec.Struct, frozen=True, kw_only=True):
    """One action. No action has more than one argument."""

    name: ActionName
    value: Callable[..., Action]
    """The class of the value; it takes the argument."""
    argument: str | None
    kind: ArgumentKind | None
    optional: bool = False
    """The argument may be left out: the value's own default stands."""
    placeholder: str = ""
    """Stands for the argument in the description. It is meant for nobody to type: `check` refuses it."""
    summary: str


FORMS: Final = MappingProxyType(
    {
        form.name: form
        for form in (
            ActionForm(
                name=ActionName.PRESS_KEY,
                value=PressKey,
                argument="key",
                kind=ArgumentKind.KEY,
                placeholder='"<one key>"',
                summary="Press exactly one key, without Enter: one printable character or one of the named keys.",
            ),
            ActionForm(
                name=ActionName.TYPE_TEXT,
                value=TypeText,
                argument="text",
                kind=ArgumentKind.TEXT,
                placeholder='"<text to type>"',
                summary="Type text and do not press Enter.",
            ),
            ActionForm(
                name=ActionName.SUBMIT_LINE,
                value=SubmitLine,
                argument="text",
                kind=ArgumentKind.TEXT,
                optional=True,
                placeholder='"<line to send>"',
                summary="Type one line, then press Enter. An empty text is Enter alone.",
            ),
            ActionForm(
                name=ActionName.SUBMIT_LINES,
                value=SubmitLines,
                argument="lines",
                kind=ArgumentKind.LINES,
                placeholder='["<first line>", "<second line>"]',
                summary="Type several lines, and press Enter after each. A line may be empty.",
            ),
            ActionForm(
                name=ActionName.WAIT,
                value=Wait,
                argument="seconds",
                kind=ArgumentKind.SECONDS,
                optional=True,
                placeholder="<seconds>",
                summary="Type nothing; look again when the screen has settled, or after this many seconds.",
            ),
            ActionForm(
                name=ActionName.HANGUP,
                value=Hangup,
                argument=None,
                kind=None,
                summary="Close the connection. This ends the session.",
            ),
            ActionForm(
                name=ActionName.SEND_RAW,
                value=SendRaw,
                argument="text",
                kind=ArgumentKind.RAW,
                placeholder='"<exact characters>"',
                summary=(
                    r"Send exact bytes: each character up to \u00ff is one byte, control characters are written as JSON"
                    r" escapes such as \u001b. Nothing is added."
                ),
            ),
        )
    }
)
"""By name, in the order in which they are shown."""
