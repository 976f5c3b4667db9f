"""64 callers in one universe of Starlane, and how long a start takes. For `starlane.py`; needs Linux."""

from __future__ import annotations

import multiprocessing as mp
import re
import select
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, Final

import msgspec

from starlane.bots.line import TerminalLine
from starlane.bots.prompts import prompt_at_end
from starlane.dice import Dice
from starlane.engine.looking import sector_view
from starlane.engine.refusal import Refused
from starlane.goods import TRADE_GOODS
from starlane.orders import OPERATOR, Actor, Ask, Dock, Enter, Move, Offer, Order
from starlane.records import Pilot
from starlane.reports import Entered, Haggle, Haggled
from starlane.settings import Clock, Settings
from starlane.universe.universe import Universe

CALLERS: Final = 64
PACE_PER_S: Final = 300
"""Commands of all callers together that the aim speaks of."""
PACED_S: Final = 12.0
FLAT_OUT_S: Final = 8.0
STARTS: Final = 20
READY_S: Final = 120.0
"""For all callers to be aboard, and to hand in their times: who takes longer has failed."""
_TURNS: Final = 1_000_000
"""A day: nobody runs out of them."""
_UNIVERSE: Final = "universe.db"


class Load(msgspec.Struct, frozen=True):
    """How a crowd of callers was served."""

    way: str
    callers: int
    asked_per_s: float
    """0 for as fast as they were answered."""
    commands: int
    commands_per_s: float
    median_ms: float
    p99_ms: float
    worst_ms: float


class Starts(msgspec.Struct, frozen=True):
    """How long it took from the start of the door to its first prompt."""

    runs: int
    median_ms: float
    worst_ms: float


def new_universe(folder: Path, sectors: int = 500) -> Path:
    """A universe file that nobody is in."""
    path = folder / _UNIVERSE
    settings = Settings(seed=64, sectors=sectors, clock=Clock.MANUAL, turns_per_day=_TURNS)
    Universe.make(path, settings).close()
    return path


def figures(way: str, asked_per_s: float, window_s: float, times_s: Sequence[float]) -> Load:
    """The times of all commands in a window, as figures."""
    ordered = sorted(times_s)
    return Load(
        way=way,
        callers=CALLERS,
        asked_per_s=asked_per_s,
        commands=len(ordered),
        commands_per_s=len(ordered) / window_s,
        median_ms=1000 * ordered[len(ordered) // 2],
        p99_ms=1000 * ordered[len(ordered) * 99 // 100],
        worst_ms=1000 * ordered[-1],
    )


# In process: each caller a process with the universe open


def through_perform(path: Path, per_s: float, window_s: float) -> Load:
    """Callers that order and look, one `perform` and one view a command; its time is that of both."""
    context = mp.get_context("fork")
    barrier = context.Barrier(CALLERS + 1)
    times: Any = context.Queue()
    crowd = [
        context.Process(target=_order_on, args=(path, number, per_s / CALLERS, window_s, barrier, times), daemon=True)
        for number in range(CALLERS)
    ]
    for process in crowd:
        process.start()
    barrier.wait(READY_S)
    taken = [each for _ in crowd for each in times.get(timeout=window_s + READY_S)]
    for process in crowd:
        process.join()
    return figures("perform", per_s, window_s, taken)


def _order_on(path: Path, number: int, per_s: float, window_s: float, barrier: Barrier, times: Any) -> None:
    dice = Dice(number)
    with Universe.open(path) as universe:
        entered = universe.perform(OPERATOR, Enter(key=f"name:p{number}", name=f"p{number}"))
        assert isinstance(entered, Entered)
        script = _Script(universe, Actor(entered.pilot, entered.session), dice)
        script.give()
        barrier.wait(READY_S)
        taken: list[float] = []
        begun = time.monotonic()
        due = begun + (dice.below(1000) / 1000 / per_s if per_s else 0.0)
        while (now := time.monotonic()) < begun + window_s:
            if per_s and due > now:
                time.sleep(due - now)
                if due >= begun + window_s:
                    break
            at = due if per_s else now  # a caller that is late waits all the same
            script.give()
            taken.append(time.monotonic() - at)
            if per_s:
                due += dice.between(500, 1500) / 1000 / per_s
    times.put(taken)


class _Script:
    """What a caller does: flies by chance, docks where there is a port, and buys a unit at the first price."""

    def __init__(self, universe: Universe, actor: Actor, dice: Dice) -> None:
        self._universe = universe
        self._actor = actor
        self._dice = dice
        self._next: list[Order] = []

    def give(self) -> None:
        """Give the next order and look at the sector, as the door does."""
        with self._universe.look() as sky:
            pilot = sky.get(Pilot, self._actor.pilot)
            assert pilot is not None
            view = sector_view(sky, pilot)
        order = self._next.pop() if self._next else Move(to=self._dice.choice(view.lanes).to)
        try:
            report = self._universe.perform(self._actor, order)
        except Refused:
            self._next.clear()
            return
        if isinstance(order, Move) and view.port and self._dice.permille(500):
            self._next = [Dock()]
        elif isinstance(order, Dock):
            self._next = [Ask(good=self._dice.choice(TRADE_GOODS), quantity=1)]
        elif isinstance(report, Haggled) and report.state is Haggle.OPEN:
            self._next = [Offer(credits=report.ask)]


# At terminals: each caller a door in a terminal of its own


def door(folder: Path, name: str) -> list[str]:
    """The command of a caller."""
    play = [sys.executable, "-m", "starlane", "play", "--plain", "--encoding", "utf-8"]
    return [*play, "--name", name, "--data", str(folder)]


_LANE: Final = re.compile(r"\d+")


class _Seat:
    """A caller at a terminal."""

    def __init__(self, line: TerminalLine, dice: Dice) -> None:
        self.line = line
        self.sent_at = 0.0
        self.waiting = True
        self.due = 0.0
        self._dice = dice
        self._text = ""
        self._lanes = [1]

    def hear(self) -> bool:
        """Take what has come; whether a prompt is open now."""
        self._text += self.line.read(0)
        if prompt_at_end(self._text) is None:
            return False
        for row in self._text.splitlines():
            if row.startswith("Lanes    "):
                self._lanes = [int(found) for found in _LANE.findall(row)]
        return True

    def type(self) -> None:
        """Answer the prompt: by chance a flight or a look."""
        prompt = prompt_at_end(self._text)
        assert prompt is not None
        if "(Y/N)" in prompt.text:
            keys = "N"
        elif self._dice.permille(600):
            keys = f"{self._dice.choice(self._lanes)}\r"
        else:
            keys = self._dice.choice(("D", "I"))
        self._text = ""
        self.waiting = True
        self.line.write(keys)


def through_terminals(path: Path, per_s: float, window_s: float) -> Load:
    """Callers who type at the door; a command is from its key to the next prompt."""
    dice = Dice(1)
    taken: list[float] = []
    with ExitStack() as stack:
        seats = []
        for number in range(CALLERS):
            line = TerminalLine(door(path.parent, f"p{number}"))
            stack.callback(line.hang_up)
            seats.append(_Seat(line, Dice(number)))
        _wait_for_all(seats, READY_S)
        begun = time.monotonic()
        for seat in seats:
            seat.due = begun + (dice.below(1000) / 1000 * CALLERS / per_s if per_s else 0.0)
        _drive(seats, begun + window_s, per_s / CALLERS, dice, taken)
    return figures("terminals", per_s, window_s, taken)


def _wait_for_all(seats: Sequence[_Seat], within_s: float) -> None:
    """Wait until every seat has its prompt."""
    ends_at = time.monotonic() + within_s
    while waiting := [seat for seat in seats if seat.waiting]:
        if time.monotonic() > ends_at:
            raise RuntimeError(f"{len(waiting)} doors have not come to a prompt within {within_s:.0f} s")
        for seat in _ready(seats, 1.0):
            seat.waiting = not seat.hear()


def _ready(seats: Sequence[_Seat], wait_s: float) -> list[_Seat]:
    by_end = {seat.line.fileno(): seat for seat in seats if seat.waiting}
    ready, _, _ = select.select(list(by_end), [], [], wait_s)
    return [by_end[end] for end in ready]


def _drive(seats: Sequence[_Seat], ends_at: float, per_s: float, dice: Dice, taken: list[float]) -> None:
    while (now := time.monotonic()) < ends_at:
        for seat in seats:
            if not seat.waiting and seat.due <= now:
                seat.sent_at = seat.due if per_s else now
                seat.type()
        next_due = min((seat.due for seat in seats if not seat.waiting), default=ends_at)
        for seat in _ready(seats, max(0.0, min(next_due - time.monotonic(), 0.05))):
            if seat.hear():
                heard_at = time.monotonic()
                taken.append(heard_at - seat.sent_at)
                seat.waiting = False
                seat.due = max(heard_at, seat.due) if not per_s else seat.due + dice.between(500, 1500) / 1000 / per_s


def starts(path: Path, runs: int = STARTS) -> Starts:
    """From starting `starlane play` to its first prompt, one after the other."""
    times = []
    for number in range(runs):
        begun = time.monotonic()
        line = TerminalLine(door(path.parent, f"start{number}"))
        text = ""
        while prompt_at_end(text) is None:
            text += line.read(5.0)
        times.append(time.monotonic() - begun)
        line.hang_up()
    times.sort()
    return Starts(runs=runs, median_ms=1000 * times[len(times) // 2], worst_ms=1000 * times[-1])
