"""How modules are made: stable prose, and what the live prompt takes."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from bbs_gym.readers.known_prompt import KnownPrompt, Wants, live_prompt
from bbs_gym.readers.live_screen import of_turn
from tty_agent.prompt_modules import AssistanceLevel, ModuleContext, PromptModule

_WANTS: Final = MappingProxyType(
    {
        Wants.KEY: "one key acts at once, without Enter",
        Wants.KEY_OR_NUMBER: "one key acts at once, without Enter; a number needs Enter",
        Wants.KEY_OR_EAGER_NUMBER: (
            "one key acts at once; a number acts as soon as no longer number is possible here, and else needs Enter"
        ),
        Wants.NUMBER: "type the digits, then Enter",
        Wants.EAGER_NUMBER: (
            "a number acts as soon as no longer number is possible here; look again before you press Enter, for one"
            " Enter too many answers the next question"
        ),
        Wants.LINE: "type a line, then Enter",
        Wants.TEXT: "type the lines of a text, Enter after each",
        Wants.YES_NO: "y or n acts at once, without Enter; Enter takes the answer in brackets",
        Wants.ANY_KEY: "a pause; any key goes on",
        Wants.CHOICE: "type the number of an item, then Enter",
        Wants.SECRET: "a password is asked for; it is not yours to type",
        Wants.NOTHING: "nothing is asked",
    }
)


def stable(name: str, level: AssistanceLevel, text: str, *, title: str = "") -> PromptModule:
    """A module that says the same at every turn."""
    return PromptModule(name=name, level=level, render=lambda _: text, static=True, title=title)


def at_live_prompt(name: str, level: AssistanceLevel, prompts: Sequence[KnownPrompt]) -> PromptModule:
    """A module that says what the live prompt takes, if it is one of these. All of its words are the harness's own."""

    def render(context: ModuleContext) -> str:
        prompt = live_prompt(prompts, of_turn(context.observation, context.hints))
        if prompt is None:
            return ""
        more = f" {prompt.hint}" if prompt.hint else ""
        return f"The live prompt is {prompt.name}: {_WANTS[prompt.wants]}.{more}"

    return PromptModule(name=name, level=level, render=render, closing=True)
