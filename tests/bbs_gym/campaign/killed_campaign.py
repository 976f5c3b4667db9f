"""A campaign as a process of its own, to be killed: `python killed_campaign.py FOLDER`. Its workers need some time for
a match, and end with it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.bbs_gym.campaign.campaigns import a_campaign

from bbs_gym.campaign.campaign import run_campaign
from bbs_gym.campaign.journal import FILE_NAME
from bbs_gym.campaign.task import RESULT_FILE
from bbs_gym.campaign.workers import LocalCrew

CAMPAIGN = a_campaign(4)

WORKER = f"""
import json, os, select, sys
line = sys.stdin.buffer.raw.readline()
task = json.loads(line)
with open(task["folder"] + "/begun", "a") as file:
    file.write(task["token"] + "\\n")
if select.select([0], [], [], 0.15)[0]:
    sys.exit(1)
with open(task["folder"] + "/draft", "w") as file:
    json.dump({{"token": task["token"], "stopped_by": "all_stopped"}}, file)
os.rename(task["folder"] + "/draft", task["folder"] + "/{RESULT_FILE}")
"""


def main() -> None:
    """Begin it, or go on with it."""
    folder = Path(sys.argv[1])
    program = (sys.executable, "-I", "-S", "-c", WORKER)
    asyncio.run(
        run_campaign(
            CAMPAIGN,
            folder,
            lambda lock: LocalCrew(2, lock=lock, program=program),
            resume=(folder / FILE_NAME).exists(),
        )
    )


if __name__ == "__main__":
    main()
