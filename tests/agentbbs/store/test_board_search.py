"""Posts are found by a piece of what one sees of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection
from tests.agentbbs.store.boarding import GAMES, GENERAL, GUEST, SYSOPS, empty_board, member, sysop

from agentbbs.store import accounts, board_search, boards, moderation, wording
from agentbbs.store.boards import Reader
from agentbbs.store.database import Database
from agentbbs.store.wording import TextEmpty, TextFault


def _found(conn: Connection, words: str, who: Reader = GUEST, area_id: int | None = None) -> list[str]:
    return [post.body for post in board_search.search(conn, who, words, area_id=area_id)]


def test_a_piece_of_the_body_the_subject_or_the_author(database: Database) -> None:
    with database.begin() as conn:
        ann, bob = member(conn, "Ann-Marie"), member(conn, "bob")
        first = boards.start_thread(conn, ann, GENERAL, "Straße der 100 %", "Wo ist das CAFÉ?", now_ms=1)
        boards.reply(conn, bob, first.thread, "Um die Ecke_links", now_ms=2)
        boards.start_thread(conn, bob, GAMES, "Chess", "ann would like it", now_ms=3)
        assert _found(conn, "cafe\u0301") == ["Wo ist das CAFÉ?"]
        assert _found(conn, "STRASSE") == ["Um die Ecke_links", "Wo ist das CAFÉ?"]
        assert _found(conn, " ANN") == ["ann would like it", "Wo ist das CAFÉ?"]
        assert _found(conn, "0 %") == ["Um die Ecke_links", "Wo ist das CAFÉ?"]
        assert _found(conn, "%%") == _found(conn, "__") == _found(conn, "e%l") == []
        assert _found(conn, "e_l") == ["Um die Ecke_links"]
        assert _found(conn, "ann", area_id=GAMES) == ["ann would like it"]


def test_what_one_may_not_see_is_not_found(database: Database) -> None:
    with database.begin() as conn:
        boss, ann, bob = sysop(conn), member(conn, "ann"), member(conn, "bob")
        boards.start_thread(conn, boss, SYSOPS, "needle", "one", now_ms=1)
        bad = boards.start_thread(conn, ann, GENERAL, "needle", "two", now_ms=1)
        deleted = boards.start_thread(conn, ann, GENERAL, "x", "needle", now_ms=1)
        boards.start_thread(conn, bob, GENERAL, "hay", "by bob", now_ms=1)
        moderation.remove_thread(conn, boss, bad.thread, now_ms=2)
        boards.delete_own(conn, ann, deleted.id, now_ms=2)
        accounts.remove(conn, "bob", now_ms=2)
        assert _found(conn, "needle", ann) == []
        assert _found(conn, "needle", boss) == ["one"]
        assert _found(conn, "bob") == ["by bob"], "for its text"
        assert _found(conn, "removed") == []


def test_results_are_bounded_and_can_be_continued(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_search, "MAX_FOUND", 3)
    with database.begin() as conn:
        first = boards.start_thread(conn, member(conn, "ann"), GENERAL, "Numbers", "number 0", now_ms=1)
        for number in range(1, 5):
            boards.reply(conn, member(conn, f"bob-{number}"), first.thread, f"number {number}", now_ms=1)
        found = board_search.search(conn, GUEST, "number")
        assert [post.body[-1] for post in found] == ["4", "3", "2"]
        rest = board_search.search(conn, GUEST, "number", before=found[-1].id)
        assert [post.body[-1] for post in rest] == ["1", "0"]
        monkeypatch.setattr(board_search, "SEARCHED_POSTS", 2)
        assert [post.body[-1] for post in board_search.search(conn, GUEST, "number")] == ["4", "3"]


@pytest.mark.parametrize("words", ["", "x", " x ", "x" * 61, "two\nlines", "a\0b"])
def test_what_can_not_be_looked_for_says_so(database: Database, words: str) -> None:
    with database.connect() as conn, pytest.raises(TextFault):
        board_search.search(conn, GUEST, words)
    with database.connect() as conn, pytest.raises(TextEmpty, match="at least 2"):
        board_search.search(conn, GUEST, "x")


@settings(max_examples=40, deadline=None)
@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), min_size=1, max_size=30),
    st.integers(0, 30),
    st.integers(2, 30),
)
def test_every_piece_of_a_post_finds_it(body: str, start: int, length: int) -> None:
    piece = body[start : start + length]
    with empty_board() as conn:
        try:
            boards.start_thread(conn, member(conn, "qq"), GENERAL, "ww", body, now_ms=1)
            found = board_search.search(conn, GUEST, piece)
        except TextFault:
            return
        # A piece that begins or ends inside of a composed character is another text.
        if wording.fold(piece.strip()) in wording.fold(body):
            assert [post.body for post in found] == [wording.lines(body, what="it", max_chars=99, max_lines=9)]
