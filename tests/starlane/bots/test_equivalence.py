"""The same brain in the same world gives the same orders at the terminal and in process."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import pytest

from starlane.bots.at_terminal import AtTerminal
from starlane.bots.brains.levels import Level, brain_of
from starlane.bots.in_process import InProcess
from starlane.bots.line import TerminalLine
from starlane.orders import Actor, Enter, Hear, Leave, MarkRead, Order
from starlane.settings import Clock, Settings
from starlane.universe.file import MEMORY
from starlane.universe.universe import Universe

SEED = 9


def small(turns: int) -> Settings:
    return Settings(seed=5, sectors=40, clock=Clock.MANUAL, turns_per_day=turns, protected_days=1)


def ordered(universe: Universe) -> list[tuple[Actor, Order]]:
    """The journal without coming and going, and what the game orders by itself."""
    silent = (Enter, Leave, Hear, MarkRead)
    return [(entry.actor, entry.order) for entry in universe.journal() if not isinstance(entry.order, silent)]


def in_process(level: Level, turns: int) -> list[tuple[Actor, Order]]:
    with Universe.make(MEMORY, small(turns)) as universe:
        helm = InProcess(universe, "ada")
        for _ in brain_of(level, SEED).day(helm):
            pass
        helm.leave()
        return ordered(universe)


def at_terminal(level: Level, turns: int, folder: Path) -> list[tuple[Actor, Order]]:
    with Universe.make(folder / "universe.db", small(turns)) as universe:
        door = [sys.executable, "-m", "starlane", "play", "--plain", "--encoding", "utf-8"]
        with closing(TerminalLine([*door, "--name", "ada", "--data", str(folder)])) as line:
            helm = AtTerminal(line)
            for _ in brain_of(level, SEED).day(helm):
                pass
            helm.leave()
        return ordered(universe)


@pytest.mark.parametrize(("level", "turns"), [(Level.RANDOM, 30), (Level.TRADER, 60), (Level.ADMIRAL, 60)])
def test_a_game_at_the_terminal_is_the_game_in_process(level: Level, turns: int, tmp_path: Path) -> None:
    expected = in_process(level, turns)
    assert len(expected) >= turns
    assert at_terminal(level, turns, tmp_path) == expected
