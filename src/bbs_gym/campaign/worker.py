"""A worker process: `python -m bbs_gym.campaign.worker`, one match each.

Its task is the first line of standard input. When standard input ends before the match does, because it was closed or
because who held it was killed, the match is stopped, and the process ends within `END_S` in any case. Exit status: 0
there is a result in the folder of the match, 1 there is none; standard error says why.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from typing import Final

from bbs_gym.campaign.playing import decoded, play
from bbs_gym.campaign.task import MatchTask

END_S: Final = 20.0
"""From the order to end to the end: agents leave the BBS, and it is closed."""

READ_BYTES: Final = 65536


def main() -> int:
    """Play the match of standard input."""
    line, _, _ = _first_line().partition(b"\n")
    if not line:
        return 1
    try:
        asyncio.run(_play(decoded(line)))
    except asyncio.CancelledError:
        return 1
    return 0


async def _play(task: MatchTask) -> None:
    loop, playing = asyncio.get_running_loop(), asyncio.current_task()
    assert playing is not None
    ended = threading.Event()

    def watch() -> None:
        while os.read(0, READ_BYTES):
            pass
        if not ended.is_set():
            loop.call_soon_threadsafe(playing.cancel)
            if not ended.wait(END_S):
                os._exit(1)  # what hangs can't be asked to end

    threading.Thread(target=watch, daemon=True).start()
    try:
        await play(task)
    finally:
        ended.set()


def _first_line() -> bytes:
    found = b""
    while b"\n" not in found and (more := os.read(0, READ_BYTES)):
        found += more
    return found if b"\n" in found else b""


if __name__ == "__main__":
    sys.exit(main())
