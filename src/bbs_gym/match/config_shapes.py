"""Whether a table has the shape of a match: every wrong field, not the first alone."""

from __future__ import annotations

import copy
import difflib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import inspect

from bbs_gym.match.config_faults import Fault, shown
from bbs_gym.match.settings import MatchSettings

MAX_FAULTS: Final = 20
"""More at once and nobody reads them."""

_PLACE: Final = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<place>[^`]*)`)?$", re.DOTALL)
_STEP: Final = re.compile(r"\[(\d+)\]|(\[\.\.\.\])|\.?([^.\[\]]+)")
_QUOTED: Final = re.compile(r"`([^`]*)`|'([^']*)'")

_STAND_INS: Final[Mapping[str, Any]] = {
    "str": "stand-in",
    "int": 1,
    "float": 1.0,
    "bool": False,
    "array": [],
    "object": {},
    "Path": "x",
}
"""By the type that was expected: what takes the place of a wrong value while the others are looked at."""

_WORDS: Final[Mapping[str, str]] = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "Path": "a path, as a string",
}

Key = str | int


def shape_faults(table: dict[str, Any]) -> tuple[MatchSettings | None, tuple[Fault, ...]]:
    """The settings, and the faults: with any, the settings have something else in their place, and are there to be
    looked at further, or None. Values are not looked at beyond their types."""
    rest = copy.deepcopy(table)
    faults: list[Fault] = []
    while len(faults) < MAX_FAULTS:
        try:
            settings = msgspec.convert(rest, MatchSettings, dec_hook=_path)
        except msgspec.ValidationError as error:
            fault = _fault(str(error), rest)
            if fault in faults:  # its stand-in was no better
                break
            faults.append(fault)
        else:
            return settings, tuple(faults)
    return None, tuple(faults)


def _path(kind: type[Any], value: object) -> Any:
    if kind is Path and isinstance(value, str):
        return Path(value)
    raise ValueError(f"Expected `Path`, got `{type(value).__name__}`")


def _fault(message: str, table: dict[str, Any]) -> Fault:
    """The fault that msgspec tells of, taken out of `table`."""
    match = _PLACE.match(message)
    assert match is not None  # it matches everything
    what, keys = match["what"], _keys(match["place"] or "", table, match["what"])
    named = [first or second for first, second in _QUOTED.findall(what)]
    if what.startswith("Object missing"):
        _owner(table, keys)[named[0]] = [] if named[0] == "participants" else _STAND_INS["str"]
        return Fault(_place([*keys, named[0]]), "is missing", "add it")
    if what.startswith("Object contains unknown"):
        value = _owner(table, keys).pop(named[0])
        return Fault(_place([*keys, named[0]]), f"= {shown(value)} means nothing", _near(named[0], _fields(keys)))
    owner, key = _owner(table, keys[:-1]), keys[-1] if keys else ""
    value = owner[key]
    expected = named[0].partition(" | ")[0] if what.startswith("Expected") and named else ""
    owner[key] = copy.copy(_STAND_INS.get(expected))
    if what.startswith("Invalid enum"):
        words = _enum_words(keys)
        owner[key] = words[0] if words else None
        return Fault(_place(keys), f"is {shown(value)}", f"give one of {', '.join(words)}")
    wanted = " or ".join(_WORDS.get(one, one) for one in named[0].split(" | ") if one != "null") if named else what
    return Fault(_place(keys), f"is {shown(value)}", f"give {wanted}")


def _keys(place: str, table: Any, what: str) -> list[Key]:
    """`participants[0].variables[...]` as keys; which of a table's values it is, is found out."""
    found: list[Key] = []
    at = table
    for number, anyone, name in _STEP.findall(place):
        key: Key = int(number) if number else name
        if anyone:
            key = _culprit(at, what)
        found.append(key)
        at = at[key]
    return found


def _culprit(table: Mapping[str, Any], what: str) -> str:
    """The first value that is not of the type that was expected."""
    kind = {"str": str, "int": int}.get((_QUOTED.findall(what) or [("", "")])[0][0], object)
    return next((key for key, value in table.items() if not isinstance(value, kind)), next(iter(table)))


def _owner(table: Any, keys: Iterable[Key]) -> Any:
    for key in keys:
        table = table[key]
    return table


def _place(keys: Iterable[Key]) -> str:
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
    return text.removeprefix(".") or "the file"


def _near(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=2, cutoff=0.6)
    return f"did you mean {' or '.join(near)}?" if near else f"remove it; there are {', '.join(known)}"


def _type_at(keys: Iterable[Key]) -> Any:
    """What the settings have there."""
    at: Any = inspect.type_info(MatchSettings)
    for key in keys:
        if isinstance(at, inspect.UnionType):
            at = next(kind for kind in at.types if not isinstance(kind, inspect.NoneType))
        if isinstance(at, inspect.StructType):
            at = next(field.type for field in at.fields if field.encode_name == key)
        else:
            at = at.item_type if isinstance(key, int) else at.value_type
    if isinstance(at, inspect.UnionType):
        at = next(kind for kind in at.types if not isinstance(kind, inspect.NoneType))
    return at


def _fields(keys: Iterable[Key]) -> list[str]:
    return [field.encode_name for field in _type_at(keys).fields]


def _enum_words(keys: Iterable[Key]) -> list[str]:
    return [str(word.value) for word in _type_at(keys).cls]
