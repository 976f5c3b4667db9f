"""Actions as values and as JSON."""

from __future__ import annotations

import json

import msgspec
import pytest

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
    name_of,
    to_json,
)
from tty_agent.actions.forms import FORMS


@pytest.mark.parametrize(
    ("action", "written"),
    [
        (PressKey("P"), {"action": "press_key", "arguments": {"key": "P"}}),
        (TypeText("partial input"), {"action": "type_text", "arguments": {"text": "partial input"}}),
        (SubmitLine("42"), {"action": "submit_line", "arguments": {"text": "42"}}),
        (SubmitLines(("a", "")), {"action": "submit_lines", "arguments": {"lines": ["a", ""]}}),
        (Wait(2.0), {"action": "wait", "arguments": {"seconds": 2.0}}),
        (Hangup(), {"action": "hangup", "arguments": {}}),
        (SendRaw("\x1b"), {"action": "send_raw", "arguments": {"text": "\x1b"}}),
    ],
)
def test_an_action_is_written_as_its_name_and_arguments(action: Action, written: dict[str, object]) -> None:
    assert json.loads(msgspec.json.encode(to_json(action))) == written
    assert name_of(action) is ActionName(str(written["action"]))


def test_the_table_of_forms_has_every_action() -> None:
    assert tuple(FORMS) == tuple(ActionName)
    for name, form in FORMS.items():
        action = form.value(form.placeholder) if form.argument else form.value()
        assert name_of(action) is form.name is name
        fields = type(action).__struct_fields__
        assert fields == ((form.argument,) if form.argument else ())
