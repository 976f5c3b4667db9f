"""Small fragments of a decision prompt, each with the level of assistance that it gives.

A profile names the modules it wants; each decision traces which were rendered, by name, level and text, so that
a run can be repeated without one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec

from tty_agent.hints import ObservationHints
from tty_agent.observation import Observation

PROMPT_MODULES_SCHEMA_VERSION = 1


class AssistanceLevel(StrEnum):
    """How much a fragment helps, from the baseline up. In prompts they come in this order."""

    GENERIC_TERMINAL = "generic_terminal"
    BBS_CONVENTIONS = "bbs_conventions"
    GAME_INTERFACE = "game_interface"
    STRATEGIC = "strategic"


class ModuleContext(msgspec.Struct, frozen=True):
    """What a module may look at: what the agent itself can see, and nothing else."""

    observation: Observation
    hints: ObservationHints


class PromptModule(msgspec.Struct, frozen=True, kw_only=True):
    """A fragment. `render` returns its text, or "" when it has nothing to say this turn."""

    name: str
    level: AssistanceLevel
    render: Callable[[ModuleContext], str]
    static: bool = False
    """The text is the same at every turn of a run; a cache-friendly layout puts it early."""
    title: str = ""
    """The heading over it; the name, if empty."""


class RenderedModule(msgspec.Struct, frozen=True):
    """As traced: `{name, level, text}`."""

    name: str
    level: AssistanceLevel
    text: str
    static: bool = False
    title: str = ""
