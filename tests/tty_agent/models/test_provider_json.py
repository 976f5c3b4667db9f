from __future__ import annotations

import pytest

from tty_agent.models.provider_json import count, dollars, json_lines, mapping, text


def test_lines_that_are_no_json_are_left_out() -> None:
    output = b'loading\n{"a": 1}\n\n[2]\n{"cut": \nnull\n\xff\xfe\n'
    assert list(json_lines(output)) == [{"a": 1}, [2], None]


def test_nesting_without_end_is_no_json() -> None:
    assert list(json_lines(b"[" * 100_000 + b"\n1")) == [1]


@pytest.mark.parametrize("value", [-1, True, 1.5, "3", None, [1], 10**13, 10**400])
def test_what_is_no_number_of_tokens_counts_as_unknown(value: object) -> None:
    assert count(value) is None
    assert count(7) == 7


@pytest.mark.parametrize("value", [-0.1, True, "3", None, float("nan"), float("inf"), 1e308, 10**400])
def test_what_is_no_cost_is_unknown(value: object) -> None:
    assert dollars(value) is None
    assert dollars(2) == 2.0


def test_other_kinds_are_replaced() -> None:
    assert (text(3), text("x"), mapping([1]), mapping({"a": 1})) == (None, "x", {}, {"a": 1})
