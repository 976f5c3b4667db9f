"""The contract of a language model: one prompt in, one reply out, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

import msgspec


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is sent for one call."""

    system: str
    """Stable over a run: contract, action schema, guidance. Providers may cache it."""
    user: str
    stable_chars: int = 0
    """How many characters at the start of `user` are the same as in the call before: a provider may cache them."""
    schema: Mapping[str, object] | None = None
    """JSON Schema of the answer, for providers that can hold a model to one."""
    schema_name: str = "action"
    images: tuple[bytes, ...] = ()
    """PNG files."""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of one call, as the provider counts them; None where it does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    """Input tokens that were read from a cache; part of `input_tokens`."""


class ModelReply(msgspec.Struct, frozen=True, kw_only=True):
    """One answer."""

    raw: str
    """As the provider gave it, with reasoning and all; the end of it, if it is longer than a reply is read."""
    text: str
    """After the output filter: what is parsed."""
    model: str
    provider: str
    filter: str = "none"
    usage: Usage = Usage()
    cost_usd: float | None = None
    """As the provider says, or by the prices that the caller set; None if neither is known."""
    latency_s: float = 0.0
    attempts: int = 1
    """Calls that it took, the repeated ones after faults of the transport counted."""
    session_id: str | None = None
    """The provider's own session, where it keeps one."""
    stop_reason: str | None = None
    """The provider's own word; see STOPPED_BY_LIMIT."""
    notes: tuple[str, ...] = ()
    """What a reader of the trace should know about the call, such as a setting that the server refused."""


STOPPED_BY_LIMIT: Final = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
"""Stop reasons of an answer that was cut: the agent's affair, never a fault."""


class ProviderFault(Exception):
    """The provider failed, not the agent: no answer, a refusal to serve, a broken program. Class `infra`.

    `kind` is one of `unreachable`, `timeout`, `rate_limited`, `server_error`, `unauthorized`, `bad_request`,
    `cut_off`, `missing` (a program or a package that is not installed), `exited` (a program that failed).
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        retryable: bool = False,
        attempts: int = 1,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable
        self.attempts = attempts
        self.retry_after_s = retry_after_s
        """How long the provider asks to be left alone; None if it does not say."""


class Model(Protocol):
    """A model. Stateless unless `stateful`: then the provider keeps what it was sent in earlier calls."""

    @property
    def name(self) -> str:
        """The model's id, as in traces."""
        ...

    @property
    def provider(self) -> str:
        """`openai`, `anthropic`, `codex`, `claude`, `scripted`."""
        ...

    @property
    def stateful(self) -> bool:
        """Whether delta prompts make sense."""
        ...

    async def complete(self, prompt: Prompt) -> ModelReply:
        """One call. Raises ProviderFault."""
        ...

    async def close(self) -> None:
        """Free connections and programs; may be called twice."""
        ...
