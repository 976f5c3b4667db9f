"""Programs that a host runs and waits for."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping, Sequence
from typing import Final

from bbs_gym.hosts.host import HostFault
from tty_agent.terminal.inert import inert

PROGRAM_LIMIT_S: Final = 120.0
"""Snapshots of large boards take seconds, everything else less: what takes longer is stuck."""

MAX_TOLD_CHARS: Final = 400
"""Of what a program says of its failure; ours say it in one line."""


async def run_program(
    name: str,
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    text: bytes | None = None,
    limit_s: float = PROGRAM_LIMIT_S,
) -> bytes:
    """Run a command with `text` as its input, none if None; returns what it wrote to standard output.

    `name` is what faults call it. Raises HostFault if it can't be run, fails, or takes longer than `limit_s`; it has
    ended whatever is raised. Secrets belong into `text`: others on the machine see a command and its environment.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=DEVNULL if text is None else PIPE, stdout=PIPE, stderr=PIPE, env=dict(environment)
        )
    except OSError as fault:
        raise HostFault(f"{name} can't be run: {inert(str(fault))}") from fault
    try:
        async with asyncio.timeout(limit_s):
            written, said = await process.communicate(text)
    except TimeoutError as fault:
        raise HostFault(f"{name} has not ended after {limit_s:g} s: look at the machine's load and disk") from fault
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        raise HostFault(f"{name}: {_why(said, process.returncode)}")
    return written


def _why(said: bytes, status: int | None) -> str:
    """The last line of what was said, without its own beginning."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    if not lines:
        return f"it failed with status {status} and said nothing"
    last = lines[-1].removeprefix("error: ").removeprefix("starlane: ")
    return inert(last, max_chars=MAX_TOLD_CHARS)
