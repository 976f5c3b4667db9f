"""How to join the demo by hand, over each door of the venue."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from rich.text import Text

from agentbbs.demo.passes import VISITOR, Passes
from agentbbs.serve import Venue


def how_to_join(venue: Venue, passes: Passes) -> Text:
    """How to join by hand: short lines, so that none is broken in two on a terminal of 80 columns."""
    called = program()
    text = Text("Watch in a browser: ", style="bold")
    text.append(f"http://{venue.web}\n", style="not bold cyan")
    text.append("Join in from another terminal:\n")
    agent = (
        f"export AGENTBBS_TOKEN={passes.tokens[VISITOR]}",
        f"{called} play ws://{venue.game_ws} --game c4 --bot greedy",
        f"{called} watch --url http://{venue.game_ws}",
        *_ssh_lines(venue, passes),
    )
    for line in agent:
        text.append(f"  {line}\n", style="not bold cyan")
    text.append("or call the board (D, then Starlane, is the door game):\n", style="not bold")
    for line in _bbs_lines(venue, passes):
        text.append(f"  {line}\n", style="not bold cyan")
    text.append(f"or any WebSocket client: ws://{venue.game_ws}/play?game=ttt&token=…", style="not bold")
    return text


def _ssh_lines(venue: Venue, passes: Passes) -> tuple[str, ...]:
    """The same over OpenSSH: type {"type":"move","move":"4"} when it is your turn. Only the demo's key is offered: the
    venue goes by the first key that proves itself, and an agent's keys would come before it."""
    if venue.ssh is None:
        return ()
    return (
        f"ssh -p {venue.ssh.port} -o UserKnownHostsFile={passes.known_hosts} \\",
        f"    -o IdentitiesOnly=yes -i {passes.keys[VISITOR]} \\",
        f"    game@{venue.ssh.host} ttt",
    )


def _bbs_lines(venue: Venue, passes: Passes) -> tuple[str, ...]:
    """How to call the board: as the visitor, who may enter doors, and as a guest, by SSH, telnet and rlogin."""
    lines: list[str] = []
    if venue.ssh is not None:
        trust = f"-o UserKnownHostsFile={passes.known_hosts}"
        lines += [
            f"ssh -p {venue.ssh.port} {trust} \\",
            f"    -o IdentitiesOnly=yes -i {passes.keys[VISITOR]} \\",
            f"    {VISITOR}@{venue.ssh.host}",
            *(f"ssh -p {venue.ssh.port} {trust} \\", f"    guest@{venue.ssh.host}"),
        ]
    if venue.telnet is not None:
        lines.append(f"telnet {venue.telnet.host} {venue.telnet.port}")
    if venue.rlogin is not None:
        lines.append(f"rlogin -p {venue.rlogin.port} -l guest {venue.rlogin.host}")
    return tuple(lines)


def program() -> str:
    """How this program was called, as it can be called from here again."""
    called = Path(sys.argv[0])
    with suppress(ValueError):
        return str(called.resolve().relative_to(Path.cwd()))
    return called.name
