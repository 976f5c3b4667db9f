"""AgentGames as callers of the board see it: ladders, replays, live matches, and people in seats.

`room.py` is what the board holds of the venue's play; the rest is what a visit does in it, up from pure boards
(`grid.py`, `drawing.py`) and a person's seat (`human_seat.py`) to the views. `hub/plugins/agentgames.py` is its menu.
"""

from agentbbs.hub.games.room import GameRoom

__all__ = ["GameRoom"]
