"""The command line as a shell sees it: a light help, streams, exit codes, one line an error."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from bbs_gym.cli import app

HEAVY = {"aiohttp", "asyncio", "asyncssh", "structlog", "rich", "numpy", "PIL", "openai", "anthropic", "msgspec"}
"""What the help must not load."""


def command_names(group: Any = None, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command there is, as the words that name it; groups too."""
    group = typer.main.get_command(app) if group is None else group
    for name, command in group.commands.items():
        yield (*before, name)
        if hasattr(command, "commands"):
            yield from command_names(command, (*before, name))


@pytest.fixture
def shell(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`python -m bbs_gym …` in a process of its own, in an empty folder."""

    def call(*args: str, python: tuple[str, ...] = (), **options: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *python, "-m", "bbs_gym", *args],
            cwd=tmp_path,
            env=dict(os.environ),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            stdin=subprocess.DEVNULL,
            **options,
        )

    return call


def test_help_loads_nothing_heavy(shell: Any) -> None:
    asked = shell("--help", python=("-X", "importtime"))
    assert asked.returncode == 0
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in asked.stderr.splitlines()}
    assert loaded & HEAVY == set()
    assert "run-activity" in asked.stdout


@pytest.mark.parametrize("words", list(command_names()), ids=" ".join)
def test_every_command_shows_an_example(words: tuple[str, ...]) -> None:
    asked = CliRunner().invoke(app, [*words, "--help"], prog_name="bbs-gym")
    assert asked.exit_code == 0
    assert f"bbs-gym {words[0]}" in asked.stdout.partition("Example")[2]


def test_the_commands_for_any_terminal() -> None:
    names = [" ".join(words) for words in command_names()]
    wanted = ["observe-turn", "run-activity", "trace"]
    assert set(wanted) <= set(names)
    assert {f"trace {name}" for name in ("show", "pretty", "png", "gif", "html", "cast", "recover")} <= set(names)


def test_a_wrong_call_is_one_line_and_2(shell: Any) -> None:
    for args in (("fly",), ("trace", "fly"), ("observe-turn",), ("trace", "show")):
        refused = shell(*args)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr.startswith("error: ")
        assert refused.stderr.count("\n") == 1
        assert "--help`)" in refused.stderr


def test_a_group_alone_shows_its_help(shell: Any) -> None:
    asked = shell("trace")
    assert asked.returncode == 2
    assert "recover" in asked.stderr + asked.stdout


def test_a_reader_that_went_away_is_no_traceback(tmp_path: Path) -> None:
    from tests.tty_agent.trace_samples import a_decision, a_header  # noqa: PLC0415 - here alone

    from tty_agent.trace.writer import TraceWriter  # noqa: PLC0415

    with TraceWriter(tmp_path / "t.jsonl") as trace:
        trace.write(a_header())
        for step in range(1, 400):
            trace.write(a_decision(step))
    command = f"{sys.executable} -m bbs_gym trace show t.jsonl --count 400 --json"
    piped = subprocess.run(
        ["sh", "-c", f"{{ {command}; echo $? >code; }} | head -c 10"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert "Traceback" not in piped.stderr
    assert (tmp_path / "code").read_text() == "141\n"
