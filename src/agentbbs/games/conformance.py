"""The conformance kit behind `agentbbs check-game`: does a game keep the contract of `game.py`?

`check` visits the first two hundred positions of a game breadth first, then those of many random
games played to their end, and puts each to every check of `checks.CHECKS`. A fault is reported with
the shortest list of moves found to show it. Nothing is random but by `seed`: the same game, seed and
number of games give the same report.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from importlib import import_module
from itertools import combinations
from typing import Final

import msgspec

from agentbbs.games import catalog
from agentbbs.games.checks import CHECKS, Check, Visit
from agentbbs.games.game import Game, GameError, Position
from agentbbs.games.splitmix import SplitMix

DEFAULT_GAMES: Final = 200
"""Random games of one check: a few seconds for a game of the house, and its end is met in many ways."""

_BREADTH_FIRST_POSITIONS: Final = 200
"""Looked at before the random games, so that an early fault is shown by the fewest moves."""

_LOST_PLIES: Final = 100
"""How far a game is followed that is known to have a wrong `max_plies`: it may have no end."""

_MAX_SHORTENING_TRIES: Final = 1_000
"""Move lists tried to shorten that of one fault: a fraction of a second."""


class NotAGame(GameError):
    """What `load` was given names no game; the message says why."""


class CheckResult(msgspec.Struct, frozen=True):
    """One check: its name, what it demands, and the fault with the moves that show it, or None twice."""

    name: str
    demand: str
    fault: str | None = None
    moves: tuple[str, ...] | None = None

    @property
    def passed(self) -> bool:
        """Whether no fault was found."""
        return self.fault is None


class Report(msgspec.Struct, frozen=True):
    """What `check` found, check by check in the order of `CHECKS`, and how much it looked at."""

    game: str
    positions: int
    games: int
    results: tuple[CheckResult, ...]

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(result.passed for result in self.results)


def check(game: Game, *, seed: int = 1, games: int = DEFAULT_GAMES) -> Report:
    """Put `game` to every check, over `games` random games. Raises nothing that the game raises."""
    examination = _Examination(game, seed)
    examination.look_around()
    numbers = SplitMix(seed)
    for _ in range(games):
        examination.play_out(SplitMix(numbers.below(1 << 64)))
    examination.shorten()
    return examination.report(games)


class _Examination:
    """The visits of one `check` and the faults found so far, each with the moves that show it."""

    def __init__(self, game: Game, seed: int) -> None:
        self._game = game
        self._seed = seed
        self._positions = 0
        self._faults: dict[str, tuple[str, tuple[str, ...]]] = {}

    def look_around(self) -> None:
        """Visit the first positions, breadth first."""
        start = self._start()
        waiting = deque([] if start is None else [start])
        for _ in range(_BREADTH_FIRST_POSITIONS):
            if not waiting:
                return
            visit = waiting.popleft()
            self._examine(visit)
            if len(waiting) < _BREADTH_FIRST_POSITIONS:
                waiting.extend(after for move in _legal(visit) if (after := self._after(visit, move)) is not None)

    def play_out(self, rng: SplitMix) -> None:
        """Visit the positions of one random game, and none beyond the ply at which it has to be over."""
        longest = self._game.max_plies if "length" not in self._faults else _LOST_PLIES
        visit = self._start()
        while visit is not None and len(visit.moves) <= longest:
            self._examine(visit)
            legal = _legal(visit)
            visit = self._after(visit, rng.choice(legal)) if legal else None

    def shorten(self) -> None:
        """Look for fewer moves that show the same faults."""
        for name, found in list(self._faults.items()):
            candidates = _shorter(found[1])
            for _ in range(_MAX_SHORTENING_TRIES):
                moves = next(candidates, None)
                if moves is None:
                    break
                fault = self._fault_after(moves, name)
                if fault is not None:
                    self._faults[name] = (fault, moves)
                    candidates = _shorter(moves)

    def report(self, games: int) -> Report:
        """What was found."""
        results = [CheckResult(name, demand, *self._faults.get(name, ())) for name, (demand, _) in CHECKS.items()]
        if not self._positions:
            results = [result if result.fault else _not_run(result) for result in results]
        return Report(str(self._game.id), self._positions, games, tuple(results))

    def _start(self) -> Visit | None:
        """The visit of the initial position; None, and a fault of `start`, if there is none."""
        try:
            position, twin, victim = self._game.initial(), self._game.initial(), self._game.initial()
        except Exception as fault:  # the game is under examination: whatever it raises is reported
            self._faults["start"] = (f"initial raises {fault!r:.200}", ())
            return None
        return Visit(self._game, (), position, twin, victim, self._seed)

    def _after(self, visit: Visit, move: str) -> Visit | None:
        """The visit one move on; None if the move can't be played, which is for the check `play` to report."""
        if "immutable" in self._faults:
            visit = msgspec.structs.replace(visit, victim=visit.position)  # a maltreated one may not play on
        try:
            return visit.after(move)
        except Exception:  # reported by the check `play`, which tries every legal move of every position
            return None

    def _examine(self, visit: Visit) -> None:
        """Put one position to every check that has not failed with as few moves."""
        self._positions += 1
        for name, (_, run) in CHECKS.items():
            if name in self._faults and len(self._faults[name][1]) <= len(visit.moves):
                continue
            fault = _fault(run, visit)
            if fault is not None:
                self._faults[name] = (fault, visit.moves)

    def _fault_after(self, moves: tuple[str, ...], name: str) -> str | None:
        """The fault that the check `name` finds after `moves`; None if there is none or they can't be played."""
        visit = self._start()
        for move in moves:
            if visit is None or move not in _legal(visit):
                return None
            visit = self._after(visit, move)
        return None if visit is None else _fault(CHECKS[name][1], visit)


def _fault(run: Check, visit: Visit) -> str | None:
    """The first fault that a check finds, an exception included."""
    try:
        return next(run(visit), None)
    except Exception as fault:  # the game is under examination: whatever it raises is reported
        return f"it raises {fault!r:.200}"


def _legal(visit: Visit) -> tuple[str, ...]:
    """The legal moves, () if there are none to be had, which is for the check `legal` to report."""
    try:
        return tuple(visit.position.legal)
    except Exception:  # reported by the check `legal`, which reads the same property of every position
        return ()


def _shorter(moves: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """`moves` with two left out, so that the turns stay as they are, and with one left out."""
    for left_out in (2, 1):
        yield from combinations(moves, max(len(moves) - left_out, 0))


def _not_run(result: CheckResult) -> CheckResult:
    return msgspec.structs.replace(result, fault="not looked at: there is no initial position", moves=())


def perft(game: Game, depth: int) -> int:
    """The number of different lists of `depth` legal moves: the leaves of the game tree at that depth.

    A game that ends earlier is no leaf. The last ply is counted, not played.
    """
    return _leaves(game.initial(), depth)


def _leaves(position: Position, depth: int) -> int:
    if depth <= 1:
        return len(position.legal) if depth == 1 else 1
    return sum(_leaves(position.play(move), depth - 1) for move in position.legal)


def load(spec: str) -> Game:
    """The game that `spec` names: an id or alias of the catalog, or `package.module:ATTRIBUTE`.

    Raises UnknownGame or BrokenGame as the catalog does, and NotAGame if the attribute can't be had or is no Game.
    """
    module, colon, attribute = spec.partition(":")
    if not colon:
        return catalog.find(spec)
    try:
        game: object = getattr(import_module(module), attribute)
    except Exception as fault:  # whatever a stranger's module raises is the news
        raise NotAGame(f"{spec!r} can't be loaded: {fault!r:.200}") from fault
    if isinstance(game, type) or not isinstance(game, Game):
        raise NotAGame(f"{spec!r} is no agentbbs.games.game.Game; name an instance, not a class or a factory")
    return game
