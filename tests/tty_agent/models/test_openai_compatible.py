from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.tty_agent.models.provider_server import Hangs, ProviderServer, Resets, Says, provider_server
from tests.tty_agent.models.virtual_pauses import Pauses

from tty_agent.models.catalog import make_model, model_config
from tty_agent.models.model import STOPPED_BY_LIMIT, Model, Prompt, ProviderFault, Usage
from tty_agent.models.retries import RetryPolicy

PROMPT = Prompt(system="the contract", user="the screen", schema={"type": "object"})
QUIT = '{"action": "press_key", "arguments": {"key": "q"}}'


def completion(text: str | None, finish: str = "stop", **message: Any) -> Says:
    return Says(
        {
            "id": "c1",
            "object": "chat.completion",
            "model": "served-name",
            "choices": [{"index": 0, "finish_reason": finish, "message": {"content": text, **message}}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }
    )


@asynccontextmanager
async def model_at(
    provider: ProviderServer, pauses: Pauses | None = None, policy: RetryPolicy | None = None, **settings: Any
) -> AsyncIterator[Model]:
    config = model_config({"provider": "openai", "model": "m", "base_url": f"{provider.address}/v1", **settings})
    model = make_model(config, retrying=(pauses or Pauses()).retrying(policy))
    try:
        yield model
    finally:
        await model.close()


async def test_a_call_sends_the_prompt_and_gives_a_reply() -> None:
    async with provider_server(completion(QUIT)) as provider, model_at(provider, max_tokens=200) as model:
        reply = await model.complete(PROMPT)
    [sent] = provider.requests
    assert sent.path == "/v1/chat/completions"
    assert sent.body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "the contract"},
            {"role": "user", "content": "the screen"},
        ],
        "max_tokens": 200,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "action", "strict": True, "schema": {"type": "object"}},
        },
    }
    assert (reply.raw, reply.text, reply.stop_reason) == (QUIT, QUIT, "stop")
    assert (reply.model, reply.provider, reply.filter) == ("m", "openai", "reasoning")
    assert reply.usage == Usage(input_tokens=100, output_tokens=10)
    assert (reply.attempts, reply.cost_usd, reply.session_id, reply.notes) == (1, None, None, ())


async def test_settings_of_the_registry_reach_the_request_and_extra_fields_win() -> None:
    settings: dict[str, Any] = {
        "temperature": 0.0,
        "seed": 7,
        "extra_body": {"chat_template_kwargs": {"enable_thinking": False}, "seed": 8},
    }
    async with provider_server(completion("x")) as provider, model_at(provider, **settings) as model:
        await model.complete(PROMPT)
    body = provider.requests[0].body
    assert (body["temperature"], body["seed"]) == (0.0, 8)
    assert body["chat_template_kwargs"] == {"enable_thinking": False}


async def test_reasoning_stays_in_the_raw_reply_alone() -> None:
    answer = completion(QUIT, reasoning_content="press q? or </think> p?")
    async with provider_server(answer) as provider, model_at(provider) as model:
        reply = await model.complete(PROMPT)
    assert reply.raw == f"<think>press q? or </think> p?</think>\n{QUIT}"
    assert reply.text == QUIT


async def test_reasoning_in_the_text_is_filtered_by_the_models_family() -> None:
    text = "<think>hm</think>" + QUIT
    async with provider_server(completion(text), completion(text)) as provider:
        async with model_at(provider) as model:
            reply = await model.complete(PROMPT)
        async with model_at(provider, response_filter="none") as model:
            unfiltered = await model.complete(PROMPT)
    assert (reply.raw, reply.text) == (text, QUIT)
    assert (unfiltered.text, unfiltered.filter) == (text, "none")


async def test_the_cost_is_by_the_prices_that_were_set() -> None:
    prices = {"input_per_million": 10.0, "output_per_million": 100.0}
    async with provider_server(completion("x")) as provider, model_at(provider, prices=prices) as model:
        assert (await model.complete(PROMPT)).cost_usd == pytest.approx(0.002)


@pytest.mark.parametrize(("text", "finish"), [("", "stop"), (None, "length"), ('{"action": "pre', "length")])
async def test_an_empty_or_cut_answer_is_a_reply(text: str | None, finish: str) -> None:
    async with provider_server(completion(text, finish)) as provider, model_at(provider) as model:
        reply = await model.complete(PROMPT)
    assert (reply.text, reply.stop_reason, reply.attempts) == (text or "", finish, 1)
    assert (finish in STOPPED_BY_LIMIT) == (finish == "length")


async def test_faults_are_sat_out_and_counted() -> None:
    pauses = Pauses()
    faults = (
        Says({"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "7"}),
        Says("upstream", status=502),
        Resets(),
        Says("<html>"),
    )
    async with provider_server(*faults, completion("x")) as provider, model_at(provider, pauses) as model:
        reply = await model.complete(PROMPT)
    assert (reply.text, reply.attempts, len(provider.requests)) == ("x", 5, 5)
    assert pauses.taken == [7.0, 2.0, 4.0, 8.0]
    assert all(sent.body == provider.requests[0].body for sent in provider.requests)


@pytest.mark.parametrize(
    ("answer", "kind", "requests"),
    [
        (Says({"error": {"message": "who?"}}, status=401), "unauthorized", 1),
        (Says({"error": {"message": "no such model"}}, status=404), "bad_request", 1),
        (Says({"error": {"message": "context too long"}}, status=400), "bad_request", 1),
        (Says("down", status=503), "server_error", 2),
        (Resets(), "unreachable", 2),
        (Says({"no": "choices"}), "server_error", 2),
    ],
)
async def test_what_stays_broken_is_a_fault_of_the_provider(answer: Any, kind: str, requests: int) -> None:
    policy = RetryPolicy(max_attempts=2)
    async with provider_server(answer, answer) as provider, model_at(provider, policy=policy) as model:
        with pytest.raises(ProviderFault) as caught:
            await model.complete(PROMPT)
    assert (caught.value.kind, caught.value.attempts, len(provider.requests)) == (kind, requests, requests)


async def test_a_server_that_never_answers_is_given_up() -> None:
    policy = RetryPolicy(max_attempts=2)
    async with provider_server(Hangs(), Hangs()) as provider, model_at(provider, policy=policy, timeout_s=0.1) as model:
        with pytest.raises(ProviderFault) as caught:
            await model.complete(PROMPT)
    assert (caught.value.kind, caught.value.attempts) == ("timeout", 2)


async def test_nobody_at_the_address_is_unreachable() -> None:
    async with provider_server() as provider:
        pass
    async with model_at(provider, policy=RetryPolicy(max_attempts=1)) as model:
        with pytest.raises(ProviderFault) as caught:
            await model.complete(PROMPT)
    assert (caught.value.kind, caught.value.retryable) == ("unreachable", True)


async def test_a_call_can_be_cancelled() -> None:
    async with provider_server(Hangs()) as provider, model_at(provider) as model:
        call = asyncio.create_task(model.complete(PROMPT))
        async with asyncio.timeout(10):
            await provider.asked.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call


REFUSED = Says({"error": {"message": "response_format json_schema is not supported"}}, status=400)


async def test_a_refused_response_format_is_left_out_for_the_rest_of_the_run() -> None:
    answers = (REFUSED, REFUSED, completion("a"), completion("b"))
    pauses = Pauses()
    async with provider_server(*answers) as provider, model_at(provider, pauses) as model:
        first = await model.complete(PROMPT)
        second = await model.complete(PROMPT)
    formats = [sent.body.get("response_format", {}).get("type") for sent in provider.requests]
    assert formats == ["json_schema", "json_object", None, None]
    assert (first.text, first.attempts, second.text, second.attempts) == ("a", 3, "b", 1)
    assert [note.split()[1] for note in first.notes] == ["json_schema", "json_object"]
    assert second.notes == first.notes
    assert pauses.taken == []


async def test_without_a_schema_a_refusal_is_final() -> None:
    async with provider_server(REFUSED) as provider, model_at(provider, json_schema=False) as model:
        with pytest.raises(ProviderFault, match="json_schema is not supported"):
            await model.complete(PROMPT)
    assert "response_format" not in provider.requests[0].body


async def test_max_tokens_under_another_name() -> None:
    refused = Says(
        {"error": {"message": "Unsupported parameter: use 'max_completion_tokens' instead", "param": "max_tokens"}},
        status=400,
    )
    async with provider_server(refused, completion("a")) as provider, model_at(provider, max_tokens=9) as model:
        reply = await model.complete(PROMPT)
    assert provider.requests[1].body["max_completion_tokens"] == 9
    assert reply.notes == ("max_tokens was refused",)


async def test_a_local_server_gets_no_key_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai-itself")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with provider_server(completion("x")) as provider, model_at(provider) as model:
        await model.complete(PROMPT)
    assert provider.requests[0].headers["Authorization"] == "Bearer none"


async def test_the_key_that_was_named_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_KEY", "very-private-key")
    echo = Says({"error": {"message": "bad key very-private-key"}}, status=401)
    async with provider_server(echo) as provider, model_at(provider, api_key_env="LOCAL_KEY") as model:
        with pytest.raises(ProviderFault) as caught:
            await model.complete(PROMPT)
    assert provider.requests[0].headers["Authorization"] == "Bearer very-private-key"
    said = r"HTTP 401 from http://127\.0\.0\.1:\d+/v1: Error code: 401 - bad key \*\*\*"
    assert re.fullmatch(said, str(caught.value))


async def test_closing_twice_is_harmless() -> None:
    async with provider_server() as provider, model_at(provider) as model:
        await model.close()
