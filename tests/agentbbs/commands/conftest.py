"""What the tests of commands share: a data folder of their own, and the command line as a user calls it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from agentbbs.cli import app

Run = Callable[..., Result]
"""`run("user", "add", "ada", input="…")`: a command in the data folder of the test."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder that is not there yet."""
    return tmp_path / "data"


@pytest.fixture
def run(data: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """The command line, with no setting but the data folder and a game port that nobody has."""
    for name in [name for name in os.environ if name.startswith("AGENTBBS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AGENTBBS_DATA", str(data))
    monkeypatch.setenv("AGENTBBS_GAME_WS_ADDR", "127.0.0.1:0")

    def invoke(*args: str, **options: Any) -> Result:
        result = CliRunner().invoke(app, [str(arg) for arg in args], catch_exceptions=False, **options)
        assert "Traceback" not in result.stderr
        return result

    yield invoke
