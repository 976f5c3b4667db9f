"""What the tests of commands share: the command line as a user calls it, in an empty folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bbs_gym.cli import app

Run = Callable[..., Result]

LINES = (
    '{"action": "submit_line", "arguments": {"text": "echo out-$((6*7))"}}',
    '{"action": "hangup", "arguments": {}}',
)
"""Two decisions at a shell."""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("trace", "show", file)`: a command in the folder of the test."""
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)

    def invoke(*args: object, **options: Any) -> Result:
        result = CliRunner().invoke(
            app, [str(arg) for arg in args], prog_name="bbs-gym", catch_exceptions=False, **options
        )
        assert "Traceback" not in result.stderr
        return result

    return invoke


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., str]:
    """A file of replies, as `--model` takes it."""

    def write(*replies: str) -> str:
        path = tmp_path / "replies.jsonl"
        path.write_text("".join(json.dumps(reply) + "\n" for reply in replies or LINES))
        return f"scripted:{path}"

    return write
