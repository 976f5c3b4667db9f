"""Anthropic's models, through the official client, with prompt caching of what stays the same.

Cached are the system prompt (contract and action schema) and the stable beginning of the user's text. Caching only
lowers the cost: the model is sent the same text with and without it.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import msgspec

from tty_agent.models.answers import Answer, Identity
from tty_agent.models.model import ModelReply, Prompt, ProviderFault, Usage
from tty_agent.models.provider_json import count
from tty_agent.models.redaction import message_of
from tty_agent.models.retries import Retrying
from tty_agent.models.sdk_client import SdkClient

USUAL_KEY_ENV: Final = "ANTHROPIC_API_KEY"

DEFAULT_MAX_TOKENS: Final = 4096
"""The API demands a limit; this leaves room for reasoning before one short action."""

_EPHEMERAL: Final = {"type": "ephemeral"}


class AnthropicModel:
    """A stateless model: each call carries the whole prompt."""

    provider = "anthropic"
    stateful = False

    def __init__(
        self,
        client: SdkClient,
        identity: Identity,
        retrying: Retrying,
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        extra_body: Mapping[str, object] | None = None,
        json_schema: bool = False,
    ) -> None:
        """With `json_schema` the API holds the model to the prompt's schema (not every schema is taken)."""
        self._client = client
        self._identity = identity
        self._retrying = retrying
        self._max_tokens = max_tokens or DEFAULT_MAX_TOKENS
        self._extra_body = dict(extra_body or {})
        if temperature is not None:
            self._extra_body.setdefault("temperature", temperature)
        self._json_schema = json_schema

    @property
    def name(self) -> str:
        """The model's id, as in requests and traces."""
        return self._identity.model

    async def complete(self, prompt: Prompt) -> ModelReply:
        """One call. Raises ProviderFault."""
        attempted = await self._retrying.call(partial(self._once, prompt))
        return self._identity.reply(attempted.value, latency_s=attempted.latency_s, attempts=attempted.attempts)

    async def _once(self, prompt: Prompt) -> Answer:
        return answer_of(await self._client.send(partial(self._create, prompt)), self._client.where)

    async def _create(self, prompt: Prompt) -> Any:
        body: dict[str, Any] = {
            "model": self._identity.model,
            "max_tokens": self._max_tokens,
            "messages": [{"role": "user", "content": user_content(prompt)}],
        }
        if prompt.system:
            body["system"] = [_text(prompt.system, cached=True)]
        extra = self._extra_body
        if self._json_schema and prompt.schema is not None:
            schema = {"type": "json_schema", "schema": dict(prompt.schema)}
            extra = {"output_config": {"format": schema}, **extra}
        return await self._client.client.messages.with_raw_response.create(**body, extra_body=extra)

    async def close(self) -> None:
        """Close the connections; may be called twice."""
        await self._client.close()


def user_content(prompt: Prompt) -> list[dict[str, Any]]:
    """The blocks of the user's message: the stable text, marked for the cache; the images; the rest of the text.

    The API refuses a block of nothing but white space, so such a part stays with the other one.
    """
    stable, fresh = prompt.user[: prompt.stable_chars], prompt.user[prompt.stable_chars :]
    images = [_image(png) for png in prompt.images]
    if not stable.strip():
        return [*images, _text(prompt.user)]
    if not fresh.strip():
        return [_text(prompt.user, cached=True), *images]
    return [_text(stable, cached=True), *images, _text(fresh)]


def _text(text: str, *, cached: bool = False) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": text}
    return {**block, "cache_control": _EPHEMERAL} if cached else block


def _image(png: bytes) -> dict[str, Any]:
    data = base64.b64encode(png).decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


class _Block(msgspec.Struct, frozen=True):
    type: str = ""
    text: str = ""
    thinking: str = ""


class _Message(msgspec.Struct, frozen=True):
    content: tuple[_Block, ...]
    model: str | None = None
    stop_reason: str | None = None
    usage: dict[str, Any] = msgspec.field(default_factory=dict)


def answer_of(body: bytes, where: str = "the provider") -> Answer:
    """The answer in the body of a 200 from the server `where`. Raises ProviderFault if it is no message."""
    try:
        message = msgspec.json.decode(body, type=_Message)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        start = message_of(body[:200].decode("utf-8", "replace"))
        raise ProviderFault("server_error", f"the answer of {where} is no message: {start}", retryable=True) from None
    written = count(message.usage.get("cache_creation_input_tokens")) or 0
    return Answer(
        text="".join(block.text for block in message.content if block.type == "text"),
        reasoning="".join(block.thinking for block in message.content if block.type == "thinking"),
        usage=usage_of(message.usage),
        cache_write_tokens=written,
        stop_reason=message.stop_reason,
        model=message.model,
    )


def usage_of(usage: Mapping[str, Any]) -> Usage:
    """Anthropic counts cached and newly cached input apart from the other input; a Usage counts them as parts."""
    fresh = count(usage.get("input_tokens"))
    cached = count(usage.get("cache_read_input_tokens"))
    written = count(usage.get("cache_creation_input_tokens")) or 0
    return Usage(
        input_tokens=None if fresh is None else fresh + (cached or 0) + written,
        output_tokens=count(usage.get("output_tokens")),
        cached_tokens=cached,
    )
