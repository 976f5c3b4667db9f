"""Profiles of Trade Wars 2, Synchronet's JavaScript door."""

from __future__ import annotations

from typing import Final

from bbs_gym.profiles.shared import (
    GAME_BUDGET,
    IDLE_WARNING,
    KEYSTROKE_ACTIONS,
    entered,
    noted,
    out_of_turns,
    safe_to_act,
)
from bbs_gym.prompt_modules.bbs import CONVENTIONS, KEYSTROKES, MENU, SESSION_STATE
from bbs_gym.prompt_modules.bbs import LIVE_PROMPT as BOARD_PROMPT
from bbs_gym.prompt_modules.tw2 import COMMANDS, ENTRY, FACTS, INPUT, LIVE_PROMPT
from bbs_gym.readers.board import BOARD_PROMPTS
from bbs_gym.readers.tw2 import TW2_PROMPTS
from bbs_gym.reading import TW2
from tty_agent.actions.policy import ActionPolicy
from tty_agent.activity.activity import ActivityProfile
from tty_agent.prompt_modules import GENERIC_TERMINAL_MODULES

MAX_TW2_TEXT_CHARS: Final = 80
"""Of its fields: radio takes 74, names 41."""

TW2_ENTRY: Final = ActivityProfile(
    name="tw2-entry",
    objective="Get from where you are into the game Trade Wars 2, as far as its prompt Command (?=Help)?.",
    policy=ActionPolicy(allowed=KEYSTROKE_ACTIONS),
    modules=(*GENERIC_TERMINAL_MODULES, SESSION_STATE, CONVENTIONS, KEYSTROKES, MENU, ENTRY, BOARD_PROMPT, LIVE_PROMPT),
    prompts=noted(BOARD_PROMPTS, TW2_PROMPTS),
    completion=(entered(TW2),),
    detectors=(safe_to_act(TW2), IDLE_WARNING),
)

TW2_GAME: Final = ActivityProfile(
    name="tw2-game",
    objective=(
        "Play Trade Wars 2: explore sectors, trade at ports, and raise what your ship is worth with the turns that you"
        " have. Leave the game by Q when the goal of the run is reached or no turn is left."
    ),
    policy=ActionPolicy(allowed=KEYSTROKE_ACTIONS, max_text_chars=MAX_TW2_TEXT_CHARS),
    modules=(*GENERIC_TERMINAL_MODULES, SESSION_STATE, INPUT, COMMANDS, FACTS, BOARD_PROMPT, LIVE_PROMPT),
    prompts=noted(TW2_PROMPTS, BOARD_PROMPTS),
    budget=GAME_BUDGET,
    detectors=(safe_to_act(TW2), out_of_turns(TW2), IDLE_WARNING),
)

TW2_PROFILES: Final = (TW2_ENTRY, TW2_GAME)
