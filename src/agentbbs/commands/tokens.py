"""`agentbbs mint-token` and `agentbbs revoke-token`: what lets an agent in over WebSocket."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from agentbbs.commands import output
from agentbbs.commands.failure import Failed
from agentbbs.commands.opened import store


def mint_token(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Whose token; several are minted together.")],
    create: Annotated[bool, typer.Option("--create", help="Make the accounts that are not there yet.")] = False,
) -> None:
    """Make an API token for an account, and show it this once.

    Prints the token alone; with several names one `name token` a line. Either all are minted or none.
    Works while the venue runs, and before its first start.

    \b
    Example:
      export AGENTBBS_TOKEN=$(agentbbs mint-token ada --create)
    """
    from agentbbs.store import accounts, tokens  # noqa: PLC0415

    minted: list[tuple[str, str]] = []
    with store(make=True) as database, database.begin() as conn:
        now_ms = output.now_ms()
        for name in names:
            try:
                account = accounts.find(conn, name)
            except accounts.NoSuchAccount as fault:
                if not create:
                    raise Failed(
                        f"there is no account {name!a}: add --create to make it, or run `agentbbs user add {name}`"
                    ) from fault
                account = accounts.add(conn, name, now_ms=now_ms)
            minted.append((account.name, tokens.mint(conn, account.id, now_ms)))
    for name, token in minted:
        output.line(token if len(minted) == 1 else f"{name} {token}")


def revoke_token(
    token: Annotated[
        str | None,
        typer.Argument(metavar="TOKEN", help="The token, or its first 11 characters; '-' reads it from stdin."),
    ] = None,
    of: Annotated[str | None, typer.Option("--all", metavar="NAME", help="Every token of this account.")] = None,
) -> None:
    """End a token: no connection opens with it any more.

    `agentbbs user list --json` shows the first characters of each token. A token on the command line can be
    seen by others on this machine while the command runs: '-' keeps it from them.

    \b
    Examples:
      agentbbs revoke-token abbs_x1Y2z3
      agentbbs revoke-token --all ada
    """
    from agentbbs.store import accounts, tokens  # noqa: PLC0415

    if (token is None) == (of is None):
        raise Failed("which token? give one, '-' for stdin, or --all NAME")
    if token == "-":  # noqa: S105 - the name of stdin
        token = sys.stdin.readline().strip()
    with store() as database, database.begin() as conn:
        now_ms = output.now_ms()
        if of is not None:
            account = accounts.find(conn, of)
            revoked = tokens.revoke_all(conn, account.id, now_ms)
        else:
            ended = tokens.revoke(conn, token or "", now_ms)
            account = accounts.get(conn, ended.account_id)
            revoked = 1
    output.note(f"ended {revoked} token{'' if revoked == 1 else 's'} of {account.name}")
