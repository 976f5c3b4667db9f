"""The command line as a shell sees it: what goes to which stream, exit codes, one line an error, a light help."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer
from tests.random_matches import play, save
from typer.testing import CliRunner, Result

from agentbbs import __version__
from agentbbs.cli import FAILED, INTERRUPTED, PIPE_CLOSED, app
from agentbbs.config import Settings
from agentbbs.play import replay

HEAVY = {"sqlalchemy", "alembic", "aiohttp", "asyncio", "asyncssh", "structlog", "rich", "pydantic", "argon2"}
"""What the help must not load."""

USAGE = 2


def command_names(group: Any = None, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command there is, as the words that name it; groups too."""
    group = typer.main.get_command(app) if group is None else group
    for name, command in group.commands.items():
        yield (*before, name)
        if hasattr(command, "commands"):
            yield from command_names(command, (*before, name))


@pytest.fixture
def shell(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`python -m agentbbs …` in a process of its own, in an empty folder, with no setting."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("AGENTBBS_")}

    def call(*args: str, python: tuple[str, ...] = (), **settings: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *python, "-m", "agentbbs", *args],
            cwd=tmp_path,
            env=environ | settings,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    return call


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """The same within this process, for what needs no process of its own."""
    for name in [name for name in os.environ if name.startswith("AGENTBBS_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)

    def invoke(*args: str, **settings: str) -> Result:
        return CliRunner().invoke(app, args, env=settings, prog_name="agentbbs", catch_exceptions=False)

    return invoke


def test_version(shell: Any) -> None:
    asked = shell("--version")
    assert (asked.returncode, asked.stdout, asked.stderr) == (0, f"agentbbs {__version__}\n", "")


def test_help_loads_nothing_heavy(shell: Any) -> None:
    asked = shell("--help", python=("-X", "importtime"))
    assert asked.returncode == 0
    loaded = set(re.findall(r"\|\s+([\w.]+)$", asked.stderr, re.MULTILINE))
    assert "agentbbs.cli" in loaded
    assert not loaded & HEAVY


def test_help_goes_to_stdout_and_lists_what_there_is(shell: Any) -> None:
    asked = shell("--help")
    assert asked.returncode == 0
    assert asked.stderr == ""
    for name, *_ in command_names():
        assert re.search(rf"^  {name} ", asked.stdout, re.MULTILINE)


def test_the_commands_are_those_of_the_design() -> None:
    names = {" ".join(words) for words in command_names()}
    assert names >= {
        *("serve", "mint-token", "revoke-token", "ladder", "matches", "replay", "watch", "verify-replay"),
        *("user add", "user list", "user set-key", "user remove", "ratings rebuild", "db upgrade"),
        *("play", "check-game", "doctor"),
    }


@pytest.mark.parametrize("words", list(command_names()), ids=" ".join)
def test_every_command_has_a_help_with_an_example(words: tuple[str, ...]) -> None:
    asked = CliRunner().invoke(app, [*words, "--help"])
    assert asked.exit_code == 0
    assert re.search(r"Examples?:\s.*agentbbs " + words[0], asked.stdout, re.DOTALL)
    assert max(map(len, asked.stdout.splitlines())) <= 80


def test_the_help_of_serve_names_every_setting(call: Any) -> None:
    asked: set[str] = set()

    class Environment(dict[str, str]):
        def get(self, name: str, default: Any = None) -> Any:
            asked.add(name)
            return default

    Settings.from_env(Environment())
    shown = call("serve", "--help").stdout
    assert "AGENTBBS_DATA" in asked
    assert {name for name in asked if name not in shown} == set()


@pytest.mark.parametrize("words", [(), ("user",), ("db",), ("ratings",)])
def test_a_group_without_a_command_shows_its_help_and_is_a_wrong_call(call: Any, words: tuple[str, ...]) -> None:
    called = call(*words)
    assert called.exit_code == USAGE
    assert called.stdout == ""
    assert called.stderr.startswith("Usage: ")


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("laddr", "ttt"), "error: No such command 'laddr'. Did you mean 'ladder'? (see `agentbbs --help`)"),
        (("user", "ad", "ada"), "Did you mean 'add'? (see `agentbbs user --help`)"),
        (("mint-token",), "error: Missing argument"),
        (("matches", "--limit", "many"), "--limit"),
        (("--nonsense",), "error: No such option"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2(call: Any, args: tuple[str, ...], sentence: str) -> None:
    called = call(*args)
    assert called.exit_code == USAGE
    assert called.stdout == ""
    assert sentence in called.stderr
    assert called.stderr.startswith("error: ")
    assert called.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "settings", "sentence"),
    [
        (("user", "list"), {"AGENTBBS_DRAIN": "soon"}, "AGENTBBS_DRAIN='soon' is wrong: it should be seconds"),
        (("serve",), {"AGENTBBS_GAME_WS_ADDR": "8090"}, "AGENTBBS_GAME_WS_ADDR='8090' is wrong"),
        (("user", "list"), {"AGENTBBS_DATABASE_URL": "mysql://x/y"}, "set the URL of an SQLite file"),
        (("user", "list"), {}, "run `agentbbs db upgrade` to make a new one there"),
        (("user", "list"), {"AGENTBBS_DATA": "/dev/null"}, "/dev/null/agentbbs.db"),
        (("mint-token", "ada", "--create"), {"AGENTBBS_DATA": "/proc/none"}, "can't be opened"),
        (("verify-replay", "none.json"), {}, "none.json: No such file or directory"),
    ],
)
def test_a_failure_is_one_line_without_a_traceback(
    call: Any, args: tuple[str, ...], settings: dict[str, str], sentence: str
) -> None:
    called = call(*args, **settings)
    assert called.exit_code == FAILED
    assert called.stdout == ""
    assert called.stderr.startswith("error: ")
    assert sentence in called.stderr
    assert called.stderr.count("\n") == 1


def test_what_goes_wrong_in_a_process_of_its_own(shell: Any) -> None:
    called = shell("laddr", "ttt")
    assert (called.returncode, called.stdout) == (USAGE, "")
    assert called.stderr == "error: No such command 'laddr'. Did you mean 'ladder'? (see `agentbbs --help`)\n"
    called = shell("ladder", "chess")
    assert (called.returncode, called.stdout) == (FAILED, "")
    assert called.stderr == "error: unknown game 'chess': the games are ttt, c4\n"


def test_notes_for_people_are_not_on_stdout(shell: Any) -> None:
    made = shell("user", "add", "ada")
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "made the account ada\n")
    minted = shell("mint-token", "ada")
    assert minted.stderr == ""
    assert re.fullmatch(r"abbs_[\w-]{43}\n", minted.stdout)


def test_a_reader_who_leaves_is_no_error(tmp_path: Path) -> None:
    """As `agentbbs user list --json | head -0`: no traceback, and the code of a program that SIGPIPE ended."""
    environ = os.environ | {"AGENTBBS_DATA": str(tmp_path / "data")}
    subprocess.run([sys.executable, "-m", "agentbbs", "user", "add", "ada"], env=environ, check=True, timeout=60)
    reading, writing = os.pipe()
    os.close(reading)
    try:
        listed = subprocess.run(
            [sys.executable, "-m", "agentbbs", "user", "list", "--json"],
            env=environ,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)
    assert listed.stderr == ""
    assert listed.returncode == PIPE_CLOSED


def test_ctrl_c_ends_quietly(tmp_path: Path) -> None:
    """`verify-replay -` waits for stdin."""
    waiting = subprocess.Popen(
        [sys.executable, "-u", "-X", "importtime", "-m", "agentbbs", "verify-replay", "-"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert waiting.stderr is not None
    for line in waiting.stderr:  # the last import before it reads
        if line.endswith(" agentbbs.play.offline_referee\n"):
            break
    waiting.send_signal(signal.SIGINT)
    out, err = waiting.communicate(timeout=60)
    assert waiting.returncode == INTERRUPTED
    assert out == ""
    assert "Traceback" not in err


def test_a_terminal_that_can_not_show_a_character_shows_its_escape(shell: Any, tmp_path: Path) -> None:
    saved = save(play(random.Random(3), "ttt", 0.0, strikes=(False, False), why=None))
    plies = (msgspec.structs.replace(saved.plies[0], move="\u03c9"), *saved.plies[1:])
    (tmp_path / "match.json").write_bytes(replay.encode(msgspec.structs.replace(saved, plies=plies)))
    called = shell("verify-replay", "match.json", PYTHONIOENCODING="latin-1")
    assert called.returncode == FAILED
    assert "ply 0: '\\u03c9' is illegal" in called.stdout
