"""What is shown in place of a character that can't be."""

# ruff: noqa: RUF001 - characters that look like others are what is tested

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.hub.glyphs import fit_ascii, fit_cp437
from tty_agent.terminal.inert import inert

SHOWN = [
    ("plain text, 100 %", "plain text, 100 %", "plain text, 100 %"),
    ("“don’t” – he said…", '"don\'t" - he said...', '"don\'t" - he said...'),
    ("╭─╮┏━┓", "┌─┐┌─┐", "+-++-+"),
    ("╔═╗║░▒▓█", "╔═╗║░▒▓█", "+=+|.:##"),
    ("café Łódź", "café Lódz", "cafe Lodz"),
    ("cafe\u0301", "café", "cafe"),
    ("☃ 漢", r"\u2603 \u6f22", r"\u2603 \u6f22"),
    ("😀", r"\U0001f600", r"\U0001f600"),
    ("↑▲ ►", "^^ >", "^^ >"),
    ("♥ ♔♚", "<3 Kk", "<3 Kk"),
    ("½ ¢ Ω", "½ ¢ Ω", r"1/2 \xa2 \u03a9"),
    ("а", r"\u0430", r"\u0430"),  # Cyrillic: it must not become the Latin letter that it looks like
]


@pytest.mark.parametrize(("text", "cp437", "ascii_"), SHOWN)
def test_both_alphabets(text: str, cp437: str, ascii_: str) -> None:
    assert fit_cp437(text) == cp437
    assert fit_ascii(text) == ascii_


@given(st.text())
def test_only_printable_bytes_come_out(text: str) -> None:
    for fit, encoding in ((fit_cp437, "cp437"), (fit_ascii, "ascii")):
        fitted = fit(inert(text))
        data = fitted.encode(encoding)
        assert all(byte >= 0x20 and byte != 0x7F for byte in data)
        assert fit(fitted) == fitted
        assert bool(fitted) == bool(text)


@given(st.characters(exclude_characters="?¿"))
def test_nothing_becomes_a_question_mark(char: str) -> None:
    if "?" not in fit_cp437(inert(char)):
        return
    assert char in "⁇⁈⁉︖﹖？❓❔"
