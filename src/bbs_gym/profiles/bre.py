"""The profile of Barren Realms Elite. Its screens are not known to the harness: it has the manners of doors alone."""

from __future__ import annotations

from typing import Final

from bbs_gym.profiles.shared import GAME_BUDGET, IDLE_WARNING, LINE_ACTIONS, noted, safe_to_act
from bbs_gym.prompt_modules.bbs import CONVENTIONS, LINES, LIVE_PROMPT, SESSION_STATE
from bbs_gym.prompt_modules.doors import BRE as INTERFACE
from bbs_gym.readers.board import BOARD_PROMPTS
from tty_agent.actions.policy import ActionPolicy
from tty_agent.activity.activity import ActivityProfile
from tty_agent.prompt_modules import GENERIC_TERMINAL_MODULES

BRE: Final = ActivityProfile(
    name="bre",
    objective=(
        "Play Barren Realms Elite: enter it from the menus if need be, play the turns that your realm has, and leave"
        " the game in order."
    ),
    policy=ActionPolicy(allowed=LINE_ACTIONS),
    modules=(*GENERIC_TERMINAL_MODULES, SESSION_STATE, CONVENTIONS, LINES, INTERFACE, LIVE_PROMPT),
    prompts=noted(BOARD_PROMPTS),
    budget=GAME_BUDGET,
    detectors=(safe_to_act(None), IDLE_WARNING),
)
