"""The profiles that fit any terminal. A package for one kind of host brings its own, of the same type."""

from __future__ import annotations

from typing import Final

from tty_agent.actions.action import ActionName
from tty_agent.actions.policy import DEFAULT_ALLOWED, ActionPolicy
from tty_agent.activity.activity import ActivityProfile
from tty_agent.observer.readiness import PromptPattern
from tty_agent.prompt_modules import GENERIC_TERMINAL_MODULES, AssistanceLevel, PromptModule

SHELL_PROMPTS: Final = (
    PromptPattern("password", r"(?i)\b(password|passphrase)\b[^:]*:\s*$"),
    PromptPattern("yes-no", r"(?i)[\[(]\s*y(es)?\s*/\s*n(o)?\b[^\])]*[\])]\s*\??:?\s*$"),
    PromptPattern("any-key", r"(?i)\b(press|hit)\b.{0,20}\b(any key|a key|enter|return|space)\b"),
    PromptPattern("pager", r"--More--|\(END\)|^:\s*$"),
    PromptPattern("python", r"^(>>>|\.\.\.|In \[\d+\]:)\s*$"),
    PromptPattern("shell", r"[$#%>\u276f\u279c]\s*$"),
)
"""Prompts of shells and of what is started from them, the special ones first. They are notes, and end no turn."""

_SHELL_CONVENTIONS: Final = PromptModule(
    name="shell_conventions",
    level=AssistanceLevel.GENERIC_TERMINAL,
    static=True,
    render=lambda _: (
        "- A row that ends in $, # or % waits for a command; submit_line types one and runs it.\n"
        "- Send one command at a time and read what it wrote before the next.\n"
        "- A pager (--More--, (END), :) goes on with space and is left with q; ctrl-c stops a running program.\n"
        "- When the objective is reached, hang up."
    ),
)

STABILITY_ONLY: Final = ActivityProfile(
    name="stability-only",
    objective="Use the terminal program as a person would, one action at a time, to reach the goal of the run.",
    policy=ActionPolicy(),
    modules=GENERIC_TERMINAL_MODULES,
)
"""The baseline: the screen is stable, and nothing is known of the program. No prompt patterns, no conventions."""

SHELL: Final = ActivityProfile(
    name="shell",
    objective="Work in this command shell to reach the goal of the run.",
    policy=ActionPolicy(allowed=(*DEFAULT_ALLOWED, ActionName.HANGUP)),
    modules=(_SHELL_CONVENTIONS, *GENERIC_TERMINAL_MODULES),
    prompts=SHELL_PROMPTS,
)
"""A command shell and what is started from it. Hanging up is how the agent says that it is done."""

GENERIC_PROFILES: Final = {profile.name: profile for profile in (STABILITY_ONLY, SHELL)}
