from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tty_agent.models.provider_server import Hangs, ProviderServer, Resets, Says, provider_server
from tests.tty_agent.models.virtual_pauses import Pauses

from tty_agent.models.anthropic_messages import answer_of, user_content
from tty_agent.models.catalog import make_model, model_config
from tty_agent.models.model import Model, Prompt, ProviderFault, Usage
from tty_agent.models.retries import RetryPolicy

STABLE, FRESH = "objective and memory\n", "the screen"
PROMPT = Prompt(system="the contract", user=STABLE + FRESH, stable_chars=len(STABLE), schema={"type": "object"})
EPHEMERAL = {"type": "ephemeral"}


def message(*content: dict[str, Any], stop: str = "end_turn", **usage: int) -> Says:
    counted = {"input_tokens": 20, "output_tokens": 5, **usage}
    return Says(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "served",
            "content": list(content),
            "stop_reason": stop,
            "usage": counted,
        }
    )


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


@asynccontextmanager
async def model_at(
    provider: ProviderServer, pauses: Pauses | None = None, policy: RetryPolicy | None = None, **settings: Any
) -> AsyncIterator[Model]:
    config = model_config({"provider": "anthropic", "model": "m", "base_url": provider.address, **settings})
    model = make_model(config, retrying=(pauses or Pauses()).retrying(policy))
    try:
        yield model
    finally:
        await model.close()


async def test_the_stable_parts_are_marked_for_the_cache() -> None:
    async with provider_server(message(text("{}"))) as provider, model_at(provider) as model:
        reply = await model.complete(PROMPT)
    [sent] = provider.requests
    assert sent.path == "/v1/messages"
    assert sent.body == {
        "model": "m",
        "max_tokens": 4096,
        "system": [{"type": "text", "text": "the contract", "cache_control": EPHEMERAL}],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": STABLE, "cache_control": EPHEMERAL},
                    {"type": "text", "text": FRESH},
                ],
            }
        ],
    }
    assert (reply.text, reply.raw, reply.provider, reply.stop_reason) == ("{}", "{}", "anthropic", "end_turn")


async def test_cached_input_is_part_of_the_input() -> None:
    prices = {
        "input_per_million": 10.0,
        "cached_input_per_million": 1.0,
        "cache_write_per_million": 12.5,
        "output_per_million": 50.0,
    }
    answer = message(text("x"), cache_read_input_tokens=1000, cache_creation_input_tokens=400)
    async with provider_server(answer) as provider, model_at(provider, prices=prices) as model:
        reply = await model.complete(PROMPT)
    assert reply.usage == Usage(input_tokens=1420, output_tokens=5, cached_tokens=1000)
    assert reply.cost_usd == pytest.approx((20 * 10 + 1000 * 1 + 400 * 12.5 + 5 * 50) / 1e6)


async def test_settings_reach_the_request() -> None:
    settings: dict[str, Any] = {
        "max_tokens": 99,
        "temperature": 0.5,
        "json_schema": True,
        "extra_body": {"thinking": {"type": "adaptive"}},
    }
    async with provider_server(message(text("x"))) as provider, model_at(provider, **settings) as model:
        await model.complete(PROMPT)
    body = provider.requests[0].body
    assert (body["max_tokens"], body["temperature"], body["thinking"]) == (99, 0.5, {"type": "adaptive"})
    assert body["output_config"] == {"format": {"type": "json_schema", "schema": {"type": "object"}}}


async def test_thinking_stays_in_the_raw_reply_alone() -> None:
    answer = message({"type": "thinking", "thinking": "hm", "signature": "s"}, text("a"), text("b"))
    async with provider_server(answer) as provider, model_at(provider) as model:
        reply = await model.complete(PROMPT)
    assert (reply.raw, reply.text) == ("<think>hm</think>\nab", "ab")


@pytest.mark.parametrize(("content", "stop"), [([], "end_turn"), ([text('{"act')], "max_tokens"), ([], "refusal")])
async def test_an_empty_or_cut_answer_is_a_reply(content: list[dict[str, Any]], stop: str) -> None:
    async with provider_server(message(*content, stop=stop)) as provider, model_at(provider) as model:
        reply = await model.complete(PROMPT)
    assert (reply.stop_reason, reply.attempts) == (stop, 1)


async def test_faults_are_sat_out_and_counted() -> None:
    pauses = Pauses()
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    faults = (Says(overloaded, status=529, headers={"retry-after": "5"}), Resets(), Says("garbage"))
    async with provider_server(*faults, message(text("x"))) as provider, model_at(provider, pauses) as model:
        reply = await model.complete(PROMPT)
    assert (reply.text, reply.attempts) == ("x", 4)
    assert pauses.taken == [5.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("answer", "kind", "requests"),
    [
        (Says({"error": {"message": "invalid x-api-key"}}, status=401), "unauthorized", 1),
        (Says({"error": {"message": "prompt is too long"}}, status=400), "bad_request", 1),
        (Says("down", status=500), "server_error", 2),
        (Says({"content": "not a list"}), "server_error", 2),
        (Hangs(), "timeout", 2),
    ],
)
async def test_what_stays_broken_is_a_fault_of_the_provider(answer: Any, kind: str, requests: int) -> None:
    policy = RetryPolicy(max_attempts=2)
    timeout_s = 0.1 if isinstance(answer, Hangs) else 30.0
    async with (
        provider_server(answer, answer) as provider,
        model_at(provider, policy=policy, timeout_s=timeout_s) as model,
    ):
        with pytest.raises(ProviderFault) as caught:
            await model.complete(PROMPT)
    assert (caught.value.kind, caught.value.attempts, len(provider.requests)) == (kind, requests, requests)


async def test_another_server_gets_only_the_key_that_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-of-anthropic")
    monkeypatch.setenv("GATEWAY_KEY", "for-the-gateway")
    async with provider_server(message(text("x")), message(text("y"))) as provider:
        async with model_at(provider) as model:
            await model.complete(PROMPT)
        async with model_at(provider, api_key_env="GATEWAY_KEY") as model:
            await model.complete(PROMPT)
    keys = [sent.headers.get("Authorization") or sent.headers["X-Api-Key"] for sent in provider.requests]
    assert [key.removeprefix("Bearer ") for key in keys] == ["none", "for-the-gateway"]


def test_pictures_stand_behind_the_stable_text() -> None:
    png = b"\x89PNG"
    stable, image, fresh = user_content(Prompt(system="", user="same new", stable_chars=5, images=(png,)))
    assert (stable["text"], fresh["text"]) == ("same ", "new")
    assert image["source"] == {
        "type": "base64",
        "media_type": "image/png",
        "data": base64.b64encode(png).decode(),
    }


@given(st.text(alphabet=" \nab", min_size=1), st.integers(0, 12))
def test_the_text_is_whole_and_no_block_is_blank(user: str, stable_chars: int) -> None:
    blocks = user_content(Prompt(system="", user=user, stable_chars=stable_chars))
    assert "".join(block["text"] for block in blocks) == user
    if user.strip():
        assert all(block["text"].strip() for block in blocks)


@pytest.mark.parametrize("body", [b"", b"{}", b"[1]", b'{"content": [{"type": 3}]}', b"\xff"])
def test_a_200_that_is_no_message_is_a_fault_to_repeat(body: bytes) -> None:
    with pytest.raises(ProviderFault) as caught:
        answer_of(body)
    assert caught.value.retryable
