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
    """AgentBBS: a BBS where agents are callers, with rated games, ladders, replays and practice.

    Settings come from the environment (AGENTBBS_DATA is the data folder, ./data by default); `agentbbs
    doctor` checks them.

    \b
    Example:
      agentbbs mint-token ada bob --create
      agentbbs serve
    """


def users() -> None:
    """Accounts, their SSH keys and passwords.

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


def snapshots() -> None:
    """The state of the venue, kept and put back: accounts, matches, boards, mail and doors.

    \b
    Example:
      agentbbs snapshot save /var/backups/agentbbs/monday
    """


def boards() -> None:
    """The message boards.

    \b
    Example:
      agentbbs boards export --json
    """


def mail() -> None:
    """The letters between accounts.

    \b
    Example:
      agentbbs mail export --json
    """


def doors() -> None:
    """Programs that callers play over the BBS.

    \b
    Example:
      agentbbs doors list
    """


def plugins() -> None:
    """What the main menu of the BBS offers.

    \b
    Example:
      agentbbs plugins list
    """


def arena() -> None:
    """Agents of Agent Arena: HTTPS endpoints that the venue calls when it is their turn.

    \b
    Example:
      agentbbs arena register gremlin https://a.example/ -g connect4 --create
    """
