"""`boards export`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.agentbbs.store.boarding import GENERAL, member

from agentbbs.store import boards, boards_export
from agentbbs.store.database import Database


@pytest.fixture
def written(data: Path) -> list[dict[str, Any]]:
    """A thread of two posts and a deleted one; what the store exports of it."""
    with Database.in_folder(data) as database:
        database.open()
        with database.begin() as conn:
            ann, bob = member(conn, "ann"), member(conn, "bob")
            first = boards.start_thread(conn, ann, GENERAL, "Hello", "Anybody?\n\x1b[2J", now_ms=1_000)
            boards.reply(conn, bob, first.thread, "Me.", reply_to=first.id, now_ms=2_000)
            boards.delete_own(conn, ann, boards.reply(conn, ann, first.thread, "Oops", now_ms=3_000).id, now_ms=4_000)
        with database.connect() as conn:
            return list(boards_export.records(conn))


def test_all_records_are_one_json_array(run: Any, written: list[dict[str, Any]]) -> None:
    assert json.loads(run("boards", "export", "--json").stdout) == written


@pytest.mark.usefixtures("written")
def test_people_read_posts_in_their_order_and_inert(run: Any) -> None:
    exported = run("boards", "export")
    heads = [line for line in exported.stdout.splitlines() if line.startswith("#")]
    assert [head.split()[0].rstrip(",") for head in heads] == ["#1", "#2", "#3"]
    assert heads[1].startswith("#2, to #1  ")
    assert heads[1].endswith("  bob  General: Hello")
    assert "    Me." in exported.stdout.splitlines()
    assert "    (deleted)" in exported.stdout.splitlines()
    assert "Oops" not in exported.stdout
    assert "\x1b" not in exported.stdout
    assert exported.stderr == "4 areas, 1 threads, 3 posts\n"


def test_without_a_database_there_is_nothing_to_export(run: Any) -> None:
    assert run("boards", "export", "--json").exit_code == 1
