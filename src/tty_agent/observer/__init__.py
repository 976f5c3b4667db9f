"""When a turn is ready, and why: quiescence, without any I/O."""

from __future__ import annotations

from tty_agent.observer.observer import Observer
from tty_agent.observer.readiness import Adaptive, Fixed, PromptPattern, TurnPolicy

__all__ = ["Adaptive", "Fixed", "Observer", "PromptPattern", "TurnPolicy"]
