"""Replies as models write them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent.actions.action import Action, ActionName, Hangup, PressKey, SubmitLine, SubmitLines, TypeText, Wait
from tty_agent.actions.errors import ActionError, Fault, NotAnAction, Refused, WrongShape
from tty_agent.actions.parsing import MAX_IGNORED_CHARS, MAX_REASON_CHARS, Parsed, parse
from tty_agent.actions.policy import ActionPolicy
from tty_agent.actions.reply_objects import MAX_REPLY_CHARS

ALL = ActionPolicy(allowed=tuple(ActionName))
ENTER = '{"action": "press_key", "arguments": {"key": "enter"}}'


def read(reply: str, policy: ActionPolicy = ALL) -> Parsed:
    return parse(reply, policy)


def error(reply: str, policy: ActionPolicy = ALL) -> ActionError:
    with pytest.raises(ActionError) as refused:
        parse(reply, policy)
    return refused.value


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ('{"action": "press_key", "arguments": {"key": "P"}}', PressKey("P")),
        (ENTER, PressKey("enter")),
        ('{"action": "submit_line", "arguments": {"text": "42"}}', SubmitLine("42")),
        ('{"action": "submit_line", "arguments": {"text": ""}}', SubmitLine("")),
        ('{"action": "type_text", "arguments": {"text": "partial input"}}', TypeText("partial input")),
        (
            '{"action":"submit_lines","arguments":{"lines":["Subject: Trade route notes","","I found one."]}}',
            SubmitLines(("Subject: Trade route notes", "", "I found one.")),
        ),
        ('{"action": "wait", "arguments": {"seconds": 2}}', Wait(2.0)),
        ('{"action": "wait"}', Wait(1.0)),
        ('{"action": "wait", "arguments": {"seconds": null}}', Wait(1.0)),
        ('{"action": "hangup", "arguments": {}}', Hangup()),
        ('{"action": "hangup"}', Hangup()),
        ('{"action":"type_text","arguments":{"text":"a {b} \\"c\\" }{"}}', TypeText('a {b} "c" }{')),
        ('\ufeff{"action":"press_key","arguments":{"key":"\\u0071"}}', PressKey("q")),
    ],
)
def test_an_action_is_read_without_notes(reply: str, action: Action) -> None:
    parsed = read(reply)
    assert parsed.action == action
    assert parsed.object_text == reply.lstrip("\ufeff")
    assert (parsed.reason, parsed.ignored_objects, parsed.notes) == ("", (), ())


def test_prose_is_kept_as_the_reason() -> None:
    """Case 124."""
    parsed = read("I will press enter.\n" + ENTER)
    assert parsed.action == PressKey("enter")
    assert parsed.reason == "I will press enter."
    assert parsed.object_text == ENTER


def test_code_fences_are_no_reason() -> None:
    parsed = read(f"Sure! Here it is:\n```json\n{ENTER}\n```\nThat continues.")
    assert parsed.reason == "Sure! Here it is:\nThat continues."


def test_braces_in_prose_are_prose() -> None:
    parsed = read(f"The set {{a, b}} and {{}} and {{'x'}} say: {{{ENTER}}}")
    assert parsed.action == PressKey("enter")
    assert parsed.ignored_objects == ("{}",)


@pytest.mark.parametrize("field", ["reason", "thought", "thinking", "reasoning", "explanation", "rationale"])
def test_a_reason_field_is_a_reason_wherever_it_stands(field: str) -> None:
    assert read(f'{{"{field}": "shop", "action": "wait"}}').reason == "shop"
    assert read(f'so\n{{"action": "wait", "arguments": {{"seconds": 1, "{field}": "shop"}}}}').reason == "so\nshop"


def test_the_last_of_several_counts_and_the_others_are_told() -> None:
    """Case 125."""
    wait = '{"action":"wait","arguments":{"seconds":1}}'
    parsed = read(f'{wait} or {{"action":"hangup","arguments":{{}}}}')
    assert parsed.action == Hangup()
    assert parsed.ignored_objects == (wait,)
    assert read(f"[{wait}, {ENTER}]").action == PressKey("enter")


def test_the_last_valid_one_counts() -> None:
    for after in ('{"note": 1}', '{"action": "dance"}', '{"action": "press_key"', "{'action': 'wait'}"):
        parsed = read(f"{ENTER}\n{after}")
        assert parsed.action == PressKey("enter")
        assert parsed.ignored_objects == (after,)


def test_a_refused_last_action_is_not_replaced_by_an_earlier_one() -> None:
    menu = ActionPolicy()
    assert error(f'{ENTER} {{"action": "hangup"}}', menu).code is Fault.NOT_ALLOWED
    assert error(f'{ENTER} {{"action": "press_key", "arguments": {{"key": "nokey"}}}}').code is Fault.UNKNOWN_KEY


def test_an_action_that_is_not_available_is_named_before_its_arguments_are() -> None:
    assert error('{"action": "hangup", "arguments": 3}', ActionPolicy()).code is Fault.NOT_ALLOWED


@pytest.mark.parametrize(
    ("reply", "action", "note"),
    [
        ('{"action":"press_key","key":"P"}', PressKey("P"), "beside `action`"),
        ('{"action":"press_key","arguments":{},"key":"P"}', PressKey("P"), "beside `action`"),
        ('{"action":"Press-Key","arguments":{"key":"P"}}', PressKey("P"), "`Press-Key`"),
        ('{"action":"press_key","arguments":{"key":1}}', PressKey("1"), "number"),
        ('{"action":"submit_line","arguments":{"text":42}}', SubmitLine("42"), "number"),
        ('{"action":"submit_line","arguments":{"text":"42\\n"}}', SubmitLine("42"), "line end"),
        ('{"action":"submit_line","arguments":{"text":"42\r\n"}}', SubmitLine("42"), "line end"),
        ('{"action":"wait","confidence":0.9}', Wait(1.0), "ignored beside `action`: `confidence`"),
    ],
)
def test_what_is_plain_is_understood_and_noted(reply: str, action: Action, note: str) -> None:
    parsed = read(reply)
    assert parsed.action == action
    assert note in parsed.notes[0]


@pytest.mark.parametrize(
    ("reply", "code", "says"),
    [
        ("", Fault.EMPTY_REPLY, "empty"),
        (" \n", Fault.EMPTY_REPLY, "empty"),
        ("press enter", Fault.NO_JSON, "no JSON object"),
        ('["press_key", "enter"]', Fault.NO_JSON, "no JSON object"),
        ("{'action': 'wait'}", Fault.BAD_JSON, "not in single quotes"),
        ("{\"action\": 'wait'}", Fault.BAD_JSON, "not in single quotes"),
        ("{“action”: “wait”}", Fault.BAD_JSON, "plain double quotes"),
        ('{action: "wait"}', Fault.BAD_JSON, "a key in double quotes"),
        ('{"action": "wait",}', Fault.BAD_JSON, "comma before the closing bracket"),
        ('{"action":"submit_lines","arguments":{"lines":["a",]}}', Fault.BAD_JSON, "comma before the closing bracket"),
        ('{"action": "wait", // now\n}', Fault.BAD_JSON, "no comments"),
        ('{"action": True}', Fault.BAD_JSON, "true, false and null"),
        ('{"action":"wait","arguments":{"seconds":<seconds>}}', Fault.BAD_JSON, "angle brackets"),
        ('{"action":"type_text","arguments":{"text":"say "hi""}}', Fault.BAD_JSON, r"inside of a string"),
        ('{"action":"type_text","arguments":{"text":"C:\\games"}}', Fault.BAD_JSON, "backslash"),
        ('{"action":"type_text","arguments":{"text":"a', Fault.CUT_OFF, "before its JSON object is closed"),
        ('{"action":"press_key","arguments":{"key":"P"}', Fault.CUT_OFF, "before its JSON object is closed"),
        ("{", Fault.CUT_OFF, "before its JSON object is closed"),
        ('{"actions": "m u_1 n"}', Fault.MISSING_FIELD, "`action` is missing. `actions` is not a field"),
        ('{"name": "wait", "args": {}}', Fault.MISSING_FIELD, "`name`, `args` are not fields"),
        ('{"reason": "x"}', Fault.MISSING_FIELD, "`action` is missing. An answer is"),
        ("{}", Fault.MISSING_FIELD, "`action` is missing"),
        ('{"action": ["wait"]}', Fault.WRONG_TYPE, "`action` is an array"),
        ('{"action": "press"}', Fault.UNKNOWN_ACTION, "Did you mean press_key"),
        ('{"action": "attack"}', Fault.UNKNOWN_ACTION, "one of: press_key, type_text"),
        ('{"action":"press_key","arguments":"P"}', Fault.WRONG_TYPE, "`arguments` is the string `P`; it is an object"),
        ('{"action":"press_key","arguments":["P"]}', Fault.WRONG_TYPE, "`arguments` is an array"),
        ('{"action":"press_key","arguments":{}}', Fault.MISSING_FIELD, "lacks its argument `key`"),
        ('{"action":"press_key"}', Fault.MISSING_FIELD, "lacks its argument `key`"),
        ('{"action":"press_key","arguments":{"text":"P"}}', Fault.MISSING_FIELD, "`text` is not a field"),
        ('{"action":"press_key","text":"P"}', Fault.MISSING_FIELD, "`text` is not a field"),
        ('{"action":"press_key","arguments":{"key":null}}', Fault.MISSING_FIELD, "lacks its argument `key`"),
        ('{"action":"press_key","arguments":{"key":["a"]}}', Fault.WRONG_TYPE, "`key` is an array; it is a string"),
        ('{"action":"press_key","arguments":{"key":true}}', Fault.WRONG_TYPE, "`key` is true; it is a string"),
        ('{"action":"press_key","arguments":{"key":1.5}}', Fault.WRONG_TYPE, "`key` is a number; it is a string"),
        ('{"action":"press_key","arguments":{"key":"a","enter":true}}', Fault.UNKNOWN_FIELD, "`enter`.*only `key`"),
        ('{"action":"hangup","arguments":{"now":1}}', Fault.UNKNOWN_FIELD, "no arguments"),
        ('{"action":"submit_lines","arguments":{"lines":"a"}}', Fault.WRONG_TYPE, "an array of strings"),
        ('{"action":"submit_lines","arguments":{"lines":["a",2]}}', Fault.WRONG_TYPE, r"`lines\[1\]` is a number"),
        ('{"action":"wait","arguments":{"seconds":"2"}}', Fault.WRONG_TYPE, "the string `2`; it is a number"),
        ('{"action":"wait","arguments":{"seconds":NaN}}', Fault.WRONG_TYPE, "NaN, which JSON does not have"),
        ('{"action":"wait","arguments":{"seconds":-Infinity}}', Fault.WRONG_TYPE, "-Infinity"),
        ('{"action":"wait","arguments":{"seconds":1e999}}', Fault.OUT_OF_RANGE, "inf"),
        (f'{{"action":"wait","arguments":{{"seconds":{"9" * 5000}}}}}', Fault.OUT_OF_RANGE, "inf"),
        ('{"action":"wait","action":"hangup"}', Fault.DUPLICATE_KEY, "`action` stands twice"),
        ('{"action":"press_key","arguments":{"key":"a","key":"b"}}', Fault.DUPLICATE_KEY, "`key` stands twice"),
        ('{"action":"type_text","arguments":{"text":"a\nb"}}', Fault.LINE_END, "line end"),
        ('{"action":"press_key","arguments":{"key":"\\ud800"}}', Fault.UNENCODABLE, "surrogate"),
        ('{"action":"press_key","arguments":{"key":"<one key>"}}', Fault.UNKNOWN_KEY, "no key `<one key>`"),
        ('{"action":"submit_line","arguments":{"text":"<line to send>"}}', Fault.PLACEHOLDER, "of your own"),
        ('{"a":' + "[" * 100_000, Fault.NESTED_TOO_DEEPLY, "two levels"),
        ('{"a":' * 50_000, Fault.NESTED_TOO_DEEPLY, "two levels"),
        ("x" * (MAX_REPLY_CHARS + 1), Fault.REPLY_TOO_LONG, str(MAX_REPLY_CHARS)),
    ],
)
def test_an_error_names_the_real_fault(reply: str, code: Fault, says: str) -> None:
    """Case 128 among them: never the hint of another mistake."""
    refused = error(reply)
    assert refused.code is code
    with pytest.raises(ActionError, match=says):
        parse(reply, ALL)


def test_the_rungs_of_the_ladder_are_told_apart() -> None:
    assert type(error("no")) is NotAnAction
    assert type(error('{"action": 1}')) is WrongShape
    assert type(error('{"action":"type_text","arguments":{"text":""}}')) is Refused


def test_the_fault_told_is_that_of_the_last_piece_meant_as_an_action() -> None:
    assert error('{"action": "dance"} {"x": 1} {y}').code is Fault.UNKNOWN_ACTION
    assert error('{"action": "dance"} and {"action": "wait", }').code is Fault.BAD_JSON
    assert error('{"x": 1} {y}').code is Fault.MISSING_FIELD


def test_the_fault_lists_what_the_policy_has_and_no_more() -> None:
    message = error('{"action": "attack"}', ActionPolicy(allowed=(ActionName.WAIT,))).message
    assert "one of: wait." in message
    assert "press_key" not in message


def test_what_is_kept_of_a_reply_is_bounded_and_has_no_lone_surrogates() -> None:
    long = f'{{"x": "{"y" * 2 * MAX_IGNORED_CHARS}"}}'
    parsed = read(f'{"word " * MAX_REASON_CHARS}\ud800 {long * 100} {{"action":"wait","thought":"\\ud800"}}')
    assert len(parsed.reason) == MAX_REASON_CHARS
    assert len(parsed.ignored_objects) < 40
    assert {len(ignored) for ignored in parsed.ignored_objects} == {MAX_IGNORED_CHARS}
    assert read('so \ud800 {"action":"wait","thought":"a\\udfff"}').reason == "so \ufffd\na\ufffd"


def test_a_model_that_repeats_itself_is_understood() -> None:
    reply = (ENTER * 6_000)[:MAX_REPLY_CHARS]
    assert read(reply).action == PressKey("enter")


PROSE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="{"), max_size=60)


@given(PROSE, PROSE, st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=60))
def test_an_action_is_found_in_any_prose(before: str, after: str, text: str) -> None:
    written = json.dumps({"action": "type_text", "arguments": {"text": text}}, ensure_ascii=len(text) % 2 == 0)
    parsed = read(before + written + after)
    assert parsed.action == TypeText(text)
    assert parsed.object_text == written


@given(st.text(st.sampled_from("{}[]\":,\\ \nabction1<'“NaN\ud800"), max_size=80))
def test_any_reply_is_an_action_or_an_error_of_the_ladder(reply: str) -> None:
    try:
        parsed = read(reply)
    except ActionError as refused:
        shown = refused.message
    else:
        shown = parsed.object_text
        parsed.reason.encode()
    assert shown.encode()


@given(st.integers(0, len(ENTER) - 1))
def test_a_reply_cut_anywhere_is_no_action(end: int) -> None:
    with pytest.raises(NotAnAction):
        read(ENTER[:end])
