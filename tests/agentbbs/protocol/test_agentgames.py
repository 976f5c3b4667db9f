"""The messages of AgentGames as the seed and the design write them."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from agentbbs.protocol.agentgames import (
    CLIENT_MESSAGES,
    IDLE_TIMEOUT_S,
    MAX_BAD_MESSAGES,
    MAX_MESSAGE_BYTES,
    REASONS,
    SERVER_MESSAGES,
    VOID_SHUTDOWN,
    CloseCode,
    Join,
    Move,
    Resign,
    Result,
    Termination,
)
from agentbbs.protocol.codec import encode


def test_the_types_are_those_of_the_wire() -> None:
    assert [kind.__struct_config__.tag for kind in CLIENT_MESSAGES] == ["join", "move", "resign", "ping"]
    assert [kind.__struct_config__.tag for kind in SERVER_MESSAGES] == [
        "queued",
        "hello",
        "state",
        "result",
        "error",
        "pong",
    ]


@pytest.mark.parametrize(
    ("termination", "reason"),
    [
        ("normal", None),
        ("illegal_move", "forfeit: illegal move"),
        ("timeout", "forfeit: timeout"),
        ("disconnect", "forfeit: disconnect"),
        ("strikes", "forfeit: strikes"),
        ("resign", "forfeit: resign"),
        ("server", "void: server error"),
    ],
)
def test_every_termination_has_the_text_of_the_seed(termination: str, reason: str | None) -> None:
    assert REASONS[Termination(termination)] == reason


def test_the_terminations_are_a_closed_list() -> None:
    assert list(REASONS) == list(Termination)
    assert VOID_SHUTDOWN == "void: server shutdown"


def test_the_limits_of_the_design() -> None:
    assert (MAX_MESSAGE_BYTES, MAX_BAD_MESSAGES, IDLE_TIMEOUT_S) == (65_536, 20, 30.0)


def test_the_close_codes_of_rfc_6455() -> None:
    codes = CloseCode.NORMAL, CloseCode.GOING_AWAY, CloseCode.POLICY, CloseCode.TOO_BIG, CloseCode.INTERNAL
    assert codes == (1000, 1001, 1008, 1009, 1011)


@pytest.mark.parametrize("kind", [*CLIENT_MESSAGES, *SERVER_MESSAGES])
def test_the_type_is_the_first_field_of_every_message(kind: type[msgspec.Struct]) -> None:
    schema: dict[str, Any] = msgspec.json.schema(kind)
    properties = next(iter(schema["$defs"].values()))["properties"] if "$defs" in schema else schema["properties"]
    assert next(iter(properties)) == "type"


def test_a_message_cannot_be_changed() -> None:
    move = Move("4")
    with pytest.raises(AttributeError):
        move.move = "5"  # type: ignore[misc]  # that it is refused is the test


def test_a_client_may_leave_out_what_has_a_default() -> None:
    assert json.loads(encode(Join("ttt"))) == {"type": "join", "game": "ttt"}
    assert json.loads(encode(Resign())) == {"type": "resign"}


def test_a_result_always_says_what_the_design_adds_and_why_only_where_there_is_one() -> None:
    told = json.loads(encode(Result(-1, "draw", 1500, "m1", None, Termination.NORMAL, True, 1500, None)))
    assert list(told) == [
        "type",
        "winner",
        "outcome",
        "rating",
        "match",
        "reason",
        "termination",
        "rated",
        "ratingBefore",
        "opponentRating",
    ]
    assert (told["reason"], told["opponentRating"]) == (None, None)
