"""What an agent can do at a terminal: the values, what a policy allows, how replies are read, keys as bytes."""

from __future__ import annotations

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
from tty_agent.actions.errors import ActionError
from tty_agent.actions.parsing import Parsed, parse
from tty_agent.actions.policy import ActionPolicy

__all__ = [
    "Action",
    "ActionError",
    "ActionName",
    "ActionPolicy",
    "Hangup",
    "Parsed",
    "PressKey",
    "SendRaw",
    "SubmitLine",
    "SubmitLines",
    "TypeText",
    "Wait",
    "parse",
]
