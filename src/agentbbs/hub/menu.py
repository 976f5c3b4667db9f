"""The main menu: what the visitor may use, by hotkeys; and the way back to it, whatever a plugin does."""

from __future__ import annotations

import asyncio
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec
import structlog

from agentbbs.calls.line import LineGone
from agentbbs.hub import moments
from agentbbs.hub.plugin import Access, Plugin
from agentbbs.hub.text import Span, Style, Text, plain
from agentbbs.hub.visit import Visit
from agentbbs.store import mail

LOG_OFF: Final = "Q"
AGAIN: Final = "?"

COLUMN_CELLS: Final = 38
"""Of one entry: two on a line of 80 columns."""

MAX_COLUMNS: Final = 3
"""More can't be taken in at a glance."""

_GROUPS: Final = {Access.GUEST: "For everybody", Access.MEMBER: "For members", Access.SYSOP: "For sysops"}
_KEYS: Final = string.ascii_uppercase + string.digits

_log = structlog.get_logger(__name__)


class Entry(msgspec.Struct, frozen=True):
    """A line of the menu."""

    key: str
    plugin: Plugin


def entries(plugins: Iterable[Plugin]) -> tuple[Entry, ...]:
    """Each plugin with a key of its own: the one that it would like, else a letter of its title, else any that is left.
    Keys are given out over all plugins, so that each has the same one whoever looks. What gets none is left out."""
    left = [char for char in _KEYS if char != LOG_OFF]
    keyed: list[Entry] = []
    waiting: list[Plugin] = []
    for plugin in plugins:
        key = plugin.key.upper()
        if key in left:
            left.remove(key)
            keyed.append(Entry(key, plugin))
        else:
            waiting.append(plugin)
    for plugin in waiting:
        key = next((char for char in plugin.title.upper() if char in left), left[0] if left else "")
        if not key:
            _log.error("plugin_without_key", plugin=plugin.id)
            continue
        left.remove(key)
        keyed.append(Entry(key, plugin))
    return tuple(keyed)


def allowed(visit: Visit) -> Access:
    """What the visitor may use."""
    if visit.visitor.guest:
        return Access.GUEST
    return Access.SYSOP if visit.visitor.sysop else Access.MEMBER


async def run(visit: Visit) -> None:
    """The menu, until the visitor logs off. Raises LineGone."""
    caller, board = visit.caller, visit.board
    all_entries = entries(board.plugins)
    show = True
    while True:
        mine = {entry.key: entry.plugin for entry in all_entries if entry.plugin.access <= allowed(visit)}
        caller.idle_limit_s = board.settings.idle_limit_s
        board.presence.set_doing(visit.node, "at the main menu")
        if show:
            await _show(visit, mine)
        caller.write(Span("Main menu: ", Style.LABEL))
        key = await caller.hotkey("".join(mine) + LOG_OFF + AGAIN)
        show = True
        if key == LOG_OFF:
            if await caller.yes_no("Log off?", default=True):
                return
            show = False
        elif key != AGAIN:
            await enter(visit, mine[key])


async def enter(visit: Visit, plugin: Plugin) -> None:
    """One stay in a plugin. Whatever goes wrong in it is logged, the caller told, and the visit goes on. Raises
    LineGone."""
    visit.board.presence.set_doing(visit.node, f"in {plugin.title}")
    try:
        await plugin.run(visit)
    except LineGone:
        raise
    except asyncio.CancelledError as fault:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise  # it is the visit that is cancelled, not something of the plugin's
        _failed(visit, plugin, fault)
    except BaseExceptionGroup as group:
        gone = group.subgroup(LineGone)
        if gone is not None or not isinstance(group, Exception):
            raise _first(gone or group) from group
        _failed(visit, plugin, group)
    except (Exception, SystemExit) as fault:  # a stranger's plugin must not end the visit, still less the venue
        _failed(visit, plugin, fault)
    else:
        return
    caller = visit.caller
    caller.say()
    caller.say(Span(f"{plugin.title} is out of order. The sysop finds the reason in the log.", Style.BAD))
    await caller.pause()


def _failed(visit: Visit, plugin: Plugin, fault: BaseException) -> None:
    _log.error("plugin_failed", plugin=plugin.id, node=visit.node, account=visit.visitor.name, exc_info=fault)


def _first(group: BaseException) -> BaseException:
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return group


async def _show(visit: Visit, mine: Mapping[str, Plugin]) -> None:
    caller, board = visit.caller, visit.board
    unread = 0
    if visit.visitor.account is not None:
        unread = await board.database.look_up(mail.count_unread, visit.visitor.account)
    caller.clear()
    caller.say(header(visit, unread))
    broken = [plugin.id for plugin in board.broken] if not visit.visitor.guest else []
    await caller.show(lines(mine, caller.columns, broken))


def header(visit: Visit, unread: int) -> Text:
    """One line: the board, the visitor, the node, letters that wait, the time."""
    board, columns = visit.board, visit.caller.columns
    left = f" {board.settings.name}"
    mail_waits = f"Mail {unread}" if unread else ""
    here = f"{len(board.presence.everyone())} here"
    parts = (visit.visitor.name, f"Node {visit.node}", mail_waits, here, moments.clock(board.now_ms()))
    right = "  ".join(part for part in parts if part) + " "
    gap = columns - len(left) - len(right)
    return Span(left + " " * gap + right if gap > 0 else right.strip(), Style.BAR)


def lines(mine: Mapping[str, Plugin], columns: int, broken: Sequence[str] = ()) -> list[Text]:
    """The menu for a screen of so many columns."""
    across = max(min(columns // COLUMN_CELLS, MAX_COLUMNS), 1)
    shown: list[Text] = []
    for access, title in _GROUPS.items():
        cells: list[Text] = [
            (" ", Span(f"[{key}]", Style.KEY), f" {plugin.title}")
            for key, plugin in mine.items()
            if plugin.access is access
        ]
        if cells:
            shown += ["", Span(title, Style.TITLE), *_in_columns(cells, across)]
    last: list[Text] = [
        (" ", Span(f"[{LOG_OFF}]", Style.KEY), " Log off"),
        (" ", Span(f"[{AGAIN}]", Style.KEY), " This menu"),
    ]
    shown += ["", *_in_columns(last, across)]
    if broken:
        shown += ["", Span("Out of order: " + ", ".join(broken), Style.DIM)]
    return [*shown, ""]


def _in_columns(cells: Sequence[Text], across: int) -> list[Text]:
    rows: list[Text] = []
    for start in range(0, len(cells), across):
        row: list[Text] = []
        for cell in cells[start : start + across]:
            row += [cell, " " * max(COLUMN_CELLS - len(plain(cell)), 1)]
        rows.append(tuple(row[:-1]))
    return rows
