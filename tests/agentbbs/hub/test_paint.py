"""Text as bytes."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from agentbbs.hub.paint import SGR, Look, fitted, painted
from agentbbs.hub.text import Span, Style, Text
from tty_agent.terminal.dialect import Encoding

ANSI = Look(ansi=True, encoding=Encoding.UTF_8)
PLAIN = Look(encoding=Encoding.CP437)
LOOKS = [
    Look(ansi, encoding, seven_bit) for ansi in (True, False) for encoding in Encoding for seven_bit in (True, False)
]

strings = st.text(alphabet=st.characters(codec=None), max_size=20) | st.text(
    "\x1b[0;1mH\r\n\x07\x9b\x7f\x00", max_size=8
)
all_texts: st.SearchStrategy[Text] = st.recursive(
    strings | st.builds(Span, strings, st.sampled_from(Style)), lambda inner: st.lists(inner, max_size=4).map(tuple)
)


def bytes_of(text: Text, look: Look) -> bytes:
    return painted(fitted(text, look), look)


def test_a_style_is_a_colour_on_an_ansi_terminal_and_nothing_on_a_plain_one() -> None:
    text = ("a ", Span("b", Style.NAME), (" c", Span("d")))
    assert bytes_of(text, ANSI) == b"a \x1b[0;1;32mb\x1b[0m cd"
    assert bytes_of(text, PLAIN) == b"a b cd"


def test_every_style_but_plain_has_a_look() -> None:
    assert set(SGR) == set(Style) - {Style.PLAIN}


def test_a_line_feed_becomes_a_line_end_in_no_colour() -> None:
    assert bytes_of("a\nb\n", PLAIN) == b"a\r\nb\r\n"
    assert bytes_of(Span("a\n\nb", Style.BAR), ANSI) == b"\x1b[0;1;37;44ma\x1b[0m\r\n\r\n\x1b[0;1;37;44mb\x1b[0m"


def test_encodings() -> None:
    assert bytes_of("é█", PLAIN) == "é█".encode("cp437")
    assert bytes_of("é█", ANSI) == "é█".encode()
    assert bytes_of("é█", Look(seven_bit=True)) == b"e#"


def test_what_would_act_is_shown() -> None:
    assert bytes_of("\x1b[2J\r\x07\u202e", ANSI) == rb"\x1b[2J\r\x07\u202e"


@given(all_texts, st.sampled_from(LOOKS))
def test_no_text_writes_a_control_character_of_its_own(text: Text, look: Look) -> None:
    data = bytes_of(text, look)
    if look.ansi:
        data = re.sub(rb"|".join(map(re.escape, (*SGR.values(), b"\x1b[0m"))), b"", data)
    else:
        assert b"\x1b" not in data
    for char in data.replace(b"\r\n", b"").decode(look.encoding.value):
        assert char.isprintable() or not (ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0)
