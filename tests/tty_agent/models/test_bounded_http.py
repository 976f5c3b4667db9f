"""What a server may send: so much, as it is, from the address that was named."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from tests.tty_agent.models.provider_server import Says, provider_server

from tty_agent.models import sdk_client
from tty_agent.models.model import ProviderFault
from tty_agent.models.sdk_client import SdkClient

pytest.importorskip("openai", reason="the official clients are an extra")

LIMIT = 2000
ANSWER = {"choices": [{"message": {"content": "hello"}}]}


async def ask(monkeypatch: pytest.MonkeyPatch, says: Says) -> tuple[bytes, dict[str, Any]]:
    monkeypatch.setattr(sdk_client, "MAX_ANSWER_BYTES", LIMIT)
    async with provider_server(says) as server:
        client = SdkClient(
            "openai",
            "AsyncOpenAI",
            base_url=f"{server.address}/v1",
            api_key_env=None,
            usual_key_env="USUAL_KEY",
            timeout_s=5.0,
        )
        try:
            body = await client.send(
                lambda: client.client.chat.completions.with_raw_response.create(model="m", messages=[])
            )
        finally:
            await client.close()
        assert len(server.requests) == 1
        return body, dict(server.requests[0].headers)


async def test_an_answer_is_read_and_no_compression_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    body, headers = await ask(monkeypatch, Says(ANSWER))
    assert b"hello" in body
    assert headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("status", [200, 500])
async def test_an_answer_without_end_is_refused(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    with pytest.raises(ProviderFault, match=f"more than {LIMIT} bytes") as caught:
        await ask(monkeypatch, Says("x" * (LIMIT + 1), status=status))
    assert caught.value.kind == "server_error"


async def test_a_compressed_answer_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(b" " * 1_000_000).decode("latin-1")
    with pytest.raises(ProviderFault, match="coding gzip"):
        await ask(monkeypatch, Says(packed[:100], headers={"Content-Encoding": "gzip"}))


@pytest.mark.parametrize("place", ["http://127.0.0.1:9/elsewhere?key=1", "/v1/other"])
async def test_a_redirect_is_not_followed_but_told(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    with pytest.raises(ProviderFault, match="--base-url") as caught:
        await ask(monkeypatch, Says("gone", status=307, headers={"Location": place}))
    assert place.partition("?")[0] in str(caught.value)
    assert "key=1" not in str(caught.value)
