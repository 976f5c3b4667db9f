"""Pictures for models that see: `runtime/observations/RUN/AGENT/step-0042.png`.

A run that does not ask for pictures makes none of this and pays nothing: numpy and Pillow are imported with the
first picture, not before.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tty_agent.terminal.picture import Picture

DEFAULT_ROOT: Final = Path("runtime/observations")

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_MAX_NAME_CHARS: Final = 100
"""Well under the 255 bytes of file systems."""


class ObservationPictures:
    """Where the pictures of one agent in one run go. The folder is made with the first."""

    def __init__(self, run: str, agent: str, *, root: Path = DEFAULT_ROOT, scale: int = 1) -> None:
        """`run` and `agent` become names of folders: characters other than letters, digits and `._-` become `_`."""
        self.folder: Final = root / folder_name(run) / folder_name(agent)
        self._scale = scale

    def path(self, step: int) -> Path:
        """The file of a step, from 1."""
        return self.folder / f"step-{step:04d}.png"

    def write(self, picture: Picture, step: int) -> tuple[Path, bytes]:
        """Write the picture of a step; return its path, for `screen_png`, and the file's bytes, for the prompt.

        A reader never sees half of it. Raises MissingExtra, OSError.
        """
        from tty_agent.render.png import png_bytes  # noqa: PLC0415 - a run without pictures must not load it

        data = png_bytes(picture, scale=self._scale)
        path = self.path(step)
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".part")
        draft.write_bytes(data)
        draft.replace(path)
        return path, data


def folder_name(name: str) -> str:
    """`name` as the name of one folder: never empty, never `.` or `..`, no separators."""
    safe = _UNSAFE.sub("_", name)[:_MAX_NAME_CHARS]
    return safe if safe.strip(".") else "_"
