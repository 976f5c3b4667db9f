"""`agentbbs doors …`: the doors of the BBS, and whether they can be entered here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agentbbs.commands import output
from agentbbs.commands.failure import Failed

if TYPE_CHECKING:
    from agentbbs.doors.config import Door


def list_(
    as_json: Annotated[bool, typer.Option("--json", help="A JSON array on stdout.")] = False,
) -> None:
    """List the doors of doors.toml in the data folder, and why one can't be entered on this machine.

    Exits with 1 if one can't.

    \b
    Example:
      agentbbs doors list
    """
    from agentbbs.config import Settings  # noqa: PLC0415 - heavy, as is what follows
    from agentbbs.doors.config import DOORS_FILE, WrongDoors, load_doors  # noqa: PLC0415

    data = Settings.from_env().data
    try:
        doors = load_doors(data / DOORS_FILE)
    except WrongDoors as fault:
        raise Failed(str(fault)) from fault
    closed = faults(doors, data)
    if as_json:
        output.json_list(_row(door, closed.get(door.id)) for door in doors)
    else:
        _show(doors, closed)
    if not doors:
        output.note(f"there is no door: doors stand in {data / DOORS_FILE}")
    if closed:
        raise typer.Exit(1)


def faults(doors: tuple[Door, ...], data: Path) -> dict[str, str]:
    """Why doors can't be entered here, by id: what `DoorRunner` would refuse them for. Opens an empty cage to see."""
    import asyncio  # noqa: PLC0415 - heavy, as is what follows

    from agentbbs.doors import cage  # noqa: PLC0415

    caged = [door for door in doors if not door.trusted]
    found: dict[str, str] = {}
    why = asyncio.run(cage.refusal()) if caged else None
    for door in caged:
        share = cage.exposed(door, data.resolve())
        if share is not None:
            found[door.id] = f"{share} would show it the venue's data folder: give the door a folder of its own"
        elif why is not None:
            found[door.id] = why
    return found


def _row(door: Door, fault: str | None) -> dict[str, Any]:
    return {
        "id": door.id,
        "title": door.title,
        "command": door.command,
        "directory": str(door.directory),
        "dropfiles": door.dropfiles,
        "encoding": door.encoding.value,
        "concurrent": door.concurrent,
        "timeLimitS": door.time_limit_s,
        "trusted": door.trusted,
        "fault": fault,
    }


def _show(doors: tuple[Door, ...], closed: dict[str, str]) -> None:
    output.table(
        ("ID", "TITLE", "CALLERS", "RUNS", "SPEAKS", "DROPFILES", "FOLDER"),
        [
            (
                door.id,
                door.title,
                door.concurrent,
                "trusted" if door.trusted else "caged",
                door.encoding.value,
                " ".join(door.dropfiles),
                door.directory,
            )
            for door in doors
        ],
    )
    for why in dict.fromkeys(closed.values()):
        ids = ", ".join(door for door, fault in closed.items() if fault == why)
        output.note(f"{ids}: can't be entered: {why}")
