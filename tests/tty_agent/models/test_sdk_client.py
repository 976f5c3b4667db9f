from __future__ import annotations

import pytest

from tty_agent.models import sdk_client
from tty_agent.models.model import ProviderFault
from tty_agent.models.sdk_client import SdkClient


def client(package: str = "openai", **settings: str | None) -> SdkClient:
    given = {"base_url": "http://127.0.0.1:9/v1", "api_key_env": None} | settings
    return SdkClient(
        package,
        "AsyncOpenAI",
        base_url=given["base_url"],
        api_key_env=given["api_key_env"],
        usual_key_env="USUAL_KEY",
        timeout_s=1.0,
    )


def test_a_package_that_is_missing_names_the_extra() -> None:
    with pytest.raises(ProviderFault, match=r"pip install 'agentbbs\[llm\]'") as caught:
        client("no_such_package_here")
    assert caught.value.kind == "missing"


async def test_the_providers_own_address_needs_its_usual_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("USUAL_KEY", raising=False)
    with pytest.raises(ProviderFault, match="set USUAL_KEY") as caught:
        client(base_url=None)
    assert caught.value.kind == "unauthorized"
    monkeypatch.setenv("USUAL_KEY", "usual")
    own = client(base_url=None)
    assert own.client.api_key == "usual"
    await own.close()


def test_a_key_that_was_named_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NAMED_KEY", raising=False)
    with pytest.raises(ProviderFault, match="set NAMED_KEY"):
        client(api_key_env="NAMED_KEY")


async def test_the_clients_own_retries_are_off() -> None:
    opened = client()
    assert opened.client.max_retries == 0
    await opened.close()


async def test_mistakes_of_ours_pass_through() -> None:
    opened = client()

    async def call() -> None:
        raise KeyError("a mistake")

    with pytest.raises(KeyError):
        await opened.send(call)
    await opened.close()


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.1:1/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://10.0.0.1/v1", False),
        ("https://models.example/v1", False),
        (None, False),
    ],
)
def test_only_this_machine_is_reached_past_a_proxy(address: str | None, local: bool) -> None:
    assert sdk_client._is_loopback(address) is local
