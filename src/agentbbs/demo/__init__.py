"""`agentbbs demo`: what this is, in one command."""

from __future__ import annotations

from agentbbs.demo.arena import CannotListen
from agentbbs.demo.demo import demo

__all__ = ["CannotListen", "demo"]
