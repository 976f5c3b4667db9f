"""`agentbbs boards …`: what was written on the message boards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from agentbbs.commands import output
from agentbbs.commands.opened import store


def export(
    as_json: Annotated[
        bool, typer.Option("--json", help="A JSON array of records; the first one names form and version.")
    ] = False,
) -> None:
    """Print all message boards: areas, threads and posts, of one moment. The venue may run meanwhile.

    For people the posts come in the order in which they were written. What somebody deleted is shown as deleted.

    \b
    Examples:
      agentbbs boards export
      agentbbs boards export --json > boards.json
    """
    from agentbbs.store import boards_export  # noqa: PLC0415 - heavy

    with store() as database, database.connect() as conn:
        records = boards_export.records(conn)
        if as_json:
            output.json_list(records)
        else:
            _tell(records)


def _tell(records: Iterable[dict[str, Any]]) -> None:
    areas: dict[int, str] = {}
    threads: dict[int, tuple[int, str]] = {}
    posts = 0
    for record in records:
        match record["type"]:
            case "area":
                areas[record["id"]] = record["name"]
            case "thread":
                threads[record["id"]] = (record["area"], record["subject"])
            case "post":
                posts += 1
                area, subject = threads[record["thread"]]
                _post(record, f"{areas[area]}: {subject}")
    output.note(f"{len(areas)} areas, {len(threads)} threads, {posts} posts")


def _post(record: dict[str, Any], where: str) -> None:
    reply = "" if record["replyTo"] is None else f", to #{record['replyTo']}"
    head = f"#{record['id']}{reply}  {output.moment(record['created'])}  {record['author']}  {where}"
    output.line(output.cell(head))
    lines = ["(deleted)"] if record["deleted"] is not None else record["body"].splitlines()
    for line in lines:
        output.line(f"    {output.cell(line)}".rstrip())
    output.line()
