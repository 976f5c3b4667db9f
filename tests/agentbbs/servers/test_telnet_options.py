"""The server's end of a telnet line, byte by byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.servers.telnet_options import (
    I_AM_HERE,
    MAX_ANSWERS_IN_A_ROW,
    MAX_COMMAND_BYTES_IN_A_ROW,
    MAX_SUBNEGOTIATION_BYTES,
    TelnetOptions,
)

IAC, DONT, DO, WONT, WILL, SB, SE = b"\xff", b"\xfe", b"\xfd", b"\xfc", b"\xfb", b"\xfa", b"\xf0"
BINARY, ECHO, SGA, MARK, TTYPE, NAWS = b"\0", b"\1", b"\3", b"\6", b"\x18", b"\x1f"
SEND_TTYPE = IAC + SB + TTYPE + b"\1" + IAC + SE


def opened() -> TelnetOptions:
    options = TelnetOptions()
    options.opening()
    return options


def window(columns: int, rows: int) -> bytes:
    sides = columns.to_bytes(2, "big") + rows.to_bytes(2, "big")
    return IAC + SB + NAWS + sides.replace(IAC, IAC + IAC) + IAC + SE


def named(name: bytes) -> bytes:
    return IAC + SB + TTYPE + b"\0" + name + IAC + SE


class TestNegotiation:
    def test_asks_for_all_at_once(self) -> None:
        assert TelnetOptions().opening() == b"".join(
            [IAC + WILL + option for option in (ECHO, SGA, BINARY)]
            + [IAC + DO + option for option in (SGA, TTYPE, NAWS, BINARY)]
        )

    def test_an_answer_to_what_was_asked_is_not_answered(self) -> None:
        options = opened()
        agreed = b"".join(IAC + DO + option for option in (ECHO, SGA, BINARY))
        assert options.receive(agreed + IAC + WILL + NAWS + IAC + WILL + BINARY) == (b"", b"")
        assert options.binary_out

    def test_the_name_is_asked_for_once(self) -> None:
        options = opened()
        assert options.receive(IAC + WILL + TTYPE) == (b"", SEND_TTYPE)
        assert options.receive(IAC + WILL + TTYPE) == (b"", b"")

    def test_late_options_are_taken(self) -> None:
        options = opened()
        assert options.receive(IAC + WONT + NAWS + IAC + WONT + TTYPE + b"hello") == (b"hello", b"")
        assert options.settled
        assert options.receive(IAC + WILL + NAWS) == (b"", IAC + DO + NAWS)
        assert options.receive(IAC + WILL + TTYPE) == (b"", IAC + DO + TTYPE + SEND_TTYPE)
        options.receive(window(132, 50) + named(b"VT100"))
        assert (options.window, options.terminal_type) == ((132, 50), "VT100")

    @pytest.mark.parametrize(("verb", "refusal"), [(WILL, DONT), (DO, WONT)])
    def test_what_is_not_ours_is_refused_once(self, verb: bytes, refusal: bytes) -> None:
        options = opened()
        for option in (b"\x22", b"\x27", b"\x56", b"\x55", b"\xc9"):
            assert options.receive(IAC + verb + option) == (b"", IAC + refusal + option)
            assert options.receive(IAC + verb + option) == (b"", b"")

    def test_the_end_of_an_option_is_obeyed_and_answered(self) -> None:
        options = opened()
        options.receive(IAC + DO + ECHO)
        assert options.receive(IAC + DONT + ECHO) == (b"", IAC + WONT + ECHO)
        assert options.receive(IAC + DONT + ECHO) == (b"", b"")

    def test_each_timing_mark_is_answered(self) -> None:
        assert opened().receive((IAC + DO + MARK) * 2) == (b"", (IAC + WILL + MARK) * 2)

    def test_a_peer_that_answers_for_ever_is_heard_no_further(self) -> None:
        """Case 104."""
        options = opened()
        options.receive(IAC + DO + ECHO)
        _, replies = options.receive((IAC + DONT + ECHO + IAC + DO + ECHO) * 1000)
        assert len(replies) == 3 * MAX_ANSWERS_IN_A_ROW
        options.receive(b"x")
        assert options.receive(IAC + DO + MARK)[1]

    def test_is_settled_by_both_name_and_window(self) -> None:
        options = opened()
        assert not options.settled
        options.receive(IAC + WILL + TTYPE + IAC + WILL + NAWS + window(80, 25))
        assert not options.settled
        options.receive(named(b"ansi"))
        assert options.settled


class TestWhatIsTold:
    @pytest.mark.parametrize("size", [(80, 24), (0, 0), (255, 255), (65535, 1)])
    def test_window(self, size: tuple[int, int]) -> None:
        options = opened()
        options.receive(window(*size))
        assert options.window == size

    @pytest.mark.parametrize("malformed", [b"", b"\0\x50\0", b"\0\x50\0\x18\0"])
    def test_a_malformed_window_says_nothing(self, malformed: bytes) -> None:
        options = opened()
        options.receive(IAC + SB + NAWS + malformed + IAC + SE)
        assert options.window is None

    def test_a_subnegotiation_of_64_mib_takes_no_memory_and_is_a_flood(self) -> None:
        options = opened()
        options.receive(IAC + SB + TTYPE + b"\0")
        piece = b"x" * 65536
        for _ in range(1024):
            assert options.receive(piece) == (b"", b"")
        assert options.flooding
        assert len(options._subnegotiation) == MAX_SUBNEGOTIATION_BYTES

    def test_one_that_never_ends_is_broken_off_by_a_command(self) -> None:
        options = opened()
        assert options.receive(IAC + SB + NAWS + b"\0\1" + IAC + DO + MARK + b"x") == (b"x", IAC + WILL + MARK)


class TestCommands:
    def test_are_you_there(self) -> None:
        assert opened().receive(b"a" + IAC + b"\xf6" + b"b") == (b"ab", I_AM_HERE)

    def test_that_stand_for_keys(self) -> None:
        assert opened().receive(IAC + b"\xf4" + IAC + b"\xf7" + IAC + b"\xf8")[0] == b"\x03\x08\x15"

    def test_that_say_nothing(self) -> None:
        quiet = b"".join(IAC + bytes([command]) for command in (0xF1, 0xF2, 0xF3, 0xF5, 0xF9, 0xEC, 0xED, 0xEE, 0xEF))
        assert opened().receive(quiet) == (b"", b"")

    def test_a_flood_of_nops(self) -> None:
        options = opened()
        options.receive(IAC + b"\xf1")
        assert not options.flooding
        options.receive((IAC + b"\xf1") * MAX_COMMAND_BYTES_IN_A_ROW)
        assert options.flooding

    def test_a_keepalive_beside_typing_is_no_flood(self) -> None:
        options = opened()
        for _ in range(100):
            options.receive((IAC + b"\xf1") * 2000 + b"x")
        assert not options.flooding


class TestData:
    def test_line_ends_come_in_as_they_are(self) -> None:
        typed = b"a\r\nb\r\0c\rd\n"
        assert opened().receive(typed) == (typed, b"")

    def test_all_bytes_pass_both_ways(self) -> None:
        every = bytes(range(256))
        options = opened()
        options.receive(IAC + DO + BINARY)
        assert options.send(every) == every.replace(IAC, IAC + IAC)
        assert options.receive(every.replace(IAC, IAC + IAC)) == (every, b"")

    def test_a_ff_that_was_not_doubled_is_data(self) -> None:
        assert opened().receive(b"\xffa") == (b"\xffa", b"")

    @given(st.lists(st.text("\r\nx\0", max_size=5).map(str.encode), max_size=8))
    def test_cr_goes_out_as_cr_nul_or_cr_lf_however_it_is_cut(self, pieces: list[bytes]) -> None:
        options = opened()
        wire = b"".join(options.send(piece) for piece in pieces) + options.send(b"x")
        whole = b"".join(pieces) + b"x"
        assert wire == whole.replace(b"\r", b"\r\0").replace(b"\r\0\n", b"\r\n")

    @given(
        st.lists(
            st.sampled_from([
                b"hello\r\0", b"\r\n", IAC + IAC, IAC + DO + ECHO, IAC + DONT + ECHO, IAC + WILL + TTYPE,
                IAC + WILL + b"\x22", window(255, 50), named(b"xterm"), IAC + b"\xf6", IAC + SB + b"\x22abc" + IAC + SE,
            ]),
            max_size=12,
        ),
        st.data(),
    )  # fmt: skip
    def test_bytes_may_be_cut_anywhere(self, pieces: list[bytes], data: st.DataObject) -> None:
        stream = b"".join(pieces)
        whole, cut = opened(), opened()
        expected = whole.receive(stream)
        terminal = replies = b""
        while stream:
            size = data.draw(st.integers(1, len(stream)))
            one, other = cut.receive(stream[:size])
            terminal, replies, stream = terminal + one, replies + other, stream[size:]
        assert (terminal, replies) == expected
        assert (cut.window, cut.terminal_type) == (whole.window, whole.terminal_type)

    @given(st.binary(max_size=200))
    def test_anything_at_all(self, stream: bytes) -> None:
        terminal, _ = opened().receive(stream)
        assert len(terminal) <= len(stream) + 1
