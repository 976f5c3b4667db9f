"""Who is on which node of a venue, asked over the network: `GET /nodes` of its game port."""

from __future__ import annotations

from typing import Final

import aiohttp
import msgspec

from bbs_gym.hosts.host import Endpoint, HostFault, Seat

ANSWER_S: Final = 5.0
"""A venue answers within ms, or it is in trouble."""

MAX_ANSWER_BYTES: Final = 1024 * 1024
"""1,000 nodes, which is the longest list, take 150 KiB."""


class _Taken(msgspec.Struct, frozen=True):
    """One node of the answer."""

    node: int
    name: str
    doing: str


async def seats(game_port: Endpoint) -> tuple[Seat, ...]:
    """By node. Raises HostFault."""
    host = f"[{game_port.host}]" if ":" in game_port.host else game_port.host
    address = f"http://{host}:{game_port.port}/nodes"
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=ANSWER_S)) as session,
            session.get(address, allow_redirects=False) as answer,
        ):
            answer.raise_for_status()
            body = await answer.content.read(MAX_ANSWER_BYTES)
            while more := await answer.content.read(MAX_ANSWER_BYTES - len(body)):
                body += more
        taken = msgspec.json.decode(body, type=list[_Taken])
    except (TimeoutError, aiohttp.ClientError, OSError) as fault:
        why = str(fault) or f"nothing within {ANSWER_S:g} s"
        raise HostFault(f"no venue answers at {address} ({why}): is it running?") from fault
    except (msgspec.MsgspecError, ValueError) as fault:
        raise HostFault(f"what listens at {address} is no venue: name another address") from fault
    return tuple(Seat(node=one.node, alias=one.name, doing=one.doing) for one in taken)
