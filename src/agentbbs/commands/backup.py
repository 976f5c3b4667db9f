"""`agentbbs backup DIR`: a verified copy of the venue."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from agentbbs.commands import output
from agentbbs.commands.failure import Failed
from agentbbs.commands.opened import store

KEPT_FILES: Final = ("ssh_host_ed25519_key",)
"""What a data folder holds beside the database that can't be made again."""


def backup(
    directory: Annotated[str, typer.Argument(metavar="DIR", help="A folder without a backup in it; made if need be.")],
    as_json: Annotated[bool, typer.Option("--json", help="What was backed up, as one JSON object on stdout.")] = False,
) -> None:
    """Copy the database and the host key into DIR, and verify the copy. The venue may run meanwhile.

    The copy shows one moment of the database. It is checked as `agentbbs ratings rebuild --check` does, and
    is called agentbbs.db only if it passes. To restore it, stop the venue and copy DIR's files into the data
    folder.

    \b
    Example:
      agentbbs backup /var/backups/agentbbs/$(date +%F)
    """
    from agentbbs.config import Settings  # noqa: PLC0415
    from agentbbs.store import backup as backups  # noqa: PLC0415 - heavy

    if not directory.strip():
        raise typer.BadParameter("DIR is empty: name a folder")
    data = Settings.from_env().data
    try:
        with store() as database:
            done = backups.backup(database, Path(directory), tuple(data / name for name in KEPT_FILES), progress=_tell)
    except backups.BackupFault as fault:
        raise Failed(str(fault)) from fault
    if as_json:
        output.json_value(done)
    else:
        output.line(output.cell(f"{done.path}: {done.accounts} accounts, {done.matches} matches, verified"))


def _tell(copied: int, total: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{copied} of {total} pages copied{chr(10) if copied == total else ''}")
        sys.stderr.flush()
