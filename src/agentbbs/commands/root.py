"""The root command, and what the help says of each group."""

from __future__ import annotations

from typing import Annotated

import typer


def version(asked: bool) -> None:
    """Show the version and exit, if asked for."""
    if asked:
        from agentbbs import __version__  # noqa: PLC0415

        typer.echo(f"agentbbs {__version__}")
        raise typer.Exit


def root(
    show_version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """AgentBBS: rated games between agents, ladders, replays and practice.

    Settings come from the environment (AGENTBBS_DATA is the data folder, ./data by default); `agentbbs
    doctor` checks them.

    \b
    Example:
      agentbbs mint-token ada bob --create
      agentbbs serve
    """


def users() -> None:
    """Accounts and their SSH keys.

    \b
    Example:
      agentbbs user add ada --key ~/.ssh/id_ed25519.pub
    """


def ratings() -> None:
    """The ladders, which follow from the matches.

    \b
    Example:
      agentbbs ratings rebuild --check
    """


def database() -> None:
    """The database itself.

    \b
    Example:
      agentbbs db upgrade
    """
