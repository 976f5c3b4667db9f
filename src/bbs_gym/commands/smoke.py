"""`smoke`: log in, look once, log off."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bbs_gym.commands import bbs_choice as bbs
from tty_agent.commands import output

if TYPE_CHECKING:
    from bbs_gym.commands.bbs_choice import BbsChoice

TRANSCRIPTS = Path("runtime/transcripts")


def smoke(
    *,
    agent_id: Annotated[
        str, typer.Option("--agent-id", metavar="NAME", help="The agent, as the registry has it.")
    ] = "agent-001",
    transport: Annotated[str, typer.Option("--transport", metavar="rlogin|telnet|ssh", help="How to call.")] = "rlogin",
    registry: bbs.RegistryFile = None,
    host: bbs.HostName = None,
    port: bbs.PortNumber = None,
    node: bbs.NodeNumber = None,
    kind: bbs.KindName = None,
    door: bbs.DoorCode = None,
    accept_new_host_key: Annotated[
        bool, typer.Option("--accept-new-host-key", help="SSH: trust a BBS that is not known yet, and remember it.")
    ] = False,
    transcripts: Annotated[
        Path, typer.Option("--transcripts", metavar="FOLDER", help="AGENT.raw in there is added to.")
    ] = TRANSCRIPTS,
    as_json: Annotated[bool, typer.Option("--json", help="What was found as one JSON object.")] = False,
) -> None:
    """Log in to a BBS as an agent, look once, and log off: everything but a model.

    The screen goes to stdout; who, where and how fast to stderr. The exit code is 1 where the login fails, and the
    line on stderr says why.

    \b
    Examples:
      bbs-gym smoke --agent-id agent-001
      bbs-gym smoke --transport telnet --host bbs.example.org --port 23 --kind synchronet
    """
    from tty_agent.commands import event_loop  # noqa: PLC0415 - not for the help

    choice = bbs.BbsChoice(
        agent_id,
        transport,
        registry=registry,
        host=host,
        port=port,
        node=node,
        kind=kind,
        door=door,
        accept_new=accept_new_host_key,
    )
    found = event_loop.run(_look(choice, transcripts / f"{choice.account.agent_id}.raw"))
    if as_json:
        output.json_value(found)
        return
    output.block(found["observation"].pretty_screen)
    seen = found["node"].observed
    output.note(
        f"{choice.account.alias} by {choice.transport}: logged in after {found['login_s']:.1f} s,"
        f" node {seen if seen is not None else 'not shown'}"
    )
    if found["node"].mismatch:
        output.note(f"node {node} was wanted: a BBS gives the lowest that is free")


async def _look(choice: BbsChoice, transcript: Path) -> dict[str, Any]:
    import asyncio  # noqa: PLC0415 - not for the help

    loop = asyncio.get_running_loop()
    began = loop.time()
    async with choice.session(choice.account.agent_id, transcript=transcript) as session:
        login_s = loop.time() - began
        seen = await session.observe_turn()
        await session.log_off()
        return {
            "agent_id": session.agent_id,
            "alias": session.alias,
            "node": session.node,
            "login_s": round(login_s, 3),
            "observation": seen,
        }
