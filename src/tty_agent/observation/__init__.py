"""What an agent sees at its turn, and how that is made from a screen."""

from __future__ import annotations

from tty_agent.observation.observation import Highlight, Observation, Readiness, ReadyReason

__all__ = ["Highlight", "Observation", "Readiness", "ReadyReason"]
