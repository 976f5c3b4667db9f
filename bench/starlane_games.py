"""Whole games of Starlane in process, for `starlane.py`: who plays at which seat, what comes of it, and how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from starlane.bots.brains.atlas import Atlas
from starlane.bots.brains.brain import Brain
from starlane.bots.brains.haggler import Judge
from starlane.bots.brains.levels import Level, brain_of
from starlane.bots.brains.merchant import Habits, Merchant
from starlane.bots.brains.ship import Course, Ship
from starlane.bots.brains.trips import Means, Trip, trips
from starlane.bots.in_process import InProcess
from starlane.engine.looking import scores
from starlane.orders import OPERATOR, NewDay, Order
from starlane.reports import Docked, Fought, Moved, Report
from starlane.settings import Clock, Settings
from starlane.universe.file import MEMORY
from starlane.universe.universe import Universe

LOOP: Final = "loop"
"""A player that explores for a while, and then repeats the best two-port loop that it knows all game."""
DAYS: Final = 5
TURNS_PER_DAY: Final = 150
"""Two thirds of a usual day: a game is two seconds."""
FIRST_SEED: Final = 10_000
"""Away from the seeds that anything was tuned on, which are below."""
SECTORS: Final = (60, 70, 80, 90, 100)
RANDOM, TRADER, ADMIRAL = Level.RANDOM, Level.TRADER, Level.ADMIRAL
LINE_UPS: Final = (
    (RANDOM, TRADER, ADMIRAL),
    (RANDOM, TRADER, TRADER, ADMIRAL),
    (RANDOM, TRADER, ADMIRAL, ADMIRAL),
    (RANDOM, RANDOM, TRADER, TRADER, ADMIRAL),
    (RANDOM, RANDOM, TRADER, TRADER, ADMIRAL, ADMIRAL),
)
LOOP_LINE_UPS: Final = ((LOOP, TRADER, ADMIRAL), (LOOP, TRADER, TRADER, ADMIRAL))
MAX_CYCLE_SECTORS: Final = 4


class Game(msgspec.Struct, frozen=True):
    """What is played."""

    seed: int
    sectors: int
    players: tuple[str, ...]
    """By seat: they enter, and take their turns, in this order."""


class Seat(msgspec.Struct, frozen=True):
    """What came of one player."""

    player: str
    net_worth: int
    turns: int
    """That it has spent."""
    cycle_share: float
    """Of them those in its most repeated cycle of up to MAX_CYCLE_SECTORS sectors."""


class Played(msgspec.Struct, frozen=True):
    """A game that is over."""

    game: Game
    seats: tuple[Seat, ...]

    def winner(self) -> int:
        """The seat with the highest net worth; of equal ones the first."""
        return max(range(len(self.seats)), key=lambda seat: self.seats[seat].net_worth)


def games(count: int, line_ups: Sequence[tuple[str, ...]], first_seed: int) -> Iterator[Game]:
    """So many games on different seeds; every line-up comes equally often at each rotation of its seats."""
    for index in range(count):
        players = line_ups[index % len(line_ups)]
        turn = index // len(line_ups) % len(players)
        yield Game(
            seed=first_seed + index,
            sectors=SECTORS[index // 3 % len(SECTORS)],
            players=(*players[turn:], *players[:turn]),
        )


def play(game: Game) -> Played:
    """Play a game to its end, the pilots turn by turn in the order of their seats."""
    settings = Settings(seed=game.seed, sectors=game.sectors, clock=Clock.MANUAL, turns_per_day=TURNS_PER_DAY)
    names = [f"{player} {seat}" for seat, player in enumerate(game.players, 1)]
    brains = [_brain(player, game.seed * 16 + seat) for seat, player in enumerate(game.players)]
    paths: list[list[int]] = [[] for _ in names]
    with Universe.make(MEMORY, settings) as universe:
        for _ in range(DAYS):
            helms = [WatchedHelm(universe, name, path) for name, path in zip(names, paths, strict=True)]
            courses = [brain.day(helm) for brain, helm in zip(brains, helms, strict=True)]
            while courses:
                courses = [course for course in courses if next(course, _OVER) is not _OVER]
            for helm in helms:
                helm.leave()
            universe.perform(OPERATOR, NewDay())
        faults = universe.verify()
        if faults:
            raise AssertionError(f"seed {game.seed}: {faults}")
        with universe.look() as sky:
            worth = {line.name: line.net_worth for line in scores(sky)}
    return Played(
        game=game,
        seats=tuple(
            Seat(player=player, net_worth=worth[name], turns=len(path), cycle_share=cycle_share(path))
            for player, name, path in zip(game.players, names, paths, strict=True)
        ),
    )


_OVER: Final = object()


class WatchedHelm(InProcess):
    """A helm that writes down in which sector each turn ends."""

    def __init__(self, universe: Universe, name: str, path: list[int]) -> None:
        super().__init__(universe, name)
        self._path = path

    def do(self, order: Order) -> Report:
        """See `Helm`."""
        report = super().do(order)
        if isinstance(report, Moved):
            self._path.append(report.sector)
        elif isinstance(report, Docked | Fought):
            self._path.append(self._path[-1] if self._path else 1)
        return report


def cycle_share(path: Sequence[int]) -> float:
    """The share of turns that lie in repetitions of the cycle, of up to MAX_CYCLE_SECTORS sectors, that has most.

    A cycle is a way that ends where it began; where on it one begins does not matter. Turns that are spent in a sector
    belong to the way through it.
    """
    if not path:
        return 0.0
    stops: list[int] = []
    weights: list[int] = []
    for sector in path:
        if stops and stops[-1] == sector:
            weights[-1] += 1
        else:
            stops.append(sector)
            weights.append(1)
    covered: dict[tuple[int, ...], set[int]] = {}
    for length in range(2, MAX_CYCLE_SECTORS + 1):
        for start in range(len(stops) - length):
            if stops[start] == stops[start + length]:
                way = tuple(stops[start : start + length])
                turned = min(way[i:] + way[:i] for i in range(length))
                covered.setdefault(turned, set()).update(range(start, start + length + 1))
    most = max((sum(weights[stop] for stop in there) for there in covered.values()), default=0)
    return most / len(path)


def _brain(player: str, seed: int) -> Brain:
    return Looper() if player == LOOP else brain_of(Level(player), seed)


class Looper(Merchant):
    """See LOOP. It haggles and buys holds as the admiral does, so that only the loop sets them apart."""

    _EXPLORED_PORTS: Final = 8
    """Then it settles for a loop."""

    def __init__(self) -> None:
        habits = Habits(
            to_source=3,
            between=3,
            curious_below=100_000,
            curious_within=8,
            least_holds=8,
            most_holds=60,
            yard_within=8,
        )
        super().__init__(habits, Judge)
        self._loop: tuple[int, int] | None = None

    def errand(self, ship: Ship) -> Course:
        """Fly the loop, once there is one."""
        if self._loop is None and (len(self.atlas.ports) < self._EXPLORED_PORTS and self._unknown(ship) is not None):
            yield from ()
            return False
        if self._loop is None:
            self._loop = best_loop(self.atlas, ship)
        if self._loop is None:
            return False
        for source, target in (self._loop, self._loop[::-1]):
            yield from self._leg(ship, source, target)
        return ship.me.turns > 0

    def _leg(self, ship: Ship, source: int, target: int) -> Course:
        if not ((yield from ship.fly(source)) and (yield from ship.dock())):
            return False
        ship.sell_all()
        for good, stall in self.atlas.ports[source].stalls.items():
            wanted = self.atlas.ports[target].stalls[good]
            if stall.sells and not wanted.sells and ship.me.free_holds:
                ship.trade(good, min(stall.open_for, wanted.open_for, ship.me.free_holds))
        return (yield from self.deliver(ship, target))


def best_loop(atlas: Atlas, ship: Ship) -> tuple[int, int] | None:
    """The two ports between which there and back brings most for a turn."""
    means = Means(sector=ship.here, docked=False, holds=ship.me.holds, credits=ship.me.credits)
    gains: Counter[tuple[int, int]] = Counter()
    for trip in trips(atlas, means, to_source=100, between=6):
        turns = atlas.turns(trip.source, trip.target) + atlas.turns(trip.target, trip.source) + 2
        gains[_pair(trip)] += 1000 * trip.gain // turns
    return max(gains, key=lambda pair: (gains[pair], pair), default=None)


def _pair(trip: Trip) -> tuple[int, int]:
    return (min(trip.source, trip.target), max(trip.source, trip.target))
