"""`serve`: how it ends."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest


def serve() -> subprocess.CompletedProcess[str]:
    """A start that fails."""
    return subprocess.run(
        [sys.executable, "-m", "agentbbs", "serve"],
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def errors(ended: subprocess.CompletedProcess[str]) -> list[str]:
    """What it says beside its log."""
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    return [line for line in ended.stderr.splitlines() if line.startswith("error: ")]


def test_a_database_of_a_later_version_stops_the_start(run: Any, data: Path) -> None:
    run("db", "upgrade")
    with closing(sqlite3.connect(data / "agentbbs.db")) as conn, conn:
        conn.execute("UPDATE alembic_version SET version_num = '9999'")
    (error,) = errors(serve())
    assert "has schema 9999, which this version" in error


def test_a_data_folder_that_is_a_file_stops_the_start(run: Any, data: Path) -> None:
    data.write_text("")
    (error,) = errors(serve())
    assert f"AGENTBBS_DATA='{data}' can't be used" in error


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_in_order(house: Any, number: signal.Signals) -> None:
    if house.process is None or house.process.poll() is not None:
        house.start()
    house.process.send_signal(number)
    assert house.process.wait(60) == 0
    assert b"Traceback" not in house.process.stderr.read()
    assert not (house.data / "venue.json").exists()
