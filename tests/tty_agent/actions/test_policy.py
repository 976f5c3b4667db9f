"""What a policy lets through, what it refuses and how it is shown."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    to_json,
)
from tty_agent.actions.errors import ActionError, Fault, Refused, Unencodable
from tty_agent.actions.forms import FORMS
from tty_agent.actions.parsing import parse
from tty_agent.actions.policy import ActionPolicy
from tty_agent.terminal.dialect import Encoding

MENU = ActionPolicy()
ALL = ActionPolicy(allowed=tuple(ActionName))


def refusal(policy: ActionPolicy, action: Action) -> Refused:
    with pytest.raises(Refused) as refused:
        policy.check(action)
    return refused.value


def test_raw_bytes_lines_and_hanging_up_are_for_policies_that_name_them() -> None:
    assert set(MENU.allowed) == {"press_key", "type_text", "submit_line", "wait"}
    for action in (SendRaw("\x1b[A"), SubmitLines(("a",)), Hangup()):
        error = refusal(MENU, action)
        assert error.code is Fault.NOT_ALLOWED
        assert "press_key, type_text, submit_line, wait" in error.message
        ALL.check(action)


@pytest.mark.parametrize(
    "action",
    [
        *(PressKey("q"), PressKey("D"), PressKey("?"), PressKey("1"), PressKey("enter"), PressKey("Ctrl+C")),
        *(TypeText("99999999999"), TypeText("no such command"), SubmitLine(""), SubmitLine("-5"), SubmitLine("ÿ")),
        *(Wait(0), Wait(30), SubmitLines(("Subject: Trade route notes", "", "I found a route."))),
    ],
)
def test_mistakes_in_the_game_are_the_games_to_judge(action: Action) -> None:
    ALL.check(action)


def test_limits_are_inclusive() -> None:
    for action in (TypeText("x" * 500), SubmitLine("x" * 500), SubmitLines(("x" * 240,) * 50), SendRaw("x" * 64)):
        ALL.check(action)


@pytest.mark.parametrize(
    ("action", "code", "says"),
    [
        (TypeText("x" * 501), Fault.TOO_LONG, "501 characters; at most 500"),
        (SubmitLine("x" * 501), Fault.TOO_LONG, "at most 500"),
        (SubmitLines(("x",) * 51), Fault.TOO_LONG, "51 lines; at most 50"),
        (SubmitLines(("x", "y" * 241)), Fault.TOO_LONG, r"lines\[1\].*241 characters; at most 240"),
        (SendRaw("x" * 65), Fault.TOO_LONG, "65 bytes; at most 64"),
        (Wait(30.5), Fault.OUT_OF_RANGE, "from 0 to 30"),
        (Wait(-1), Fault.OUT_OF_RANGE, "from 0 to 30"),
        (Wait(math.nan), Fault.OUT_OF_RANGE, "nan"),
        (TypeText(""), Fault.EMPTY, "submit_line with empty text"),
        (SubmitLines(()), Fault.EMPTY, "`lines` is empty"),
        (SendRaw(""), Fault.EMPTY, "nothing"),
        (SubmitLine("a\nb"), Fault.LINE_END, "submit_lines"),
        (SubmitLines(("a\r",)), Fault.LINE_END, r"lines\[0\]"),
        (TypeText("a\x1b[A"), Fault.CONTROL_CHARACTER, "place 1.*press_key: escape"),
        (SubmitLine("\t"), Fault.CONTROL_CHARACTER, "press_key: tab"),
        (TypeText("\x03"), Fault.CONTROL_CHARACTER, "press_key: ctrl-c"),
        (TypeText("\x9b"), Fault.CONTROL_CHARACTER, "Leave it out"),
        (PressKey("hello"), Fault.UNKNOWN_KEY, "type_text"),
        (PressKey("\ud800"), Fault.UNENCODABLE, r"U\+D800"),
        (TypeText("a\udfff"), Fault.UNENCODABLE, "surrogate"),
        (SendRaw("☃"), Fault.UNENCODABLE, "SNOWMAN"),
    ],
)
def test_mechanical_faults_are_refused_with_what_to_do(action: Action, code: Fault, says: str) -> None:
    error = refusal(ALL, action)
    assert error.code is code
    assert re.search(says, error.message)


def test_hints_name_only_what_is_allowed() -> None:
    assert "submit_lines" not in refusal(MENU, SubmitLine("a\nb")).message
    keys_only = ActionPolicy(allowed=(ActionName.PRESS_KEY,))
    assert "type_text" not in refusal(keys_only, PressKey("hello")).message
    text_only = ActionPolicy(allowed=(ActionName.TYPE_TEXT,))
    for action in (TypeText("\x1b"), TypeText("\n"), TypeText("")):
        assert "press_key" not in refusal(text_only, action).message


def test_a_required_encoding_is_known_before_anything_is_typed() -> None:
    bbs = ActionPolicy(allowed=tuple(ActionName), encoding=Encoding.CP437)
    bbs.check(SubmitLine("àèì ─ ░"))
    for action in (SubmitLine("☃"), PressKey("☃"), TypeText("☃"), SubmitLines(("a", "☃")), PressKey("alt-☃")):
        with pytest.raises(Unencodable, match="cp437"):
            bbs.check(action)
        ALL.check(action)


def test_a_menu_may_offer_its_keys_only() -> None:
    menu = ActionPolicy(allowed=(ActionName.PRESS_KEY,), keys=("Enter", "q"))
    menu.check(PressKey("return"))
    assert "use one of: Enter, q" in refusal(menu, PressKey("x")).message
    assert "The keys are: Enter, q." in menu.describe()
    assert msgspec.json.encode(menu.schema()).count(b'"enum":["Enter","q"]') == 1


@pytest.mark.parametrize(
    "settings",
    [
        {"allowed": ()},
        {"allowed": (ActionName.WAIT, ActionName.WAIT)},
        {"max_text_chars": 0},
        {"max_lines": 0},
        {"max_line_chars": -1},
        {"max_raw_bytes": 0},
        {"max_wait_s": 0.0},
        {"max_wait_s": math.inf},
        {"pace_ms": -1},
        {"keys": ("no such key",)},
    ],
)
def test_a_policy_that_makes_no_sense_is_not_made(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        ActionPolicy(**settings)


def test_actions_can_be_taken_away_for_a_match() -> None:
    assert MENU.without([ActionName.WAIT, ActionName.HANGUP]).allowed == MENU.allowed[:3]
    with pytest.raises(ValueError, match="at least one"):
        MENU.without(ActionName)


def test_the_description_names_what_is_allowed_and_nothing_else() -> None:
    for name in ActionName:
        shown = ActionPolicy(allowed=(name,)).describe()
        assert [other for other in ActionName if f'"{other}"' in shown] == [name]
        assert ("Named keys" in shown) == (name is ActionName.PRESS_KEY)
    assert "At most 7 characters" in ActionPolicy(max_text_chars=7).describe()
    assert "At most 2.5 seconds" in ActionPolicy(max_wait_s=2.5).describe()
    assert "cp437" in ActionPolicy(encoding=Encoding.CP437).describe()


def test_an_example_that_is_copied_is_no_action() -> None:
    for name in set(ActionName) - {ActionName.HANGUP}:  # which has nothing to fill in
        policy = ActionPolicy(allowed=(name,))
        (example,) = re.findall(r"^- (\{.*\})$", policy.describe(), re.MULTILINE)
        with pytest.raises(ActionError):
            parse(example, policy)


def objects_of(schema: object) -> list[dict[str, Any]]:
    """Every object schema in a schema."""
    if isinstance(schema, list):
        return [found for item in schema for found in objects_of(item)]
    if not isinstance(schema, dict):
        return []
    inner = [found for value in schema.values() for found in objects_of(value)]
    return [schema, *inner] if schema.get("type") == "object" else inner


def test_the_schema_offers_the_allowed_actions_only() -> None:
    schema: dict[str, Any] = MENU.schema()
    assert schema["properties"]["action"]["enum"] == ["press_key", "type_text", "submit_line", "wait"]
    shapes = schema["properties"]["arguments"]["anyOf"]
    assert [list(shape["properties"]) for shape in shapes] == [["key"], ["text"], ["seconds"]]
    only: dict[str, Any] = ActionPolicy(allowed=(ActionName.PRESS_KEY,)).schema()
    assert list(only["properties"]["arguments"]["properties"]) == ["key"]
    assert json.loads(json.dumps(ALL.schema())) == ALL.schema()


def test_the_strict_schema_keeps_to_what_strict_providers_take() -> None:
    strict = ALL.schema(strict=True)
    assert strict["type"] == "object"
    for shape in objects_of(strict):
        assert shape["additionalProperties"] is False
        assert shape["required"] == list(shape["properties"])
    words = set(re.findall(r'"(\w+)":', json.dumps(strict)))
    fields = {str(form.argument) for form in FORMS.values()} | {"action", "arguments"}
    keywords = {"type", "properties", "required", "additionalProperties", "enum", "anyOf", "items"}
    assert words <= keywords | fields


def test_the_tied_schema_ties_arguments_to_their_action() -> None:
    tied: dict[str, Any] = MENU.tied_schema()
    pairs = [
        (shape["properties"]["action"]["const"], list(shape["properties"]["arguments"]["properties"]))
        for shape in tied["oneOf"]
    ]
    assert pairs == [("press_key", ["key"]), ("type_text", ["text"]), ("submit_line", ["text"]), ("wait", ["seconds"])]
    assert ActionPolicy(allowed=(ActionName.WAIT,)).tied_schema()["type"] == "object"


TEXTS = st.text(max_size=12)
ACTIONS = st.one_of(
    st.builds(PressKey, TEXTS | st.sampled_from(["enter", "F1", "^C"])),
    st.builds(TypeText, TEXTS),
    st.builds(SubmitLine, TEXTS),
    st.builds(SubmitLines, st.lists(TEXTS, max_size=4).map(tuple)),
    st.builds(Wait, st.floats(allow_nan=False, allow_infinity=False)),
    st.just(Hangup()),
    st.builds(SendRaw, TEXTS),
)


@given(ACTIONS)
def test_what_a_policy_takes_comes_back_from_its_text_form(action: Action) -> None:
    try:
        ALL.check(action)
    except Refused:
        return
    written = json.dumps(to_json(action))
    assert parse(written, ALL).action == action
    assert parse(written, ALL).notes == ()


def test_what_type_text_takes_is_a_key_too() -> None:
    policy = ActionPolicy(encoding=Encoding.CP437)
    for char in "a\xa0é":
        policy.check(TypeText(char))
        policy.check(PressKey(char))
    assert parse('{"action": "press_key", "arguments": {"key": "\\u00a0"}}', policy).action == PressKey("\xa0")


def test_a_key_that_is_not_offered_and_cannot_be_seen_is_shown_by_its_code_point() -> None:
    with pytest.raises(Refused, match=r"The key U\+00A0 is not offered here"):
        ActionPolicy(keys=("q",)).check(PressKey("\xa0"))
