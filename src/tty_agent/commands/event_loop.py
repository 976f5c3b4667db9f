"""Where the commands run what is asynchronous: on uvloop where it is installed (the extra `fast`), with what the
harness logs on stderr, where no script takes it for the answer."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

import structlog
from structlog.typing import EventDict, WrappedLogger

from tty_agent.terminal.inert import inert

_T = TypeVar("_T")


def run(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """`asyncio.run`, on the fastest loop there is."""
    _log_to_stderr()
    try:
        import uvloop  # noqa: PLC0415 - optional
    except ImportError:
        return asyncio.run(coroutine)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(coroutine)


def _log_to_stderr() -> None:
    """One line an event, made inert: parts of it come from outside."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            _inert,
            structlog.processors.KeyValueRenderer(key_order=["level", "event"]),
        ],
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )


def _inert(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    return {key: inert(value) if isinstance(value, str) else value for key, value in event.items()}
