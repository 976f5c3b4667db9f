"""Bytes to messages and back: what goes in comes out, and what is no message is refused with a sentence."""

from __future__ import annotations

import json
import sys
from typing import Any, Final

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentbbs.protocol.agentgames import (
    MAX_PLY,
    ClientMessage,
    Error,
    Hello,
    Join,
    Move,
    Ping,
    Pong,
    Queued,
    RateLimit,
    Resign,
    Result,
    State,
    Termination,
)
from agentbbs.protocol.codec import MAX_FAULT_CHARS, Malformed, decode, encode, raw

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
client_messages: st.SearchStrategy[ClientMessage] = st.one_of(
    st.builds(Join, st.none() | text, st.none() | text, st.none() | text),
    st.builds(Move, text, st.none() | st.integers(0, MAX_PLY)),
    st.just(Resign()),
    st.just(Ping()),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=6,
)


def fault_of(data: bytes) -> str:
    """The sentence with which `data` is refused."""
    with pytest.raises(Malformed) as caught:
        decode(data)
    return str(caught.value)


# What is a message


@settings(deadline=None)
@given(client_messages)
@example(Move(":"))
@example(Move('"type":"ping"'))
@example(Join("a:b", "::", '{"x":1}'))
def test_every_message_of_a_client_survives_the_wire(message: ClientMessage) -> None:
    assert decode(encode(message)) == message


@settings(deadline=None)
@given(client_messages, st.dictionaries(text, json_values, max_size=4), st.randoms(use_true_random=False))
def test_unknown_fields_order_and_spelling_make_no_difference(
    message: ClientMessage, unknown: dict[str, Any], rng: Any
) -> None:
    fields = {**unknown, **json.loads(encode(message))}
    keys = list(fields)
    rng.shuffle(keys)
    shuffled = {key: fields[key] for key in keys}
    for spelled in (json.dumps(shuffled), json.dumps(shuffled, ensure_ascii=False), json.dumps(shuffled, indent=2)):
        assert decode(spelled.encode()) == message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"type":"join","game":"ttt"}', Join("ttt")),
        (b'{"type":"join"}', Join()),
        (b'{"type":"join","game":null,"practice":null}', Join()),
        (b'{"type":"move","move":"4"}', Move("4")),
        (b'{"type":"move","move":""}', Move("")),
        (b'{"move":"4","ply":0,"type":"move"}', Move("4", 0)),
        (b'{"type":"move","move":"4","ply":1000000}', Move("4", MAX_PLY)),
        (b'{"type":"move","move":"4","ply":null}', Move("4")),
        (rb'{"\u0074ype":"\u006dove","move":"\u0034"}', Move("4")),
        (rb'{"type":"move","move":"\ud83d\ude00"}', Move("\N{GRINNING FACE}")),
        (rb'{"type":"move","move":"\u0000"}', Move("\0")),
        (b'{"type":"resign"}', Resign()),
        (b'{"type":"ping"}\r\n', Ping()),
    ],
)
def test_what_an_agent_may_write(data: bytes, message: ClientMessage) -> None:
    assert decode(data) == message


# What is none


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=200) | st.text().map(lambda said: said.encode("utf-8", "surrogatepass")))
def test_no_bytes_raise_anything_but_malformed(data: bytes) -> None:
    try:
        message = decode(data)
    except Malformed as fault:
        explained = str(fault)
    else:
        explained = repr(message)
    assert explained
    assert "\n" not in explained


pieces = st.lists(
    st.sampled_from(
        [
            *[
                b"{",
                b"}",
                b"[",
                b"]",
                b'"',
                b":",
                b",",
                b"\\",
                b"\\u",
                b"\\ud800",
                b"\xff",
                b"\x00",
                b" ",
                b"\xef\xbb\xbf",
            ],
            *[
                b'"type"',
                b'"move"',
                b'"ping"',
                b'"ply"',
                b'"game"',
                b"null",
                b"NaN",
                b"1e999",
                b"-",
                b"0",
                b"1",
                b"true",
            ],
            *[b'{"type":"move"', b',"move":"4"', b',"ply":1', b'{"a":'],
        ]
    ),
    max_size=30,
).map(b"".join)


@settings(deadline=None, max_examples=300)
@given(pieces)
def test_no_heap_of_json_pieces_raises_anything_but_malformed(data: bytes) -> None:
    try:
        message = decode(data)
    except Malformed:
        return
    assert isinstance(json.loads(data), dict), f"{message} was made of what is no JSON object"


@settings(deadline=None)
@given(client_messages)
def test_a_message_cut_at_any_byte_is_malformed(message: ClientMessage) -> None:
    data = encode(message)
    for end in range(len(data)):
        assert fault_of(data[:end])
    for start in range(1, len(data)):
        assert fault_of(data[start:])


@settings(deadline=None)
@given(client_messages, client_messages)
def test_two_messages_in_one_are_none(one: ClientMessage, other: ClientMessage) -> None:
    for between in (b"", b" ", b"\n", b","):
        assert "trailing characters" in fault_of(encode(one) + between + encode(other))


# Duplicate keys


def escaped(key: str, where: int) -> str:
    """The key with one of its characters written as an escape."""
    where %= len(key)
    return f"{key[:where]}\\u{ord(key[where]):04x}{key[where + 1 :]}"


ascii_keys = st.text(st.sampled_from("abcdefgh_xyz:"), min_size=1, max_size=6)


@settings(deadline=None, max_examples=100)
@given(
    client_messages,
    st.dictionaries(ascii_keys, json_values, max_size=3),
    st.data(),
    st.booleans(),
)
def test_a_key_that_stands_twice_is_found_wherever_it_is_and_however_it_is_spelled(
    message: ClientMessage, unknown: dict[str, Any], data: st.DataObject, spelled_otherwise: bool
) -> None:
    fields = {**unknown, **json.loads(encode(message))}
    members = [f"{json.dumps(key)}:{json.dumps(value)}" for key, value in fields.items()]
    twice = data.draw(st.sampled_from(sorted(fields)))
    again = escaped(twice, data.draw(st.integers(0, 5))) if spelled_otherwise else twice
    value = data.draw(st.just(fields[twice]) | json_values)
    members.insert(data.draw(st.integers(0, len(members))), f'"{again}":{json.dumps(value)}')
    assert fault_of(("{" + ",".join(members) + "}").encode())


@settings(deadline=None, max_examples=200)
@given(client_messages, st.lists(st.booleans(), max_size=6), ascii_keys, st.integers(0, 5))
def test_a_key_that_stands_twice_is_found_at_any_depth(
    message: ClientMessage, path: list[bool], key: str, where: int
) -> None:
    inner = f'{{"{key}":1,"{escaped(key, where)}":2}}'
    for in_list in path:
        inner = f"[0,{inner}]" if in_list else f'{{"w":{inner}}}'
    known = encode(message).decode()
    assert fault_of(f'{known[:-1]},"unknown":{inner}}}'.encode()) == f"the key {key!r} stands twice in one object"


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b'{"type":"move","move":"1","move":"2"}', "move"),
        (b'{"type":"move","move":"1","ply":0,"ply":0}', "ply"),
        (b'{"type":"move","move":"1","ply":null,"ply":null}', "ply"),
        (b'{"type":"join","game":"ttt","game":"c4"}', "game"),
        (b'{"type":"join","practice":null,"practice":null}', "practice"),
        (b'{"type":"ping","type":"ping"}', "type"),
    ],
)
def test_the_shortest_messages_with_a_key_that_stands_twice(data: bytes, key: str) -> None:
    assert fault_of(data) == f"the key {key!r} stands twice in one object"


def test_the_same_key_in_two_objects_does_not_stand_twice() -> None:
    assert decode(b'{"type":"ping","x":{"type":"ping"},"y":[{"a":1},{"a":2}]}') == Ping()


def test_an_overlong_key_is_cut_in_the_sentence() -> None:
    data = b'{"type":"ping","%b":1,"%b":2}' % (b"k" * 1000, b"k" * 1000)
    assert fault_of(data) == f"the key {'k' * 40!r} stands twice in one object"


@settings(deadline=None)
@given(st.sampled_from([b'{"type":"%b"}', b'{"type":"ping","%b":1,"%b":2}', b'{"%b":']), st.integers(0, 60_000))
def test_a_fault_is_a_sentence_and_repeats_no_essay(shape: bytes, length: int) -> None:
    sentence = fault_of(shape.replace(b"%b", b"jump" + b"x" * length))
    assert len(sentence) <= MAX_FAULT_CHARS
    if shape == b'{"type":"%b"}':
        assert sentence.startswith("Invalid value 'jump")
        assert sentence.endswith("`type` is one of: join, move, resign, ping")


def test_a_key_is_shown_inert() -> None:
    assert fault_of(b'{"type":"ping","\\u001b[2J":1,"\\u001b[2J":2}') == r"the key '\x1b[2J' stands twice in one object"


# Nesting


@pytest.mark.parametrize("depth", [500, 1_000, 1_500, 5_000, 30_000])
@pytest.mark.parametrize(("opens", "closes"), [(b"[", b"]"), (b'{"a":', b"}"), (b"[[0],", b"]")])
def test_nesting_of_any_depth_is_a_message_or_malformed(opens: bytes, closes: bytes, depth: int) -> None:
    data = b'{"type":"ping","x":' + opens * depth + b"0" + closes * depth + b"}"
    try:
        assert decode(data) == Ping()
    except Malformed as fault:
        assert str(fault) == "nested too deeply"  # noqa: PT017 - both are right; which one depends on the stack
        assert depth > 500


def test_nesting_is_refused_however_deep_the_caller_stands() -> None:
    """The recursion limit is the interpreter's: near it, too, the answer is Malformed."""
    nested = b'{"type":"ping","x":' + b"[" * 300 + b"]" * 300 + b"}"

    def deeper(left: int) -> str:
        if left:
            return deeper(left - 1)
        try:
            return repr(decode(nested))
        except Malformed as fault:
            return str(fault)

    answers = set()
    for left in range(0, sys.getrecursionlimit() - 100, 10):
        try:
            answers.add(deeper(left))
        except RecursionError:
            break
    assert answers == {"Ping()", "nested too deeply"}


# The venue's messages

SPOKEN: Final = (
    (Queued("ttt", 2), b'{"type":"queued","game":"ttt","waiting":2}'),
    (
        Hello(0, "c4", "agent-bob", "m1", 15_000),
        b'{"type":"hello","player":0,"game":"c4","opponent":"agent-bob","match":"m1","moveTimeoutMs":15000}',
    ),
    (
        Hello(1, "c4", "bob", "m1", 100, "token"),
        b'{"type":"hello","player":1,"game":"c4","opponent":"bob","match":"m1","moveTimeoutMs":100,"resume":"token"}',
    ),
    (
        State({"board": ["."], "toMove": 0, "legal": ["0"]}, True, 0, None, 15_000),
        (
            b'{"type":"state","observation":{"board":["."],"toMove":0,"legal":["0"]},"yourTurn":true,"ply":0,'
            b'"lastMove":null,"remainingMs":15000}'
        ),
    ),
    (
        Result(0, "win", 1516, "m1", None, Termination.NORMAL, True, 1500, 1484),
        (
            b'{"type":"result","winner":0,"outcome":"win","rating":1516,"match":"m1","reason":null,'
            b'"termination":"normal","rated":true,"ratingBefore":1500,"opponentRating":1484}'
        ),
    ),
    (
        Result(-1, "void", 1500, "m1", "void: server shutdown", Termination.SERVER, False, 1500, None, "practice"),
        (
            b'{"type":"result","winner":-1,"outcome":"void","rating":1500,"match":"m1",'
            b'"reason":"void: server shutdown","termination":"server","rated":false,"ratingBefore":1500,'
            b'"opponentRating":null,"why":"practice"}'
        ),
    ),
    (Error("bad_message", "no"), b'{"type":"error","code":"bad_message","message":"no"}'),
    (
        Error("unknown_game", "no", games=("ttt", "c4")),
        b'{"type":"error","code":"unknown_game","message":"no","games":["ttt","c4"]}',
    ),
    (
        Error("rate_limited", "no", ratelimit=RateLimit("join", 3)),
        b'{"type":"error","code":"rate_limited","message":"no","ratelimit":{"key":"join","seconds":3}}',
    ),
    (Pong(), b'{"type":"pong"}'),
)


@pytest.mark.parametrize(("message", "spoken"), SPOKEN)
def test_the_venue_speaks_one_compact_object(message: Any, spoken: bytes) -> None:
    assert encode(message) == spoken


def test_an_observation_that_was_encoded_once_stands_in_several_messages() -> None:
    observation = {"board": [["."]], "toMove": 0, "legal": ["0"]}
    once = raw(observation)
    for mine in (True, False):
        spoken = encode(State(once, mine, 0, None, 100))
        assert spoken == encode(State(observation, mine, 0, None, 100))
        assert msgspec.json.decode(spoken)["observation"] == observation
