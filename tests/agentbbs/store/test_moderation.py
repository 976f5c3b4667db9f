"""What sysops do on the boards, and that it is written down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection
from tests.agentbbs.store.boarding import AGENTS, GENERAL, GUEST, member, sysop

from agentbbs.store import audit, boards, moderation
from agentbbs.store.audit import Action
from agentbbs.store.boards import Level, NoSuchArea, NoSuchThread, NotAllowed, Reader
from agentbbs.store.database import Database
from agentbbs.store.moderation import AreaTaken, TooManyAreas
from agentbbs.store.wording import TextFault


def _deeds(conn: Connection) -> list[tuple[Action, str, str]]:
    return [(entry.action, entry.target, entry.detail) for entry in audit.entries(conn)]


def test_a_sysop_strikes_out_anybodys_post(database: Database) -> None:
    with database.begin() as conn:
        boss, ann = sysop(conn), member(conn, "ann")
        first = boards.start_thread(conn, ann, GENERAL, "Buy", "spam", now_ms=1)
        gone = moderation.delete_post(conn, boss, first.id, reason="spam", now_ms=2)
        assert (gone.body, gone.deleted_ms, gone.deleted_by) == ("", 2, boss.account)
        assert _deeds(conn) == [(Action.POST_DELETED, f"post {first.id} of ann", "spam")]


def test_a_thread_is_locked_and_opened(database: Database) -> None:
    with database.begin() as conn:
        boss, ann = sysop(conn), member(conn, "ann")
        first = boards.start_thread(conn, ann, GENERAL, "Hot", "x", now_ms=1)
        assert moderation.lock_thread(conn, boss, first.thread, now_ms=2).locked
        assert not moderation.lock_thread(conn, boss, first.thread, locked=False, now_ms=3).locked
        boards.reply(conn, ann, first.thread, "x", now_ms=4)
        assert [deed for deed, *_ in _deeds(conn)] == [Action.THREAD_UNLOCKED, Action.THREAD_LOCKED]


def test_a_thread_is_moved(database: Database) -> None:
    with database.begin() as conn:
        boss, ann = sysop(conn), member(conn, "ann")
        first = boards.start_thread(conn, ann, GENERAL, "Bots", "x", now_ms=1)
        assert moderation.move_thread(conn, boss, first.thread, AGENTS, now_ms=2).area == AGENTS
        assert boards.post(conn, GUEST, first.id).area == AGENTS
        assert boards.threads(conn, GUEST, GENERAL) == ()
        with pytest.raises(NoSuchArea):
            moderation.move_thread(conn, boss, first.thread, 99, now_ms=2)
        assert _deeds(conn) == [(Action.THREAD_MOVED, f"thread {first.thread}", "Bots to Agents")]


def test_a_removed_thread_is_nowhere(database: Database) -> None:
    with database.begin() as conn:
        boss, ann, bob = sysop(conn), member(conn, "ann"), member(conn, "bob")
        first = boards.start_thread(conn, ann, GENERAL, "Bad", "worse", now_ms=1)
        moderation.remove_thread(conn, boss, first.thread, reason="no", now_ms=2)
        for who in (boss, ann, bob):
            with pytest.raises(NoSuchThread):
                boards.posts(conn, who, first.thread)
            assert boards.new_posts(conn, who) == ()
            area = boards.area(conn, who, GENERAL)
            assert (area.threads, area.new) == (0, 0)
        assert conn.exec_driver_sql("SELECT body FROM board_posts").scalars().all() == [""]
        assert _deeds(conn) == [(Action.THREAD_REMOVED, f"thread {first.thread}", "Bad: no")]


def test_areas_are_opened_and_changed(database: Database) -> None:
    with database.begin() as conn:
        boss = sysop(conn)
        made = moderation.add_area(conn, boss, "Staff", "For us", read_level=Level.SYSOP, now_ms=1)
        assert (made.write_level, made.position) == (Level.SYSOP, 5)
        changed = moderation.change_area(
            conn,
            boss,
            msgspec.structs.replace(made, name="Lounge", read_level=Level.GUEST, write_level=Level.GUEST, position=0),
            now_ms=2,
        )
        assert (changed.name, changed.write_level) == ("Lounge", Level.MEMBER)
        assert boards.areas(conn, GUEST)[0].name == "Lounge"
        assert _deeds(conn)[0] == (Action.AREA_CHANGED, "Staff", "Lounge: read guest, write member")


def test_names_of_areas_differ_by_more_than_case(database: Database) -> None:
    with database.begin() as conn:
        boss = sysop(conn)
        with pytest.raises(AreaTaken):
            moderation.add_area(conn, boss, "GENERAL", "Again", now_ms=1)
        general = boards.area(conn, boss, GENERAL)
        moderation.change_area(conn, boss, msgspec.structs.replace(general, name="GENERAL"), now_ms=1)
        with pytest.raises(AreaTaken):
            moderation.change_area(conn, boss, msgspec.structs.replace(general, name="games"), now_ms=1)
        with pytest.raises(TextFault):
            moderation.add_area(conn, boss, "x" * 33, "Long", now_ms=1)


def test_areas_are_bounded(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moderation, "MAX_AREAS", 4)
    with database.begin() as conn, pytest.raises(TooManyAreas):
        moderation.add_area(conn, sysop(conn), "Fifth", "One too many", now_ms=1)


@pytest.mark.parametrize(
    "deed",
    [
        lambda conn, who, post: moderation.delete_post(conn, who, post.id, now_ms=1),
        lambda conn, who, post: moderation.lock_thread(conn, who, post.thread, now_ms=1),
        lambda conn, who, post: moderation.move_thread(conn, who, post.thread, AGENTS, now_ms=1),
        lambda conn, who, post: moderation.remove_thread(conn, who, post.thread, now_ms=1),
        lambda conn, who, _: moderation.add_area(conn, who, "Mine", "All mine", now_ms=1),
        lambda conn, who, _: moderation.change_area(conn, who, boards.area(conn, who, GENERAL), now_ms=1),
    ],
)
def test_nobody_else_may(database: Database, deed: Callable[[Connection, Reader, Any], object]) -> None:
    with database.begin() as conn:
        ann = member(conn, "ann")
        post = boards.start_thread(conn, ann, GENERAL, "Mine", "x", now_ms=1)
        for who in (GUEST, ann, Reader(None, Level.SYSOP)):
            with pytest.raises(NotAllowed):
                deed(conn, who, post)
        assert audit.entries(conn) == ()
