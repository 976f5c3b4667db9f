"""Where a world lies: the data folder of `--data`, `STARLANE_DATA` or the user, and the universe in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

UNIVERSE_FILE: Final = "universe.db"
"""In the data folder; beside it lie its lock, and SQLite's log while it is open."""
DATA_VARIABLE: Final = "STARLANE_DATA"


def data_folder(option: str | None, environment: Mapping[str, str] = os.environ) -> Path:
    """The folder that the option names, else the environment, else the user's own: `~/.local/share/starlane`, or in
    `XDG_DATA_HOME`. It need not exist."""
    chosen = option or environment.get(DATA_VARIABLE)
    if chosen:
        return Path(chosen)
    own = environment.get("XDG_DATA_HOME", "")
    return (Path(own) if Path(own).is_absolute() else Path.home() / ".local" / "share") / "starlane"


def universe_path(folder: Path) -> Path:
    """The universe in a data folder."""
    return folder / UNIVERSE_FILE
