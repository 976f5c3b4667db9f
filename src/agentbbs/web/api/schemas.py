"""msgspec types as JSON Schema, with the docstrings of their fields."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec import inspect

from agentbbs.web.api.field_docs import field_docs

_REF: Final = "#/components/schemas/{name}"


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter of a query."""

    name: str
    required: bool
    schema: dict[str, Any]
    description: str


class Schemas:
    """The schemas of `types` and of everything that they are made of."""

    def __init__(self, types: Sequence[Any]) -> None:
        structs = list(_structs(inspect.multi_type_info(types)))
        wanted = [*types, *structs]
        found, components = msgspec.json.schema_components(wanted, ref_template=_REF)
        self._components = components
        for kind, schema in zip(structs, found[len(types) :], strict=True):
            _describe(kind, components[schema["$ref"].rpartition("/")[2]])
        self._of = list(zip(wanted, found, strict=True))

    def of(self, kind: Any) -> dict[str, Any]:
        """The schema of one of the types: a reference, or what stands there."""
        return next(copy.deepcopy(schema) for known, schema in self._of if known == kind)

    def components(self) -> dict[str, Any]:
        """All that is referred to, by name."""
        return self._components

    def fields(self, query: type[msgspec.Struct]) -> list[Field]:
        """The parameters of a query, each with a schema that stands for itself. A parameter is absent, never null."""
        (root,), components = msgspec.json.schema_components([query], ref_template=_REF)
        known = components[root["$ref"].rpartition("/")[2]]
        about = field_docs(query)
        found = []
        for name, schema in known["properties"].items():
            whole = _never_null(_resolved(schema, components))
            said = schema.get("description") or about.get(name) or whole.get("description", "")
            bare = {key: value for key, value in whole.items() if key not in {"description", "title"}}
            required = name in known.get("required", ())
            found.append(Field(name=name, required=required, schema=bare, description=str(said)))
        return found


def _structs(known: Iterable[inspect.Type]) -> Iterator[type[msgspec.Struct]]:
    """Every struct that the types hold, once."""
    seen: set[type] = set()
    waiting = list(known)
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, inspect.StructType):
            if one.cls in seen:
                continue
            seen.add(one.cls)
            yield one.cls
            waiting.extend(field.type for field in one.fields)
        waiting.extend(_parts(one))


def _parts(kind: inspect.Type) -> Iterator[inspect.Type]:
    for attribute in ("type", "item_type", "key_type", "value_type"):
        part = getattr(kind, attribute, None)
        if isinstance(part, inspect.Type):
            yield part
    for attribute in ("types", "item_types"):
        yield from getattr(kind, attribute, ())


def _describe(kind: type[msgspec.Struct], schema: dict[str, Any]) -> None:
    about = field_docs(kind)
    for field in msgspec.structs.fields(kind):
        told = schema.get("properties", {}).get(field.encode_name)
        if told is not None and field.name in about and "description" not in told:
            told["description"] = about[field.name]


def _resolved(schema: Any, components: dict[str, Any]) -> Any:
    """`schema` with what it refers to in its place."""
    if isinstance(schema, list):
        return [_resolved(one, components) for one in schema]
    if not isinstance(schema, dict):
        return schema
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return _resolved(components[reference.rpartition("/")[2]], components)
    return {key: _resolved(value, components) for key, value in schema.items()}


def _never_null(schema: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in schema.items() if key != "default" or value is not None}
    choices = [one for one in kept.get("anyOf", ()) if one != {"type": "null"}]
    if len(choices) == 1:
        del kept["anyOf"]
        return {**choices[0], **kept}
    return {**kept, "anyOf": choices} if choices else kept
