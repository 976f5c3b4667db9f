"""What stands below a field in the source, which Python does not keep: the sentences of the OpenAPI document."""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import cache


@cache
def field_docs(kind: type) -> dict[str, str]:
    """The docstrings of the fields of a class and of those that it derives from, by name, each as one line. Empty
    where there is no source to look at."""
    found: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        found.update(_own(one))
    return found


def _own(kind: type) -> dict[str, str]:
    try:
        source = textwrap.dedent(inspect.getsource(kind))
    except (OSError, TypeError):
        return {}
    (definition,) = ast.parse(source).body
    if not isinstance(definition, ast.ClassDef):
        return {}
    found = {}
    for field, below in zip(definition.body, definition.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            text = below.value.value if isinstance(below.value, ast.Constant) else None
            if isinstance(text, str):
                found[field.target.id] = " ".join(text.split())
    return found
