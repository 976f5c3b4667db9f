"""`mail export`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.agentbbs.store.boarding import member

from agentbbs.store import mail, mail_export
from agentbbs.store.database import Database


@pytest.fixture
def written(data: Path) -> list[dict[str, Any]]:
    """Two letters; what the store exports of them."""
    with Database.in_folder(data) as database:
        database.open()
        with database.begin() as conn:
            ann, bob = member(conn, "ann").account, member(conn, "bob").account
            first = mail.send(conn, ann, "bob", "Terms", "Half each?\n\x1b[2J", now_ms=1_000)
            mail.mark_read(conn, bob or 0, first.id, now_ms=2_000)
            mail.send(conn, bob, "ann", "\u202eRe: Terms", "Done.", now_ms=3_000)
        with database.connect() as conn:
            return list(mail_export.records(conn))


def test_all_records_are_one_json_array(run: Any, written: list[dict[str, Any]]) -> None:
    assert json.loads(run("mail", "export", "--json").stdout) == written


@pytest.mark.usefixtures("written")
def test_people_see_who_wrote_to_whom_and_no_texts(run: Any) -> None:
    shown = run("mail", "export").stdout.splitlines()
    assert shown[0].split() == ["LETTER", "SENT", "FROM", "TO", "READ", "ABOUT"]
    assert shown[1].split()[3:] == ["ann", "bob", "yes", "Terms"]
    assert shown[2].split()[3:5] == ["bob", "ann"]
    assert not any("Half each" in line or "\u202e" in line for line in shown)


def test_without_a_database_there_is_nothing_to_export(run: Any) -> None:
    assert run("mail", "export", "--json").exit_code == 1
