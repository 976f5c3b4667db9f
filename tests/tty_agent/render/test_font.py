"""Where pixels come from."""

from __future__ import annotations

import pytest

from tty_agent.render import font
from tty_agent.render.font import bitmap, cp437_code
from tty_agent.render.shapes import hollow_box

pytest.importorskip("pyansilove")


def test_the_font_is_that_of_the_vga() -> None:
    letter = bitmap("A")
    assert letter[2:12] == (0x10, 0x38, 0x6C, 0xC6, 0xC6, 0xFE, 0xC6, 0xC6, 0xC6, 0xC6)
    assert bitmap("█") == (0xFF,) * 16
    assert bitmap("═")[4:9] == (0, 0xFF, 0, 0xFF, 0)


def test_every_byte_of_cp437_has_its_glyph() -> None:
    for code in range(0x80, 0x100):
        assert cp437_code(bytes((code,)).decode("cp437")) == code
    assert cp437_code("☺") == 1
    assert cp437_code("▼") == 0x1F
    assert cp437_code("⌂") == 0x7F
    assert cp437_code(" ") == 0x20


def test_look_alikes_share_a_glyph() -> None:
    assert bitmap("\N{EN DASH}") == bitmap("-")
    assert bitmap("\N{GREEK SMALL LETTER MU}") == bitmap("\N{MICRO SIGN}")


def test_a_combining_mark_is_drawn_where_a_precomposed_character_exists() -> None:
    assert bitmap("e\u0301") == bitmap("é")
    assert bitmap("x\u0301") == bitmap("x")


def test_other_characters_come_from_the_font_file() -> None:
    if font._font_file() is None:
        pytest.skip("DejaVu Sans Mono is not installed")
    assert bitmap("Ж") not in {hollow_box(1), bitmap(" ")}
    assert bitmap("\U000f0000") == hollow_box(1)


def test_without_a_font_file_a_box_stands_for_what_nobody_can_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(font, "_font_file", lambda: None)
    assert bitmap("Ж") == hollow_box(1)
    assert bitmap("漢", 2) == hollow_box(2)
