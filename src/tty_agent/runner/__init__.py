"""A run: observe, decide, commit, until something ends it."""

from __future__ import annotations

from tty_agent.runner.record import RunIdentity
from tty_agent.runner.result import RunResult
from tty_agent.runner.routed import RoutedActivityRunner
from tty_agent.runner.runner import ActivityRunner
from tty_agent.runner.settings import RunSettings

__all__ = ["ActivityRunner", "RoutedActivityRunner", "RunIdentity", "RunResult", "RunSettings"]
