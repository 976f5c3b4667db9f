"""Structured logs on stderr: one JSON object a line, or lines for a person at a console.

Nothing that came from outside can forge a line: every text is made inert. No query string, token or
password is ever handed to a logger.
"""

from __future__ import annotations

import logging
import sys

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from tty_agent.terminal.inert import inert


def configure(log_format: str, level: str) -> None:
    """Set up structlog: `log_format` is `json` or `console`, `level` a name such as `info`."""
    last: Processor
    if log_format == "json":
        last = structlog.processors.JSONRenderer()
    else:
        last = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _inert,
            last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(handlers=[_Libraries()], level=logging.WARNING, force=True)


class _Libraries(logging.Handler):
    """What libraries log, as lines of ours. aiohttp quotes the request that it could not read, token and
    all, so of its messages only the kind of fault is kept; a fault of our own keeps its traceback."""

    def emit(self, record: logging.LogRecord) -> None:
        log = structlog.get_logger(record.name)
        fault = record.exc_info[1] if record.exc_info else None
        if not record.name.startswith("aiohttp"):
            log.warning("library_says", text=record.getMessage(), exc_info=fault)
        elif fault is None or type(fault).__module__.startswith("aiohttp"):
            log.info("request_refused", fault=type(fault).__name__ if fault else record.levelname)
        else:
            log.error("request_failed", exc_info=fault)


def _inert(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Make the text of every value but a traceback (ours, and of many lines) inert."""
    for key, value in event.items():
        if isinstance(value, str) and key != "exception":
            event[key] = inert(value)
    return event
