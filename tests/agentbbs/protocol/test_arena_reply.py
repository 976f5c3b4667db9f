"""Rulings on answers: each row by its example, any bytes at all, and mutated replies beside a second reader of JSON."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.agentbbs.protocol.json_oracle import NoJson, Reader

from agentbbs.protocol.arena import MAX_BODY_BYTES, MAX_REASON_CHARS, Reply
from agentbbs.protocol.arena_reply import MAX_DEPTH, MAX_OFFERED_CHARS, Answer, Strike, judge
from agentbbs.protocol.strikes import StrikeRow

NONCE: Final = "7f3a99c0"
LEGAL: Final = ("a", "b", "d", "g")
RIGHT: Final = b'{ "move": "d", "nonce": "7f3a99c0" }'


def ruled(body: bytes, status: int = 200) -> Reply | Strike:
    return judge(Answer(status, body), nonce=NONCE, legal=LEGAL)


def strike(body: bytes, status: int = 200) -> Strike:
    found = ruled(body, status)
    assert isinstance(found, Strike), found
    return found


def saying(**fields: Any) -> bytes:
    return json.dumps({"move": "d", "nonce": NONCE} | fields).encode()


def test_the_reply_of_the_protocol_page() -> None:
    assert ruled(RIGHT) == Reply("d", NONCE)


@pytest.mark.parametrize(
    "body",
    [
        b'{"nonce":"7f3a99c0","move":"d"}',
        b'\xef\xbb\xbf{"move":"d","nonce":"7f3a99c0"}',
        b' \r\n\t{"move":"d","nonce":"7f3a99c0"}\n\n',
        b'{"m\\u006fve":"\\u0064","nonce":"7f3a99c0"}',
        b'{"move":"d","nonce":"7f3a99c0","elo":1e999,"seen":' + b"9" * 9_000 + b"}",
        b'{"move":"d","nonce":"7f3a99c0","why":{"move":"x","nonce":null}}',
    ],
    ids=["order", "byte-order-mark", "spaces", "escapes", "huge-numbers", "fields-inside"],
)
def test_what_is_a_reply_all_the_same(body: bytes) -> None:
    assert ruled(body) == Reply("d", NONCE)


@pytest.mark.parametrize("status", range(300, 400))
def test_a_redirect_is_a_strike_of_its_own(status: int) -> None:
    found = judge(Answer(status, RIGHT, location=True), nonce=NONCE, legal=LEGAL)
    assert found == Strike(StrikeRow.REDIRECT, f"status {status}")


@pytest.mark.parametrize("status", [100, 199, 201, 202, 204, 206, 299, 400, 401, 404, 429, 500, 502, 503, 599, 999, 0])
def test_any_other_status_is_one_too_even_with_a_right_move(status: int) -> None:
    assert strike(RIGHT, status) == Strike(StrikeRow.STATUS, f"status {status}")


def test_case_150_the_cap_is_a_byte_wide() -> None:
    fits = saying(pad="x" * (MAX_BODY_BYTES - len(saying(pad=""))))
    assert len(fits) == MAX_BODY_BYTES
    assert ruled(fits) == Reply("d", NONCE)
    assert strike(fits + b" ").row is StrikeRow.TOO_LARGE


def deep(levels: int) -> bytes:
    """A right reply that holds this many levels, its own object counted."""
    return b'{"move":"d","nonce":"7f3a99c0","x":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


def test_nesting_has_a_limit_of_its_own() -> None:
    assert ruled(deep(MAX_DEPTH)) == Reply("d", NONCE)
    assert strike(deep(MAX_DEPTH + 1)).row is StrikeRow.NOT_JSON
    assert strike(deep(8_000)) == Strike(StrikeRow.NOT_JSON, f"nested more than {MAX_DEPTH} deep")


def test_brackets_in_a_text_or_side_by_side_are_no_nesting() -> None:
    assert ruled(saying(pad='[{"' * 300)) == Reply("d", NONCE)
    assert ruled(saying(pad=[[], {}] * 300)) == Reply("d", NONCE)


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"", "not JSON at character 0: Expecting value"),
        (b"d", "not JSON at character 0: Expecting value"),
        (b"I play d.", "not JSON at character 0: Expecting value"),
        (RIGHT[:-1], "not JSON at character 35: Expecting ',' delimiter"),
        (RIGHT + RIGHT, "not JSON at character 36: Extra data"),
        (b"```json\n" + RIGHT + b"\n```", "not JSON at character 0: Expecting value"),
        (b"[" + RIGHT + b"]", "a list, not an object"),
        (b'"d"', "a string, not an object"),
        (b"3", "a number, not an object"),
        (b"true", "a truth value, not an object"),
        (b"null", "null, not an object"),
        (b"NaN", "NaN is no JSON"),
        (b'{"move":"d","nonce":"7f3a99c0","x":-Infinity}', "-Infinity is no JSON"),
        (b'{"move":"d","move":"d","nonce":"7f3a99c0"}', "a key stands twice in one object"),
        (b'{"move":"d","nonce":"7f3a99c0","x":{"y":1,"\\u0079":1}}', "a key stands twice in one object"),
        (b'{"move":"\xff","nonce":"7f3a99c0"}', "not UTF-8 at byte 9"),
        (b'{"move":"\xed\xa0\x80","nonce":"7f3a99c0"}', "not UTF-8 at byte 9"),
        (RIGHT.decode().encode("utf-16"), "not UTF-8 at byte 0"),
        (b'{"move":"d","nonce":"7f3a99c0","reason":"a\nb"}', "not JSON at character 42: Invalid control character at"),
        (b'{"move":"d","nonce":"7f3a99c0",}', "not JSON at character 31: "),
        (b"{'move':'d','nonce':'7f3a99c0'}", "not JSON at character 1: "),
        (b'{"move":"d","nonce":"7f3a99c0","x":01}', "not JSON at character 36: Expecting ',' delimiter"),
    ],
)
def test_what_is_not_one_json_object(body: bytes, detail: str) -> None:
    found = strike(body)
    assert found.row is StrikeRow.NOT_JSON
    assert found.detail.startswith(detail)


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"{}", "`move` is missing"),
        (b'{"nonce":"7f3a99c0"}', "`move` is missing"),
        (b'{"MOVE":"d","nonce":"7f3a99c0"}', "`move` is missing"),
        (saying(move=3), "`move` is a number, not a string"),
        (saying(move=3.5), "`move` is a number, not a string"),
        (saying(move=None), "`move` is null, not a string"),
        (saying(move=True), "`move` is a truth value, not a string"),
        (saying(move=["d"]), "`move` is a list, not a string"),
        (saying(move={"column": "d"}), "`move` is an object, not a string"),
    ],
)
def test_no_move_comes_before_the_nonce(body: bytes, detail: str) -> None:
    assert strike(body) == Strike(StrikeRow.NO_MOVE, detail)
    assert strike(body.replace(NONCE.encode(), b"old")) == Strike(StrikeRow.NO_MOVE, detail)


@pytest.mark.parametrize("nonce", ["", "7f3a99c", "7F3A99C0", " 7f3a99c0", "7f3a99c0\n", None, 7, ["7f3a99c0"], True])
def test_a_wrong_nonce_comes_before_the_move(nonce: object) -> None:
    for move in ("d", "z"):
        found = strike(saying(move=move, nonce=nonce))
        assert found == Strike(StrikeRow.NONCE, "`nonce` is not the one of this request", move)


def test_a_missing_nonce() -> None:
    assert strike(b'{"move":"d"}') == Strike(StrikeRow.NONCE, "`nonce` is missing", "d")


@pytest.mark.parametrize("move", ["", "c", "D", " d", "d ", "d\n", "ab", "4", "\uff44", "d\u200b"])
def test_a_move_is_compared_letter_by_letter(move: str) -> None:
    assert strike(saying(move=move)) == Strike(StrikeRow.ILLEGAL_MOVE, "the move is not in `legal`", move)


def test_an_essay_for_a_move_is_cut() -> None:
    assert strike(saying(move="e5" * 999)).offered == ("e5" * 999)[:MAX_OFFERED_CHARS]


def test_a_reason_is_kept_whatever_the_ruling() -> None:
    assert ruled(saying(reason="central")) == Reply("d", NONCE, "central")
    for wrong in ({"move": "z"}, {"nonce": "old"}, {"move": 3}):
        assert strike(saying(reason="central", **wrong)).reason == "central"


@pytest.mark.parametrize("reason", [None, 7, True, ["a"], {"text": "a"}, ""])
def test_a_reason_that_is_no_text_is_ignored(reason: object) -> None:
    assert ruled(saying(reason=reason)) == Reply("d", NONCE)


def test_a_reason_is_cut_at_280_code_points() -> None:
    exactly = "\U0001f600" * MAX_REASON_CHARS
    assert ruled(saying(reason=exactly)) == Reply("d", NONCE, exactly)
    assert ruled(saying(reason=exactly + "!")) == Reply("d", NONCE, exactly)


def test_lone_surrogates_never_reach_the_store() -> None:
    assert ruled(b'{"move":"d","nonce":"7f3a99c0","reason":"a\\ud800b"}') == Reply("d", NONCE, "a?b")
    assert strike(b'{"move":"\\udfff","nonce":"7f3a99c0"}').offered == "?"


def test_a_detail_never_quotes_the_answer() -> None:
    for body in (
        b'{"canary":1,"canary":2}',
        b"canary",
        b'{"move":"canary","nonce":"canary"}',
        b'{"move":"canary","nonce":"7f3a99c0"}',
        b'{"a":canary}',
        b'{"a":"\\canary"}',
        b'["canary"]',
    ):
        assert "canary" not in strike(body).detail


@settings(max_examples=200)
@given(st.integers(), st.binary(max_size=300))
@example(200, b'{"a":' * 3_000)
@example(200, b"]" * 200 + b"[" * 8_000)
@example(200, b'"' + b"\\" * 9_001)
@example(200, b"[" * 16_384)
def test_any_bytes_get_a_ruling(status: int, body: bytes) -> None:
    found = ruled(body, status)
    assert isinstance(found, Reply | Strike)


_texts = st.text(max_size=12) | st.sampled_from(["d", "z", NONCE, '"', "\\", "\ud800", "\U0001f600", "x" * 300])
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=6,
)
_replies = st.fixed_dictionaries(
    {},
    optional={
        "move": st.just("d") | _values,
        "nonce": st.just(NONCE) | _values,
        "reason": _values,
        "extra": _values,
    },
)
_SHREDS: Final = (
    b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b" ", b"\n", b"\x00", b"\xff", b"\xef\xbb\xbf", b"NaN",
    b"0", b"-", b".", b"e", b'"move":"d",', b"\\ud800", b"\\u12", b"\\x", b"/**/", b"null", b"Infinity", b"[" * 70,
)  # fmt: skip
_shreds = st.sampled_from(_SHREDS)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A reply as some program would write it, with nothing, something or much of it spoilt."""
    written = json.dumps(draw(_replies), ensure_ascii=True, indent=draw(st.sampled_from([None, 0, 2])))
    body = bytearray(written.encode())
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(body)))
        cut = draw(st.integers(0, 4))
        body[at : at + cut] = draw(_shreds | st.just(b""))
    return bytes(body)


def by_hand(body: bytes) -> tuple[StrikeRow | None, str | None]:
    """The row that the page promises for an answer of status 200 (None: a reply), and the reason kept."""
    if len(body) > MAX_BODY_BYTES:
        return StrikeRow.TOO_LARGE, None
    try:
        found = Reader(body.removeprefix(b"\xef\xbb\xbf").decode(), MAX_DEPTH).read()
    except (UnicodeDecodeError, NoJson):
        return StrikeRow.NOT_JSON, None
    if not isinstance(found, dict):
        return StrikeRow.NOT_JSON, None
    given_reason = found.get("reason")
    reason = None
    if isinstance(given_reason, str):
        reason = "".join("?" if "\ud800" <= c <= "\udfff" else c for c in given_reason)[:280] or None
    if not isinstance(found.get("move"), str):
        return StrikeRow.NO_MOVE, reason
    if found.get("nonce") != NONCE:
        return StrikeRow.NONCE, reason
    return (None if found["move"] in {"a", "b", "d", "g"} else StrikeRow.ILLEGAL_MOVE), reason


@settings(max_examples=600)
@given(mutated())
def test_a_mutated_reply_is_ruled_on_as_the_second_reader_does(body: bytes) -> None:
    row, reason = by_hand(body)
    found = ruled(body)
    assert (found.row if isinstance(found, Strike) else None) == row
    assert found.reason == reason
    if isinstance(found, Reply):
        assert (found.move in LEGAL, found.nonce) == (True, NONCE)
    else:
        assert (found.offered or "").encode() is not None  # no lone surrogate is left
