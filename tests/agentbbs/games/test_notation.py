"""Notations that a game offers, and texts of strangers in them."""

from __future__ import annotations

import re
from typing import Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentbbs.games import catalog
from agentbbs.games.notation import MAX_PGN_LINE_CHARS, GameRecord, Notation, notations, pgn_tag, sgf_text

RECORD: Final = GameRecord(
    moves=("e2e4",),
    players=("ada", "bob"),
    ratings=(1500.0, None),
    winner=0,
    void=False,
    termination="normal",
    started_ms=1_767_268_800_000,
    event="rated match",
    site="https://arena.example/m/1",
)

_PGN_TAG: Final = re.compile(r'\[(\w+) "((?:[^"\\]|\\["\\])*)"\]\n')
"""PGN standard, sections 7 and 8.1.1: a quote or backslash in a string has a backslash before it."""


def read_pgn_tag(line: str) -> str:
    match = _PGN_TAG.fullmatch(line)
    assert match is not None, line
    return re.sub(r"\\(.)", r"\1", match[2])


def read_sgf_text(written: str) -> str:
    """SGF FF[4], Text: the value ends at the first `]` without a backslash; a backslash stands for what follows."""
    read, at = [], 0
    while at < len(written):
        if written[at] == "\\":
            at += 1
        else:
            assert written[at] != "]", f"the value ends within {written!r}"
        read.append(written[at])
        at += 1
    return "".join(read)


def printable(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)


def test_the_games_of_the_house_have_none() -> None:
    assert [notations(game) for game in catalog.HOUSE] == [(), ()]
    assert notations(None) == ()


@pytest.mark.parametrize(
    ("winner", "void", "result"), [(0, False, "1-0"), (1, False, "0-1"), (-1, False, "1/2-1/2"), (-1, True, "*")]
)
def test_a_result_is_written_as_pgn_has_it(winner: int, void: bool, result: str) -> None:
    assert msgspec.structs.replace(RECORD, winner=winner, void=void).result == result


def test_it_began_in_utc() -> None:
    assert RECORD.started.strftime("%Y.%m.%d") == "2026.01.01"


@pytest.mark.parametrize("suffix", ["json", "", "PGN", "p gn", "../x", "a" * 9, "p.n"])
def test_no_file_ends_in_what_is_no_suffix(suffix: str) -> None:
    with pytest.raises(ValueError, match="files can't end"):
        Notation("x", "X", "text/plain", suffix, lambda _: "")


@pytest.mark.parametrize("media_type", ["", "text", "text/plain\r\nX: y", "text/html; charset=utf-8"])
def test_what_is_no_media_type_is_refused(media_type: str) -> None:
    with pytest.raises(ValueError, match="no media type"):
        Notation("x", "X", media_type, "pgn", lambda _: "")


class TestPgn:
    def test_quotes_and_backslashes_have_a_backslash(self) -> None:
        assert pgn_tag("White", r'Ada "the \ ace" [1]') == '[White "Ada \\"the \\\\ ace\\" [1]"]\n'

    @settings(deadline=None)
    @given(st.text(max_size=60))
    def test_a_text_is_read_back_as_it_was(self, value: str) -> None:
        assert read_pgn_tag(pgn_tag("Black", value)) == printable(value)

    @given(st.text(st.sampled_from('"\\a'), min_size=200, max_size=400))
    @settings(deadline=None)
    def test_a_line_is_never_too_long_nor_cut_within_an_escape(self, value: str) -> None:
        line = pgn_tag("White", value)
        assert len(line.rstrip("\n")) <= MAX_PGN_LINE_CHARS
        assert value.startswith(read_pgn_tag(line))

    @pytest.mark.parametrize("name", ["", "1st", 'White"', "a b", "]"])
    def test_a_name_of_a_tag_is_a_word(self, name: str) -> None:
        with pytest.raises(ValueError, match="no tag name"):
            pgn_tag(name, "x")


class TestSgf:
    def test_brackets_backslashes_and_colons_have_a_backslash(self) -> None:
        assert sgf_text(r"a]b\c:d[e;(f)") == r"a\]b\\c\:d[e;(f)"

    @settings(deadline=None)
    @given(st.text(max_size=60))
    def test_a_text_is_read_back_as_it_was(self, value: str) -> None:
        assert read_sgf_text(sgf_text(value)) == printable(value.replace("\r\n", "\n"))
