"""Reasoning is taken out, actions stay."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tty_agent.models.filters import DEFAULT_FILTER, FILTERS, filter_for, filtered

ACTION = '{"action": "press_key", "arguments": {"key": "P"}}'
DRAFT = '{"action": "hangup"}'


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        (ACTION, ACTION),
        (f"<think>hm {DRAFT}</think>\n\n{ACTION}", ACTION),
        (f"<thinking>hm</thinking>{ACTION}", ACTION),
        (f"<reasoning>hm</reasoning>{ACTION}", ACTION),
        (f"<analysis>hm</analysis>{ACTION}", ACTION),
        (f'<THINK effort="high">hm</Think>{ACTION}', ACTION),
        (f"<think></think>{ACTION}", ACTION),
        (f"so: {ACTION}<think>and then", f"so: {ACTION}"),
        (f"<think>I was cut {DRAFT}", ""),
        (f"<think>cut in the tag {DRAFT}</thi", ""),
        (f"began inside {DRAFT}</think>{ACTION}", ACTION),
        (f"began inside {DRAFT}</think>", ""),
        (f"<think>a<think>b</think> c {DRAFT}</think>{ACTION}", ACTION),
        (f"<think>other tag</thinking>{ACTION}", ACTION),
        (f"{ACTION}<think>a</think> b </think>", f"{ACTION}\n b"),
        (f"<think>a</think>{ACTION}</think></think>\n", ACTION),
        (f"<think>a</think>{ACTION}<think>b</think>", ACTION),
        ("<thinker>x</thinker>", "<thinker>x</thinker>"),
        ("a < b and c > d", "a < b and c > d"),
        ("", ""),
    ],
)
def test_reasoning_is_taken_out_closed_or_cut_off(reply: str, left: str) -> None:
    assert filtered(reply, "reasoning") == left
    assert filtered(reply, "gemma4") == left
    assert filtered(reply, "none") == reply


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        (f"<|channel>thought\nhm {DRAFT}\n<channel|>{ACTION}", ACTION),
        (f"<|channel>thought\n<channel|>{ACTION}", ACTION),
        (f"<|channel|>thought\nhm<|channel|>{ACTION}", ACTION),
        (f"<|channel>thought\nhm<channel|><|channel>final\n{ACTION}<channel|>", ACTION),
        (f"<|channel>thought\nhm<|channel>final\n{ACTION}<channel|><turn|>", ACTION),
        (f"<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>{ACTION}", ACTION),
        (f"<|channel>thought\ncut {DRAFT}", ""),
        (f"began inside {DRAFT}<channel|>{ACTION}", ACTION),
        (f"<|channel>thought\nhm<channel|>{ACTION}<channel|>", ACTION),
        (f"<|channel>{ACTION}<turn|>", ACTION),
        (f"<|channel>thought\na<channel|><think>b</think>{ACTION}<end_of_turn>", ACTION),
    ],
)
def test_thought_channels_are_taken_out(reply: str, left: str) -> None:
    assert filtered(reply, "gemma4") == left


def test_tags_that_the_model_wants_to_type_stay() -> None:
    for text in ("<think>", "</think>", "<analysis>x</analysis>", "<|channel>thought", "<channel|>"):
        post = json.dumps({"action": "type_text", "arguments": {"text": text}})
        for name in FILTERS:
            assert filtered(post, name) == post
        assert filtered(f"<think>hm</think>I post: {post}", "reasoning") == f"I post: {post}"


@pytest.mark.parametrize(
    ("model_id", "name"),
    [
        *(("google/gemma-4-12b-it", "gemma4"), ("gemma4:31b", "gemma4"), ("unsloth/Gemma_4-E4B-GGUF", "gemma4")),
        *(("gemma-3-4b-it", "reasoning"), ("gemma-4b", "reasoning"), ("gemma-40", "reasoning")),
        *(("Qwen/Qwen3-8B", "reasoning"), ("gpt-5", "reasoning"), ("", "reasoning"), (None, "reasoning")),
    ],
)
def test_the_filter_goes_by_family(model_id: str | None, name: str) -> None:
    assert filter_for(model_id) == name
    assert DEFAULT_FILTER in FILTERS


def test_an_unknown_filter_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(ValueError, match="'qwen'; known: none, reasoning, gemma4"):
        filtered("x", "qwen")


PIECES = st.lists(
    st.sampled_from(
        [
            *("<think>", "</think>", "<thinking>", "</analysis>", "<think", "</", "<", ">", "think>"),
            *("<|channel>", "<channel|>", "<|channel|>", "<|channel>thought\n", "<|channel>final", "<|end|>"),
            *("{", '{"', '"', "}", ACTION, DRAFT, '{"text": "<think>"}', "word", " ", "\n", "final", "thought"),
        ]
    ),
    max_size=14,
).map("".join)


@given(PIECES, st.sampled_from(list(FILTERS)))
@example('{"<think>\n', "reasoning")
@example('{"<channel|>x<think></think> <|end|>\n', "gemma4")
def test_a_filter_changes_nothing_twice(reply: str, name: str) -> None:
    once = filtered(reply, name)
    assert filtered(once, name) == once


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<{|"), max_size=20)
BLOCKS = {
    "reasoning": st.tuples(st.sampled_from(["think", "thinking", "reasoning", "analysis"]), WORDS).map(
        lambda block: f"<{block[0]}>{block[1]}{DRAFT}</{block[0]}>"
    ),
    "gemma4": WORDS.map(lambda words: f"<|channel>thought\n{words}{DRAFT}<channel|>"),
}
ACTIONS = st.text(max_size=30).map(lambda text: json.dumps({"action": "type_text", "arguments": {"text": text}}))


@given(st.data(), st.sampled_from(list(BLOCKS)))
def test_no_action_outside_of_reasoning_is_lost_and_none_inside_is_kept(data: st.DataObject, name: str) -> None:
    parts = data.draw(st.lists(st.tuples(BLOCKS[name], WORDS, ACTIONS, WORDS), min_size=1, max_size=4))
    left = filtered("".join("".join(part) for part in parts), name)
    place = 0
    for _, _, action, _ in parts:
        place = left.index(action, place) + len(action)
    assert DRAFT not in left


@pytest.mark.parametrize("name", ["reasoning", "gemma4"])
@pytest.mark.parametrize(
    "pattern",
    ["<think>", "</think>", "x</think> ", '{"', '{"a":', "<", "<think ", "<|channel>thought", "<channel|>", '{"a":1}'],
)
def test_the_work_grows_with_the_length_only(name: str, pattern: str) -> None:
    """Sixteen times the text takes nowhere near 256 times as long."""

    def seconds(chars: int) -> float:
        text = (pattern * chars)[:chars]
        best = 60.0
        for _ in range(2):
            began = time.process_time()
            filtered(text, name)
            best = min(best, time.process_time() - began)
        return best

    assert seconds(80_000) < 80 * seconds(5_000) + 0.2
