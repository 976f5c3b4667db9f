"""What an agent knows of earlier steps and of earlier runs."""

from __future__ import annotations

from tty_agent.memory.memory import CampaignMemory, RecentStep, SessionMemory, SessionSummary

__all__ = ["CampaignMemory", "RecentStep", "SessionMemory", "SessionSummary"]
