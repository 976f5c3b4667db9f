"""What stands below a field in the source, which Python does not keep: the sentences of the OpenAPI document."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Mapping
from functools import cache


def field_docs(kind: type) -> dict[str, str]:
    """The docstrings of the fields of a class and of those that it derives from, by name, each as one line. Empty
    where there is no source to look at."""
    found: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        found.update(_of_module(one.__module__).get(one.__qualname__, {}))
    return found


@cache
def _of_module(name: str) -> Mapping[str, Mapping[str, str]]:
    """Of the classes of a module, by name. A module is parsed once, as that is what takes time."""
    if name.partition(".")[0] in sys.stdlib_module_names:
        return {}
    try:
        source = inspect.getsource(sys.modules[name])
    except (OSError, TypeError, KeyError):
        return {}
    return {one.name: _of_class(one) for one in ast.parse(source).body if isinstance(one, ast.ClassDef)}


def _of_class(definition: ast.ClassDef) -> Mapping[str, str]:
    found = {}
    for field, below in zip(definition.body, definition.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            text = below.value.value if isinstance(below.value, ast.Constant) else None
            if isinstance(text, str):
                found[field.target.id] = " ".join(text.split())
    return found
