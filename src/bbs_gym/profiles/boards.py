"""The profile of message boards and mail."""

from __future__ import annotations

from typing import Final

from bbs_gym.profiles.shared import IDLE_WARNING, LINE_ACTIONS, noted, safe_to_act
from bbs_gym.prompt_modules.bbs import CONVENTIONS, LINES, LIVE_PROMPT, MENU, SESSION_STATE
from bbs_gym.prompt_modules.house import BOARDS as INTERFACE
from bbs_gym.readers.board import BOARD_PROMPTS
from tty_agent.actions.action import ActionName
from tty_agent.actions.policy import ActionPolicy
from tty_agent.activity.activity import ActivityProfile
from tty_agent.prompt_modules import GENERIC_TERMINAL_MODULES

MAX_POST_LINES: Final = 100
"""Of one action: a long post; a longer one is several actions."""

MESSAGE_BOARD: Final = ActivityProfile(
    name="message-board",
    objective="Read and write on the message boards and in the mail of this BBS, as the goal of the run asks.",
    policy=ActionPolicy(allowed=(*LINE_ACTIONS, ActionName.SUBMIT_LINES), max_lines=MAX_POST_LINES),
    modules=(*GENERIC_TERMINAL_MODULES, SESSION_STATE, CONVENTIONS, LINES, MENU, INTERFACE, LIVE_PROMPT),
    prompts=noted(BOARD_PROMPTS),
    detectors=(safe_to_act(None), IDLE_WARNING),
)
