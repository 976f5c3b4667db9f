"""The door as a program: who plays, in which world, on what terminal, and how it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.starlane.door.callers import WAIT_S, Caller, surroundings
from tests.starlane.door.test_identity import door32, door_sys, written

from starlane.cli import main
from starlane.commands.data import UNIVERSE_FILE
from starlane.commands.play import ERRORS_FILE
from starlane.door.wire import Size
from starlane.records import Pilot
from starlane.settings import Settings
from starlane.universe.universe import Universe

SMALL = [str(Path(__file__).with_name("play_small.py")), "play"]
PROMPT = "Small (Q=Quit)? "


@pytest.fixture(autouse=True)
def left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a visit notes that it is over."""
    path = tmp_path / "left"
    monkeypatch.setenv("LEFT", str(path))
    return path


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A data folder with a small world, seed 7."""
    folder = tmp_path / "world"
    Universe.make(folder / UNIVERSE_FILE, Settings(seed=7, sectors=20)).close()
    return folder


def run(*options: str, keys: bytes = b"q", **environment: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, *SMALL, *options],
        check=False, input=keys, capture_output=True, env=surroundings(**environment), timeout=WAIT_S,
    )  # fmt: skip


# Who plays


def test_the_name_is_the_options_or_the_users(world: Path) -> None:
    assert b"name:bob is bob on 80x24" in run("--data", str(world), USER="bob").stdout
    assert b"bot-1 is Ada on 80x24" in run("--data", str(world), "--name", "Ada", "--key", "bot-1").stdout


def test_whoever_has_no_name_is_asked(world: Path) -> None:
    told = run("--data", str(world), keys=b"\nAda L\nq")
    assert told.stdout.count(b"What is your name (up to 24 characters): ") == 2
    assert b"name:ada l is Ada L" in told.stdout


def test_a_dropfile_tells_who_calls(world: Path, tmp_path: Path) -> None:
    written(tmp_path, "door32.sys", door32())
    for told in (
        run("--data", str(world), BBS_DROP=str(tmp_path), USER="bob"),
        run("--drop", str(tmp_path / "door32.sys"), STARLANE_DATA=str(world)),
    ):
        assert (told.returncode, told.stderr) == (0, b"")
        assert b"#17 is ada on 80x24" in told.stdout
    assert b"name:bob is bob" in run("--data", str(world), "--name", "bob", BBS_DROP=str(tmp_path)).stdout


@pytest.mark.parametrize("lines", [None, [], ["0", "0", "38400"], door32(line9="soon")])
def test_a_missing_or_broken_dropfile_is_one_line_and_status_2(
    world: Path, tmp_path: Path, lines: list[str] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    if lines is not None:
        written(tmp_path, "DOOR32.SYS", lines)
    assert main(["play", "--data", str(world), "--drop", str(tmp_path)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("starlane: ")
    assert told.err.count("\n") == 1


# In which world


def test_a_world_of_ones_own_is_made_once(tmp_path: Path) -> None:
    home = str(tmp_path)
    first = run("--name", "Ada", "--seed", "5", "--sectors", "20", HOME=home)
    assert b"A new one is made, of 20 sectors." in first.stdout
    assert (tmp_path / ".local" / "share" / "starlane" / UNIVERSE_FILE).exists()
    again = run("--name", "Ada", HOME=home)
    assert b"new one" not in again.stdout
    assert b"seed 5, 20 sectors" in again.stdout
    xdg = tmp_path / "xdg"
    assert run("--name", "Ada", "--sectors", "20", HOME=home, XDG_DATA_HOME=str(xdg)).returncode == 0
    assert (xdg / "starlane" / UNIVERSE_FILE).exists()


def test_a_door_makes_its_world_and_a_shell_asks_for_it(tmp_path: Path) -> None:
    folder = tmp_path / "world"
    told = run("--data", str(folder), "--name", "Ada")
    assert told.returncode == 2
    assert b"starlane new" in told.stderr
    assert not folder.exists()
    written(tmp_path, "DOOR.SYS", door_sys())
    told = run("--data", str(folder), "--drop", str(tmp_path))
    assert told.returncode == 0
    assert b"A new one is made" in told.stdout


def test_two_at_once_make_one_world(tmp_path: Path) -> None:
    command = [*SMALL, "--data", str(tmp_path / "world"), "--name", "Ada", "--sectors", "200"]
    with Caller(command) as one, Caller(command) as other:
        seeds = {caller.until(", 200 sectors").partition(b"\nseed ")[2] for caller in (one, other)}
    assert len(seeds) == 1


def test_another_seed_than_the_worlds_is_refused(world: Path) -> None:
    told = run("--data", str(world), "--name", "Ada", "--seed", "8")
    assert told.returncode == 2
    assert b"has --seed 7" in told.stderr


def test_a_file_that_is_no_world_is_named(tmp_path: Path) -> None:
    (tmp_path / UNIVERSE_FILE).write_bytes(b"no database, but long enough to be looked at" * 50)
    told = run("--data", str(tmp_path), "--name", "Ada")
    assert told.returncode == 1
    assert b"The world can't be entered" in told.stdout
    assert b"Traceback" not in told.stdout + told.stderr


# On what terminal


@pytest.mark.parametrize(
    ("options", "environment", "coloured"),
    [
        ([], {}, True),
        (["--plain"], {}, False),
        (["--ansi"], {"TERM": "dumb"}, True),
    ],
)
def test_colours(world: Path, options: list[str], environment: dict[str, str], coloured: bool) -> None:
    command = [*SMALL, "--data", str(world), "--name", "Ada", "--minutes", "1", *options]
    with Caller(command, environment=surroundings(**environment)) as caller:
        caller.until(PROMPT)
        caller.send(b"q")
        assert caller.ended() == 0
    assert (b"\x1b[" in caller.seen) is coloured


def test_a_dropfile_decides_on_colours(world: Path, tmp_path: Path) -> None:
    written(tmp_path, "DOOR.SYS", door_sys(line20="NG", line19="0"))
    with Caller([*SMALL, "--data", str(world), "--drop", str(tmp_path)]) as caller:
        caller.until(PROMPT)
    assert b"\x1b" not in caller.seen
    assert b"less than a minute" in caller.seen


@pytest.mark.parametrize(
    ("options", "environment", "shown"),
    [
        ([], {"LANG": "C"}, "══".encode("cp437")),
        (["--encoding", "utf-8"], {"LANG": "C"}, "══".encode()),
    ],
)
def test_encoding(world: Path, tmp_path: Path, options: list[str], environment: dict[str, str], shown: bytes) -> None:
    written(tmp_path, "DOOR32.SYS", door32(line7="Zoë"))
    told = run("--data", str(world), "--drop", str(tmp_path), *options, keys=b"q", **environment)
    assert b": " + shown + b"\r\n" in told.stdout
    assert "Zoë".encode("cp437" if shown == "══".encode("cp437") else "utf-8") in told.stdout


def test_the_size_is_the_options_then_the_dropfiles(world: Path, tmp_path: Path) -> None:
    written(tmp_path, "DOOR.SYS", door_sys(line21="50"))
    assert b"on 80x50" in run("--data", str(world), "--drop", str(tmp_path)).stdout
    assert b"on 132x40" in run("--data", str(world), "--drop", str(tmp_path), "--size", "132x40").stdout


# How it ends


def test_a_hang_up_leaves_and_is_no_failure(world: Path, left: Path) -> None:
    with Caller([*SMALL, "--data", str(world), "--name", "Ada"]) as caller:
        caller.until(PROMPT)
        caller.hang_up()
        assert caller.ended() == 0
    assert left.read_text() == "left on day 0"
    assert not (world / ERRORS_FILE).exists()
    assert not list(world.glob("*-wal"))


def test_a_signal_leaves_and_is_no_failure(world: Path, left: Path) -> None:
    with Caller([*SMALL, "--data", str(world), "--name", "Ada"]) as caller:
        caller.until(PROMPT)
        caller.process.send_signal(signal.SIGTERM)
        assert caller.ended() == 0
        assert caller.mode_now() == caller.mode
    assert left.read_text() == "left on day 0"


def test_the_end_of_input_leaves(world: Path, left: Path) -> None:
    told = run("--data", str(world), "--name", "Ada", keys=b"")
    assert left.exists()
    assert (told.returncode, told.stderr) == (0, b"")


def test_a_fault_is_one_line_to_the_caller_and_a_traceback_in_the_log(world: Path) -> None:
    with Caller([*SMALL, "--data", str(world), "--name", "Ada"]) as caller:
        caller.until(PROMPT)
        caller.send(b"e")
        caller.until("Something broke in the engine room")
        assert caller.ended() == 1
        assert caller.mode_now() == caller.mode
    assert b"Traceback" not in caller.seen
    assert "LookupError: a fault of the game" in (world / ERRORS_FILE).read_text()


@pytest.mark.parametrize(
    "options", [["--minutes", "0"], ["--size", "80"], ["--encoding", "latin-1"], ["--sectors", "3"]]
)
def test_a_wrong_option_is_refused(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refusal:
        main(["play", *options])
    assert refusal.value.code == 2
    assert options[0] in capsys.readouterr().err


# The game itself


@pytest.mark.parametrize(
    ("size", "options"),
    [
        (Size(40, 10), ["--plain"]),
        (Size(80, 24), ["--ansi", "--encoding", "cp437"]),
        (Size(200, 60), ["--ansi"]),
    ],
)
def test_a_pilot_is_free_after_a_hang_up(world: Path, size: Size, options: list[str]) -> None:
    command = ["-m", "starlane", "play", "--data", str(world), "--name", "Ada", *options]
    for _ in range(2):
        with Caller(command, size=size) as caller:
            to_the_bridge(caller)
            caller.send(b"q")
            caller.until("(Y/N) [N]")
            caller.hang_up()
            assert caller.ended() == 0
        assert not (world / ERRORS_FILE).exists()
        with Universe.open(world / UNIVERSE_FILE) as universe, universe.look() as sky:
            assert [(pilot.key, pilot.aboard) for pilot in sky.find(Pilot)] == [("name:ada", False)]


def to_the_bridge(caller: Caller) -> None:
    """Pass all questions and pages that come before the first command."""
    while b"Help)" not in caller.until_prompt():
        caller.send(b"n")
