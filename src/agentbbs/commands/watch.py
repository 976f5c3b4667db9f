"""`agentbbs watch`: live matches."""

from __future__ import annotations

import sys
from typing import Annotated, Any, Final

import typer

from agentbbs.commands import output
from agentbbs.commands.failure import Failed

MAX_MESSAGE_BYTES: Final = 1024 * 1024
"""A `state` takes a few hundred bytes; a game of others may show more."""


def watch(
    match: Annotated[
        str | None, typer.Argument(metavar="ID", help="A match's id, or how it begins; left out: list them all.")
    ] = None,
    url: Annotated[
        str | None, typer.Option("--url", help="The venue, e.g. ws://127.0.0.1:8090; else that of this data folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The venue's messages, one JSON object a line.")] = False,
) -> None:
    """Watch a match as it is played, or list those that are on.

    \b
    Examples:
      agentbbs watch
      agentbbs watch 018f3d
    """
    from agentbbs.commands import running  # noqa: PLC0415 - heavy, as is what follows

    venue = running.find(url)
    found = running.live(venue)
    if match is None:
        _list(found, as_json=as_json)
        return
    import asyncio  # noqa: PLC0415

    chosen = _one(match, [live.match for live in found])
    asyncio.run(_follow(f"{venue}/watch/{chosen}", as_json=as_json))


def _list(found: list[Any], *, as_json: bool) -> None:
    if as_json:
        output.json_list(found)
        return
    output.table(
        ("MATCH", "GAME", "X", "O", "PLY", "RATED"),
        [(live.match, live.game, *live.players, live.ply, "yes" if live.rated else "no") for live in found],
    )
    if not found:
        output.note("no match is on")


def _one(beginning: str, ids: list[str]) -> str:
    found = [match for match in ids if match.startswith(beginning)]
    if len(found) > 1:
        raise Failed(f"{len(found)} matches begin with {beginning!r}: give more of the id")
    if not found:
        raise Failed(
            f"no match that is on begins with {beginning!r}: `agentbbs watch` lists them, "
            "`agentbbs replay` shows finished ones"
        )
    return found[0]


async def _follow(address: str, *, as_json: bool) -> None:
    """Show what the venue tells of one match until it is over. Raises Failed."""
    import aiohttp  # noqa: PLC0415

    from agentbbs.play.onlooker import NotOfAVenue, Onlooker  # noqa: PLC0415

    onlooker = Onlooker()
    redraw = sys.stdout.isatty() and not as_json
    try:
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(address, heartbeat=20.0, max_msg_size=MAX_MESSAGE_BYTES) as ws,
        ):
            async for message in ws:
                if message.type is not aiohttp.WSMsgType.TEXT:
                    continue
                try:
                    heard = onlooker.hear(message.data)
                except NotOfAVenue as fault:
                    raise Failed(str(fault)) from fault
                if as_json:
                    output.json_text(message.data)
                elif redraw and not onlooker.over:
                    output.screen(f"{onlooker.title}\n\n{heard}", redraw=True)
                else:
                    output.screen(heard, redraw=False)
    except aiohttp.WSServerHandshakeError as fault:
        raise Failed(f"the match is over, or the venue shows none: it answered {fault.status}") from fault
    except aiohttp.ClientError as fault:
        raise Failed(f"the venue can't be reached: {fault}") from fault
    if not onlooker.over:
        raise Failed("the venue went away before the match was over: `agentbbs replay` shows it once it is stored")
