"""`agentbbs ratings rebuild`: the ladders, computed again from the matches."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, Final

import typer

from agentbbs.commands import output
from agentbbs.commands.opened import store

NOTE_EVERY_MATCHES: Final = 100_000
"""How often a log that is read by a file or a pipe hears of the progress: every few seconds."""


def rebuild(
    check: Annotated[bool, typer.Option("--check", help="Change nothing; exit with 1 if anything differs.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The differences as a JSON array on stdout.")] = False,
) -> None:
    """Compute the ladders again from the matches.

    Prints each difference between what is stored and what the matches say. A venue may run meanwhile.

    \b
    Examples:
      agentbbs ratings rebuild --check
      agentbbs ratings rebuild
    """
    from agentbbs.store import rebuild as ladders  # noqa: PLC0415 - heavy

    with store() as database:
        if check:
            with database.connect() as conn:
                found = ladders.check(conn, progress=_progress())
        else:
            with database.connect() as conn:
                folded = ladders.fold(conn, progress=_progress())
            with database.begin() as conn:  # a venue waits for this: only what came meanwhile is left to read
                found = ladders.rebuild(conn, folded)
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    if as_json:
        output.json_list(found)
    else:
        for difference in found:
            output.line(output.cell(difference))
    output.note(_verdict(len(found), check=check))
    if found and check:
        raise typer.Exit(1)


def _verdict(count: int, *, check: bool) -> str:
    if not count:
        return "the ladders are what the matches say"
    differences = f"{count} difference{'' if count == 1 else 's'}"
    return f"{differences}: `agentbbs ratings rebuild` mends the ladders" if check else f"mended {differences}"


def _progress() -> Callable[[int], None]:
    """Tells how many matches were read: in place on a terminal, now and then elsewhere."""
    terminal = sys.stderr.isatty()
    told = 0

    def tell(matches: int) -> None:
        nonlocal told
        if terminal:
            sys.stderr.write(f"\r{matches} matches read")
            sys.stderr.flush()
        elif matches - told >= NOTE_EVERY_MATCHES:
            told = matches
            output.note(f"{matches} matches read")

    return tell
