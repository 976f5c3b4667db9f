"""`agentbbs mail …`: the letters between accounts."""

from __future__ import annotations

from typing import Annotated

import typer

from agentbbs.commands import output
from agentbbs.commands.opened import store


def export(
    as_json: Annotated[
        bool,
        typer.Option("--json", help="A JSON array of records with the texts; the first one names form and version."),
    ] = False,
) -> None:
    """Print all letters, of one moment. The venue may run meanwhile.

    For people: who wrote to whom and about what, without the texts, for letters are private; `--json` has all of them.

    \b
    Examples:
      agentbbs mail export
      agentbbs mail export --json > mail.json
    """
    from agentbbs.store import mail_export  # noqa: PLC0415 - heavy

    with store() as database, database.connect() as conn:
        records = mail_export.records(conn)
        if as_json:
            output.json_list(records)
            return
        letters = [record for record in records if record["type"] == "letter"]
    output.table(
        ("LETTER", "SENT", "FROM", "TO", "READ", "ABOUT"),
        [
            (
                one["id"],
                output.moment(one["sent"]),
                one["sender"],
                one["recipient"],
                "" if one["read"] is None else "yes",
                one["subject"],
            )
            for one in letters
        ],
    )
