"""Every plugin of the house, and those that others add by the entry-point group `agentbbs.plugins`.

A third party's package names its plugin in its own pyproject.toml; the value is a `Plugin`, made already:

    [project.entry-points."agentbbs.plugins"]
    fortune = "their_package.fortune:PLUGIN"

One that can't be loaded, or is none, does not keep the board from opening: it is logged, and the menu names it as out
of order.
"""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import entry_points
from typing import Any, Final, cast

import msgspec
import structlog

from agentbbs.hub.plugin import Access, Plugin
from tty_agent.terminal.inert import inert

ENTRY_POINTS: Final = "agentbbs.plugins"
"""The entry-point group in which other packages name their plugins."""

MAX_TITLE_CHARS: Final = 24
"""What a column of the menu has room for."""

ID: Final = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,22}[a-z0-9])?")
"""An id: up to 24 lower-case letters, digits and inner hyphens or underscores."""

HOUSE: Final = (
    "boards",
    "mail",
    "chat",
    "agentgames",
    "doors",
    "online",
    "oneliners",
    "last_callers",
    "profile",
    "sysop",
)
"""The house's own, in the order of the menu: each is `PLUGIN` of `agentbbs.hub.plugins.ID`."""

_log = structlog.get_logger(__name__)


class Broken(msgspec.Struct, frozen=True):
    """A plugin that can't be used, by the name of its entry."""

    id: str
    fault: str
    """For the sysop."""


class Found(msgspec.Struct, frozen=True):
    """What there is."""

    plugins: tuple[Plugin, ...]
    broken: tuple[Broken, ...] = ()


class NoPlugin(TypeError):
    """An object that keeps not the contract of `Plugin`; the text says in what."""


def find(house: Iterable[str] = HOUSE) -> Found:
    """Load the house's plugins, then those of installed packages by name. Logs each that is broken."""
    loaders: list[tuple[str, Callable[[], object]]] = [(name, _house_loader(name)) for name in house]
    points = sorted(entry_points(group=ENTRY_POINTS), key=lambda point: (point.name, point.value))
    loaders += [(point.name, point.load) for point in points]
    return load(loaders)


def load(loaders: Iterable[tuple[str, Callable[[], object]]]) -> Found:
    """Load plugins, each by its name and what gives the object. Logs each that is broken."""
    plugins: dict[str, Plugin] = {}
    broken: list[Broken] = []
    for name, loader in loaders:
        try:
            plugins[name] = _loaded(name, loader, plugins)
        except (Exception, SystemExit) as fault:  # whatever a stranger's module raises is the news
            _log.exception("plugin_broken", plugin=name)
            broken.append(Broken(name, f"{type(fault).__name__}: {fault}"))
    return Found(tuple(plugins.values()), tuple(broken))


def _loaded(name: str, loader: Callable[[], object], others: Mapping[str, Plugin]) -> Plugin:
    plugin = checked(loader())
    if plugin.id != name:
        raise NoPlugin(f"it calls itself {plugin.id!r}, not {name!r}")
    if name in others:
        raise NoPlugin("there is a plugin of that name already")
    return plugin


def checked(plugin: object) -> Plugin:
    """`plugin`, if it keeps the contract. Raises NoPlugin."""
    if isinstance(plugin, type):
        raise NoPlugin("it is a class: name an instance")
    for field in ("id", "title", "key", "access", "run"):
        if not hasattr(plugin, field):
            raise NoPlugin(f"it has no {field!r}")
    found: Any = plugin
    for wrong, fault in (
        (not isinstance(found.id, str) or ID.fullmatch(found.id) is None, f"its id does not match {ID.pattern}"),
        (not _is_title(found.title), f"its title has not 1 to {MAX_TITLE_CHARS} characters that can be shown"),
        (not _is_key(found.key), "its key is not one letter or digit"),
        (not isinstance(found.access, Access), "its access is no agentbbs.hub.plugin.Access"),
        (not inspect.iscoroutinefunction(found.run), "its run is not written as `async def run(self, visit)`"),
    ):
        if wrong:
            raise NoPlugin(fault)
    return cast("Plugin", plugin)


def _is_title(title: object) -> bool:
    return isinstance(title, str) and 0 < len(title) <= MAX_TITLE_CHARS and inert(title) == title


def _is_key(key: object) -> bool:
    return isinstance(key, str) and len(key) == 1 and key.isascii() and key.isalnum()


def _house_loader(name: str) -> Callable[[], object]:
    return lambda: pkgutil.resolve_name(f"agentbbs.hub.plugins.{name}:PLUGIN")
