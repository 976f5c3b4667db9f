"""Models behind an OpenAI-compatible endpoint, `/v1/chat/completions`, through the official client.

OpenAI itself, gateways, and the local servers: vLLM, Ollama, llama.cpp. What the server refuses of a request's
shape is left out for the rest of the run and noted in the reply.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import msgspec

from tty_agent.models.answers import Answer, Identity
from tty_agent.models.chat_completions import ResponseFormat, Shape, answer_of, request
from tty_agent.models.model import ModelReply, Prompt, ProviderFault
from tty_agent.models.retries import Retrying
from tty_agent.models.sdk_client import SdkClient
from tty_agent.models.sdk_faults import said_by

USUAL_KEY_ENV: Final = "OPENAI_API_KEY"


class Sampling(msgspec.Struct, frozen=True, kw_only=True):
    """How an answer is drawn; None leaves a setting to the server."""

    max_tokens: int | None = None
    temperature: float | None = None
    seed: int | None = None


class OpenAICompatibleModel:
    """A stateless model: each call carries the whole prompt."""

    provider = "openai"
    stateful = False

    def __init__(
        self,
        client: SdkClient,
        identity: Identity,
        retrying: Retrying,
        *,
        sampling: Sampling = Sampling(),  # noqa: B008 - frozen
        extra_body: Mapping[str, object] | None = None,
        json_schema: bool = True,
    ) -> None:
        """`extra_body` is merged into each request and wins; without `json_schema` no response format is asked for."""
        self._client = client
        self._identity = identity
        self._retrying = retrying
        self._sampling = sampling
        self._extra_body = dict(extra_body or {})
        self._shape = Shape(response_format=ResponseFormat.JSON_SCHEMA if json_schema else ResponseFormat.NONE)
        self._notes: tuple[str, ...] = ()
        self._reshaped = 0

    @property
    def name(self) -> str:
        """The model's id, as in requests and traces."""
        return self._identity.model

    async def complete(self, prompt: Prompt) -> ModelReply:
        """One call. Raises ProviderFault."""
        self._reshaped = 0
        attempted = await self._retrying.call(partial(self._once, prompt))
        answer = msgspec.structs.replace(attempted.value, notes=self._notes)
        return self._identity.reply(answer, latency_s=attempted.latency_s, attempts=attempted.attempts + self._reshaped)

    async def _once(self, prompt: Prompt) -> Answer:
        """An answer, after as many refusals as a shape has parts."""
        while True:
            try:
                return answer_of(await self._client.send(partial(self._create, prompt)), self._client.where)
            except ProviderFault as fault:
                if fault.kind != "bad_request":
                    raise
                smaller = self._shape.without(said_by(fault.__cause__))
                if smaller is None:
                    raise
            self._shape, note = smaller
            self._notes = (*self._notes, note)
            self._reshaped += 1

    async def _create(self, prompt: Prompt) -> Any:
        body = request(prompt, self._shape, model=self._identity.model, max_tokens=self._sampling.max_tokens)
        if self._sampling.temperature is not None:
            body["temperature"] = self._sampling.temperature
        if self._sampling.seed is not None:
            body["seed"] = self._sampling.seed
        return await self._client.client.chat.completions.with_raw_response.create(**body, extra_body=self._extra_body)

    async def close(self) -> None:
        """Close the connections; may be called twice."""
        await self._client.close()
