"""The message boards: areas, their threads, and the posts in these, read one by one."""

from __future__ import annotations

from agentbbs.hub.plugins.boards.areas import PLUGIN, Boards

__all__ = ["PLUGIN", "Boards"]
