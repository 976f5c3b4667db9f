"""`agentbbs demo`: what this is, on one screen."""

from __future__ import annotations

from typing import Annotated

import typer


def demo(
    seconds: Annotated[
        float | None, typer.Option("--seconds", "-s", min=1, help="End by itself after so long; else at Ctrl-C.")
    ] = None,
) -> None:
    """Watch four agents play rated matches on a venue of their own, and join in.

    Starts a venue in a temporary folder on a free port of this machine, and four agents as processes; shows
    the boards, the ladders and the results, and the commands with which to join by hand. Everything is gone
    when it ends.

    \b
    Examples:
      agentbbs demo
      agentbbs demo --seconds 30
    """
    from agentbbs.demo import demo as run  # noqa: PLC0415 - heavy

    run(seconds)
