"""Files that are read as a whole or from any place: pipes and devices among them would hold a command up for ever."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def regular_file(path: str | os.PathLike[str]) -> Path:
    """`path`, if nothing else than a file is there. Raises OSError, which says so; what is not there, or is a folder,
    is left to `open`, which says it better."""
    place = Path(path)
    if place.exists() and not place.is_file() and not place.is_dir():
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(place))
    return place
