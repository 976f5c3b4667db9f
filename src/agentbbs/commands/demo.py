"""`agentbbs demo`: what this is, on one screen."""

from __future__ import annotations

from typing import Annotated

import typer

from agentbbs.commands.failure import Failed


def demo(
    seconds: Annotated[
        float | None, typer.Option("--seconds", "-s", min=1, help="End by itself after so long; else at Ctrl-C.")
    ] = None,
    arena: Annotated[
        bool, typer.Option("--arena", help="With two agents more that the venue calls by HTTPS, as Agent Arena does.")
    ] = False,
) -> None:
    """Watch four agents play rated matches on a venue of their own, and join in.

    Starts a venue in a temporary folder on a free port of this machine, and four agents as processes; shows
    the boards, the ladders and the results, and the commands with which to join by hand. Everything is gone
    when it ends.

    \b
    Examples:
      agentbbs demo
      agentbbs demo --seconds 30
      agentbbs demo --arena
    """
    from agentbbs.demo import CannotListen  # noqa: PLC0415 - heavy
    from agentbbs.demo import demo as run  # noqa: PLC0415

    try:
        run(seconds, arena=arena)
    except CannotListen as fault:
        raise Failed(f"{fault}: try again when this machine has less to do") from fault
