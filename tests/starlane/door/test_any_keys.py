"""Callers who press anything that can be pressed, and hang up whenever: nothing breaks, and the books agree."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress

import pytest
from tests.starlane.door.dialogue import plain
from tests.starlane.worlds import place, six_sectors, small_world

from starlane.door.console import HungUp
from starlane.door.identity import Identity
from starlane.door.keys import Encoding
from starlane.door.paint import Painter
from starlane.door.styles import Line
from starlane.door.visit import visit
from starlane.orders import OPERATOR, NewDay
from starlane.records import Pilot
from starlane.universe.universe import Universe

PAINTER = Painter(encoding=Encoding.UTF_8, ansi=False)
MAX_ROWS = 23
"""Of one screen and the prompt below it, on a terminal of 80x24."""
NAMES = ("Ada", "Bea", "Cy")


class Monkey:
    """A `Console` whose caller presses anything, `patience` times."""

    columns = 80
    rows = 24

    def __init__(self, chance: random.Random, patience: int) -> None:
        self.idle: Callable[[], Sequence[Line]] = tuple
        self.prompts: set[str] = set()
        self.long: list[str] = []
        """Screens that don't fit, but for lists."""
        self._chance = chance
        self._patience = patience

    def show(self, *lines: Line) -> None:
        rows = [row for line in lines for row in PAINTER.rows(line, self.columns - 1)]
        if len(rows) > MAX_ROWS and plain(lines[0]) != "The Haven Gazette":
            self.long.append("\n".join(map(plain, lines)))

    def clear(self) -> None: ...

    def key(self, prompt: Line, keys: Sequence[str], *, default: str = "") -> str:
        self._asked(plain(prompt))
        return self._chance.choice([*keys, default])

    def command(self, prompt: Line, keys: Sequence[str]) -> str | int:
        self._asked(plain(prompt))
        pressed: list[str | int] = [*keys, "", self._chance.randint(0, 41), self._chance.randint(1, 6)]
        return self._chance.choice(pressed)

    def number(self, prompt: str, low: int, high: int, default: int | None = None) -> int | None:
        self._asked(f"{prompt} ({low:,}-{high:,}) [{default}]?")
        assert low <= high
        assert default is None or low <= default <= high
        likely = [default, low, high, self._chance.randint(low, high)]
        return self._chance.choice([*likely, self._chance.randint(low, min(high, low + 20))])

    def text(self, prompt: str, max_chars: int, *, default: str = "") -> str:
        self._asked(f"{prompt} (up to {max_chars} characters):")
        typed = self._chance.choice(["", "a", "b", *NAMES, "Lantern League", "x" * max_chars])
        return typed[:max_chars] or default

    def confirm(self, prompt: str, *, default: bool = False) -> bool:
        self._asked(f"{prompt} (Y/N) [N]?")
        return self._chance.random() < (0.1 if prompt == "Leave the game" else 0.7)

    def pause(self) -> None:
        self._asked("[Hit a key]")

    def _asked(self, prompt: str) -> None:
        self.show(*self.idle())
        self.prompts.add(prompt)
        assert "\n" not in prompt
        if self._patience < 1:
            raise HungUp
        self._patience -= 1


def play(universe: Universe, chance: random.Random, visits: int) -> Monkey:
    """So many calls, of several pilots, each as long as chance has it; now and then a day passes."""
    monkey = Monkey(chance, 0)
    for _ in range(visits):
        caller = chance.choice(NAMES)
        monkey._patience = chance.randint(0, 60)
        with suppress(HungUp):
            visit(monkey, universe, Identity(key=f"name:{caller.casefold()}", name=caller))
        with universe.look() as sky:
            pilots = sky.find(Pilot)
        assert not any(pilot.aboard for pilot in pilots)
        if chance.random() < 0.1:
            universe.perform(OPERATOR, NewDay())
        if chance.random() < 0.2:
            place(universe, chance.choice(pilots).id, credits=chance.randint(0, 100_000), sector=chance.randint(1, 6))
    return monkey


@pytest.mark.parametrize("seed", range(3))
def test_in_a_world_where_everybody_meets(seed: int) -> None:
    with six_sectors(protected_days=seed % 2, turns_per_day=2000) as universe:
        monkey = play(universe, random.Random(seed), 40)
        assert universe.verify() == []
    assert [prompt for prompt in monkey.prompts if len(prompt) > 79] == []
    assert monkey.long == []
    assert len(monkey.prompts) > 40


def test_in_a_world_out_of_the_maker() -> None:
    with small_world() as universe:
        play(universe, random.Random(9), 30)
        assert universe.verify() == []
