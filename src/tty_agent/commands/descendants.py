"""The end by force of whatever this process has started: for a command that leaves without waiting for anything."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path


def kill_descendants() -> None:
    """SIGKILL to the process groups of all our descendants, but for our own group.

    Where there is no /proc to tell who they are, nobody is killed: the end of their terminal must do.
    """
    ours = os.getpgrp()
    for group in _groups_below(os.getpid()) - {ours}:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # gone, or another user's by now
            os.killpg(group, signal.SIGKILL)


def _groups_below(ancestor: int) -> set[int]:
    parents: dict[int, int] = {}
    groups: dict[int, int] = {}
    with contextlib.suppress(OSError):  # no /proc
        for process in (int(name) for name in os.listdir("/proc") if name.isdigit()):  # noqa: PTH208 - names are enough
            with contextlib.suppress(OSError, ValueError):  # it ended while we looked
                _state, parent, group = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[:3]
                parents[process], groups[process] = int(parent), int(group)
    found: set[int] = set()
    newest = {ancestor}
    while newest:
        newest = {process for process, parent in parents.items() if parent in newest} - found
        found |= newest
    return {groups[process] for process in found if groups[process] > 1}
