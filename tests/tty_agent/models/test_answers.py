from __future__ import annotations

from tty_agent.actions.reply_objects import MAX_REPLY_CHARS
from tty_agent.models.answers import Answer, Identity
from tty_agent.models.model import Usage
from tty_agent.models.prices import Prices

PRICES = Prices(input_per_million=1.0, output_per_million=1.0)
USAGE = Usage(input_tokens=500_000, output_tokens=500_000)


def test_a_reply_keeps_both_texts_and_what_the_call_took() -> None:
    identity = Identity(provider="openai", model="m")
    answer = Answer(text="<think>a</think>b", usage=USAGE, session_id="s", stop_reason="stop", notes=("n",))
    reply = identity.reply(answer, latency_s=1.5, attempts=3)
    assert (reply.raw, reply.text) == ("<think>a</think>b", "b")
    assert (reply.latency_s, reply.attempts, reply.session_id) == (1.5, 3, "s")
    assert (reply.stop_reason, reply.notes, reply.usage) == ("stop", ("n",), USAGE)


def test_the_providers_own_cost_goes_before_prices() -> None:
    identity = Identity(provider="openai", model="m", prices=PRICES)
    assert identity.reply(Answer(text="", usage=USAGE), latency_s=0, attempts=1).cost_usd == 1.0
    assert identity.reply(Answer(text="", usage=USAGE, cost_usd=0.0), latency_s=0, attempts=1).cost_usd == 0.0


def test_the_filter_is_the_familys_unless_one_is_named() -> None:
    assert Identity(provider="openai", model="google/gemma-4-e4b-it").filter == "gemma4"
    assert Identity(provider="openai", model="qwen3").filter == "reasoning"
    assert Identity(provider="openai", model="qwen3", response_filter="none").filter == "none"


def test_of_a_reply_without_end_the_end_is_kept_and_said() -> None:
    answer = Answer(text="<think>" + "x" * MAX_REPLY_CHARS + "</think>done", reasoning="r" * 10, stop_reason="s" * 999)
    reply = Identity(provider="openai", model="m").reply(answer, latency_s=0, attempts=1)
    assert (reply.text, len(reply.raw)) == ("done", MAX_REPLY_CHARS)
    assert reply.raw.endswith("x</think>done")
    assert reply.notes == (f"the reply had {len(answer.text) + 26} characters: the last {MAX_REPLY_CHARS} are kept",)
    assert len(reply.stop_reason or "") == 200
