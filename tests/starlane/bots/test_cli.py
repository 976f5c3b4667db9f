"""The command `starlane-bot`."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from starlane.bots.cli import main
from starlane.commands.data import DATA_VARIABLE, data_folder, universe_path
from starlane.records import Pilot
from starlane.settings import Clock, Settings
from starlane.universe.universe import Universe


def test_a_visit_ends_by_itself_with_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Universe.make(tmp_path / "universe.db", Settings(seed=5, sectors=40, clock=Clock.MANUAL, turns_per_day=12)).close()
    common = ["--data", str(tmp_path), "--name", "Ada", "--seed", "1"]
    assert main(["--level", "trader", *common, "--turns", "5", "--json"]) == 0
    told = msgspec.json.decode(capfd.readouterr().out)
    assert told["name"] == "Ada"
    assert 5 <= told["turns"] <= 8  # what is begun is carried out
    assert main(["--level", "random", *common]) == 0
    assert capfd.readouterr().out.startswith("Ada (random): ")


def test_without_a_folder_it_plays_where_the_game_does(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with Universe.make(universe_path(data_folder(None)), Settings(seed=5, sectors=40, turns_per_day=3)) as universe:
        assert main(["--level", "random", "--name", "Ada"]) == 0
        with universe.look() as sky:
            assert [pilot.name for pilot in sky.find(Pilot)] == ["Ada"]
    assert capfd.readouterr().out.startswith("Ada (random): ")


def test_what_is_no_game_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--level", "trader", "--via", f"{sys.executable} -c print('busy')"]) == 1
    assert "busy" in capfd.readouterr().err
    assert main(["--level", "trader", "--via", "/no/such/program"]) == 1
    assert "can't be started" in capfd.readouterr().err
