"""Profiles of Starlane, the house's door game."""

from __future__ import annotations

from typing import Final

from bbs_gym.profiles.shared import (
    GAME_BUDGET,
    IDLE_WARNING,
    LINE_ACTIONS,
    entered,
    noted,
    out_of_turns,
    safe_to_act,
)
from bbs_gym.prompt_modules.bbs import CONVENTIONS, LINES, MENU, SESSION_STATE
from bbs_gym.prompt_modules.bbs import LIVE_PROMPT as BOARD_PROMPT
from bbs_gym.prompt_modules.starlane import COMMANDS, ENTRY, FACTS, INPUT, LIVE_PROMPT
from bbs_gym.readers.board import BOARD_PROMPTS
from bbs_gym.readers.starlane import STARLANE_PROMPTS
from bbs_gym.reading import STARLANE
from tty_agent.actions.policy import ActionPolicy
from tty_agent.activity.activity import ActivityProfile
from tty_agent.prompt_modules import GENERIC_TERMINAL_MODULES

MAX_STARLANE_TEXT_CHARS: Final = 400
"""Of a letter or a broadcast."""

STARLANE_ENTRY: Final = ActivityProfile(
    name="starlane-entry",
    objective="Get from where you are into the game Starlane, as far as its prompt Command (?=Help)?.",
    policy=ActionPolicy(allowed=LINE_ACTIONS),
    modules=(*GENERIC_TERMINAL_MODULES, SESSION_STATE, CONVENTIONS, LINES, MENU, ENTRY, BOARD_PROMPT, LIVE_PROMPT),
    prompts=noted(BOARD_PROMPTS, STARLANE_PROMPTS),
    completion=(entered(STARLANE),),
    detectors=(safe_to_act(STARLANE), IDLE_WARNING),
)

STARLANE_GAME: Final = ActivityProfile(
    name="starlane-game",
    objective=(
        "Play Starlane: explore sectors, trade at ports, and raise your net worth with the turns that you have. Leave"
        " the game by Q when the goal of the run is reached or no turn is left."
    ),
    policy=ActionPolicy(allowed=LINE_ACTIONS, max_text_chars=MAX_STARLANE_TEXT_CHARS),
    modules=(*GENERIC_TERMINAL_MODULES, SESSION_STATE, INPUT, COMMANDS, FACTS, LIVE_PROMPT),
    prompts=noted(STARLANE_PROMPTS, BOARD_PROMPTS),
    budget=GAME_BUDGET,
    detectors=(safe_to_act(STARLANE), out_of_turns(STARLANE), IDLE_WARNING),
)

STARLANE_PROFILES: Final = (STARLANE_ENTRY, STARLANE_GAME)
