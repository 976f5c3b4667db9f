"""The folders of a campaign: `matches/MATCH` for what was played or is on, `set-aside/` for what counts no more."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from bbs_gym.scoring.runs import RunFault, read_run

MATCHES: Final = "matches"
SET_ASIDE: Final = "set-aside"


class CampaignFolders:
    """Of the campaign in `root`."""

    def __init__(self, root: Path) -> None:
        self.root: Final = root

    def match(self, match_id: str) -> Path:
        """Of a run."""
        return self.root / MATCHES / match_id

    def set_aside(self, match_id: str, why: str) -> Path | None:
        """Move the folder of a match to `set-aside/MATCH.WHY`, or `.WHY-2` and so on; None if there is none. Raises
        OSError."""
        folder = self.match(match_id)
        if not folder.exists():
            return None
        place = self.root / SET_ASIDE
        place.mkdir(exist_ok=True)
        name, number = f"{match_id}.{why}", 1
        while (place / name).exists():
            number += 1
            name = f"{match_id}.{why}-{number}"
        return folder.rename(place / name)


def spent_in(folder: Path) -> float:
    """What the agents of a run have cost so far, as far as its record tells, in USD."""
    try:
        run = read_run(folder)
    except RunFault:  # nothing had begun
        return 0.0
    return sum(one.cost_usd or 0.0 for one in run.participants)
