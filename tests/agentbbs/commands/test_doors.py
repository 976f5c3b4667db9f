"""`doors list`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentbbs.doors import cage

TWO_DOORS = """
[door.robots]
command = "/usr/games/robots"
directory = "robots"
dropfiles = ["DOOR32.SYS"]
concurrent = 4

[door.guess]
title = "Guess"
command = ["python3", "guess.py"]
directory = "guess"
encoding = "utf-8"
trusted = true
"""


@pytest.fixture(autouse=True)
def a_cage(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which a cage opens."""
    refuse(monkeypatch, None)


def refuse(patch: pytest.MonkeyPatch, why: str | None) -> None:
    async def refusal() -> str | None:
        return why

    patch.setattr(cage, "refusal", refusal)


@pytest.fixture
def folder(data: Path) -> Path:
    """A data folder with two doors."""
    for name in ("robots", "guess"):
        (data / name).mkdir(parents=True)
    (data / "doors.toml").write_text(TWO_DOORS)
    return data


def test_the_doors_are_json_for_scripts(run: Any, folder: Path) -> None:
    listed = run("doors", "list", "--json")
    robots, guess = json.loads(listed.stdout)
    assert listed.exit_code == 0
    assert robots == {
        "id": "robots",
        "title": "Robots",
        "command": ["/usr/games/robots"],
        "directory": str(folder / "robots"),
        "dropfiles": ["DOOR32.SYS"],
        "encoding": "cp437",
        "concurrent": 4,
        "timeLimitS": 3600,
        "trusted": False,
        "fault": None,
    }
    assert (guess["title"], guess["trusted"], guess["fault"]) == ("Guess", True, None)


@pytest.mark.usefixtures("folder")
def test_the_doors_are_a_table_for_people(run: Any) -> None:
    header, robots, guess = run("doors", "list").stdout.splitlines()
    assert header.split() == ["ID", "TITLE", "CALLERS", "RUNS", "SPEAKS", "DROPFILES", "FOLDER"]
    assert robots.split()[:6] == ["robots", "Robots", "4", "caged", "cp437", "DOOR32.SYS"]
    assert guess.split()[:5] == ["guess", "Guess", "1", "trusted", "utf-8"]


@pytest.mark.usefixtures("folder")
def test_without_a_cage_only_trusted_doors_can_be_entered(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, "bubblewrap is missing: install it")
    listed = run("doors", "list", "--json")
    assert listed.exit_code == 1
    assert [door["fault"] for door in json.loads(listed.stdout)] == ["bubblewrap is missing: install it", None]
    assert "robots: can't be entered: bubblewrap is missing: install it" in run("doors", "list").stderr


def test_a_door_that_would_see_the_data_folder_is_named(run: Any, folder: Path) -> None:
    (folder / "doors.toml").write_text(TWO_DOORS.replace('"robots"', '"robots"\nreadable = [".:/venue"]', 1))
    (robots, _) = json.loads(run("doors", "list", "--json").stdout)
    assert "data folder" in robots["fault"]


def test_a_wrong_file_is_one_line(run: Any, folder: Path) -> None:
    (folder / "doors.toml").write_text("[door.robots]\nspeed = 9\n")
    refused = run("doors", "list")
    assert refused.exit_code == 1
    assert "field 'speed' is unknown" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_no_door_is_no_fault(run: Any) -> None:
    listed = run("doors", "list", "--json")
    assert (listed.exit_code, json.loads(listed.stdout)) == (0, [])
    assert "there is no door" in listed.stderr
