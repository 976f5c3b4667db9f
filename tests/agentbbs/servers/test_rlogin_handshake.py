"""How rlogin begins, byte by byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.servers.rlogin_handshake import MAX_FIELD_BYTES, BadHandshake, Greeting, Handshake, WindowSizes


def greeted(stream: bytes) -> tuple[Greeting, bytes]:
    taken = Handshake().receive(stream)
    assert taken is not None
    return taken


def window(columns: int, rows: int) -> bytes:
    return b"\xff\xffss" + rows.to_bytes(2, "big") + columns.to_bytes(2, "big") + bytes(4)


class TestHandshake:
    def test_the_first_field_is_the_password_as_at_synchronet(self) -> None:
        greeting, rest = greeted(b"\0s3cret\0ann\0ansi-bbs/115200\0typed")
        assert (greeting.password, greeting.name, greeting.terminal, greeting.door) == (
            "s3cret", "ann", "ansi-bbs", None,
        )  # fmt: skip
        assert rest == b"typed"

    @pytest.mark.parametrize("field", ["xtrn=TW2002/115200", "xtrn=TW2002", "XTRN=TW2002/9600"])
    def test_a_door_in_the_terminals_field(self, field: str) -> None:
        greeting, _ = greeted(b"\0pw\0ann\0" + field.encode() + b"\0")
        assert (greeting.terminal, greeting.door) == ("", "TW2002")

    def test_no_door_at_all(self) -> None:
        assert greeted(b"\0\0\0xtrn=/9600\0")[0].door is None

    def test_fields_may_be_empty(self) -> None:
        greeting, rest = greeted(b"\0\0\0\0")
        assert (greeting.password, greeting.name, greeting.terminal, rest) == ("", "", "", b"")

    @pytest.mark.parametrize(("sent", "read"), [(b"M\xc3\xa9l", "Mél"), (b"M\xe9l", "Mél")])
    def test_utf_8_or_latin_1(self, sent: bytes, read: str) -> None:
        assert greeted(b"\0\0" + sent + b"\0\0")[0].name == read

    def test_shows_nothing_of_it(self) -> None:
        handshake = Handshake()
        handshake.receive(b"\0s3cret\0ann")
        assert "s3cret" not in repr(handshake)
        assert repr(greeted(b"\0s3cret\0ann\0vt100/9600\0")[0]) == "Greeting(...)"

    @pytest.mark.parametrize("stream", [b"GET / HTTP/1.0\r\n", b"\xff\xfb\x1f", b"s3cret\0ann\0"])
    def test_anything_else_is_no_rlogin(self, stream: bytes) -> None:
        with pytest.raises(BadHandshake) as fault:
            Handshake().receive(stream)
        assert "s3cret" not in str(fault.value)

    @pytest.mark.parametrize("place", [0, 1, 2])
    def test_a_field_that_is_too_long(self, place: int) -> None:
        fits = b"\0" + b"".join(b"x" * (MAX_FIELD_BYTES if at == place else 0) + b"\0" for at in range(3))
        assert Handshake().receive(fits) is not None
        with pytest.raises(BadHandshake):
            Handshake().receive(b"\0" * (place + 1) + b"x" * (MAX_FIELD_BYTES + 1))

    @given(st.integers(0, 30), st.binary(max_size=20))
    def test_may_be_cut_anywhere(self, cut: int, rest: bytes) -> None:
        stream = b"\0pw\0ann\0vt100/9600\0" + rest
        handshake = Handshake()
        first = handshake.receive(stream[:cut])
        if first is None:
            assert handshake.receive(stream[cut:]) == greeted(stream)
        else:
            assert first[1] + stream[cut:] == rest


class TestWindowSizes:
    @pytest.mark.parametrize("size", [(80, 24), (132, 50), (0, 0), (255, 255)])
    def test_are_taken_out(self, size: tuple[int, int]) -> None:
        sizes = WindowSizes()
        assert sizes.receive(b"before" + window(*size) + b"after") == b"beforeafter"
        assert sizes.size == size

    @pytest.mark.parametrize("data", [b"\xff", b"\xff\xff", b"\xff\xffs", b"\xff\xffss\0\x18\0\x50"])
    def test_what_may_be_one_is_kept_and_given_back(self, data: bytes) -> None:
        sizes = WindowSizes()
        assert sizes.receive(b"x" + data) == b"x"
        assert sizes.waits
        assert sizes.flush() == data
        assert not sizes.waits

    @pytest.mark.parametrize("data", [b"\xffa", b"\xff\xffa", b"\xff\xffsa", b"\xff\xff\xffs!", b"\xff\xfe\xff."])
    def test_any_other_ff_is_data(self, data: bytes) -> None:
        sizes = WindowSizes()
        assert sizes.receive(data) == data
        assert not sizes.waits

    @given(
        st.lists(st.sampled_from([b"a", b"\xff", b"s", b"\xff\xff", window(100, 40), window(255, 255)]), max_size=12),
        st.data(),
    )
    def test_may_be_cut_anywhere(self, pieces: list[bytes], data: st.DataObject) -> None:
        stream = b"".join(pieces)
        whole, cut = WindowSizes(), WindowSizes()
        expected = whole.receive(stream) + whole.flush()
        heard = b""
        while stream:
            size = data.draw(st.integers(1, len(stream)))
            heard, stream = heard + cut.receive(stream[:size]), stream[size:]
        assert (heard + cut.flush(), cut.size) == (expected, whole.size)
