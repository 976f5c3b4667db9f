"""Objectives from a template."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bbs_gym.match.objective import BadTemplate, fill, names_of

VALUES = {"agent_id": "a1", "alias": "Ann", "rivals": "Bob, Cy", "match": "duel"}


def test_names_are_replaced_and_doubled_braces_are_braces() -> None:
    assert fill("{alias} ({agent_id}) v {rivals} {{in}} {match}", VALUES) == "Ann (a1) v Bob, Cy {in} duel"


def test_what_is_put_in_is_not_looked_at_again() -> None:
    assert fill("{alias}", VALUES | {"alias": "{rivals}{{"}) == "{rivals}{{"


@pytest.mark.parametrize(("template", "told"), [("{x} {alias} {y} {x}", "{x}, {y} has"), ("{}", "{} has")])
def test_names_without_a_value_are_all_named(template: str, told: str) -> None:
    with pytest.raises(BadTemplate) as refused:
        fill(template, VALUES)
    assert told in str(refused.value)
    assert "{agent_id}, {alias}, {match}, {rivals}" in str(refused.value)


@pytest.mark.parametrize("template", ["{", "a } b", "{{}", "{a{b}", "}}}"])
def test_a_brace_that_stands_alone_is_named(template: str) -> None:
    with pytest.raises(BadTemplate, match="a brace stands alone"):
        names_of(template)


@given(st.text())
def test_any_text_can_be_told_with_its_braces_doubled(text: str) -> None:
    assert fill(text.replace("{", "{{").replace("}", "}}"), {}) == text
