"""Every game of the house, and those that others add by the entry-point group `agentbbs.games`.

A third party's package names its game in its own pyproject.toml; the value is a `Game`:

    [project.entry-points."agentbbs.games"]
    reversi = "their_package.reversi:REVERSI"

The house's own games are found without a look at the installed packages; anything else looks once. An
entry that can't be loaded, is no game or takes a name that is taken raises BrokenGame, which names it:
call `ids()` at the start, so that a venue never opens with a game missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from agentbbs.games.c4 import C4
from agentbbs.games.game import Game, GameError
from agentbbs.games.ttt import TTT

ENTRY_POINTS: Final = "agentbbs.games"
"""The entry-point group in which other packages name their games."""

NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?")
"""An id or alias: up to 32 lower-case letters, digits and inner hyphens, fit for a URL and a file name."""

_MAX_SHOWN_CHARS: Final = 40
"""How much of an unknown name an error repeats: a name is shorter, and a client may send anything."""


class UnknownGame(GameError):
    """No game has that id or alias; `ids` holds the ids that there are."""

    def __init__(self, name: str, ids: tuple[str, ...]) -> None:
        super().__init__(f"unknown game {name[:_MAX_SHOWN_CHARS]!r}: the games are {', '.join(ids)}")
        self.name = name
        self.ids = ids


class BrokenGame(GameError):
    """An entry point of the group that can't be used; `entry` is its name and value."""

    def __init__(self, entry: str, fault: str) -> None:
        super().__init__(f"the entry point {entry} of {ENTRY_POINTS} is broken: {fault}")
        self.entry = entry
        self.fault = fault


class _Catalog(Mapping[str, Game]):
    """Id -> game; looks at the installed packages when an id is asked for that is not the house's."""

    def __init__(self, house: Iterable[Game]) -> None:
        self._house = {game.id: game for game in house}
        self._all: dict[str, Game] | None = None
        self._names = _names(self._house.values())

    def __getitem__(self, game_id: str) -> Game:
        return self._house.get(game_id) or self._loaded()[game_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaded())

    def __len__(self) -> int:
        return len(self._loaded())

    def named(self, name: str) -> Game:
        """The game with this id or alias, lower case. Raises KeyError."""
        game = self._names.get(name)
        if game is None:
            self._loaded()
            game = self._names[name]
        return game

    def _loaded(self) -> dict[str, Game]:
        if self._all is None:
            self._all = _with_entry_points(self._house)
            self._names = _names(self._all.values())
        return self._all


def _names(games: Iterable[Game]) -> dict[str, Game]:
    return {name: game for game in games for name in (game.id, *game.aliases)}


def _with_entry_points(house: Mapping[str, Game]) -> dict[str, Game]:
    """The games of the house and of the installed packages. Raises BrokenGame."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - 40 ms that most commands never need

    games = dict(house)
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: (point.name, point.value)):
        entry = f"{point.name} = {point.value}"
        try:
            game: object = point.load()
        except Exception as fault:  # whatever a stranger's module raises is the news
            raise BrokenGame(entry, f"{type(fault).__name__}: {fault}") from fault
        if isinstance(game, type) or not isinstance(game, Game):
            raise BrokenGame(entry, "it is no agentbbs.games.game.Game; name an instance, not a class or a factory")
        if game.id != point.name:
            raise BrokenGame(entry, f"the game calls itself {game.id!r}, not {point.name!r}")
        taken = _names(games.values())
        for name in (game.id, *game.aliases):
            if NAME.fullmatch(name) is None:
                raise BrokenGame(entry, f"{name!r} is no id or alias: they match {NAME.pattern}")
            if name in taken:
                raise BrokenGame(entry, f"the name {name!r} belongs to the game {taken[name].id!r}")
        games[game.id] = game
    return games


HOUSE: Final[tuple[Game, ...]] = (TTT, C4)
"""The games of the house, which every venue has."""

_CATALOG: Final = _Catalog(HOUSE)

GAMES: Final[Mapping[str, Game]] = _CATALOG
"""Id -> game, the house's first; read-only. Raises BrokenGame where an entry point has to be loaded and can't be."""


def find(name: str) -> Game:
    """The game with this id or alias, case-free. Raises UnknownGame, or BrokenGame as `GAMES` does."""
    try:
        return _CATALOG.named(name.lower())
    except KeyError:
        raise UnknownGame(name, ids()) from None


def ids() -> tuple[str, ...]:
    """The canonical ids of all games. Raises BrokenGame as `GAMES` does."""
    return tuple(_CATALOG)
