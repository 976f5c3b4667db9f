"""Who was in a door, by the state of its game: for each player a mark that only its own play changes. Pure.

Starlane tells it by its journal: a pilot's own orders, of which entering is one. Other games are known by a list
`players` with a name each; of these the fields count that the player's own visits change, if they are there, else
only that the player is new.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

OWN_FIELDS: Final = ("record", "sector", "LastOnDay", "last_on_day", "TimeToday", "visits", "session")
"""What others can't change from outside: not turns, which an operator grants, and not goods, which an attack takes."""

_NAMES: Final = ("alias", "name", "player")


def visits(exported: object) -> dict[str, str]:
    """By the player's name, its mark; a game that says nothing has no players."""
    if not isinstance(exported, Mapping):
        return {}
    if isinstance(exported.get("pilots"), list):
        return _starlane(exported)
    listed = exported.get("players")
    if not isinstance(listed, list):
        return {}
    return {name: _mark(one) for one in listed if isinstance(one, Mapping) and (name := _name(one))}


def _starlane(exported: Mapping[str, Any]) -> dict[str, str]:
    orders: dict[object, list[object]] = {}
    for entry in _rows(exported.get("journal")):
        orders.setdefault(entry.get("pilot"), []).append(
            (entry.get("seq"), entry.get("session"), str(entry.get("order")))
        )
    return {
        str(pilot.get("name", "")): f"{pilot.get('session')} {orders.get(pilot.get('id'), [])}"
        for pilot in _rows(exported["pilots"])
    }


def _rows(listed: object) -> list[Mapping[str, Any]]:
    return [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []


def _name(one: Mapping[str, Any]) -> str:
    return next((str(one[name]) for name in _NAMES if one.get(name)), "")


def _mark(one: Mapping[str, Any]) -> str:
    return msgspec.json.encode([[name, one[name]] for name in OWN_FIELDS if name in one]).decode()
