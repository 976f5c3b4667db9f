"""A stream may be cut anywhere: the screen, the answers and their offsets are those of the whole."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tty_agent.terminal.test_screen import BBS_CASES, XTERM_CASES

from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Dialect
from tty_agent.terminal.events import Event
from tty_agent.terminal.plain import PlainText, plain_text
from tty_agent.terminal.screen import Screen

BOTH = pytest.mark.parametrize("dialect", [ANSI_BBS, XTERM], ids=lambda dialect: dialect.name)

STREAMS = sorted({b"".join(pieces) for _, pieces, _ in (*BBS_CASES, *XTERM_CASES)})
FRAGMENTS = st.one_of(
    st.sampled_from(STREAMS),
    st.binary(max_size=6),
    st.sampled_from([b"\x1b", b"[", b"]", b"\\", b"\x07", b"\x0e", b";", b"m", b"\xe2\x96", b"\x88", b"\x1b[|", b"?"]),
)


def outcome(pieces: Sequence[bytes], dialect: Dialect) -> tuple[object, ...]:
    """All that can be seen of a screen after these pieces."""
    screen = Screen(dialect=dialect)
    events: list[Event] = []
    for piece in pieces:
        events.extend(screen.feed(piece))
    return screen.picture(), events, screen.title, screen.bells, screen.offset, screen.mid_sequence, screen.modes


@BOTH
def test_each_case_cut_at_every_byte(dialect: Dialect) -> None:
    for stream in STREAMS:
        whole = outcome([stream], dialect)
        assert outcome([stream[at : at + 1] for at in range(len(stream))], dialect) == whole, stream
        if len(stream) <= 60:
            for at in range(1, len(stream)):
                assert outcome([stream[:at], stream[at:]], dialect) == whole, (stream, at)


@BOTH
@given(fragments=st.lists(FRAGMENTS, max_size=12), data=st.data())
def test_any_stream_cut_anywhere(dialect: Dialect, fragments: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(fragments)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(stream)), max_size=10)))
    pieces = [stream[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert outcome(pieces, dialect) == outcome([stream], dialect)


@BOTH
@given(fragments=st.lists(FRAGMENTS, max_size=12), data=st.data())
def test_plain_text_cut_anywhere(dialect: Dialect, fragments: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(fragments)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(stream)), max_size=10)))
    plain = PlainText(dialect, 1 << 20)
    pieces = [plain.feed(stream[start:stop]) for start, stop in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert "".join(pieces) == plain_text(stream, dialect)
