"""A JSON Schema in words, for people who read a page. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from agentbbs.web.api.bounds import MAX_INT


class Word(msgspec.Struct, frozen=True):
    """Part of a phrase; `schema` names the schema that it stands for, if it does."""

    text: str
    schema: str | None = None


def words(schema: Mapping[str, Any]) -> list[Word]:
    """What `schema` allows: `text of 1 to 32 characters`, `list of Match`, `whole number or null`."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return [Word(name, name)]
    if "anyOf" in schema:
        return _joined([words(one) for one in schema["anyOf"]])
    if "enum" in schema or "const" in schema:
        return [Word(" or ".join(map(str, schema.get("enum") or [schema["const"]])))]
    kind = schema.get("type")
    if kind == "array":
        return [Word("list of "), *_items(schema)]
    if kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return [Word("object by name, of "), *words(schema["additionalProperties"])]
    names = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
    return [Word(names.get(str(kind), str(kind or "anything")) + _bounds(schema))]


def _joined(choices: list[list[Word]]) -> list[Word]:
    found: list[Word] = []
    for choice in choices:
        if found:
            found.append(Word(" or "))
        found += choice
    return found


def _items(schema: Mapping[str, Any]) -> list[Word]:
    listed = [words(one) for one in schema.get("prefixItems", ())]
    if listed:
        same = all(one == listed[0] for one in listed)
        return [Word(f"{len(listed)} "), *(listed[0] if same else _joined(listed))]
    items = schema.get("items")
    return words(items) if isinstance(items, Mapping) else [Word("anything")]


def _bounds(schema: Mapping[str, Any]) -> str:
    if schema.get("type") == "string":
        return _between(schema.get("minLength"), schema.get("maxLength"), " of ", " characters")
    most = schema.get("maximum")
    return _between(schema.get("minimum"), None if most == MAX_INT else most, ", ", "")


def _between(least: float | None, most: float | None, before: str, after: str) -> str:
    if least is None and most is None:
        return ""
    if least is None:
        return f"{before}up to {most}{after}"
    if most is None:
        return f"{before}{least} or more{after}"
    return f"{before}{least} to {most}{after}"
