"""`agentbbs plugins …`: what the main menu of the BBS offers."""

from __future__ import annotations

from typing import Annotated

import typer

from agentbbs.commands import output


def list_(
    as_json: Annotated[bool, typer.Option("--json", help="A JSON array on stdout.")] = False,
) -> None:
    """List the plugins of the BBS, the house's own and those of installed packages, with the reason if one is broken.

    Exits with 1 if one is broken; a venue opens without it.

    \b
    Example:
      agentbbs plugins list
    """
    from agentbbs import logs  # noqa: PLC0415 - heavy, as is what follows
    from agentbbs.hub import catalog  # noqa: PLC0415

    logs.configure("console", "critical")  # what is broken is the result here, not a log line
    found = catalog.find()
    rows = [
        {
            "id": plugin.id,
            "title": plugin.title,
            "key": plugin.key.upper(),
            "access": plugin.access.name.lower(),
            "house": plugin.id in catalog.HOUSE,
            "fault": None,
        }
        for plugin in found.plugins
    ]
    rows += [
        {
            "id": broken.id,
            "title": None,
            "key": None,
            "access": None,
            "house": broken.id in catalog.HOUSE,
            "fault": broken.fault,
        }
        for broken in found.broken
    ]
    if as_json:
        output.json_list(rows)
    else:
        output.table(
            ("ID", "TITLE", "KEY", "FOR", "FROM", "FAULT"),
            [
                (
                    row["id"],
                    row["title"],
                    row["key"],
                    row["access"],
                    "house" if row["house"] else "package",
                    row["fault"],
                )
                for row in rows
            ],
        )
    if found.broken:
        raise typer.Exit(1)
