"""Profiles of the BBS itself, and of doors that nothing is known of."""

from __future__ import annotations

from typing import Final

from bbs_gym.profiles.shared import IDLE_WARNING, KEYSTROKE_ACTIONS, LINE_ACTIONS, noted, safe_to_act
from bbs_gym.prompt_modules.bbs import CONVENTIONS, KEYSTROKES, LINES, LIVE_PROMPT, MENU, SESSION_STATE
from bbs_gym.readers.board import BOARD_PROMPTS
from tty_agent.actions.policy import ActionPolicy
from tty_agent.activity.activity import ActivityProfile
from tty_agent.prompt_modules import GENERIC_TERMINAL_MODULES

BBS_MAIN_MENU: Final = ActivityProfile(
    name="bbs-main-menu",
    objective="Find your way through the menus of this BBS to what the goal of the run asks for.",
    policy=ActionPolicy(allowed=LINE_ACTIONS),
    modules=(*GENERIC_TERMINAL_MODULES, SESSION_STATE, CONVENTIONS, MENU, LINES, LIVE_PROMPT),
    prompts=noted(BOARD_PROMPTS),
    detectors=(safe_to_act(None), IDLE_WARNING),
)

BBS_DOOR_SAFE: Final = ActivityProfile(
    name="bbs-door-safe",
    objective=(
        "Use this BBS and its doors to reach the goal of the run. Type keys and values one by one, and look at what"
        " each of them did before the next."
    ),
    policy=ActionPolicy(allowed=KEYSTROKE_ACTIONS),
    modules=(*GENERIC_TERMINAL_MODULES, SESSION_STATE, CONVENTIONS, KEYSTROKES, LIVE_PROMPT),
    prompts=noted(BOARD_PROMPTS),
    detectors=(safe_to_act(None), IDLE_WARNING),
)
"""For capable models and unknown doors: no submit_line, so Enter is always a decision of its own."""

BBS_DOOR_LINE: Final = ActivityProfile(
    name="bbs-door-line",
    objective="Use this BBS and its doors to reach the goal of the run.",
    policy=ActionPolicy(allowed=LINE_ACTIONS),
    modules=(*GENERIC_TERMINAL_MODULES, SESSION_STATE, CONVENTIONS, LINES, LIVE_PROMPT),
    prompts=noted(BOARD_PROMPTS),
    detectors=(safe_to_act(None), IDLE_WARNING),
)
"""The same with submit_line, for doors whose commands are lines."""

BBS_PROFILES: Final = (BBS_MAIN_MENU, BBS_DOOR_SAFE, BBS_DOOR_LINE)
