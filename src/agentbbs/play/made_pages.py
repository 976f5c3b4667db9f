"""What the pages and schemas that are made from the code's tables have in common: tables, types, writing, checking."""

from __future__ import annotations

import argparse
import ast
import inspect
import sys
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

SCHEMAS: Final = Path("docs/schema")

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table, with its last line end."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def sentences(thing: object) -> str:
    """The docstring of `thing` on one line."""
    return " ".join((inspect.getdoc(thing) or "").split())


def type_name(kind: Any) -> str:
    """The JSON type of a field, as a reader calls it."""
    schema = msgspec.json.schema(kind) if kind is not Any else {}
    options = schema.get("anyOf", [schema])
    return " or ".join(_one_type(option) for option in options)


def _one_type(option: dict[str, Any]) -> str:
    if "$ref" in option:
        name: str = option["$ref"].rsplit("/", 1)[-1]
        return "string" if name == "Termination" else name
    return str(option.get("type", "any"))


def field_notes(message: type[msgspec.Struct]) -> dict[str, str]:
    """What the class says below each of its fields; a field of which it says nothing is left out."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(message))).body
    if not isinstance(definition, ast.ClassDef):
        raise TypeError(f"{message} is no class")
    notes = {}
    for field, note in zip(definition.body, definition.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(note, ast.Expr)
            and isinstance(note.value, ast.Constant)
        ):
            notes[field.target.id] = " ".join(str(note.value.value).split())
    return notes


def any_of(kinds: Iterable[type[msgspec.Struct]]) -> str:
    """The JSON Schema of a value that is one of these messages."""
    parts, components = msgspec.json.schema_components(kinds)
    schema = {"$schema": _DIALECT, "anyOf": list(parts), "$defs": components}
    return indented(msgspec.json.encode(schema))


def schema_of(schema: Mapping[str, Any]) -> str:
    """A JSON Schema that is written out."""
    return indented(msgspec.json.encode({"$schema": _DIALECT, **schema}))


def indented(data: bytes) -> str:
    """JSON for a reader, with its last line end."""
    return msgspec.json.format(data, indent=2).decode() + "\n"


def write_or_check(files: Mapping[Path, str], program: str, description: str | None) -> int:
    """Write the files that are not up to date, or with the argument `--check` name them; the exit status."""
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=description)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is out of date")
    check = parser.parse_args().check
    stale = {path: text for path, text in files.items() if not path.exists() or path.read_text() != text}
    for path, text in stale.items():
        if check:
            sys.stderr.write(f"{path} is out of date: run `make docs`\n")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return 1 if check and stale else 0
