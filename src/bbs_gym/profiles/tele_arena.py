"""The profile of Tele-Arena on an Ether server. Its screens are not known to the harness; its commands are lines."""

from __future__ import annotations

from typing import Final

from bbs_gym.profiles.shared import GAME_BUDGET
from bbs_gym.prompt_modules.bbs import LINES
from bbs_gym.prompt_modules.doors import TELE_ARENA as INTERFACE
from tty_agent.actions.action import ActionName
from tty_agent.actions.policy import ActionPolicy
from tty_agent.activity.activity import ActivityProfile
from tty_agent.prompt_modules import GENERIC_TERMINAL_MODULES

TELE_ARENA: Final = ActivityProfile(
    name="tele-arena",
    objective="Play Tele-Arena: explore, stay alive, and make your character stronger.",
    policy=ActionPolicy(allowed=(ActionName.SUBMIT_LINE, ActionName.PRESS_KEY, ActionName.WAIT)),
    modules=(*GENERIC_TERMINAL_MODULES, LINES, INTERFACE),
    budget=GAME_BUDGET,
)
