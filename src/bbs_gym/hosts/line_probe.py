"""Whether a BBS takes calls: a short call to its ports. Each takes a node for a moment, so callers wait afterwards."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final

from bbs_gym.hosts.host import HostFault

CONNECT_S: Final = 2.0
"""On a loopback an answer is there at once; a port that says nothing for so long is not ready."""

START_S: Final = 180.0
"""Synchronet binds again until the last connection has left TIME_WAIT: up to a minute, stock settings 75 s."""

POLL_S: Final = 0.5
"""Between two looks."""

NODE_FREE_S: Final = 2.0
"""After a caller left, its node may be taken for so long."""

Sleep = Callable[[float], Awaitable[None]]


async def answers(host: str, port: int, *, greets: bool) -> bool:
    """Whether somebody listens, and with `greets` says something without being asked (telnet does, rlogin does not)."""
    try:
        async with asyncio.timeout(CONNECT_S):
            reader, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return False
    try:
        if not greets:
            return True
        async with asyncio.timeout(CONNECT_S):
            return bool(await reader.read(1))
    except (OSError, TimeoutError):
        return False
    finally:
        writer.close()
        with contextlib.suppress(OSError):  # a reset at the end of a probe says nothing new
            await writer.wait_closed()


async def wait_for_lines(
    host: str,
    ports: dict[str, int],
    *,
    alive: Callable[[], bool] = lambda: True,
    timeout_s: float = START_S,
    sleep: Sleep = asyncio.sleep,
) -> None:
    """Wait until telnet greets and the other ports listen, then until the nodes of the probes are free again.

    Raises HostFault after `timeout_s`, or as soon as the program is no longer `alive`.
    """
    missing = dict(ports)
    try:
        async with asyncio.timeout(timeout_s):
            while missing:
                for name, port in tuple(missing.items()):
                    if await answers(host, port, greets=name == "telnet"):
                        del missing[name]
                if missing and not alive():
                    raise HostFault("Synchronet ended before it took calls: read its log")
                if missing:
                    await sleep(POLL_S)
    except TimeoutError:
        named = ", ".join(f"{name} on {host}:{port}" for name, port in missing.items())
        raise HostFault(f"Synchronet does not listen within {timeout_s:g} s: {named}. Read its log") from None
    await sleep(NODE_FREE_S)
