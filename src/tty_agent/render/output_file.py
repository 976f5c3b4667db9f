"""A render on its way to disk: never over what it is made of, and never half of it under its name."""

from __future__ import annotations

import errno
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tty_agent.render.extra import RenderFault
from tty_agent.trace import index
from tty_agent.transcript.marks import sidecar_of


def belonging_to(source: Path, transcript: Path) -> tuple[Path, ...]:
    """The files of a recording: what is rendered, its transcript, and what stands beside them."""
    return (source, index.sidecar(source), sidecar_of(source), transcript, sidecar_of(transcript))


@contextmanager
def draft_of(out: Path, *, sparing: tuple[Path, ...]) -> Iterator[Path]:
    """A file beside `out` to write to, which takes its name in the end, or goes if the writing failed. What is no
    file, such as /dev/stdout, is written to as it is.

    Raises RenderFault where `out` is one of the files `sparing`, OSError.
    """
    place = out.resolve()
    if any(_same(place, spared) for spared in sparing):
        raise RenderFault(f"{out} belongs to what is to be shown, and would be lost: name another file with --out")
    if place.exists() and not place.is_file():
        yield place
        return
    if not place.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(out.parent))
    draft = place.with_name(f".{place.name[:100]}.{secrets.token_hex(4)}")
    try:
        yield draft
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)


def _same(place: Path, other: Path) -> bool:
    if place.exists() and other.exists():
        return place.samefile(other)
    return place == other.resolve()
