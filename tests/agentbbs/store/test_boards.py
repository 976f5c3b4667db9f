"""Areas, threads and posts: who sees and writes what, in which order, and what stays of it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.agentbbs.store.boarding import AGENTS, GAMES, GENERAL, GUEST, SYSOPS, member, sysop

from agentbbs.store import accounts, boards, moderation
from agentbbs.store.boards import (
    Level,
    NoSuchArea,
    NoSuchPost,
    NoSuchThread,
    NotAllowed,
    Reader,
    ThreadLocked,
    TooManyPosts,
)
from agentbbs.store.database import Database
from agentbbs.store.wording import TextFault

ROOT = Path(__file__).parents[3]

HOUR_MS = 3_600_000


def test_a_board_starts_with_four_areas(database: Database) -> None:
    with database.begin() as conn:
        seen = {who: [area.name for area in boards.areas(conn, who)] for who in (GUEST, member(conn, "ann"))}
        assert set(map(tuple, seen.values())) == {("General", "Games", "Agents")}
        everything = boards.areas(conn, sysop(conn))
    assert [area.name for area in everything] == ["General", "Games", "Agents", "Sysop"]
    assert [(area.read_level, area.write_level) for area in everything] == [
        *[(Level.GUEST, Level.MEMBER)] * 3,
        (Level.SYSOP, Level.SYSOP),
    ]


def test_a_thread_grows(database: Database) -> None:
    with database.begin() as conn:
        ann, bob = member(conn, "Ann"), member(conn, "Bob")
        first = boards.start_thread(conn, ann, GENERAL, "Hello", "Is anybody here?\r\n", now_ms=10)
        answer = boards.reply(conn, bob, first.thread, "I am.", reply_to=first.id, now_ms=20)
        third = boards.reply(conn, ann, first.thread, "Good.", now_ms=30)
    with database.connect() as conn:
        assert boards.posts(conn, GUEST, first.thread) == (first, answer, third)
        assert boards.posts(conn, GUEST, first.thread, after=first.id, limit=1) == (answer,)
        thread = boards.thread(conn, GUEST, first.thread)
        assert boards.post(conn, GUEST, answer.id) == answer
        assert [area.threads for area in boards.areas(conn, GUEST)] == [1, 0, 0]
    assert first.body == "Is anybody here?\n"
    assert (answer.author, answer.account, answer.reply_to, answer.subject) == ("Bob", bob.account, first.id, "Hello")
    assert (thread.posts, thread.author, thread.last_author) == (3, "Ann", "Ann")
    assert (thread.last_post, thread.created_ms, thread.last_ms) == (third.id, 10, 30)


def test_a_thread_is_read_backwards_too(database: Database) -> None:
    with database.begin() as conn:
        ann = member(conn, "Ann")
        first = boards.start_thread(conn, ann, GENERAL, "Count", "0", now_ms=10)
        other = boards.start_thread(conn, ann, GENERAL, "Another", "x", now_ms=11)
        written = (first, *(boards.reply(conn, ann, first.thread, str(n), now_ms=20) for n in range(1, 5)))
    with database.connect() as conn:
        assert boards.earlier_posts(conn, GUEST, first.thread, before=written[4].id, limit=3) == written[1:4]
        assert boards.earlier_posts(conn, GUEST, first.thread, before=written[2].id, limit=3) == written[:2]
        assert boards.earlier_posts(conn, GUEST, first.thread, before=first.id) == ()
        assert boards.earlier_posts(conn, GUEST, other.thread, before=2**53) == (other,)
        with pytest.raises(NoSuchThread):
            boards.earlier_posts(conn, GUEST, 999, before=5)


def test_threads_are_listed_by_their_newest_posts(database: Database) -> None:
    with database.begin() as conn:
        ann = member(conn, "ann")
        ids = [boards.start_thread(conn, ann, GENERAL, f"T{n}", "x", now_ms=n).thread for n in range(4)]
        boards.reply(conn, ann, ids[0], "up again", now_ms=9)
        listed = boards.threads(conn, GUEST, GENERAL, limit=3)
        assert [thread.subject for thread in listed] == ["T0", "T3", "T2"]
        rest = boards.threads(conn, GUEST, GENERAL, before=listed[-1].last_post)
        assert [thread.subject for thread in rest] == ["T1"]


def test_what_may_not_be_read_is_not_there(database: Database) -> None:
    with database.begin() as conn:
        boss, ann = sysop(conn), member(conn, "ann")
        secret = boards.start_thread(conn, boss, SYSOPS, "Keys", "Under the mat.", now_ms=1)
        for who in (GUEST, ann, Reader(boss.account, Level.MEMBER)):
            with pytest.raises(NoSuchArea):
                boards.threads(conn, who, SYSOPS)
            with pytest.raises(NoSuchThread):
                boards.posts(conn, who, secret.thread)
            with pytest.raises(NoSuchPost):
                boards.post(conn, who, secret.id)
            with pytest.raises(NoSuchThread):
                boards.reply(conn, who, secret.thread, "Which?", now_ms=1)
            with pytest.raises(NoSuchArea):
                boards.start_thread(conn, who, SYSOPS, "Keys", "Which?", now_ms=1)
            assert boards.new_posts(conn, who) == ()
        for missing in (NoSuchArea, NoSuchThread, NoSuchPost):
            look = {NoSuchArea: boards.area, NoSuchThread: boards.thread, NoSuchPost: boards.post}[missing]
            with pytest.raises(missing):
                look(conn, boss, 999)


def test_guests_look_and_do_not_write(database: Database) -> None:
    with database.begin() as conn:
        first = boards.start_thread(conn, member(conn, "ann"), GENERAL, "Hello", "x", now_ms=1)
        for guest in (GUEST, Reader(None, Level.SYSOP)):
            with pytest.raises(NotAllowed, match="only members write in General"):
                boards.start_thread(conn, guest, GENERAL, "Hello", "x", now_ms=1)
            with pytest.raises(NotAllowed):
                boards.reply(conn, guest, first.thread, "x", now_ms=1)
            with pytest.raises(NotAllowed):
                boards.delete_own(conn, guest, first.id, now_ms=1)


def test_a_removed_accounts_posts_stay_under_a_struck_out_name(database: Database) -> None:
    with database.begin() as conn:
        ann, bob = member(conn, "ann"), member(conn, "bob")
        first = boards.start_thread(conn, bob, GENERAL, "Hello", "I was bob", now_ms=1)
        accounts.remove(conn, "bob", now_ms=2)
        (post,) = boards.posts(conn, ann, first.thread)
        assert (post.author, post.body) == ("(removed)", "I was bob")
        thread = boards.thread(conn, ann, first.thread)
        assert (thread.author, thread.last_author) == ("(removed)", "(removed)")
        with pytest.raises(NotAllowed, match="removed"):
            boards.reply(conn, bob, first.thread, "still here", now_ms=3)


def test_a_deleted_post_leaves_its_place(database: Database) -> None:
    with database.begin() as conn:
        ann, bob = member(conn, "ann"), member(conn, "bob")
        first = boards.start_thread(conn, ann, GENERAL, "Hello", "a secret", now_ms=1)
        answer = boards.reply(conn, bob, first.thread, "oh", reply_to=first.id, now_ms=2)
        with pytest.raises(NotAllowed, match="not yours"):
            boards.delete_own(conn, bob, first.id, now_ms=3)
        gone = boards.delete_own(conn, ann, first.id, now_ms=3)
        assert (gone.body, gone.deleted_ms, gone.deleted_by, gone.author) == ("", 3, ann.account, "ann")
        assert boards.delete_own(conn, ann, first.id, now_ms=9) == gone
        assert boards.posts(conn, GUEST, first.thread) == (gone, answer)
        assert boards.thread(conn, GUEST, first.thread).posts == 2
        kept = conn.exec_driver_sql("SELECT body || folded FROM board_posts WHERE id = ?", (first.id,)).scalar_one()
        assert kept == ""


def test_a_locked_thread_takes_no_answers_but_the_sysops(database: Database) -> None:
    with database.begin() as conn:
        boss, ann = sysop(conn), member(conn, "ann")
        first = boards.start_thread(conn, ann, GENERAL, "Hello", "x", now_ms=1)
        assert moderation.lock_thread(conn, boss, first.thread, now_ms=2).locked
        with pytest.raises(ThreadLocked):
            boards.reply(conn, ann, first.thread, "x", now_ms=3)
        boards.reply(conn, boss, first.thread, "closed", now_ms=3)


def test_an_answer_is_to_a_post_of_its_thread(database: Database) -> None:
    with database.begin() as conn:
        ann = member(conn, "ann")
        one = boards.start_thread(conn, ann, GENERAL, "One", "x", now_ms=1)
        other = boards.start_thread(conn, ann, GAMES, "Other", "x", now_ms=1)
        with pytest.raises(NoSuchPost, match="another thread"):
            boards.reply(conn, ann, one.thread, "x", reply_to=other.id, now_ms=1)


def test_what_is_written_is_measured(database: Database) -> None:
    with database.begin() as conn:
        ann = member(conn, "ann")
        most = "\n".join(["x" * 39] * 200)
        first = boards.start_thread(conn, ann, GENERAL, "s" * 72, most, now_ms=1)
        assert first.body == most
        for subject, body in (("s" * 73, "x"), ("", "x"), ("two\nlines", "x"), ("s", " \n"), ("s", "x" * 8001)):
            with pytest.raises(TextFault):
                boards.start_thread(conn, ann, GENERAL, subject, body, now_ms=1)
        with pytest.raises(TextFault, match="200 lines"):
            boards.reply(conn, ann, first.thread, "x\n" * 201, now_ms=1)
        assert boards.area(conn, ann, GENERAL).threads == 1


def test_nobody_floods_the_board(database: Database) -> None:
    with database.begin() as conn:
        ann, bob = member(conn, "ann"), member(conn, "bob")
        first = boards.start_thread(conn, ann, GENERAL, "Hello", "x", now_ms=1)
        for _ in range(boards.MAX_POSTS_AN_HOUR - 1):
            boards.reply(conn, ann, first.thread, "x", now_ms=1)
        with pytest.raises(TooManyPosts):
            boards.reply(conn, ann, first.thread, "x", now_ms=HOUR_MS)
        boards.reply(conn, bob, first.thread, "x", now_ms=HOUR_MS)
        boards.reply(conn, ann, first.thread, "x", now_ms=HOUR_MS + 1)


def test_new_posts_come_area_by_area_and_thread_by_thread(database: Database) -> None:
    with database.begin() as conn:
        ann, bob = member(conn, "ann"), member(conn, "bob")
        agents = boards.start_thread(conn, ann, AGENTS, "A", "1", now_ms=1)
        general = boards.start_thread(conn, ann, GENERAL, "G", "2", now_ms=1)
        other = boards.start_thread(conn, ann, GENERAL, "H", "3", now_ms=1)
        boards.reply(conn, ann, general.thread, "4", now_ms=1)
        boards.reply(conn, bob, general.thread, "my own", now_ms=1)
        boards.delete_own(conn, ann, other.id, now_ms=2)
        assert [post.body for post in boards.new_posts(conn, bob)] == ["2", "4", "1"]
        assert [post.body for post in boards.new_posts(conn, bob, limit=2)] == ["2", "4"]
        assert [post.body for post in boards.new_posts(conn, bob, area_id=AGENTS)] == ["1"]
        assert [post.body for post in boards.new_posts(conn, bob, thread_id=agents.thread)] == ["1"]
        assert [area.new for area in boards.areas(conn, bob)] == [2, 0, 1]
        assert [thread.new for thread in boards.threads(conn, bob, GENERAL)] == [2, 0]
        assert [area.new for area in boards.areas(conn, GUEST)] == [0, 0, 0]


def test_what_is_new_is_counted_up_to_a_bound(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boards, "MAX_COUNTED", 2)
    with database.begin() as conn:
        first = boards.start_thread(conn, member(conn, "ann"), GENERAL, "G", "1", now_ms=1)
        for _ in range(3):
            boards.reply(conn, Reader(first.account, Level.MEMBER), first.thread, "x", now_ms=1)
        assert boards.area(conn, member(conn, "bob"), GENERAL).new == 2


def test_a_venue_that_is_killed_has_lost_no_posted_message(
    database: Database, enrol: Callable[[int], list[int]]
) -> None:
    poster = subprocess.Popen(
        [sys.executable, "-m", "tests.agentbbs.store.poster", database.url.render_as_string(), *map(str, enrol(3))],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert poster.stdout is not None
    told = [poster.stdout.readline() for _ in range(25)]
    poster.send_signal(signal.SIGKILL)
    told += poster.stdout.readlines()
    assert poster.wait(20) == -signal.SIGKILL
    poster.stdout.close()
    with database.connect() as conn:
        for line in told:
            if line.endswith("\n"):  # the last may be torn
                post_id, body = line.rstrip("\n").split(" ", 1)
                assert boards.post(conn, GUEST, int(post_id)).body == body
