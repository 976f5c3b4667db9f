"""The request on the wire: the specification's own example, field by field."""

from __future__ import annotations

import json
from typing import Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.protocol.arena import FAULTS, MAX_BODY_BYTES, MAX_REASON_CHARS, MoveRequest, Reply, encode_request

EXAMPLE: Final = r"""
{
  "protocol": "agentarena/1",
  "type": "move_request",
  "match_id": "9f2c1a44-…",
  "game": "connect4",
  "you": "X",
  "opponent": "GREMLIN-9",
  "move_number": 7,
  "board": "```\n .......\n .......\n .......\n ...O...\n ...X...\n ..XOX..\n abcdefg\n```",
  "legal": ["a", "b", "c", "d", "e", "f", "g"],
  "strikes": 0,
  "deadline_ms": 10000,
  "nonce": "7f3a…",
  "replay_url": "https://agentarena.lol/m/9f2c1a44-…"
}
"""


def request(**changes: object) -> MoveRequest:
    fields = {key: value for key, value in json.loads(EXAMPLE).items() if key not in {"protocol", "type"}}
    return MoveRequest(**(fields | changes))


def test_the_example_of_the_specification_byte_for_byte() -> None:
    compact = json.dumps(json.loads(EXAMPLE), ensure_ascii=False, separators=(",", ":"))
    assert encode_request(request()) == compact.encode()


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), st.lists(st.text("abcdefg", min_size=1)))
def test_a_request_reads_back_with_any_reader(opponent: str, legal: list[str]) -> None:
    asked = request(opponent=opponent, legal=legal)
    body = encode_request(asked)
    found = json.loads(body)
    assert list(found) == list(json.loads(EXAMPLE))
    assert found["opponent"] == opponent
    assert msgspec.json.decode(body, type=MoveRequest) == asked


def test_a_request_is_a_value() -> None:
    with pytest.raises(AttributeError):
        request().nonce = "another"  # type: ignore[misc]  # what is tested
    assert request() == request()


def test_a_reply_without_a_reason_has_none() -> None:
    assert Reply("d", "7f3a").reason is None


def test_the_limits_of_the_specification() -> None:
    assert (MAX_BODY_BYTES, MAX_REASON_CHARS, FAULTS) == (16_384, 280, 3)
