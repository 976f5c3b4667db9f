"""The wire of `/v1/chat/completions`: a request from a Prompt, an Answer from a body. No I/O.

Servers differ in what they take. A `Shape` says what is asked for, and what to ask for instead once the server has
refused that.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec

from tty_agent.models.answers import Answer
from tty_agent.models.model import Prompt, ProviderFault, Usage
from tty_agent.models.provider_json import count, dollars, mapping, text
from tty_agent.models.redaction import message_of

_FORMAT_WORDS: Final = ("response_format", "json_schema", "json_object", "structured output", "grammar", "guided")
"""One of these stands in the refusal of a response format, whatever server it comes from."""


_LIMITS: Final = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"})


class ResponseFormat(StrEnum):
    """How firmly the server is to hold the model to JSON."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    NONE = "none"


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """What a request asks for beyond its messages."""

    response_format: ResponseFormat = ResponseFormat.JSON_SCHEMA
    tokens_field: str = "max_tokens"
    """`max_tokens`, which every local server knows, or `max_completion_tokens`, which reasoning models demand."""

    def without(self, refusal: str) -> tuple[Shape, str] | None:
        """The next shape to try after a refusal with these words, and a note; None if the shape is not to blame."""
        words = refusal.lower()
        if self.tokens_field == "max_tokens" and "max_completion_tokens" in words:
            return msgspec.structs.replace(self, tokens_field="max_completion_tokens"), "max_tokens was refused"
        if self.response_format is ResponseFormat.NONE or not any(word in words for word in _FORMAT_WORDS):
            return None
        refused = self.response_format
        instead = ResponseFormat.JSON_OBJECT if refused is ResponseFormat.JSON_SCHEMA else ResponseFormat.NONE
        note = f"response_format {refused.value} was refused, {instead.value} is used for the rest of the run"
        return msgspec.structs.replace(self, response_format=instead), note


def request(prompt: Prompt, shape: Shape, *, model: str, max_tokens: int | None) -> dict[str, Any]:
    """The body of a request, without the caller's own additions."""
    messages: list[dict[str, Any]] = []
    if prompt.system:
        messages.append({"role": "system", "content": prompt.system})
    messages.append({"role": "user", "content": _user_content(prompt)})
    body: dict[str, Any] = {"model": model, "messages": messages}
    if max_tokens is not None:
        body[shape.tokens_field] = max_tokens
    if prompt.schema is not None and shape.response_format is not ResponseFormat.NONE:
        body["response_format"] = _response_format(prompt, shape.response_format)
    return body


def _user_content(prompt: Prompt) -> str | list[dict[str, Any]]:
    """A plain string without images: servers for text alone know nothing else."""
    if not prompt.images:
        return prompt.user
    parts: list[dict[str, Any]] = [{"type": "text", "text": prompt.user}]
    for image in prompt.images:
        url = "data:image/png;base64," + base64.b64encode(image).decode("ascii")
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return parts


def _response_format(prompt: Prompt, wanted: ResponseFormat) -> dict[str, Any]:
    if wanted is ResponseFormat.JSON_OBJECT:
        return {"type": "json_object"}
    schema = {"name": prompt.schema_name, "schema": _without_limits(prompt.schema), "strict": True}
    return {"type": "json_schema", "json_schema": schema}


def _without_limits(schema: Any) -> Any:
    """The schema less its limits of length and number: strict servers refuse some of them, and local ones make
    a huge grammar of a large one. The limits are checked when the answer is read."""
    if isinstance(schema, Mapping):
        return {
            key: _without_limits(value)
            for key, value in schema.items()
            if key not in _LIMITS or isinstance(value, Mapping)  # a property may have that name
        }
    return [_without_limits(part) for part in schema] if isinstance(schema, list | tuple) else schema


def answer_of(body: bytes, where: str = "the provider") -> Answer:
    """The answer in the body of a 200 from the server `where`. Raises ProviderFault if it is no chat completion, or an
    error in disguise."""
    try:
        completion = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        completion = None
    if not isinstance(completion, dict):
        start = message_of(body[:200].decode("utf-8", "replace"))
        raise ProviderFault("server_error", f"the answer of {where} is no JSON object: {start}", retryable=True)
    choice = _first(completion.get("choices"))
    message = choice.get("message")
    if not isinstance(message, dict):
        raise _fault_in(completion, where)
    said, thoughts = _content(message.get("content"))
    usage = mapping(completion.get("usage"))
    return Answer(
        text=said or text(message.get("refusal")) or "",
        reasoning=text(message.get("reasoning_content")) or text(message.get("reasoning")) or thoughts,
        usage=_usage(usage),
        cost_usd=dollars(usage.get("cost")),
        stop_reason=text(choice.get("finish_reason")),
        model=text(completion.get("model")),
    )


def _first(choices: object) -> Mapping[str, Any]:
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    return {}


def _fault_in(completion: Mapping[str, Any], where: str) -> ProviderFault:
    """Some gateways answer 200 and put the error of the server behind them into the body."""
    error = completion.get("error")
    if error is None:
        return ProviderFault("server_error", f"the answer of {where} has no message", retryable=True)
    said = error.get("message", error) if isinstance(error, dict) else error
    return ProviderFault("server_error", f"{where}: {message_of(str(said))}", retryable=True)


def _content(content: object) -> tuple[str, str]:
    """(text, reasoning) of a message's content, a string or a list of typed parts."""
    if isinstance(content, str):
        return content, ""
    texts: list[str] = []
    thoughts: list[str] = []
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            continue
        if isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif part.get("type") == "thinking":
            thoughts.append(_content(part.get("thinking"))[0])
    return "".join(texts), "".join(thoughts)


def _usage(usage: Mapping[str, Any]) -> Usage:
    return Usage(
        input_tokens=count(usage.get("prompt_tokens")),
        output_tokens=count(usage.get("completion_tokens")),
        cached_tokens=count(mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
    )
