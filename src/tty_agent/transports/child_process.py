"""A child that leads a session: told of its end by the event loop, and ended with all of its process groups."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

HANGUP_WAIT_S: Final = 0.5
"""After SIGHUP: a shell or an editor saves and leaves in far less."""
TERMINATE_WAIT_S: Final = 0.5
"""After SIGTERM, for what ignores a hang-up."""
KILL_WAIT_S: Final = 5.0
"""After SIGKILL: only a process stuck in the kernel takes longer, and nobody can end that."""
_LOOK_S: Final = 0.01
"""Until the first look whether a group is empty, and twice as long each time: of processes that are not our children
nobody tells us. Only at the end of a session, within the times above."""

_DEAD_STATES: Final = frozenset("ZX")

_STEPS: Final = (
    (signal.SIGHUP, HANGUP_WAIT_S),
    (signal.SIGTERM, TERMINATE_WAIT_S),
    (signal.SIGKILL, KILL_WAIT_S),
)


class ChildProcess:
    """Takes over a running child and reaps it. `on_exit` is called by the loop when it has ended."""

    def __init__(self, child: subprocess.Popen[bytes], on_exit: Callable[[], None]) -> None:
        self._child = child
        self._on_exit = on_exit
        self._loop = asyncio.get_running_loop()
        self._exited = asyncio.Event()
        self._watched = self._watch()

    @property
    def code(self) -> int | None:
        """Its exit status, or the negative number of the signal that ended it; None while it runs."""
        return self._child.returncode if self._exited.is_set() else None

    async def end(self, foreground: int | None) -> None:
        """End its group, and the one in the foreground of its terminal; returns when both are gone, or after the
        times above. Processes that left for groups of their own in the background have a hang-up from their shell
        or meant to stay."""
        groups = {group for group in (foreground, self._group()) if group is not None and _is_foreign(group)}
        for step, wait_s in _STEPS:
            groups = {group for group in groups if _signal(group, step)}
            if not groups and self._exited.is_set():
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._exited.wait()
                    if step is not signal.SIGKILL:
                        await _until_gone(groups)

    def _group(self) -> int | None:
        """Its own group; None once it was reaped, when the number may be another's."""
        return None if self._exited.is_set() else self._child.pid

    def _watch(self) -> int | None:
        """A descriptor that becomes readable at the end; None where a thread waits instead (not Linux)."""
        try:
            descriptor = os.pidfd_open(self._child.pid)
        except (AttributeError, OSError):
            threading.Thread(target=self._wait, daemon=True, name=f"wait for {self._child.pid}").start()
            return None
        self._loop.add_reader(descriptor, self._reap)
        return descriptor

    def _wait(self) -> None:
        self._child.wait()
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody wants to know
            self._loop.call_soon_threadsafe(self._reap)

    def _reap(self) -> None:
        if self._watched is not None:
            self._loop.remove_reader(self._watched)
            os.close(self._watched)
            _signal(self._child.pid, signal.SIGHUP)  # whom it left behind; its number is its own until it is reaped
        self._child.wait()
        self._exited.set()
        self._on_exit()


async def _until_gone(groups: set[int]) -> None:
    pause_s = _LOOK_S
    while _any_left(groups):
        await asyncio.sleep(pause_s)
        pause_s *= 2


def _is_foreign(group: int) -> bool:
    return group > 1 and group != os.getpgrp()


def _signal(group: int, number: signal.Signals) -> bool:
    """Whether the group has members that can be told. What was stopped is woken, so that it sees the signal."""
    try:
        os.killpg(group, number)
        os.killpg(group, signal.SIGCONT)
    except (ProcessLookupError, PermissionError):  # gone, or another user's, as su and its kin become
        return False
    return True


def _any_left(groups: Iterable[int]) -> bool:
    """Whether a process of theirs still runs."""
    left = {group for group in groups if _exists(group)}
    return bool(left) and not left.isdisjoint(_running_groups(left))


def _exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _running_groups(otherwise: set[int]) -> set[int]:
    """The groups of all processes that are no zombies: in a container without an init, whoever lost its parent
    stays one for ever. `otherwise` is returned where there is no /proc to tell."""
    groups = set()
    try:
        processes = [name for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - names are enough
    except OSError:
        return otherwise
    for process in processes:
        with contextlib.suppress(OSError, ValueError):  # it ended while we looked
            state, _parent, group = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[:3]
            if state not in _DEAD_STATES:
                groups.add(int(group))
    return groups or otherwise
