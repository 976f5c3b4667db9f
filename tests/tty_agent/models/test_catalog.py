from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tty_agent.models.catalog import (
    ModelConfig,
    ModelConfigError,
    Provider,
    make_model,
    model_config,
    read_model_config,
)
from tty_agent.models.model import Prompt, ProviderFault
from tty_agent.models.prices import Prices
from tty_agent.models.retries import RetryPolicy

TOML = """
[model]
provider = "openai"
model = "qwen3-8b"
base_url = "http://127.0.0.1:8000/v1"
response_filter = "reasoning"
max_tokens = 2000
timeout_s = 45

[model.extra_body.chat_template_kwargs]
enable_thinking = false

[model.prices]
input_per_million = 0.5
output_per_million = 1.5

[model.retries]
max_attempts = 2
"""


def test_a_table_of_a_registry(tmp_path: Path) -> None:
    file = tmp_path / "agent.toml"
    file.write_text(TOML)
    config = read_model_config(file)
    assert config == ModelConfig(
        provider=Provider.OPENAI,
        model="qwen3-8b",
        base_url="http://127.0.0.1:8000/v1",
        response_filter="reasoning",
        max_tokens=2000,
        timeout_s=45.0,
        extra_body={"chat_template_kwargs": {"enable_thinking": False}},
        prices=Prices(input_per_million=0.5, output_per_million=1.5),
        retries=RetryPolicy(max_attempts=2),
    )


def test_a_json_file_without_a_table_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "agent.json"
    file.write_text('{"provider": "codex", "stateful": true, "session_file": "s.json"}')
    config = read_model_config(file)
    assert (config.provider, config.stateful, config.session_file) == (Provider.CODEX, True, "s.json")


@pytest.mark.parametrize(("name", "content"), [("a.toml", "x = ["), ("a.json", "{"), ("a.json", "[]")])
def test_a_file_that_is_no_table(tmp_path: Path, name: str, content: str) -> None:
    file = tmp_path / name
    file.write_text(content)
    with pytest.raises(ModelConfigError, match=r"^a\."):
        read_model_config(file)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"provider": "openai", "model": "m", "temprature": 1}, "temprature"),
        ({"provider": "mystery"}, "mystery"),
        ({}, "provider"),
        ({"provider": "openai"}, "model"),
        ({"provider": "openai", "model": "m", "max_tokens": "many"}, "max_tokens"),
        ({"provider": "openai", "model": "m", "max_tokens": 0}, "max_tokens"),
        ({"provider": "openai", "model": "m", "timeout_s": 0}, "timeout_s"),
        ({"provider": "openai", "model": "m", "response_filter": "qwen"}, "response_filter"),
        ({"provider": "openai", "model": "m", "prices": {"input_per_million": 1}}, "output_per_million"),
        ({"provider": "openai", "model": "m", "retries": {"attempts": 1}}, "attempts"),
        ({"provider": "openai", "model": "m", "stateful": True}, "stateful"),
        ({"provider": "openai", "model": "m", "command": ["x"]}, "command"),
        ({"provider": "anthropic", "model": "m", "seed": 1}, "seed"),
        ({"provider": "claude", "base_url": "http://x"}, "base_url"),
        ({"provider": "claude", "json_schema": True}, "json_schema"),
        ({"provider": "codex", "session_file": "s"}, "session_file"),
        ({"provider": "scripted"}, "replies"),
        ({"provider": "scripted", "replies": ["a"], "replies_file": "f"}, "replies_file"),
        ({"provider": "scripted", "replies": ["a"], "max_tokens": 5}, "max_tokens"),
        ({"provider": "scripted", "replies": ["a"], "stateful": True, "session_file": "s"}, "session_file"),
    ],
)
def test_what_describes_no_model_is_refused_by_name(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(ModelConfigError, match=named):
        model_config(settings)


async def test_a_script_from_settings(tmp_path: Path) -> None:
    file = tmp_path / "script.jsonl"
    file.write_text('"from the file"\n')
    for settings, text in (({"replies": ["listed"]}, "listed"), ({"replies_file": str(file)}, "from the file")):
        model = make_model(model_config({"provider": "scripted", "loop": True, **settings}))
        assert (await model.complete(Prompt(system="", user=""))).text == text
        assert (model.name, model.provider, model.stateful) == ("scripted", "scripted", False)
    assert make_model(model_config({"provider": "scripted", "replies": ["a"], "stateful": True})).stateful


@pytest.mark.parametrize("provider", ["codex", "claude"])
async def test_programs_do_without_a_model(provider: str) -> None:
    model = make_model(model_config({"provider": provider}))
    assert (model.name, model.provider, model.stateful) == (f"{provider}-default", provider, False)
    await model.close()


@pytest.mark.parametrize(("provider", "env"), [("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY")])
def test_a_key_that_is_missing_is_named(provider: str, env: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(env, raising=False)
    with pytest.raises(ProviderFault, match=env):
        make_model(model_config({"provider": provider, "model": "m"}))


def test_the_catalog_needs_no_extra_and_loads_no_client() -> None:
    script = (
        "import sys, tty_agent.models.catalog; print(*{'openai', 'anthropic', 'httpx', 'httpx2'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == ""
