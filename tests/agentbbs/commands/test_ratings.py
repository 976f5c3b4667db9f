"""`ratings rebuild`, over matches that were stored."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.usefixtures("played")
def test_the_ladders_are_what_the_matches_say(run: Any) -> None:
    checked = run("ratings", "rebuild", "--check", "--json")
    assert (checked.exit_code, json.loads(checked.stdout)) == (0, [])
    assert checked.stderr == "the ladders are what the matches say\n"


@pytest.mark.usefixtures("played")
def test_a_ladder_that_was_tampered_with_is_found_and_mended(run: Any, data: Path) -> None:
    right = run("ladder", "ttt", "--json").stdout
    with closing(sqlite3.connect(data / "agentbbs.db")) as conn, conn:
        conn.execute("UPDATE game_ratings SET rating = rating + 1 WHERE game = 'ttt' AND account_id = 1")
    checked = run("ratings", "rebuild", "--check")
    assert checked.exit_code == 1
    assert len(checked.stdout.splitlines()) == 1
    assert "1 difference: `agentbbs ratings rebuild` mends the ladders" in checked.stderr
    assert run("ladder", "ttt", "--json").stdout != right, "--check changed something"
    mended = run("ratings", "rebuild", "--json")
    assert mended.exit_code == 0
    assert len(json.loads(mended.stdout)) == 1
    assert run("ladder", "ttt", "--json").stdout == right
    assert run("ratings", "rebuild", "--check").exit_code == 0
