"""The client's end of telnet, byte by byte and without a line."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent.transports.telnet_options import MAX_ANSWERS_IN_A_ROW, MAX_SUBNEGOTIATION_BYTES, TelnetOptions

IAC, DONT, DO, WONT, WILL, SB, SE = (bytes((code,)) for code in (255, 254, 253, 252, 251, 250, 240))
BINARY, ECHO, SGA, SNDLOC, TTYPE, NAWS, TSPEED, NEW_ENVIRON = (bytes((code,)) for code in (0, 1, 3, 23, 24, 31, 32, 39))
ASK_TTYPE = IAC + SB + TTYPE + b"\x01" + IAC + SE
SYNCHRONET = b"".join(
    IAC + verb + option
    for verb, option in (
        (WILL, ECHO),
        (WILL, SGA),
        (DO, TTYPE),
        (DO, TSPEED),
        (DO, SNDLOC),
        (DO, NAWS),
        (DO, NEW_ENVIRON),
    )
)


@pytest.fixture
def client() -> TelnetOptions:
    return TelnetOptions("ansi-bbs", 80, 24)


def test_synchronet_is_answered_as_it_expects(client: TelnetOptions) -> None:
    data, replies = client.receive(b"Synchronet\r\n" + SYNCHRONET + ASK_TTYPE)
    assert data == b"Synchronet\r\n"
    assert replies == (
        IAC + DO + ECHO + IAC + DO + SGA + IAC + WILL + TTYPE + IAC + WONT + TSPEED + IAC + WONT + SNDLOC
        + IAC + WILL + NAWS + IAC + SB + NAWS + b"\x00\x50\x00\x18" + IAC + SE + IAC + WONT + NEW_ENVIRON
        + IAC + SB + TTYPE + b"\x00ansi-bbs" + IAC + SE
    )  # fmt: skip
    assert client.server_echoes


@pytest.mark.parametrize(("verb", "answers"), [(WILL, (DO, DONT)), (DO, (WILL, WONT)), (WONT, ()), (DONT, ())])
def test_a_repeated_request_gets_one_answer(verb: bytes, answers: tuple[bytes, ...]) -> None:
    """Case 104; WONT and DONT of what was never on get none."""
    for option in range(256):
        client = TelnetOptions("ansi-bbs", 80, 24)
        request = IAC + verb + bytes((option,))
        _, first = client.receive(request)
        assert client.receive(request * 50) == (b"", b"")
        assert (first[1:2] in answers) if answers else (first == b"")


def test_a_peer_that_answers_each_answer_ends_the_talk(client: TelnetOptions) -> None:
    """Case 104: a peer that sends WILL NAWS again whenever it hears of NAWS."""
    exchanges = 0
    _, reply = client.receive(IAC + WILL + NAWS)
    while reply:
        exchanges += 1
        assert exchanges < 3
        _, reply = client.receive(IAC + WILL + NAWS)
    assert exchanges == 1


@given(st.lists(st.tuples(st.sampled_from([WILL, WONT, DO, DONT]), st.sampled_from([BINARY, ECHO, NAWS, b"\x63"]))))
def test_never_more_than_one_answer_for_a_request(requests: list[tuple[bytes, bytes]]) -> None:
    client = TelnetOptions("ansi-bbs", 80, 24)
    for verb, option in requests:
        _, reply = client.receive(IAC + verb + option)
        if option == NAWS and reply.startswith(IAC + WILL + NAWS):
            reply = reply.removesuffix(IAC + SB + NAWS + b"\x00\x50\x00\x18" + IAC + SE)
        assert len(reply) in (0, 3)


@given(verbs=st.lists(st.tuples(st.sampled_from([WILL, WONT, DO, DONT]), st.integers(0, 255)), max_size=30))
def test_two_clients_wired_together_fall_silent(verbs: list[tuple[bytes, int]]) -> None:
    here, there = TelnetOptions("a", 80, 24), TelnetOptions("b", 80, 24)
    _, wire = here.receive(b"".join(IAC + verb + bytes((option,)) for verb, option in verbs))
    for _ in range(MAX_ANSWERS_IN_A_ROW + 1):
        _, back = there.receive(wire)
        _, wire = here.receive(back)
    assert wire == b""
    assert here.receive(b"text" + IAC + WILL + b"\x63")[1] in (b"", IAC + DONT + b"\x63")


def test_the_window_is_told_only_to_who_asked(client: TelnetOptions) -> None:
    """Case 105."""
    assert client.resize(94, 55) == b""
    _, replies = client.receive(IAC + DO + NAWS)
    assert replies == IAC + WILL + NAWS + IAC + SB + NAWS + b"\x00\x5e\x00\x37" + IAC + SE
    assert client.resize(255, 300) == IAC + SB + NAWS + b"\x00\xff\xff\x01\x2c" + IAC + SE
    assert client.receive(IAC + DONT + NAWS) == (b"", IAC + WONT + NAWS)
    assert client.resize(80, 24) == b""


def test_0xff_is_doubled_both_ways(client: TelnetOptions) -> None:
    """Case 107: NBSP in CP437."""
    assert client.send("a\u00a0b".encode("cp437")) == b"a\xff\xffb"
    assert client.receive(b"a\xff\xffb") == (b"a\xffb", b"")


def test_a_lone_0xff_of_a_sloppy_door_is_shown(client: TelnetOptions) -> None:
    assert client.receive(b"a\xff b\xff") == (b"a\xff b", b"")


@pytest.mark.parametrize(
    ("typed", "wire"),
    [(b"\r", b"\r\0"), (b"\r\n", b"\r\n"), (b"\n", b"\n"), (b"a\r\rb", b"a\r\0\r\0b"), (b"\r\0", b"\r\0\0")],
)
def test_enter_outside_of_binary(client: TelnetOptions, typed: bytes, wire: bytes) -> None:
    assert client.send(typed) == wire


def test_binary_leaves_cr_alone(client: TelnetOptions) -> None:
    _, replies = client.receive(IAC + DO + BINARY + IAC + WILL + BINARY)
    assert replies == IAC + WILL + BINARY + IAC + DO + BINARY
    assert client.send(b"\r\xff") == b"\r\xff\xff"
    assert client.receive(b"\r\0") == (b"\r\0", b"")
    assert (client.binary_in, client.binary_out) == (True, True)


def test_asking_for_binary(client: TelnetOptions) -> None:
    assert client.ask_binary() == IAC + DO + BINARY + IAC + WILL + BINARY
    assert client.ask_binary() == b""
    assert client.receive(IAC + WILL + BINARY + IAC + DONT + BINARY) == (b"", b"")
    assert (client.binary_in, client.binary_out) == (True, False)


@pytest.mark.parametrize(
    ("wire", "data"), [(b"a\r\0b", b"a\rb"), (b"a\r\nb", b"a\r\nb"), (b"\r\r\0\0", b"\r\r\0"), (b"\0a", b"\0a")]
)
def test_cr_nul_is_cr(client: TelnetOptions, wire: bytes, data: bytes) -> None:
    assert client.receive(wire) == (data, b"")


@pytest.mark.parametrize("command", [236, 239, 241, 242, 243, 244, 245, 246, 247, 248, 249, 240])
def test_commands_that_ask_nothing_vanish(client: TelnetOptions, command: int) -> None:
    """Among them AYT (246), GA (249), NOP (241)."""
    assert client.receive(b"a" + IAC + bytes((command,)) + b"b") == (b"ab", b"")


def test_terminal_type_is_told_only_when_agreed(client: TelnetOptions) -> None:
    assert client.receive(ASK_TTYPE) == (b"", b"")
    client.receive(IAC + DO + TTYPE)
    answer = IAC + SB + TTYPE + b"\x00ansi-bbs" + IAC + SE
    assert client.receive(ASK_TTYPE * 2) == (b"", answer * 2)


def test_a_subnegotiation_without_end_is_dropped_unread(client: TelnetOptions) -> None:
    client.receive(IAC + DO + TTYPE + IAC + SB + TTYPE + b"\x01")
    for _ in range(64):
        assert client.receive(b"x" * 65536) == (b"", b"")
    assert len(client._subnegotiation) == MAX_SUBNEGOTIATION_BYTES
    assert client.receive(IAC + SE + b"on") == (b"on", b"")


def test_a_command_breaks_off_a_subnegotiation(client: TelnetOptions) -> None:
    data, replies = client.receive(IAC + SB + TTYPE + b"\x01" + IAC + DO + NAWS + b"text")
    assert data == b"text"
    assert replies.startswith(IAC + WILL + NAWS)


_PIECES = st.lists(
    st.one_of(
        st.binary(max_size=6),
        st.sampled_from([b"\r", b"\0", b"\r\0", IAC, IAC + IAC, IAC + SE, ASK_TTYPE, IAC + SB + NAWS, SYNCHRONET]),
        st.builds(lambda verb, option: IAC + verb + bytes((option,)), st.sampled_from([WILL, WONT, DO, DONT]),
                  st.integers(0, 255)),
    ),
    max_size=12,
).map(b"".join)  # fmt: skip


@given(wire=_PIECES, cuts=st.lists(st.integers(0, 200), max_size=8))
def test_bytes_may_be_cut_anywhere(wire: bytes, cuts: list[int]) -> None:
    whole = TelnetOptions("ansi-bbs", 80, 24).receive(wire)
    cut = TelnetOptions("ansi-bbs", 80, 24)
    edges = [0, *sorted(min(edge, len(wire)) for edge in cuts), len(wire)]
    pieces = [cut.receive(wire[start:end]) for start, end in pairwise(edges)]
    assert (b"".join(data for data, _ in pieces), b"".join(reply for _, reply in pieces)) == whole
    single = TelnetOptions("ansi-bbs", 80, 24)
    alone = [single.receive(wire[at : at + 1]) for at in range(len(wire))]
    assert (b"".join(data for data, _ in alone), b"".join(reply for _, reply in alone)) == whole


@given(typed=st.binary(max_size=200), binary=st.booleans())
def test_what_is_typed_arrives_at_a_telnet_peer(typed: bytes, binary: bool) -> None:
    """Apart from NUL after CR, which only binary can carry."""
    here, there = TelnetOptions("a", 80, 24), TelnetOptions("b", 80, 24)
    if binary:
        here.receive(IAC + DO + BINARY)
        there.receive(IAC + WILL + BINARY)
    assert there.receive(here.send(typed)) == (typed, b"")
