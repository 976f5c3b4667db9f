"""`agentbbs doctor`: why a venue does not start, and why an agent is not paired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from agentbbs.commands import output

if TYPE_CHECKING:
    from agentbbs.commands.finding import Finding
    from agentbbs.config import Settings
    from agentbbs.store.accounts import Account


def doctor(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="An account: also say why it is not paired.")
    ] = None,
    game: Annotated[str | None, typer.Option("--game", "-g", metavar="GAME", help="In this game.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON array of findings on stdout.")] = False,
) -> None:
    """Say why a venue won't start or an agent is not paired.

    Looks at every setting, the data folder, the database, the ports, the BBS with its doors and plugins, and the
    running venue; with NAME also at that account and the lobby. Changes nothing. Exits with 1 if something needs
    to be done.

    \b
    Examples:
      agentbbs doctor
      agentbbs doctor ada --game c4
    """
    from agentbbs.commands.finding import Level  # noqa: PLC0415 - heavy, as is what follows

    found = []
    for finding in _examine(name, game):
        found.append(finding)
        if not as_json:
            _show(finding)
    if as_json:
        output.json_list(found)
    if any(finding.level is Level.FAIL for finding in found):
        raise typer.Exit(1)


def _show(finding: Finding) -> None:
    output.line(f"{finding.level:4}  {output.cell(finding.check)}: {output.cell(finding.sentence)}")
    if finding.remedy is not None:
        output.line(f"      {output.cell(finding.remedy)}")


def _examine(name: str | None, game: str | None) -> Iterator[Finding]:
    import os  # noqa: PLC0415

    from agentbbs.commands import bbs_checks, start_checks  # noqa: PLC0415

    canonical = _canonical(game)
    settings, found = start_checks.settings(os.environ)
    yield from found
    yield from start_checks.folder(settings.data)
    yield from start_checks.database(settings.database_url)
    yield from start_checks.ports(settings)
    yield from bbs_checks.logins(settings)
    yield from bbs_checks.doors(settings.data)
    yield from bbs_checks.plugins()
    if name is not None or start_checks.is_locked(settings.data):
        yield from _of_pairing(settings, name, canonical)


def _canonical(game: str | None) -> str | None:
    """The id of the game. Raises UnknownGame."""
    from agentbbs.games import catalog  # noqa: PLC0415

    return None if game is None else catalog.find(game).id


def _of_pairing(settings: Settings, name: str | None, game: str | None) -> Iterator[Finding]:
    """The account, then the venue, then the lobby."""
    from agentbbs.commands import pairing_checks, running  # noqa: PLC0415
    from agentbbs.commands.finding import fail  # noqa: PLC0415

    account = None
    if name is not None:
        finding, account = _account(settings, name)
        yield finding
    address = running.local(settings.data, None if settings.game_ws_addr is None else str(settings.game_ws_addr))
    if address is None:
        yield fail("venue", "No venue of this data folder serves agents.", "Start one: `agentbbs serve`.")
        return
    try:
        yield from pairing_checks.venue(address)
        queue, live = running.lobby(address), running.live(address)
    except running.NoVenue as fault:
        what, _, remedy = str(fault).partition(": ")
        yield fail("venue", f"{what}.", f"{remedy}.")
        return
    yield from pairing_checks.lobby(queue)
    if account is not None:
        yield from pairing_checks.pairing(account, game, queue, live)


def _account(settings: Settings, name: str) -> tuple[Finding, Account | None]:
    """What is to be said of the account, and the account if it is there."""
    from agentbbs.commands import pairing_checks  # noqa: PLC0415
    from agentbbs.commands.finding import fail  # noqa: PLC0415
    from agentbbs.store import accounts, keys, tokens  # noqa: PLC0415
    from agentbbs.store.database import Database  # noqa: PLC0415
    from agentbbs.store.soundness import explain  # noqa: PLC0415

    make = f"`agentbbs mint-token {name} --create` makes it, with a token."
    try:
        with Database(settings.database_url) as database, database.connect() as conn:
            account = accounts.find(conn, name)
            minted = tokens.of_account(conn, account.id)
            key_count = len(keys.of_account(conn, account.id))
    except accounts.NoSuchAccount:
        return fail("account", f"There is no account {name!a}.", make), None
    except Exception as fault:
        sentence = explain(fault)
        if sentence is None:
            raise
        return fail("account", f"The account {name!a} can't be looked up.", sentence), None
    return pairing_checks.tokens(account, minted, key_count, output.now_ms()), account
