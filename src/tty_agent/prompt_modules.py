"""Small fragments of a decision prompt, each with the level of assistance that it gives.

A profile names the modules it wants; each decision traces which were rendered, by name, level and text, so that
a run can be repeated without one of them. What a module shows of the screen it quotes (`prompt_text.quote`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Final

import msgspec

from tty_agent.hints import Effect, ObservationHints
from tty_agent.input_mode import InputMode
from tty_agent.observation.model_text import MARK_BEGIN, MARK_END
from tty_agent.observation.observation import Observation, ReadyReason
from tty_agent.quoting import one_line, quote

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
    closing: bool = False
    """What is true right now: it comes after the screen, as near to the decision as can be."""


class RenderedModule(msgspec.Struct, frozen=True):
    """As traced: `{name, level, text}`."""

    name: str
    level: AssistanceLevel
    text: str
    static: bool = False
    title: str = ""
    closing: bool = False

    @property
    def heading(self) -> str:
        """What stands over it."""
        return self.title or self.name.replace("_", " ").capitalize()

    def traced(self) -> dict[str, str]:
        """The three fields of a trace."""
        return {"name": self.name, "level": self.level.value, "text": self.text}


def render_modules(modules: Iterable[PromptModule], context: ModuleContext) -> list[RenderedModule]:
    """The modules that have something to say this turn, by level from the baseline up, within a level in the order
    of the profile. Raises ValueError if a name comes twice: a trace could not tell the two apart."""
    wanted = list(modules)
    names = [module.name for module in wanted]
    if len(set(names)) != len(names):
        raise ValueError(f"prompt modules of the same name: {sorted({n for n in names if names.count(n) > 1})}")
    ordered = [module for level in AssistanceLevel for module in wanted if module.level is level]
    texts = ((module, module.render(context).strip("\n")) for module in ordered)
    return [
        RenderedModule(module.name, module.level, text, module.static, module.title, module.closing)
        for module, text in texts
        if text
    ]


def by_level(rendered: Sequence[RenderedModule]) -> list[tuple[AssistanceLevel, list[RenderedModule]]]:
    """The levels that have modules, in order, each with its own."""
    groups = [(level, [module for module in rendered if module.level is level]) for level in AssistanceLevel]
    return [(level, group) for level, group in groups if group]


_EFFECTS: Final = {
    Effect.NO_OUTPUT: "The program wrote nothing.",
    Effect.SCREEN_UNCHANGED: "The screen is exactly as before.",
    Effect.CURSOR_MOVED: "The cursor moved; the text did not change.",
    Effect.HIGHLIGHT_MOVED: "Another item is marked now.",
    Effect.ECHOED: "The program wrote your input back.",
    Effect.MASKED: "The program wrote stars for your input.",
    Effect.ONLY_ECHOED: "Nothing came but your input; if it is complete, Enter may be what is missing.",
    Effect.TAKEN_BACK: "The program wrote your input and erased it again: it does not take that here.",
    Effect.SCREEN_CLEARED: "The screen was cleared or drawn anew.",
    Effect.SAME_PROMPT: "The prompt reads as before.",
    Effect.BELL: "The bell rang.",
    Effect.CLOSED: "The connection was closed.",
}

_MODES: Final = {
    InputMode.HOTKEY: "one key, which may act at once, without Enter",
    InputMode.LINE: "a line of text, ended by Enter",
    InputMode.YES_NO: "yes or no; one key may act at once, and Enter may take the default",
    InputMode.PAGER: "a key to go on",
    InputMode.NUMERIC: "a number; look whether Enter is still needed after its digits",
    InputMode.PASSWORD: "a secret, which is not shown as it is typed",
    InputMode.MENU: "a choice from a menu: arrow keys move the mark, Enter chooses",
    InputMode.FULL_SCREEN: "keys of a full-screen program",
}


def _connection_state(context: ModuleContext) -> str:
    seen = context.observation
    if seen.closed is not None:
        return f"The connection is closed ({one_line(seen.closed)}). Nothing that you type arrives any more."
    lines = [f"The program calls its window: {one_line(seen.title)}"] if seen.title else []
    if seen.ready_reason is ReadyReason.TIMEOUT:
        lines.append("The time for this look was over before the screen had come to rest: it may go on changing.")
    return "\n".join(lines)


def _previous_action_effects(context: ModuleContext) -> str:
    hints = context.hints
    lines = [f"- {_EFFECTS[effect]}" for effect in hints.effects if effect in _EFFECTS]
    if hints.new_lines:
        lines.append(f"- New lines of text: {hints.new_lines}.")
    if hints.changed_rows and hints.effects:
        lines.append(f"- Rows that changed: {hints.changed_rows}.")
    return "\n".join(lines)


def _recent_output(context: ModuleContext) -> str:
    hints = context.hints
    if not hints.recent_output.strip():
        return ""
    what = "Rows that changed" if hints.output_is_rows else "What the program wrote"
    return f"{what} since your last action:\n{quote(hints.recent_output, 'output')}"


def _highlighted_item(context: ModuleContext) -> str:
    item = context.observation.highlighted
    if item is None:
        return ""
    mark = f"between {MARK_BEGIN} and {MARK_END}"
    return f"Marked by colour in row {item.row}, on the screen below {mark}:\n{quote(item.text, 'item')}"


def _stale_prompts(context: ModuleContext) -> str:
    stale = context.hints.stale_prompts
    if not stale:
        return ""
    rows = "\n".join(f"row {prompt.row}: {prompt.text}" for prompt in stale)
    return f"Old: these rows look like prompts and take no input any more.\n{quote(rows, 'old')}"


def _input_mode(context: ModuleContext) -> str:
    hints = context.hints
    wants = _MODES.get(hints.input_mode)
    if wants is None:
        return ""
    return f"Looks like {hints.input_mode} ({hints.input_mode_evidence}): {wants}. This is a guess from its shape."


def _active_prompt(context: ModuleContext) -> str:
    hints, (_, column) = context.hints, context.observation.cursor
    where = f"row {hints.active_row}, column {column}"
    if hints.active_prompt:
        lines = [f"The cursor is at {where}. Input goes here and nowhere else:", quote(hints.active_prompt, "prompt")]
    else:
        lines = [f"The cursor is at {where}, with no text before it."]
    if hints.typed_input:
        lines += ["Typed, and not sent yet:", quote(hints.typed_input, "typed")]
    if hints.after_cursor:
        lines += ["Behind the cursor:", quote(hints.after_cursor, "rest")]
    if hints.line_above:
        lines += ["The nearest text above, which may be old:", quote(hints.line_above, "above")]
    return "\n".join(lines)


def _generic(name: str, render: Callable[[ModuleContext], str], *, closing: bool = False) -> PromptModule:
    return PromptModule(name=name, level=AssistanceLevel.GENERIC_TERMINAL, render=render, closing=closing)


GENERIC_TERMINAL_MODULES: Final = (
    _generic("connection_state", _connection_state),
    _generic("recent_output", _recent_output),
    _generic("highlighted_item", _highlighted_item),
    _generic("previous_action_effects", _previous_action_effects, closing=True),
    _generic("stale_prompts", _stale_prompts, closing=True),
    _generic("input_mode", _input_mode, closing=True),
    _generic("active_prompt", _active_prompt, closing=True),
)
"""The baseline of every profile: facts and hints that hold for any terminal."""
