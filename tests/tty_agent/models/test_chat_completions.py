from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent.models.chat_completions import ResponseFormat, Shape, answer_of, request
from tty_agent.models.model import Prompt, ProviderFault, Usage

SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string", "maxLength": 500}, "maxLength": {"type": "integer", "minimum": 0}},
    "anyOf": [{"type": "array", "items": {"type": "string", "maxLength": 9}, "maxItems": 5}],
}
PROMPT = Prompt(system="the contract", user="the screen", schema=SCHEMA)


def completion(message: Any, **fields: Any) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], **fields}).encode()


def test_a_request_holds_the_prompt_and_its_schema_without_limits() -> None:
    body = request(PROMPT, Shape(), model="m", max_tokens=100)
    assert body["messages"] == [
        {"role": "system", "content": "the contract"},
        {"role": "user", "content": "the screen"},
    ]
    assert (body["model"], body["max_tokens"]) == ("m", 100)
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {
            "name": "action",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "maxLength": {"type": "integer"}},
                "anyOf": [{"type": "array", "items": {"type": "string"}}],
            },
        },
    }


def test_what_is_not_set_is_not_sent() -> None:
    assert request(Prompt(system="", user="hi"), Shape(), model="m", max_tokens=None) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
    }


def test_images_follow_the_text() -> None:
    png = b"\x89PNG not really"
    prompt = Prompt(system="", user="look", images=(png,))
    body = request(prompt, Shape(), model="m", max_tokens=None)
    text, image = body["messages"][0]["content"]
    assert text == {"type": "text", "text": "look"}
    head, data = image["image_url"]["url"].split(",")
    assert (image["type"], head) == ("image_url", "data:image/png;base64")
    assert base64.b64decode(data) == png


def test_a_refused_schema_becomes_an_object_and_then_nothing() -> None:
    shape = Shape()
    formats = []
    while (smaller := shape.without("'response_format' is not supported")) is not None:
        shape, note = smaller
        formats.append(shape.response_format)
        assert "was refused" in note
    assert formats == [ResponseFormat.JSON_OBJECT, ResponseFormat.NONE]


def test_a_shape_is_not_to_blame_for_other_refusals() -> None:
    assert Shape().without("model not found") is None


def test_reasoning_models_get_the_limit_under_their_name() -> None:
    smaller = Shape().without("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    assert smaller is not None
    body = request(PROMPT, smaller[0], model="m", max_tokens=5)
    assert body["max_completion_tokens"] == 5
    assert "max_tokens" not in body
    assert smaller[0].response_format is ResponseFormat.JSON_SCHEMA


def test_an_answer_with_all_its_particulars() -> None:
    usage = {
        "prompt_tokens": 90,
        "completion_tokens": 8,
        "prompt_tokens_details": {"cached_tokens": 64},
        "cost": 0.0125,
    }
    answer = answer_of(completion({"content": "{}", "reasoning_content": "hm"}, usage=usage, model="m-2"))
    assert (answer.text, answer.reasoning, answer.stop_reason, answer.model) == ("{}", "hm", "stop", "m-2")
    assert answer.usage == Usage(input_tokens=90, output_tokens=8, cached_tokens=64)
    assert answer.cost_usd == 0.0125


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"content": None}, "", ""),
        ({}, "", ""),
        ({"content": "x", "reasoning": "r"}, "x", "r"),
        ({"content": None, "refusal": "I won't"}, "I won't", ""),
        ({"content": [{"type": "text", "text": "a"}, "odd", {"type": "text", "text": "b"}]}, "ab", ""),
        (
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "t"}]}, {"text": "a"}]},
            "a",
            "t",
        ),
    ],
)
def test_the_forms_of_content_that_servers_send(message: dict[str, Any], text: str, reasoning: str) -> None:
    answer = answer_of(completion(message))
    assert (answer.text, answer.reasoning) == (text, reasoning)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>Bad Gateway</html>", b"{", b"[]", b"null", b"\xff\xff", b'{"choices": []}', b'{"choices": [3]}',
     b'{"choices": [{"message": null}]}', b"[" * 100_000],
)  # fmt: skip
def test_a_200_that_is_no_answer_is_a_fault_to_repeat(body: bytes) -> None:
    with pytest.raises(ProviderFault) as caught:
        answer_of(body)
    assert (caught.value.kind, caught.value.retryable) == ("server_error", True)


def test_an_error_in_a_200_is_named() -> None:
    with pytest.raises(ProviderFault, match="upstream is down"):
        answer_of(b'{"error": {"code": 502, "message": "upstream is down"}}')


@given(st.binary(max_size=60))
def test_any_bytes_are_an_answer_or_a_fault(body: bytes) -> None:
    with pytest.raises(ProviderFault):
        answer_of(body)
