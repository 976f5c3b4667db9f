"""Finding JSON objects in any text, in time that grows with its length."""

from __future__ import annotations

import contextlib
import itertools
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tty_agent.actions.errors import Fault, NotAnAction
from tty_agent.actions.reply_objects import (
    MAX_FAILURES,
    MAX_OBJECTS,
    BrokenObject,
    JsonObject,
    NotANumber,
    explain,
    find_objects,
    object_at,
)

_LONG = 65_536


def values(text: str) -> list[JsonObject]:
    return [found.value for found in find_objects(text).objects]


def test_objects_are_found_whole_and_in_order() -> None:
    text = 'a {"x": {"y": "}"}} b {"z": [{"q": 1}]}'
    assert values(text) == [{"x": {"y": "}"}}, {"z": [{"q": 1}]}]
    assert [text[found.start : found.end] for found in find_objects(text).objects] == [
        '{"x": {"y": "}"}}',
        '{"z": [{"q": 1}]}',
    ]


def test_reading_goes_on_after_a_broken_one() -> None:
    found = find_objects('{"a": b} {"c": "d\n {"e": 1}')
    assert [broken.start for broken in found.broken] == [0, 9]
    assert [whole.value for whole in found.objects] == [{"e": 1}]


def test_line_ends_in_strings_are_read_where_the_object_is_whole() -> None:
    assert values('{"text": "a\nb\tc"}') == [{"text": "a\nb\tc"}]


def test_only_so_many_broken_ones_are_read_again_for_their_line_ends() -> None:
    whole, broken = '{"text": "a\nb"}', '{"\n" x '
    assert len(values(whole * 20)) == 20
    assert values(broken * 7 + whole) == [{"text": "a\nb"}]
    assert values(broken * 8 + whole) == []


def test_what_is_inside_of_a_broken_object_is_not_an_object() -> None:
    assert values('{"plan": {"action": "hangup"}, oops} {"a": 1}') == [{"a": 1}]


def test_repeated_keys_and_words_that_are_no_numbers_are_kept_for_the_reader() -> None:
    (value,) = values('{"a": 1, "b": NaN, "a": 2, "a": 3}')
    assert value.repeated == ("a", "a")
    assert value["b"] == NotANumber("NaN")
    assert values('{"a": 1}')[0].repeated == ()


def test_of_many_objects_the_last_are_kept() -> None:
    found = values("".join(f'{{"n": {number}}}' for number in range(5_000)))
    assert len(found) == MAX_OBJECTS
    assert found[-1] == {"n": 4_999}


def test_a_text_of_beginnings_only_is_refused() -> None:
    with pytest.raises(NotAnAction) as refused:
        find_objects('{"' * (2 * MAX_FAILURES + 2))
    assert refused.value.code is Fault.BAD_JSON


def test_a_problem_without_a_name_of_its_own_is_the_decoders() -> None:
    text = '{"a": 1 2}'
    broken = object_at(text, 0)
    assert isinstance(broken, BrokenObject)
    assert "expecting ',' delimiter" in explain(text, broken).message


@pytest.mark.parametrize(
    "pattern",
    ['{"a":0,"b":{', '{"', '{"{"', '{"a\n', '{"\n":', "{ ", "{", '{"a":"', '{"\\', '{"a":1}', "{}", '{"a":[', " "],
)
def test_the_work_grows_with_the_length_only(pattern: str) -> None:
    """Sixteen times the text takes nowhere near the 256 times of quadratic work. Process time, and the best of
    several runs: other processes don't count."""

    def seconds(chars: int) -> float:
        text = (pattern * chars)[:chars]
        began = time.process_time()
        with contextlib.suppress(NotAnAction):
            find_objects(text)
        return time.process_time() - began

    short = min(seconds(_LONG // 16) for _ in range(3))
    assert min(seconds(_LONG) for _ in range(2)) < 80 * short + 0.1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=50)
@given(st.lists(st.dictionaries(st.text(max_size=5), JSON, max_size=3), max_size=4))
def test_objects_written_one_after_another_all_come_back(written: list[dict[str, object]]) -> None:
    assert values(" and ".join(json.dumps(value) for value in written)) == written


@given(st.text(st.sampled_from('{}[]":, \n\\ab1'), max_size=60))
def test_pieces_never_overlap_and_stay_in_the_text(text: str) -> None:
    found = find_objects(text)
    ends = sorted((whole.start, whole.end) for whole in found.objects)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(ends))
    assert all(0 <= broken.start < broken.at <= len(text) for broken in found.broken)
    for broken in found.broken:
        assert explain(text, broken).code in {Fault.BAD_JSON, Fault.CUT_OFF}
