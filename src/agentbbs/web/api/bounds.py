"""The bounds of what queries may ask for: whatever passes them, every database can take."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

MAX_INT: Final = 2**53 - 1
"""The largest number that every reader of JSON has exactly; SQLite takes larger ones."""

Offset = Annotated[int, msgspec.Meta(ge=0, le=MAX_INT, description="How many to pass over, the first ones.")]

Limit = Annotated[int, msgspec.Meta(ge=1, le=200, description="How many at most.")]

Before = Annotated[int, msgspec.Meta(ge=1, le=MAX_INT, description="Only what is older than the match of that `seq`.")]

GameName = Annotated[str, msgspec.Meta(min_length=1, max_length=32, description="A game, by its id or an alias.")]
