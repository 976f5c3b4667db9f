"""The profile of chat."""

from __future__ import annotations

from typing import Final

from bbs_gym.profiles.shared import IDLE_WARNING, noted, safe_to_act
from bbs_gym.prompt_modules.bbs import CONVENTIONS, LINES, LIVE_PROMPT, SESSION_STATE
from bbs_gym.prompt_modules.house import CHAT as INTERFACE
from bbs_gym.readers.board import BOARD_PROMPTS
from tty_agent.actions.action import ActionName
from tty_agent.actions.policy import ActionPolicy
from tty_agent.activity.activity import ActivityProfile
from tty_agent.prompt_modules import GENERIC_TERMINAL_MODULES

MAX_CHAT_CHARS: Final = 400
"""Of one line on the house's board; others take less and cut it."""

CHAT: Final = ActivityProfile(
    name="chat",
    objective="Talk with the other callers in the chat of this BBS, as the goal of the run asks.",
    policy=ActionPolicy(
        allowed=(ActionName.SUBMIT_LINE, ActionName.PRESS_KEY, ActionName.WAIT), max_text_chars=MAX_CHAT_CHARS
    ),
    modules=(*GENERIC_TERMINAL_MODULES, SESSION_STATE, CONVENTIONS, LINES, INTERFACE, LIVE_PROMPT),
    prompts=noted(BOARD_PROMPTS),
    detectors=(safe_to_act(None), IDLE_WARNING),
)
