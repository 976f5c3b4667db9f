"""Models by configuration: the settings of an agent registry, checked by name, and the model that they describe."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from tty_agent.models import filters
from tty_agent.models.answers import Identity
from tty_agent.models.anthropic_messages import USUAL_KEY_ENV as ANTHROPIC_KEY_ENV
from tty_agent.models.anthropic_messages import AnthropicModel
from tty_agent.models.claude import ClaudeDialect
from tty_agent.models.cli_provider import DEFAULT_TIMEOUT_S, CliModel, CliSettings
from tty_agent.models.codex import CodexDialect
from tty_agent.models.model import Model
from tty_agent.models.openai_compatible import USUAL_KEY_ENV as OPENAI_KEY_ENV
from tty_agent.models.openai_compatible import OpenAICompatibleModel, Sampling
from tty_agent.models.prices import Prices
from tty_agent.models.retries import Retrying, RetryPolicy
from tty_agent.models.scripted import ScriptedModel, read_script
from tty_agent.models.sdk_client import SdkClient

HTTP_TIMEOUT_S: Final = 120.0
"""For one answer of a server. Local models on a CPU take tens of seconds; a longer silence is a fault."""


class Provider(StrEnum):
    """Where answers come from."""

    OPENAI = "openai"
    """Any OpenAI-compatible server."""
    ANTHROPIC = "anthropic"
    CODEX = "codex"
    CLAUDE = "claude"
    SCRIPTED = "scripted"


_OF_ALL: Final = {"provider", "model", "response_filter", "prices"}
_OF_HTTP: Final = {
    "base_url", "api_key_env", "extra_body", "json_schema", "max_tokens", "temperature", "timeout_s", "retries",
}  # fmt: skip
_OF_PROGRAMS: Final = {"command", "extra_args", "stateful", "session_file", "timeout_s", "retries"}

SETTINGS: Final[Mapping[Provider, frozenset[str]]] = {
    Provider.OPENAI: frozenset(_OF_ALL | _OF_HTTP | {"seed"}),
    Provider.ANTHROPIC: frozenset(_OF_ALL | _OF_HTTP),
    Provider.CODEX: frozenset(_OF_ALL | _OF_PROGRAMS | {"json_schema"}),
    Provider.CLAUDE: frozenset(_OF_ALL | _OF_PROGRAMS),
    Provider.SCRIPTED: frozenset((_OF_ALL - {"prices"}) | {"replies", "replies_file", "loop", "stateful"}),
}
"""What can be set for each provider. Whatever else is set is a mistake that nobody would notice, so it is refused."""


class ModelConfigError(ValueError):
    """Settings that describe no model; the message names the setting."""


class ModelConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One model. See SETTINGS for what belongs to which provider."""

    provider: Provider
    model: str = ""
    """The id, as the provider knows it; the programs and a script do without."""
    response_filter: str | None = None
    """The name of an output filter; None: by the family of the model."""
    prices: Prices | None = None
    base_url: str | None = None
    """Of another server than the provider's own: `http://127.0.0.1:8000/v1`."""
    api_key_env: str | None = None
    """The environment variable that holds the key. With a `base_url` no key is sent unless it is named here."""
    extra_body: dict[str, Any] = msgspec.field(default_factory=dict)
    """More fields for the body of each request."""
    json_schema: bool | None = None
    """Whether the server is asked to hold the model to the schema. None: `openai` yes (and no more, once it is
    refused), others no."""
    max_tokens: int | None = None
    """Of one answer; None: the server's own limit (`anthropic`: 4096)."""
    temperature: float | None = None
    seed: int | None = None
    timeout_s: float | None = None
    """For one attempt; None: 120 for a server, 300 for a program."""
    retries: RetryPolicy = RetryPolicy()
    command: tuple[str, ...] = ()
    """The program and its first arguments; empty: `codex` or `claude`, looked up in PATH."""
    extra_args: tuple[str, ...] = ()
    stateful: bool = False
    """The provider keeps what it was sent; `scripted` only says so, to show the prompts of such a model."""
    session_file: str | None = None
    replies: tuple[str, ...] = ()
    replies_file: str | None = None
    """A script, see `scripted.read_script`."""
    loop: bool = False

    def __post_init__(self) -> None:
        self._check_provider()
        if self.timeout_s is not None and not 0 < self.timeout_s < float("inf"):
            raise ValueError("`timeout_s` is above 0, and finite")
        if self.base_url is not None and "@" in (urlsplit(self.base_url).netloc or self.base_url):
            raise ValueError(
                "`base_url` has a user or a password in it: name the variable with the key by `api_key_env`"
            )
        if self.max_tokens is not None and self.max_tokens < 1:
            raise ValueError("`max_tokens` is at least 1")
        if self.response_filter is not None and self.response_filter not in filters.FILTERS:
            raise ValueError(f"`response_filter` is one of {', '.join(sorted(filters.FILTERS))}")

    def _check_provider(self) -> None:
        for field in msgspec.structs.fields(self):
            if field.name in SETTINGS[self.provider] or getattr(self, field.name) == _default(field):
                continue
            raise ValueError(f"`{field.name}` means nothing to the provider {self.provider}")
        if self.provider in {Provider.OPENAI, Provider.ANTHROPIC} and not self.model:
            raise ValueError(f"`model` must name a model of {self.provider}")
        if self.session_file is not None and not self.stateful:
            raise ValueError("`session_file` needs `stateful`")
        if self.provider is Provider.SCRIPTED and bool(self.replies) == (self.replies_file is not None):
            raise ValueError("a script has either `replies` or `replies_file`")


def _default(field: msgspec.structs.FieldInfo) -> object:
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return field.default


def model_config(settings: Mapping[str, Any]) -> ModelConfig:
    """The model of a table of a registry. Raises ModelConfigError that names what is unknown or wrong."""
    try:
        return msgspec.convert(dict(settings), ModelConfig)
    except msgspec.ValidationError as error:
        raise ModelConfigError(f"model: {error}") from error


def read_model_config(path: Path | str) -> ModelConfig:
    """The model of a TOML or (by its name) JSON file; of its table `model`, if it has one.

    Raises ModelConfigError, which names the file, and OSError if there is no such file.
    """
    file = Path(path)
    text = file.read_text("utf-8")
    try:
        settings = msgspec.json.decode(text) if file.suffix == ".json" else tomllib.loads(text)
    except (msgspec.DecodeError, tomllib.TOMLDecodeError) as error:
        raise ModelConfigError(f"{file.name}: {error}") from error
    if not isinstance(settings, dict):
        raise ModelConfigError(f"{file.name} holds no table of settings")
    table = settings.get("model")
    try:
        return model_config(table if isinstance(table, dict) else settings)
    except ModelConfigError as error:
        raise ModelConfigError(f"{file.name}: {error}") from error


def make_model(config: ModelConfig, *, retrying: Retrying | None = None) -> Model:
    """The model that `config` describes; close it when it is no longer needed.

    `retrying` replaces the one made of `config.retries`, with its clock and its pauses. Raises ProviderFault if a
    package or a key is missing, ValueError or OSError for a script that can't be read.
    """
    retrying = retrying or Retrying(config.retries)
    if config.provider is Provider.SCRIPTED:
        return _scripted(config)
    if config.provider in {Provider.CODEX, Provider.CLAUDE}:
        return _program(config, retrying)
    identity = _identity(config)
    if config.provider is Provider.ANTHROPIC:
        return AnthropicModel(
            _client("anthropic", "AsyncAnthropic", ANTHROPIC_KEY_ENV, config),
            identity,
            retrying,
            max_tokens=config.max_tokens,
            temperature=config.temperature,
            extra_body=config.extra_body,
            json_schema=bool(config.json_schema),
        )
    return OpenAICompatibleModel(
        _client("openai", "AsyncOpenAI", OPENAI_KEY_ENV, config),
        identity,
        retrying,
        sampling=Sampling(max_tokens=config.max_tokens, temperature=config.temperature, seed=config.seed),
        extra_body=config.extra_body,
        json_schema=config.json_schema is not False,
    )


def _identity(config: ModelConfig) -> Identity:
    return Identity(
        provider=config.provider.value,
        model=config.model or f"{config.provider}-default",
        response_filter=config.response_filter,
        prices=config.prices,
    )


def _client(package: str, client_class: str, usual_key_env: str, config: ModelConfig) -> SdkClient:
    return SdkClient(
        package,
        client_class,
        base_url=config.base_url,
        api_key_env=config.api_key_env,
        usual_key_env=usual_key_env,
        timeout_s=config.timeout_s or HTTP_TIMEOUT_S,
    )


def _program(config: ModelConfig, retrying: Retrying) -> CliModel:
    dialect_class = CodexDialect if config.provider is Provider.CODEX else ClaudeDialect
    settings = CliSettings(
        command=config.command,
        model=config.model or None,
        timeout_s=config.timeout_s or DEFAULT_TIMEOUT_S,
        stateful=config.stateful,
        session_file=Path(config.session_file) if config.session_file else None,
        json_schema=bool(config.json_schema),
    )
    return CliModel(dialect_class(config.extra_args), settings, _identity(config), retrying)


def _scripted(config: ModelConfig) -> ScriptedModel:
    replies = read_script(Path(config.replies_file)) if config.replies_file else config.replies
    return ScriptedModel(
        replies,
        loop=config.loop,
        name=config.model or "scripted",
        response_filter=config.response_filter,
        stateful=config.stateful,
    )
