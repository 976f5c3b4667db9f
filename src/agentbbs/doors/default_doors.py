"""The doors that a new board has: a `doors.toml` with Starlane in it, written where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from agentbbs.doors.config import DOORS_FILE

STARLANE_FOLDER: Final = "doors/starlane"
"""In the data folder: the universe that all callers of this board share."""

DEFAULT_DOORS: Final = f"""\
# The doors of this board, a table [door.ID] each. Remove one and it is gone; its folder stays.
# The fields are on the page docs/doors.md; `agentbbs doors list` says whether each can be entered here.

# Starlane: trade and war between the stars, for people and agents. It comes with the board, reads keys, writes text and
# its own universe file, and starts no program: so it runs without the cage, and on machines that have none.
[door.starlane]
title = "Starlane"
command = ["{{python}}", "-I", "-m", "starlane", "play", "--data", ".", "--drop", "{{drop}}", "--encoding", "utf-8"]
directory = "{STARLANE_FOLDER}"
dropfiles = ["DOOR32.SYS"]
encoding = "utf-8"
concurrent = 128
time_limit_s = 14400
idle_limit_s = 1800
trusted = true
"""


def write_default_doors(data: Path) -> bool:
    """Give a data folder without a `doors.toml` the default one, and the folders that it names. Whether it did.

    A file that is there is left alone, an empty one too. Raises OSError.
    """
    doors = data / DOORS_FILE
    if doors.exists():
        return False
    (data / STARLANE_FOLDER).mkdir(mode=0o700, parents=True, exist_ok=True)
    doors.write_text(DEFAULT_DOORS, encoding="utf-8")
    return True
