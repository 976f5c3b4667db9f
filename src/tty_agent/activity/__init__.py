"""What an activity is: profiles, budgets, checks that it is done, routes between profiles."""

from __future__ import annotations

from tty_agent.activity.activity import (
    ActivityProfile,
    Budget,
    Completion,
    CompletionCheck,
    Detector,
    PromptLayout,
    PromptMode,
)
from tty_agent.activity.completion import screen_shows
from tty_agent.activity.profiles import GENERIC_PROFILES, SHELL, STABILITY_ONLY
from tty_agent.activity.routes import Route, RouteSet

__all__ = [
    "GENERIC_PROFILES",
    "SHELL",
    "STABILITY_ONLY",
    "ActivityProfile",
    "Budget",
    "Completion",
    "CompletionCheck",
    "Detector",
    "PromptLayout",
    "PromptMode",
    "Route",
    "RouteSet",
    "screen_shows",
]
