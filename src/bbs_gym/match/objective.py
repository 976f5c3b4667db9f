"""The objective of a participant, filled in from the match's template. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

BUILT_IN: Final = ("agent_id", "alias", "match", "rivals")
"""What every template may name, beside the participant's variables."""

ALONE: Final = "nobody"
"""What `{rivals}` is where there are none."""

_PIECE: Final = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


class BadTemplate(ValueError):
    """The template can't be filled in; the text names what is wrong and what may be named."""


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with each `{name}` replaced; `{{` and `}}` are braces. Raises BadTemplate, which names all names
    that have no value, and a brace that stands alone. What is put in is not looked at again."""
    unknown = [name for name in names_of(template) if name not in values]
    if unknown:
        shown = ", ".join(f"{{{name}}}" for name in dict.fromkeys(unknown))
        known = ", ".join(f"{{{name}}}" for name in sorted(values))
        raise BadTemplate(f"{shown} has no value: name {known}, or write {{{{ and }}}} for braces as such")
    return _PIECE.sub(lambda piece: _put_in(piece, values), template)


def names_of(template: str) -> tuple[str, ...]:
    """The names in braces, in order. Raises BadTemplate for a brace that stands alone."""
    found: list[str] = []
    for piece in _PIECE.finditer(template):
        if piece[1] is not None:
            found.append(piece[1])
        elif len(piece[0]) == 1:
            place = template[max(0, piece.start() - 15) : piece.end() + 15]
            raise BadTemplate(f"a brace stands alone in {place!r}: write {{{{ or }}}} for one")
    return tuple(found)


def _put_in(piece: re.Match[str], values: Mapping[str, str]) -> str:
    return piece[0][0] if piece[1] is None else values[piece[1]]
