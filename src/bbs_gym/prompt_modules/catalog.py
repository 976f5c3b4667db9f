"""All modules by name, those of any terminal among them, for profiles that are put together by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from bbs_gym.prompt_modules.bbs import BBS_MODULES
from bbs_gym.prompt_modules.doors import BRE_STRATEGY, DOOR_MODULES
from bbs_gym.prompt_modules.house import HOUSE_MODULES
from bbs_gym.prompt_modules.starlane import STARLANE_MODULES
from bbs_gym.prompt_modules.starlane import STRATEGY as STARLANE_STRATEGY
from bbs_gym.prompt_modules.tw2 import STRATEGY as TW2_STRATEGY
from bbs_gym.prompt_modules.tw2 import TW2_MODULES
from tty_agent.prompt_modules import GENERIC_TERMINAL_MODULES, PromptModule

STRATEGIES: Final = (TW2_STRATEGY, STARLANE_STRATEGY, BRE_STRATEGY)
"""Advice. No profile of the gym has one: a benchmark that wants it says so, in a profile of its own."""

MODULES: Final[Mapping[str, PromptModule]] = MappingProxyType(
    {
        module.name: module
        for module in (
            *GENERIC_TERMINAL_MODULES,
            *BBS_MODULES,
            *HOUSE_MODULES,
            *TW2_MODULES,
            *STARLANE_MODULES,
            *DOOR_MODULES,
            *STRATEGIES,
        )
    }
)
