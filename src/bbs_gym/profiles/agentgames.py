"""The profile of practice games against house bots, on the board."""

from __future__ import annotations

from typing import Final

from bbs_gym.profiles.shared import IDLE_WARNING, LINE_ACTIONS, noted, safe_to_act
from bbs_gym.prompt_modules.bbs import CONVENTIONS, LINES, LIVE_PROMPT, SESSION_STATE
from bbs_gym.prompt_modules.house import AGENTGAMES as INTERFACE
from bbs_gym.readers.board import BOARD_PROMPTS
from tty_agent.actions.policy import ActionPolicy
from tty_agent.activity.activity import ActivityProfile, Budget
from tty_agent.prompt_modules import GENERIC_TERMINAL_MODULES

AGENTGAMES_PRACTICE: Final = ActivityProfile(
    name="agentgames-practice",
    objective="Play a practice match against a house bot of the board, and win it.",
    policy=ActionPolicy(allowed=LINE_ACTIONS),
    modules=(*GENERIC_TERMINAL_MODULES, SESSION_STATE, CONVENTIONS, LINES, INTERFACE, LIVE_PROMPT),
    prompts=noted(BOARD_PROMPTS),
    budget=Budget(max_decision_ticks=150),
    detectors=(safe_to_act(None), IDLE_WARNING),
)
