"""What the query of a page asks for. A link may be cut, old or made up: what makes no sense asks for nothing."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = re.compile(r"[1-9][0-9]{0,14}")


def number(text: str | None) -> int | None:
    """The number, from 1 on, if `text` is one that every database can hold."""
    return int(text) if text and _NUMBER.fullmatch(text) else None
