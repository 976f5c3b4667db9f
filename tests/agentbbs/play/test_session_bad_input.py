"""Bad input is answered and never swallowed: the exact answer to each kind, and the twentieth of a connection."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agentbbs.play.scripted import Booth
from tests.agentbbs.play.virtual_time import VirtualTimeLoop

from agentbbs.protocol.agentgames import MAX_BAD_MESSAGES
from agentbbs.protocol.conversation import Stage
from agentbbs.protocol.errors import Code

TYPES: Final = "`type` is one of: join, move, resign, ping"

ANSWERS: Final[dict[str, tuple[bytes, str]]] = {
    # malformed JSON
    "nothing": (b"", "not one JSON object: Input data was truncated"),
    "a blank line": (b"\r\n", "not one JSON object: Input data was truncated"),
    "cut short": (b'{"type":"pi', "not one JSON object: Input data was truncated"),
    "prose": (b"e4", "not one JSON object: JSON is malformed: invalid character (byte 0)"),
    "single quotes": (
        b"{'type':'ping'}",
        "not one JSON object: JSON is malformed: object keys must be strings (byte 1)",
    ),
    "a comma too many": (
        b'{"type":"ping",}',
        "not one JSON object: JSON is malformed: trailing comma in object (byte 15)",
    ),
    "two objects": (
        b'{"type":"ping"} {"type":"ping"}',
        "not one JSON object: JSON is malformed: trailing characters (byte 17)",
    ),
    "a byte order mark": (
        b'\xef\xbb\xbf{"type":"ping"}',
        "not one JSON object: JSON is malformed: invalid character (byte 0)",
    ),
    "a raw control character": (
        b'{"type":"move","move":"4\x1b"}',
        "not one JSON object: JSON is malformed: invalid character (byte 24)",
    ),
    # no object
    "a list": (b"[]", f"Expected `object`, got `array`; {TYPES}"),
    "a string": (b'"ping"', f"Expected `object`, got `str`; {TYPES}"),
    "null": (b"null", f"Expected `object`, got `null`; {TYPES}"),
    # types and fields
    "no type": (b'{"move":"4"}', f"Object missing required field `type`; {TYPES}"),
    "an unknown type": (b'{"type":"jump"}', f"Invalid value 'jump' - at `$.type`; {TYPES}"),
    "a type in capitals": (b'{"type":"MOVE","move":"4"}', f"Invalid value 'MOVE' - at `$.type`; {TYPES}"),
    "a type that is no string": (b'{"type":4}', f"Expected `str` - at `$.type`; {TYPES}"),
    "no move": (b'{"type":"move"}', "Object missing required field `move`"),
    "a move that is a number": (b'{"type":"move","move":3}', "Expected `str`, got `int` - at `$.move`"),
    "a move that is null": (b'{"type":"move","move":null}', "Expected `str`, got `null` - at `$.move`"),
    "a ply that is a string": (
        b'{"type":"move","move":"4","ply":"0"}',
        "Expected `int | null`, got `str` - at `$.ply`",
    ),
    "a ply that is a float": (
        b'{"type":"move","move":"4","ply":0.0}',
        "Expected `int | null`, got `float` - at `$.ply`",
    ),
    "a ply that is true": (
        b'{"type":"move","move":"4","ply":true}',
        "Expected `int | null`, got `bool` - at `$.ply`",
    ),
    "a negative ply": (b'{"type":"move","move":"4","ply":-1}', "Expected `int` >= 0 - at `$.ply`"),
    "a game that is a list": (b'{"type":"join","game":["ttt"]}', "Expected `str | null`, got `array` - at `$.game`"),
    # duplicate keys
    "a key twice": (b'{"type":"move","move":"4","move":"4"}', "the key 'move' stands twice in one object"),
    "a key twice, once as null": (
        b'{"type":"join","game":"ttt","game":null}',
        "the key 'game' stands twice in one object",
    ),
    "a key twice, once escaped": (
        rb'{"type":"move","move":"4","mo\u0076e":"5"}',
        "the key 'move' stands twice in one object",
    ),
    "an unknown key twice": (b'{"type":"ping","x":1,"x":2}', "the key 'x' stands twice in one object"),
    "a key twice further down": (
        b'{"type":"move","move":"4","x":[{"y":{"z":1,"z":2}}]}',
        "the key 'z' stands twice in one object",
    ),
    # nesting without end
    "lists in lists": (b'{"type":"ping","x":' + b"[" * 10_000, "nested too deeply"),
    "lists in lists, closed": (b'{"type":"ping","x":' + b"[" * 10_000 + b"]" * 10_000 + b"}", "nested too deeply"),
    "objects in objects": (b'{"x":' * 10_000, "nested too deeply"),
    "nothing but lists": (b"[" * 10_000, f"Expected `object`, got `array`; {TYPES}"),
    # encodings
    "no UTF-8": (b"\xff", "not one JSON object: JSON is malformed: invalid character (byte 0)"),
    "no UTF-8 in a move": (b'{"type":"move","move":"\xff"}', "not one JSON object: Invalid UTF-8 encoded string"),
    "no UTF-8 in an unknown field": (b'{"type":"ping","x":"\xff"}', "not UTF-8 at byte 20"),
    "a surrogate as UTF-8": (
        b'{"type":"move","move":"\xed\xa0\x80"}',
        "not one JSON object: Invalid UTF-8 encoded string",
    ),
    # numbers
    "not a number": (
        b'{"type":"move","move":"4","ply":NaN}',
        "not one JSON object: JSON is malformed: invalid character (byte 32)",
    ),
    "not a number in an unknown field": (
        b'{"type":"ping","x":NaN}',
        "not one JSON object: JSON is malformed: invalid character (byte 19)",
    ),
    "infinity": (
        b'{"type":"ping","x":-Infinity}',
        "not one JSON object: JSON is malformed: invalid character (byte 20)",
    ),
    "1e999": (b'{"type":"move","move":"4","ply":1e999}', "Number out of range - at `$.ply`"),
    "10**400": (b'{"type":"move","move":"4","ply":1' + b"0" * 400 + b"}", "Expected `int` <= 1000000 - at `$.ply`"),
    "10**5000": (b'{"type":"move","move":"4","ply":1' + b"0" * 5000 + b"}", "Integer value out of range - at `$.ply`"),
}

LONE_SURROGATES: Final = (
    rb'{"type":"move","move":"\ud800"}',
    rb'{"type":"move","move":"\ud800 and more of it"}',
    rb'{"type":"move","move":"\udc00"}',
    rb'{"type":"move","move":"\ud800\ud800"}',
    rb'{"type":"ping","x":"\ud800"}',
    rb'{"type":"ping","\ud800":1}',
    rb'{"type":"ping","\ud800":1,"\ud800":2}',
)

NO_HARM: Final = (
    b'{"type":"ping"}\r\n',
    b' \t{ "type" : "ping" } ',
    b'{"type":"ping","colour":"red","x":[1,{"y":null}]}',
    b'{"type":"ping","x":{"x":{"x":1}},"y":{"x":1}}',
    b'{"type":"ping","x":"a:b:c"}',
    b'{"type":"ping","x":1e999}',
    b'{"type":"ping","x":1' + b"0" * 400 + b"}",
    b'{"type":"ping","x":1' + b"0" * 5000 + b"}",
    '{"type":"ping","schön":"\N{SNOWMAN}"}'.encode(),
    b'{"type":"ping","x":' + b"[" * 200 + b"]" * 200 + b"}",
)
"""Unknown fields are ignored, whatever is in them, as long as it is JSON."""


def refusal(message: str) -> dict[str, Any]:
    """The answer to a bad message."""
    return {"type": "error", "code": "bad_message", "message": message}


@pytest.mark.parametrize("stage", Stage)
@pytest.mark.parametrize("name", ANSWERS)
def test_bad_input_has_an_exact_answer_and_no_other_effect(booth: Booth, name: str, stage: Stage) -> None:
    booth.goes_to(stage)
    message, answer = ANSWERS[name]
    booth.says(message)
    assert booth.hears() == [refusal(answer)]
    assert booth.session.stage is stage
    assert (booth.chair.calls, booth.desk.joined, booth.wire.closed) == ([], [], None)
    assert booth.tally.errors == {Code.BAD_MESSAGE: 1}


@pytest.mark.parametrize("message", LONE_SURROGATES)
def test_half_a_surrogate_pair_is_a_bad_message(booth: Booth, message: bytes) -> None:
    booth.says(message)
    (answer,) = booth.hears()
    assert answer["code"] == "bad_message"
    assert answer["message"].startswith("not one JSON object: ")


@pytest.mark.parametrize("message", NO_HARM)
def test_what_a_newer_client_may_add_does_no_harm(booth: Booth, message: bytes) -> None:
    booth.says(message)
    assert booth.wire.take() == [b'{"type":"pong"}']


@pytest.mark.parametrize("kind", ["a type", "a key"])
def test_an_answer_does_not_repeat_an_essay(booth: Booth, kind: str) -> None:
    """64 KiB in must not be 64 KiB out."""
    essay = b"x" * 60_000
    booth.says(b'{"type":"' + essay + b'"}' if kind == "a type" else b'{"type":"ping","%b":1,"%b":2}' % (essay, essay))
    (answer,) = booth.wire.take()
    assert len(answer) < 500


def test_the_twentieth_bad_message_closes_and_forfeits_and_the_nineteenth_does_not(booth: Booth) -> None:
    booth.goes_to(Stage.PLAYING)
    for _ in range(MAX_BAD_MESSAGES - 1):
        booth.says(b"nonsense")
    assert MAX_BAD_MESSAGES == 20
    assert len(booth.hears()) == 19
    assert (booth.wire.closed, booth.chair.calls) == (None, [])
    booth.says(b"nonsense")
    assert [said["code"] for said in booth.hears()] == ["bad_message"]
    assert booth.wire.closed == (1008, "20 bad messages")
    assert booth.chair.calls == [("leave",)]
    booth.says(b"nonsense")
    assert booth.hears() == []


def test_bad_messages_of_every_kind_count_together(booth: Booth) -> None:
    booth.goes_to(Stage.QUEUED)
    for _ in range(5):
        booth.says(b"nonsense")
        booth.says({"type": "join", "game": "ttt"})
        booth.says({"type": "resign"})
        assert booth.wire.closed is None
        booth.session.bad_message(Code.LINE_TOO_LONG, "a line went over 64 KiB")
    assert booth.wire.closed == (1008, "20 bad messages")
    assert booth.tally.errors == {Code.BAD_MESSAGE: 15, Code.LINE_TOO_LONG: 5}
    assert booth.desk.left == 1


def test_bad_messages_count_over_the_matches_of_a_connection(booth: Booth) -> None:
    for _ in range(10):
        booth.says(b"nonsense")
    booth.goes_to(Stage.DONE)
    for _ in range(9):
        booth.says(b"nonsense")
    assert booth.wire.closed is None
    booth.says(b"nonsense")
    assert booth.wire.closed == (1008, "20 bad messages")


def test_what_is_only_refused_is_never_counted(booth: Booth) -> None:
    """A move too early or too late is a slip that happens to good agents: fifty of them close nothing."""
    booth.goes_to(Stage.QUEUED)
    for _ in range(50):
        booth.says({"type": "move", "move": "4"})
    assert {said["code"] for said in booth.hears()} == {"not_your_turn"}
    assert booth.wire.closed is None


@pytest.mark.parametrize("stage", [Stage.SETTLING, Stage.DONE])
def test_moves_after_the_end_are_never_counted(booth: Booth, stage: Stage) -> None:
    booth.goes_to(stage)
    for _ in range(50):
        booth.says({"type": "move", "move": "4"})
        booth.says({"type": "resign"})
    assert {said["code"] for said in booth.hears()} == {"game_over"}
    assert booth.wire.closed is None


scraps = st.sampled_from([message for message, _ in ANSWERS.values()] + list(LONE_SURROGATES) + list(NO_HARM))


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from(Stage),
    st.lists(st.binary(max_size=40) | scraps | st.text(max_size=20).map(str.encode), max_size=30),
)
def test_every_frame_is_answered_once_whatever_it_holds(stage: Stage, frames: list[bytes]) -> None:
    loop = VirtualTimeLoop()
    booth = Booth(loop)
    booth.goes_to(stage)
    for frame in frames:
        open_before = booth.wire.closed is None
        booth.says(frame)
        assert len(booth.hears()) == open_before
    loop.close()
