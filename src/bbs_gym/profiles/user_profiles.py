"""A user's own profiles and route sets, from a TOML file, beside those that are built in.

Everything in the file is checked before anything of it is used; what is wrong is told with its table and field.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import msgspec

from bbs_gym.profiles.catalog import BUILT_IN, Catalog, UnknownProfile
from bbs_gym.profiles.routes import in_game
from bbs_gym.profiles.user_file import (
    MAX_NAME_CHARS,
    MAX_NOTE_CHARS,
    BudgetTable,
    ProfileFileError,
    ProfileTable,
    RouteSetTable,
    RouteTable,
    converted,
    unknown,
)
from bbs_gym.prompt_modules.catalog import MODULES
from bbs_gym.prompt_modules.fragments import stable
from bbs_gym.readers.board import BOARD_PROMPTS
from bbs_gym.readers.known_prompt import live_prompt
from bbs_gym.readers.live_screen import of_turn
from bbs_gym.reading import READERS
from tty_agent.actions.errors import ActionError
from tty_agent.activity.activity import ActivityProfile, CompletionCheck
from tty_agent.activity.completion import DONE, FAILED, screen_shows
from tty_agent.activity.routes import Route, RouteSet
from tty_agent.hints import ObservationHints
from tty_agent.observation.observation import Observation
from tty_agent.observer.readiness import PromptPattern
from tty_agent.prompt_modules import AssistanceLevel, PromptModule
from tty_agent.terminal.inert import inert

_NAME: Final = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_NAME_CHARS - 1}}}")
_LEVELS: Final = tuple(AssistanceLevel)
_KNOWN_PROMPTS: Final = (*BOARD_PROMPTS, *(prompt for reader in READERS.values() for prompt in reader.prompts))
_POLICY_FIELDS: Final = (
    "keys", "max_text_chars", "max_lines", "max_line_chars", "max_wait_s", "max_raw_bytes", "pace_ms",
)  # fmt: skip


def read_user_catalog(path: Path, beside: Catalog = BUILT_IN) -> Catalog:
    """The catalog of a file and what is `beside` it. Raises ProfileFileError, which names the file, and OSError."""
    try:
        text = path.read_bytes().decode("utf-8")
        return user_catalog(text, beside)
    except (ProfileFileError, UnicodeDecodeError) as fault:
        raise ProfileFileError(f"{path.name}: {fault}") from fault


def user_catalog(text: str, beside: Catalog = BUILT_IN) -> Catalog:
    """The same of a text. Raises ProfileFileError."""
    try:
        file = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        raise ProfileFileError(f"it is no TOML: {fault}") from fault
    for name in file:
        if name not in {"profiles", "route_sets"}:
            raise ProfileFileError(unknown("table", name, ["profiles", "route_sets"]))
    tables = _tables(file, "profiles", ProfileTable, beside.profiles)
    made = _Profiles(tables, beside)
    profiles = dict(beside.profiles) | {name: made.profile(name) for name in tables}
    catalog = Catalog(MappingProxyType(profiles), beside.route_sets)
    sets = _tables(file, "route_sets", RouteSetTable, beside.route_sets)
    routes = {name: _route_set(f"route_sets.{name}", name, table, catalog) for name, table in sets.items()}
    return Catalog(catalog.profiles, MappingProxyType(dict(beside.route_sets) | routes))


def _tables(file: dict[str, Any], kind: str, value: type[Any], taken: Iterable[str]) -> dict[str, Any]:
    tables = file.get(kind, {})
    if not isinstance(tables, dict):
        raise ProfileFileError(f"{kind}: it is a table, as [{kind}.NAME] begins one")
    for name in tables:
        if not _NAME.fullmatch(name):
            what = f"take up to {MAX_NAME_CHARS} letters, digits, dots, dashes, underscores"
            raise ProfileFileError(f"{kind}: {inert(repr(name[:MAX_NAME_CHARS]))} is no name: {what}")
        if name in set(taken):
            raise ProfileFileError(f"{kind}.{name}: that name is built in, and traces could not tell the two apart")
    return {name: converted(f"{kind}.{name}", table, value) for name, table in tables.items()}


class _Profiles:
    """The profiles of a file, each made when it is first asked for: one may be the base of another."""

    def __init__(self, tables: dict[str, ProfileTable], beside: Catalog) -> None:
        self._tables = tables
        self._beside = beside
        self._made: dict[str, ActivityProfile] = {}
        self._open: list[str] = []

    def profile(self, name: str) -> ActivityProfile:
        """That profile of the file, or of those beside it. Raises ProfileFileError."""
        if name not in self._tables:
            every = [*self._beside.profiles, *self._tables]
            where = f"profiles.{self._open[-1]}.base: " if self._open else ""
            if name not in self._beside.profiles:
                raise ProfileFileError(where + unknown("profile", name, every))
            return self._beside.profiles[name]
        if name in self._open:
            raise ProfileFileError(f"profiles.{name}.base: it rests on itself: {' on '.join([*self._open, name])}")
        if name not in self._made:
            self._open.append(name)
            base = self.profile(self._tables[name].base)
            self._made[name] = _made(name, self._tables[name], base)
            self._open.pop()
        return self._made[name]


def _made(name: str, table: ProfileTable, base: ActivityProfile) -> ActivityProfile:
    where = f"profiles.{name}"
    own = {prompt.name for prompt in table.prompts}
    return ActivityProfile(
        name=name,
        objective=base.objective if table.objective is None else table.objective,
        policy=_policy(where, table, base),
        modules=_modules(where, table, base),
        prompts=(*table.prompts, *(prompt for prompt in base.prompts if prompt.name not in own)),
        turn=base.turn if table.turn is None else table.turn,
        system_guidance=base.system_guidance if table.guidance is None else table.guidance,
        completion=(
            *_checks(f"{where}.failed_when", table.failed_when, FAILED),
            *_checks(f"{where}.done_when", table.done_when, DONE),
            *base.completion,
        ),
        budget=_budget(where, table.budget, base),
        detectors=base.detectors,
    )


def _policy(where: str, table: ProfileTable, base: ActivityProfile) -> Any:
    changed = {name: value for name in _POLICY_FIELDS if (value := getattr(table, name)) is not None}
    if table.actions is not None:
        changed["allowed"] = table.actions
    try:
        return msgspec.structs.replace(base.policy, **changed)
    except (ValueError, ActionError) as fault:
        raise ProfileFileError(f"{where}: {inert(str(fault))}") from fault


def _modules(where: str, table: ProfileTable, base: ActivityProfile) -> tuple[PromptModule, ...]:
    """The base's or those that are named, up to the level, without those that are dropped, and with what is added."""
    found = list(base.modules)
    if table.modules is not None:
        found = [_module(f"{where}.modules", one) for one in table.modules]
    if table.assistance is not None:
        highest = _LEVELS.index(table.assistance)
        found = [module for module in found if _LEVELS.index(module.level) <= highest]
    names = [module.name for module in found]
    for dropped in table.drop_modules:
        if dropped not in names:
            raise ProfileFileError(f"{where}.drop_modules: {unknown('module', dropped, names)}")
    found = [module for module in found if module.name not in table.drop_modules]
    found += [_module(f"{where}.add_modules", one) for one in table.add_modules]
    for note in table.notes:
        if not note.text.strip() or len(note.text) > MAX_NOTE_CHARS:
            raise ProfileFileError(f"{where}.notes: the text of {note.name!r} has 1 to {MAX_NOTE_CHARS} characters")
        if note.name in MODULES:
            raise ProfileFileError(f"{where}.notes: {note.name!r} is a module that is built in: take another name")
        found.append(stable(note.name, note.level, note.text, title=note.title))
    twice = {one.name for one in found if [two.name for two in found].count(one.name) > 1}
    if twice:
        raise ProfileFileError(f"{where}: the module {min(twice)!r} is in it twice")
    return tuple(found)


def _module(where: str, name: str) -> PromptModule:
    if name not in MODULES:
        raise ProfileFileError(f"{where}: {unknown('module', name, MODULES)}")
    return MODULES[name]


def _budget(where: str, table: BudgetTable, base: ActivityProfile) -> Any:
    changed: dict[str, Any] = {}
    for name in table.__struct_fields__:
        limit = getattr(table, name)
        if limit is None:
            continue
        if not 0 <= limit < float("inf"):
            raise ProfileFileError(f"{where}.budget.{name}: it is {limit}; it is above 0, or 0 for no limit")
        changed[name] = limit or None
    return msgspec.structs.replace(base.budget, **changed)


def _checks(where: str, patterns: tuple[str, ...], outcome: str) -> list[CompletionCheck]:
    return [screen_shows(_checked(where, pattern).pattern, outcome) for pattern in patterns]


def _checked(where: str, pattern: str) -> PromptPattern:
    """A regular expression that compiles and does not take for ever."""
    try:
        return PromptPattern(where, pattern)
    except ValueError as fault:
        raise ProfileFileError(f"{where}: {inert(str(fault))}") from fault


def _route_set(where: str, name: str, table: RouteSetTable, catalog: Catalog) -> RouteSet:
    games = {route.game for route in table.routes} - {None}
    try:
        return RouteSet(
            name,
            default=catalog.profile(table.default),
            routes=tuple(_route(f"{where}.routes", route, catalog, alone=len(games) == 1) for route in table.routes),
        )
    except UnknownProfile as fault:
        raise ProfileFileError(f"{where}: {fault}") from fault
    except ProfileFileError:
        raise
    except ValueError as fault:
        raise ProfileFileError(f"{where}: {fault}") from fault


def _route(where: str, table: RouteTable, catalog: Catalog, *, alone: bool) -> Route:
    if sum((table.game is not None, bool(table.prompts), table.row is not None)) != 1:
        raise ProfileFileError(f"{where}: {table.name!r} has exactly one of game, prompts, row")
    return Route(table.name, _condition(where, table, alone=alone), catalog.profile(table.profile))


def _condition(where: str, table: RouteTable, *, alone: bool) -> Callable[[Observation, ObservationHints], bool]:
    if table.game is not None:
        if table.game not in READERS:
            raise ProfileFileError(f"{where}.game: {unknown('game', table.game, READERS)}")
        return in_game(table.game, alone=alone)
    if table.row is not None:
        return _row_matches(_checked(f"{where}.row", table.row))
    names = sorted({prompt.name for prompt in _KNOWN_PROMPTS})
    for name in table.prompts:
        if name not in names:
            raise ProfileFileError(f"{where}.prompts: {unknown('prompt', name, names)}")
    return _at_one_of(frozenset(table.prompts))


def _row_matches(pattern: PromptPattern) -> Callable[[Observation, ObservationHints], bool]:
    def matches(observation: Observation, hints: ObservationHints) -> bool:
        screen = of_turn(observation, hints)
        return screen.waits and pattern.matches(screen.live, screen.live)

    return matches


def _at_one_of(names: frozenset[str]) -> Callable[[Observation, ObservationHints], bool]:
    wanted = tuple(prompt for prompt in _KNOWN_PROMPTS if prompt.name in names)

    def matches(observation: Observation, hints: ObservationHints) -> bool:
        return live_prompt(wanted, of_turn(observation, hints)) is not None

    return matches
