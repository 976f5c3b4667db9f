"""Where the commands run what is asynchronous: on uvloop where it is installed (the extra `fast`)."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


def run(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """`asyncio.run`, on the fastest loop there is."""
    try:
        import uvloop  # noqa: PLC0415 - optional
    except ImportError:
        return asyncio.run(coroutine)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(coroutine)
