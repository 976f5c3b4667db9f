"""The table of the conversation: complete, connected, and the same as the seed's dialogue."""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest

from agentbbs.protocol.agentgames import (
    CLIENT_MESSAGES,
    SERVER_MESSAGES,
    ClientMessage,
    Error,
    Hello,
    Join,
    Move,
    Ping,
    Pong,
    Queued,
    Resign,
    Result,
    ServerMessage,
    State,
)
from agentbbs.protocol.conversation import CLIENT_RULES, VENUE_RULES, Stage
from agentbbs.protocol.errors import Code

SEED: Final[tuple[type[ServerMessage], ...]] = (Queued, Hello, State, State, State, Result)
"""What the specification's dialogue says to an agent, the last `state` being the final position."""


def follow(messages: tuple[type[ServerMessage], ...], start: Stage = Stage.IDLE) -> set[Stage]:
    """Every stage in which the conversation may stand after these messages."""
    stages = {start}
    for message in messages:
        stages = {to for stage in stages for to in VENUE_RULES.get((stage, message), ())}
    return stages


def test_every_message_of_a_client_has_a_rule_in_every_stage() -> None:
    assert set(CLIENT_RULES) == set(product(Stage, CLIENT_MESSAGES))


def test_a_rule_takes_or_refuses_with_a_sentence() -> None:
    for rule in CLIENT_RULES.values():
        assert (rule.refusal is None) is (rule.why == "")


def test_refusals_are_of_codes_that_keep_the_connection_open() -> None:
    refusals = {rule.refusal for rule in CLIENT_RULES.values() if rule.refusal is not None}
    assert refusals == {Code.BAD_MESSAGE, Code.NOT_YOUR_TURN, Code.GAME_OVER}


@pytest.mark.parametrize(
    ("stage", "kind", "refusal"),
    [
        (Stage.IDLE, Join, None),
        (Stage.QUEUED, Join, Code.BAD_MESSAGE),
        (Stage.PLAYING, Join, Code.BAD_MESSAGE),
        (Stage.DONE, Join, None),
        (Stage.QUEUED, Move, Code.NOT_YOUR_TURN),
        (Stage.PLAYING, Move, None),
        (Stage.SETTLING, Move, Code.GAME_OVER),
        (Stage.DONE, Move, Code.GAME_OVER),
        (Stage.PLAYING, Resign, None),
        (Stage.DONE, Resign, Code.GAME_OVER),
    ],
)
def test_rows_that_the_design_fixes(stage: Stage, kind: type[ClientMessage], refusal: Code | None) -> None:
    assert CLIENT_RULES[stage, kind].refusal is refusal


@pytest.mark.parametrize("stage", Stage)
def test_a_ping_is_taken_and_answered_everywhere(stage: Stage) -> None:
    assert CLIENT_RULES[stage, Ping].refusal is None
    assert VENUE_RULES[stage, Pong] == (stage,)


@pytest.mark.parametrize("stage", Stage)
def test_an_error_can_come_in_every_stage(stage: Stage) -> None:
    assert stage in VENUE_RULES[stage, Error]


def test_the_dialogue_of_the_specification_leads_from_join_to_result() -> None:
    assert follow(SEED) == {Stage.DONE}
    assert follow(SEED, Stage.DONE) == {Stage.DONE}


@pytest.mark.parametrize(
    "dialogue",
    [
        (Result,),
        (State,),
        (Queued, State),
        (Queued, Result),
        (Queued, Queued),
        (Queued, Hello, Hello),
        (Queued, Hello, Queued),
        (Queued, Hello, Result),
        (*SEED, State),
        (*SEED, Result),
    ],
)
def test_dialogues_that_cannot_be(dialogue: tuple[type[ServerMessage], ...]) -> None:
    assert follow(dialogue) == set()


def test_practice_needs_no_queue() -> None:
    assert follow((Hello, State, State, Result)) == {Stage.DONE}


@pytest.mark.parametrize(
    "dialogue",
    [(Queued, Error), (Queued, Hello, State, State, Error)],
    ids=["no_opponent", "internal"],
)
def test_a_join_can_end_without_a_result(dialogue: tuple[type[ServerMessage], ...]) -> None:
    assert Stage.DONE in follow(dialogue)


def test_every_stage_can_be_reached_and_left() -> None:
    reached, news = {Stage.IDLE}, {Stage.IDLE}
    while news:
        news = {to for (stage, _), tos in VENUE_RULES.items() if stage in reached for to in tos} - reached
        reached |= news
    assert reached == set(Stage)
    for stage in Stage:
        assert any(to is not stage for (start, _), tos in VENUE_RULES.items() if start is stage for to in tos)


def test_the_table_names_only_messages_of_the_venue() -> None:
    assert {message for _, message in VENUE_RULES} == set(SERVER_MESSAGES)
