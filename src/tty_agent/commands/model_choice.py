"""Which model a command is to ask, from its options to a configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

if TYPE_CHECKING:
    from tty_agent.models.catalog import ModelConfig

FORMS: Final = "scripted:FILE, openai:MODEL, anthropic:MODEL, codex[:MODEL] or claude[:MODEL]"

Spec = Annotated[
    str | None,
    typer.Option("--model", metavar="MODEL", help=f"{FORMS}."),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option("--model-config", metavar="FILE", help="A TOML or JSON file with all settings, in place of --model."),
]
BaseUrl = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="Of an OpenAI-compatible server: http://HOST:PORT/v1.")
]
ApiKeyEnv = Annotated[
    str | None, typer.Option("--api-key-env", metavar="NAME", help="The environment variable with the provider's key.")
]
ResponseFilter = Annotated[
    str | None, typer.Option("--response-filter", metavar="NAME", help="The output filter; by the family of the model.")
]
Temperature = Annotated[float | None, typer.Option("--temperature", min=0.0)]
AnswerTokens = Annotated[
    int | None, typer.Option("--answer-tokens", metavar="N", min=1, help="The longest answer of the model.")
]
ExtraBody = Annotated[
    str | None, typer.Option("--extra-body", metavar="JSON", help="More fields for the body of each request.")
]
Stateful = Annotated[bool, typer.Option("--stateful", help="codex, claude: go on in one session; scripted: as if.")]
SessionFile = Annotated[
    str | None, typer.Option("--session-file", metavar="FILE", help="Where --stateful keeps the session's id.")
]
Loop = Annotated[bool, typer.Option("--loop", help="scripted: begin again after the last reply.")]

_OPTIONS: Final = MappingProxyType(
    {
        "provider": "--model",
        "model": "--model",
        "replies": "--model",
        "replies_file": "--model",
        "base_url": "--base-url",
        "api_key_env": "--api-key-env",
        "response_filter": "--response-filter",
        "temperature": "--temperature",
        "max_tokens": "--answer-tokens",
        "extra_body": "--extra-body",
        "stateful": "--stateful",
        "session_file": "--session-file",
        "loop": "--loop",
    }
)
"""By setting: the option that sets it."""

_SETTING: Final = re.compile(r"`(?:\$\.)?(\w+)`")


def model_choice(
    spec: str | None,
    config_file: Path | None = None,
    *,
    registered: Mapping[str, Any] = MappingProxyType({}),
    **settings: Any,
) -> ModelConfig:
    """The model that the options describe; those that are None or False are not set. Without a model among them they
    change the `registered` one. Raises OSError, and BadParameter with the option that is wrong."""
    from tty_agent.models.catalog import Provider  # noqa: PLC0415 - not for the help

    given = {name: value for name, value in settings.items() if value is not None and value is not False}
    if config_file is not None:
        if spec is not None or given:
            raise typer.BadParameter(
                "it has all settings of the model: leave the others away", param_hint="--model-config"
            )
        return _of_file(config_file)
    if spec is None and registered:
        return _of_table({**registered, **given})
    if spec is None:
        raise typer.BadParameter(f"there is no model: give {FORMS}, or --model-config FILE", param_hint="--model")
    provider, _, name = spec.partition(":")
    if provider not in set(Provider):
        raise typer.BadParameter(f"{provider!r} is no provider: give {FORMS}", param_hint="--model")
    table: dict[str, Any] = {"provider": provider, **given}
    if name:
        table["replies_file" if provider == Provider.SCRIPTED else "model"] = name
    return _of_table(table)


def _of_table(table: dict[str, Any]) -> ModelConfig:
    from tty_agent.models.catalog import ModelConfigError, model_config  # noqa: PLC0415

    if isinstance(table.get("extra_body"), str):
        table["extra_body"] = _body(table["extra_body"])
    try:
        return model_config(table)
    except ModelConfigError as fault:
        said = str(fault).removeprefix("model: ")
        found = _SETTING.search(said)
        hint = _OPTIONS.get(found[1], "--model") if found else "--model"
        raise typer.BadParameter(_SETTING.sub(_as_option, said), param_hint=hint) from fault


def told(config: ModelConfig) -> dict[str, Any]:
    """What a trace tells of it: all that is set, without what may be a secret in the body of requests."""
    import msgspec  # noqa: PLC0415

    from tty_agent.models.redaction import without_secrets  # noqa: PLC0415

    fields: dict[str, Any] = msgspec.to_builtins(config)
    shown = {name: value for name, value in fields.items() if value not in (None, "", False, [], {})}
    if config.extra_body:
        shown["extra_body"] = without_secrets(config.extra_body)
    return shown


def _of_file(path: Path) -> ModelConfig:
    from tty_agent.models.catalog import ModelConfigError, read_model_config  # noqa: PLC0415

    try:
        return read_model_config(path)
    except ModelConfigError as fault:
        raise typer.BadParameter(str(fault), param_hint="--model-config") from fault


def _as_option(setting: re.Match[str]) -> str:
    return _OPTIONS.get(setting[1], setting[0])


def _body(text: str) -> dict[str, Any]:
    import msgspec  # noqa: PLC0415

    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeEncodeError) as fault:
        raise typer.BadParameter(f"it is no JSON object: {fault}", param_hint="--extra-body") from fault
