"""`agentbbs verify-replay`: a saved match, refereed again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from agentbbs.commands import output
from agentbbs.commands.failure import Failed


def verify_replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `replay ID --json` printed; '-' reads stdin.")],
) -> None:
    """Referee a saved match again, offline.

    Plays every move through the rules and the match's own clockwork and prints each sentence in which the
    file is wrong; the exit code is then 1. It says that the match is one that a venue could have played,
    not that it was played: a file is no witness.

    \b
    Examples:
      agentbbs replay 018f3d --json > match.json
      agentbbs verify-replay match.json
    """
    from agentbbs.play import replay  # noqa: PLC0415
    from agentbbs.play.offline_referee import referee  # noqa: PLC0415

    try:
        saved = replay.parse(_read(file, replay.MAX_FILE_BYTES + 1))
    except replay.NotAReplay as fault:
        raise Failed(f"{file}: {fault}") from fault
    wrong = referee(saved)
    for sentence in wrong:
        output.line(output.cell(sentence))
    if wrong:
        output.note(f"{saved.match}: {len(wrong)} fault{'' if len(wrong) == 1 else 's'}")
        raise typer.Exit(1)
    one, other = saved.players
    output.note(f"{saved.match}: verified, {saved.game}, {one.name} against {other.name}, {len(saved.plies)} plies")


def _read(file: Path, max_bytes: int) -> bytes:
    if file == Path("-"):
        return sys.stdin.buffer.read(max_bytes)
    with file.open("rb") as opened:
        return opened.read(max_bytes)
