"""Many processes at one file: nothing is lost, nobody is locked out, and a kill leaves it sound."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.starlane.random_orders import GENEROUS
from tests.starlane.universe import caller
from tests.starlane.worlds import enroll, hand_made, pilot, six_sectors

from starlane.universe.replay import differences
from starlane.universe.universe import Universe

_PATIENCE_S = 60
_ROOT = Path(__file__).parents[3]


@contextmanager
def _callers(path: Path, what: str, arguments: list[int]) -> Iterator[list[subprocess.Popen[str]]]:
    """A process for each of `arguments`, all started at one moment."""
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", caller.__name__, str(path), what, str(argument)],
                    cwd=_ROOT,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for argument in arguments
        ]
        for process in processes:
            stack.callback(process.kill)
            assert _said(process) == "ready"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        yield processes


def _said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_no_update_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "u.db"
    with six_sectors(path) as universe:
        ada = enroll(universe, "ada")
        with _callers(path, "increment", [100] * 8) as processes:
            assert [process.wait(_PATIENCE_S) for process in processes] == [0] * 8
        assert pilot(universe, ada).kills == 800
        assert universe.verify() == []


def test_makers_at_once_make_one_world(tmp_path: Path) -> None:
    with _callers(tmp_path / "new" / "u.db", "make", [1, 2, 3]) as processes:
        seeds = {_said(process) for process in processes}
        assert [process.wait(_PATIENCE_S) for process in processes] == [0] * 3
    assert len(seeds) == 1
    assert sorted(file.name for file in (tmp_path / "new").iterdir()) == ["u.db", "u.db.lock"]


def test_a_kill_at_any_point_leaves_it_sound(tmp_path: Path) -> None:
    path = tmp_path / "u.db"
    chance = random.Random(5)
    six_sectors(path, **GENEROUS).close()
    for turn in range(2):
        told = 0
        with _callers(path, "play", [turn * 10 + number for number in range(3)]) as processes:
            for process in processes:
                for _ in range(chance.randrange(1, 60)):
                    said = _said(process)
                told += int(said)
                process.kill()
                process.wait(_PATIENCE_S)
        with Universe.open(path) as universe:
            assert universe.verify() == []
            assert differences(universe, hand_made()) == []
            assert len(universe.journal()) >= told
            enroll(universe, "a pilot who comes after")
