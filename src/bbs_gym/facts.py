"""Visible facts: what a screen says of the player's state, read from its text. They annotate, and never gate."""

from __future__ import annotations

import msgspec


class Facts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was found on one screen; None is not shown there."""

    game: str | None = None
    sector: int | None = None
    turns: int | None = None
    credits: int | None = None
    fighters: int | None = None
    holds: int | None = None
    free_holds: int | None = None
    cargo: dict[str, int] = {}
    node: int | None = None
    minutes_left: int | None = None
    safe_to_act: bool | None = None
    """The screen asks for input that can do no harm by accident; None: can't tell."""
