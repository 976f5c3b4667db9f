"""The commands for operators, as they are typed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.starlane.worlds import enroll, pilot

from starlane.cli import COMMANDS, main
from starlane.door.widths import columns_of
from starlane.orders import OPERATOR, Enter, Leave
from starlane.settings import Clock
from starlane.universe.universe import Universe

Said = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Said:
    """Carry out a command line in the data folder; the exit status, what it said and what it complained of."""
    monkeypatch.setenv("STARLANE_DATA", str(tmp_path / "data"))

    def said(*words: str) -> tuple[int, str, str]:
        try:
            status = main(words)
        except SystemExit as misuse:
            status = int(misuse.code or 0)
        out, err = capsys.readouterr()
        return status, out, err

    return said


@pytest.fixture
def world(say: Said, tmp_path: Path) -> Path:
    """The path of a world with the manual clock."""
    assert say("new", "--seed", "42", "--sectors", "30", "--clock", "manual")[0] == 0
    return tmp_path / "data" / "universe.db"


def test_new_makes_a_world_of_its_options_once(say: Said, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    options = ("--data", str(folder), "--sectors", "25", "--turns-per-day", "60", "--protected-days", "0")
    status, out, _ = say("new", *options, "--seed", "42", "--start-credits", "5000")
    assert status == 0
    assert "A world of 25 sectors" in out
    assert "Its seed is 42." in out
    assert f"starlane play --data {folder}" in out
    with Universe.open(folder / "universe.db") as universe:
        settings = universe.settings
    assert (settings.seed, settings.sectors, settings.turns_per_day, settings.protected_days) == (42, 25, 60, 0)
    assert (settings.start_credits, settings.clock) == (5000, Clock.LOCAL)
    status, out, err = say("new", *options)
    assert (status, out) == (1, "")
    assert err.startswith("starlane: there is a universe at ")


def test_new_without_a_seed_takes_one_by_chance_and_tells_it(say: Said, tmp_path: Path) -> None:
    seeds = set()
    for folder in ("a", "b"):
        _, out, _ = say("new", "--sectors", "20", "--data", str(tmp_path / folder))
        with Universe.open(tmp_path / folder / "universe.db") as universe:
            assert f"Its seed is {universe.settings.seed}." in out
            seeds.add(universe.settings.seed)
    assert len(seeds) == 2


@pytest.mark.parametrize(
    "words",
    [
        ("new", "--sectors", "3"),
        ("new", "--seed", "-1"),
        ("new", "--clock", "sundial"),
        ("grant-turns", "ada"),
        ("grant-turns", "ada", "many"),
        ("maintain", "--days", "0"),
        ("dance",),
        (),
    ],
    ids=" ".join,
)
def test_misuse_is_told_with_status_2(say: Said, words: tuple[str, ...]) -> None:
    status, _, err = say(*words)
    assert status == 2
    assert err.startswith("usage: starlane")


@pytest.mark.parametrize(
    "words",
    [("scores",), ("reset",), ("grant-turns", "ada", "5"), ("export",), ("maintain",), ("verify",)],
    ids=" ".join,
)
def test_without_a_world_there_is_one_line_that_says_what_to_do(say: Said, words: tuple[str, ...]) -> None:
    status, out, err = say(*words)
    assert (status, out) == (1, "")
    assert err.startswith("starlane: there is no universe at ")
    assert "make one with `starlane new`" in err
    assert err.count("\n") == 1


def test_turns_are_granted_to_a_pilot_who_is_inside(say: Said, world: Path) -> None:
    with Universe.open(world) as universe:
        ada = enroll(universe, "Ada")
        assert say("grant-turns", "ADA", "50")[:2] == (0, "Ada has 300 turns now.\n")
        assert say("grant-turns", "name:Ada", "-299")[:2] == (0, "Ada has 1 turn now.\n")
        assert pilot(universe, ada).turns == 1
        status, _, err = say("grant-turns", "bob", "5")
        assert (status, err) == (1, "starlane: there is no pilot 'bob': `starlane scores` lists them\n")


def test_turns_are_granted_by_key_before_name(say: Said, world: Path) -> None:
    with Universe.open(world) as universe:
        universe.perform(OPERATOR, Enter(key="name:eve", name="#17"))
        universe.perform(OPERATOR, Enter(key="#17", name="ada"))
    assert say("grant-turns", "#17", "5")[1] == "ada has 255 turns now.\n"
    assert say("grant-turns", "name:eve", "1")[1] == "#17 has 251 turns now.\n"


def _json(answer: tuple[int, str, str]) -> Any:
    assert answer[0] == 0
    return msgspec.json.decode(answer[1])


def test_scores(say: Said, world: Path) -> None:
    with Universe.open(world) as universe:
        enroll(universe, "ada")
        enroll(universe, "bob")
    whole = _json(say("scores", "--json"))
    assert (whole["day"], whole["seed"]) == (0, 42)
    assert [(line["rank"], line["name"], line["key"]) for line in whole["scores"]] == [
        (1, "ada", "name:ada"),
        (1, "bob", "name:bob"),
    ]
    for line in whole["scores"]:
        parts = ("ship", "credits", "bank", "cargo", "pickets", "planets")
        assert line["net_worth"] == sum(line[part] for part in parts)
    status, out, _ = say("scores")
    assert status == 0
    assert [line.split()[:2] for line in out.splitlines()[2:]] == [["1", "ada"], ["1", "bob"]]
    assert max(map(len, out.splitlines())) < 80


def test_names_of_wide_characters_keep_the_columns(say: Said, world: Path) -> None:
    with Universe.open(world) as universe:
        enroll(universe, "星の船乗り")
        assert say("scores")[1].startswith("Day 0, 1 pilot\n")
        enroll(universe, "bob")
    out = say("scores")[1].splitlines()
    assert out[0] == "Day 0, 2 pilots"
    assert {columns_of(line) for line in out[1:]} == {len(out[1])}
    with Universe.open(world) as universe:
        enroll(universe, "船" * 24)
    out = say("scores")[1].splitlines()
    assert {columns_of(line) for line in out[1:]} == {len(out[1])}


def test_a_damaged_universe_is_told_in_one_line(say: Said, world: Path) -> None:
    whole = world.read_bytes()
    world.write_bytes(whole[:1024] + b"\xa5" * (len(whole) - 1024))
    for words in (("export", "--json"), ("maintain",), ("reset",), ("scores",)):
        status, out, err = say(*words)
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert f"{world} is damaged" in err
    status, out, err = say("verify", "--json")
    assert (status, err) == (1, "")
    assert f"{world} is damaged" in msgspec.json.decode(out)["faults"][-1]


def test_export(say: Said, world: Path) -> None:
    with Universe.open(world) as universe:
        enroll(universe, "ada")
    whole = _json(say("export", "--json"))
    assert [who["name"] for who in whole["pilots"]] == ["ada"]
    assert len(whole["sectors"]) == 30
    status, out, _ = say("export")
    assert status == 0
    assert "       30 sectors\n" in out
    assert "        1 pilots\n" in out


def test_maintain(say: Said, world: Path, tmp_path: Path) -> None:
    assert world.exists()
    assert say("maintain")[:2] == (0, "1 day has passed. It is day 1.\n")
    assert say("maintain", "--days", "3")[:2] == (0, "3 days have passed. It is day 4.\n")
    local = ("--data", str(tmp_path / "local"))
    say("new", "--sectors", "20", *local)
    assert say("maintain", *local)[:2] == (0, "0 days have passed. It is day 0.\n")  # today is the first
    assert say("maintain", "--days", "1", *local)[:2] == (0, "1 day has passed. It is day 1.\n")


def test_verify(say: Said, world: Path) -> None:
    with Universe.open(world) as universe:
        enroll(universe, "ada")
        assert say("verify", "--replay")[:2] == (0, "The universe is sound.\n")
        with universe.transaction() as changed:
            changed.connection.execute("UPDATE pilot SET kills = 7")
        assert say("verify")[0] == 0
        status, out, _ = say("verify", "--replay", "--json")
    assert status == 1
    told = msgspec.json.decode(out)
    assert (told["sound"], told["replayed"], len(told["faults"])) == (False, True, 1)


def test_reset(say: Said, world: Path) -> None:
    with Universe.open(world) as universe:
        ada = enroll(universe, "ada")
        status, _, err = say("reset")
        assert status == 1
        assert err == "starlane: aboard are ada: wait until they have left, or add --force\n"
        universe.perform(ada, Leave())
    status, out, _ = say("reset", "--seed", "43")
    assert status == 0
    assert "Its seed is 43." in out
    with Universe.open(world) as universe:
        assert (universe.settings.seed, universe.settings.sectors, universe.settings.clock) == (43, 30, Clock.MANUAL)
        enroll(universe, "bob")
    assert say("reset", "--force")[0] == 0
    backups = sorted(world.parent.glob("universe.before-*.db"))
    names = []
    for backup in backups:
        with Universe.open(backup) as universe:
            names.append(pilot(universe, 1).name)
    assert names == ["ada", "bob"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(say: Said, command: str) -> None:
    status, out, _ = say(command, "--help")
    assert status == 0
    assert out.startswith(f"usage: starlane {command}")
    if command != "play":
        assert f"example:\n  starlane {command}" in out


def test_all_commands_are_listed(say: Said) -> None:
    status, out, _ = say("--help")
    assert status == 0
    assert all(f"    {command}" in out and line in out for command, line in COMMANDS.items())


def test_as_a_program_with_a_reader_that_has_seen_enough(tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "starlane", *words, "--data", str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    with run("new", "--sectors", "2000", "--seed", "1") as new:
        out, err = new.communicate(timeout=60)
        assert (new.returncode, err) == (0, "")
        assert "A world of 2000 sectors" in out
    with run("export", "--json") as export:
        assert export.stdout is not None
        assert export.stderr is not None
        assert export.stdout.read(1) == "{"
        export.stdout.close()
        assert export.stderr.read() == ""
        assert export.wait(60) == 1
