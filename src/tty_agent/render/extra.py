"""Why a render can't be made; among it the extra that pictures need, asked for only when a picture is made."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager


class RenderFault(Exception):
    """Something can't be rendered; the text says in one line why and what to do."""


class MissingExtra(RenderFault):
    """A package that renders need isn't installed; the message says how to get it."""


def check_extra() -> None:
    """Raise MissingExtra now rather than at the first picture."""
    with render_extra():
        for package in ("numpy", "PIL.ImageFont", "pyansilove"):
            importlib.import_module(package)


@contextmanager
def render_extra() -> Iterator[None]:
    """Around the imports of numpy, Pillow and pyansilove. Raises MissingExtra in place of ImportError."""
    try:
        yield
    except ImportError as fault:
        missing = fault.name or "a package"
        raise MissingExtra(f"pictures need {missing}: pip install 'agentbbs[render]'") from fault
