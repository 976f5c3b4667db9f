"""Golden screens: files under `screens/`, one a terminal. After a change that is meant, write them anew with
`AGENTBBS_WRITE_SCREENS=1 pytest tests/agentbbs/hub/games`, and look at the difference."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

SCREENS: Final = Path(__file__).parent / "screens"
_ID: Final = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b")
RULE: Final = "\n" + "-" * 80 + "\n"


def agrees(name: str, screens: Sequence[str]) -> None:
    """The screens are those of the file; ids of matches, which begin with the time, are left out."""
    shown = RULE.join("\n".join(row.rstrip() for row in screen.rstrip().split("\n")) for screen in screens) + "\n"
    shown = _ID.sub("(the id of a match)", shown)
    path = SCREENS / f"{name}.txt"
    if os.environ.get("AGENTBBS_WRITE_SCREENS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown)
    assert shown == path.read_text()
