"""`agentbbs nodes`: who is on the BBS."""

from __future__ import annotations

from typing import Annotated

import typer

from agentbbs.commands import output


def nodes(
    url: Annotated[
        str | None, typer.Option("--url", metavar="URL", help="The venue's game port; by default this data folder's.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON array on stdout.")] = False,
) -> None:
    """List who is on which node of the venue that runs, what they do, and since when.

    \b
    Examples:
      agentbbs nodes
      agentbbs nodes --json
    """
    from agentbbs.commands import running  # noqa: PLC0415 - heavy

    found = running.nodes(running.find(url))
    if as_json:
        output.json_list(found)
        return
    now_ms = output.now_ms()
    output.table(
        ("NODE", "NAME", "BY", "CAME", "DOES"),
        [(one.node, one.name, one.transport, output.ago(one.since_ms, now_ms), one.doing) for one in found],
    )
    if not found:
        output.note("nobody is on the BBS")
