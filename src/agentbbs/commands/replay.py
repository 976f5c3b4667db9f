"""`agentbbs replay`: a finished match, move by move."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from agentbbs.commands import output
from agentbbs.commands.failure import Failed
from agentbbs.commands.opened import store

if TYPE_CHECKING:
    from agentbbs.play.replay import SavedMatch


def replay(
    match: Annotated[str, typer.Argument(metavar="ID", help="The match's id, or how it begins.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="The saved match as one JSON object, for `agentbbs verify-replay`.")
    ] = False,
    auto: Annotated[
        float | None, typer.Option("--auto", metavar="SECONDS", min=0, max=60, help="Go on by itself.")
    ] = None,
) -> None:
    """Replay a finished match, move by move.

    In a terminal: Enter, space or right for the next position, b or left for the one before, g and G for the
    first and the last, q to quit. Elsewhere it prints every position.

    \b
    Examples:
      agentbbs replay 018f3d
      agentbbs replay 018f3d --json > match.json
    """
    saved = _find(match)
    if as_json:
        output.json_value(saved)
        return
    from agentbbs.commands.keyboard import keyboard  # noqa: PLC0415
    from agentbbs.commands.stepper import walk  # noqa: PLC0415
    from agentbbs.play.frames import frames  # noqa: PLC0415
    from agentbbs.play.replay import NotAReplay  # noqa: PLC0415

    try:
        screens = [frame.text() for frame in frames(saved, output.moment(saved.started))]
    except NotAReplay as fault:
        raise Failed(f"this match can't be shown: {fault}; --json prints it") from fault
    terminal = sys.stdout.isatty()
    if auto is None and terminal and sys.stdin.isatty():
        with keyboard() as read_key:
            walk(screens, read_key)
        return
    for number, screen in enumerate(screens):
        if number and auto is not None:
            time.sleep(auto)
        output.screen(screen, redraw=terminal and auto is not None)


def _find(match: str) -> SavedMatch:
    """The stored match. Raises Failed."""
    from agentbbs.play import replay as saved_match  # noqa: PLC0415
    from agentbbs.store import history  # noqa: PLC0415

    with store() as database, database.connect() as conn:
        try:
            stored = history.match(conn, match)
        except history.NoSuchMatch as fault:
            raise Failed(f"{fault}; one that is missing is still on (`agentbbs watch`) or was void") from fault
        except history.AmbiguousMatch as fault:
            raise Failed(str(fault)) from fault
    return saved_match.of(stored.match, stored.ratings_before, stored.ratings_after)
