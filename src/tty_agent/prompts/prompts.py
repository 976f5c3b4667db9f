"""Prompts for decisions: everything about a turn in, the text for a model out.

Two modes: `stateless_full` tells all of it each time; `stateful_delta` tells all of it once and then what is new, for
providers whose session keeps the rest. Two layouts order a full prompt (layout.py). No clock and no chance:
the same context gives the same prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Final

import msgspec

from tty_agent.actions.policy import ActionPolicy
from tty_agent.activity.activity import PromptLayout, PromptMode
from tty_agent.models.model import Prompt
from tty_agent.prompts.context import AlreadyTold, DecisionContext
from tty_agent.prompts.layout import (
    DELTA,
    LAYOUTS,
    MAX_REMEMBERED,
    STABLE,
    SWITCHED,
    Part,
    Section,
    contract_text,
    joined,
    sections,
)
from tty_agent.quoting import DATA_RULE, one_line, quote

MAX_REPLY_CHARS: Final = 4_000
"""Of a bad reply in a repair prompt: its end, where the action should be."""

_MAX_ERROR_CHARS: Final = 1_000
"""Of a validation error: errors quote what they complain about."""

_ROLE: Final = (
    "You use a program through a terminal, as a person would. At each decision you are told what is on the screen, and"
    " you give one action: input for the terminal."
)

_ANSWER: Final = (
    "You may say in a sentence or two why, before the JSON object. The last JSON object of your answer is carried out;"
    " nothing else of the answer reaches the terminal."
)

_READING: Final = (
    "The active prompt is the row of the cursor. Other text stays on a screen after its time, old prompts too. Rows and"
    " columns count from 0."
)


class PromptKind(StrEnum):
    """What a decision prompt holds, as traces name it."""

    FULL = "full"
    BOOTSTRAP = "bootstrap"
    """The first of a stateful session: a full one, to be followed by deltas."""
    DELTA = "delta"


class DecisionPrompt(msgspec.Struct, frozen=True):
    """A prompt, and what a session that was sent it holds."""

    prompt: Prompt
    kind: PromptKind
    told: AlreadyTold
    """The `told` of the next context in a stateful session, once the model has answered."""
    sections: tuple[Section, ...]


def decision_prompt(
    context: DecisionContext,
    *,
    mode: PromptMode = PromptMode.STATELESS_FULL,
    layout: PromptLayout = PromptLayout.TIMELINE_FIRST,
) -> DecisionPrompt:
    """The prompt for this decision. `stable_chars` covers the parts at its start that stay as they are for as long
    as the profile does."""
    told = AlreadyTold(context.profile.name, context.memory.revision)
    if mode is PromptMode.STATEFUL_DELTA and context.told is not None:
        order: tuple[Part, ...] = DELTA if context.told.profile == context.profile.name else SWITCHED + DELTA
        kind = PromptKind.DELTA
    else:
        context = msgspec.structs.replace(context, told=None)
        order = LAYOUTS[layout]
        kind = PromptKind.BOOTSTRAP if mode is PromptMode.STATEFUL_DELTA else PromptKind.FULL
    chosen = sections(context, order)
    profile = context.profile
    prompt = Prompt(
        system=system_text(profile.policy, profile.system_guidance),
        user=joined(chosen),
        stable_chars=0 if kind is PromptKind.DELTA else _stable_chars(chosen),
        schema=_schema(profile.policy),
        images=context.images,
    )
    return DecisionPrompt(prompt, kind, told, tuple(chosen))


@lru_cache(maxsize=MAX_REMEMBERED)
def system_text(policy: ActionPolicy, guidance: str) -> str:
    """The system message: the contract, how to read what is shown, the action schema, the profile's guidance. The
    same for as long as the profile is."""
    return "\n\n".join((_ROLE, DATA_RULE, _READING, contract_text(policy, guidance), _ANSWER)) + "\n"


@lru_cache(maxsize=MAX_REMEMBERED)
def _schema(policy: ActionPolicy) -> Mapping[str, object]:
    return policy.schema()  # typed as what nobody writes to: prompts share it


def repair_prompt(prompt: Prompt, *, error: str, reply: str, policy: ActionPolicy, stateful: bool = False) -> Prompt:
    """The one attempt to get a valid action after `reply`, the answer to `prompt`, which failed with `error`.

    It has the error, the bad reply and the action schema; before them all of `prompt`, which is cached by then,
    except in a `stateful` session, which holds it.
    """
    bad = quote(reply, "reply", max_chars=MAX_REPLY_CHARS) if reply.strip() else "It was empty."
    told = (
        f"# Your answer was not a valid action\n\nError: {one_line(error, max_chars=_MAX_ERROR_CHARS)}\n\n"
        f"Your answer:\n{bad}\n\n{policy.describe()}\n\nNothing was typed. Answer again, with one valid JSON object."
        " There is no third attempt.\n"
    )
    if stateful:
        return msgspec.structs.replace(prompt, user=told, stable_chars=0, images=())
    return msgspec.structs.replace(prompt, user=f"{prompt.user}\n{told}", stable_chars=len(prompt.user))


def _stable_chars(chosen: list[Section]) -> int:
    """Where the first part begins that changes from turn to turn."""
    stable: list[Section] = []
    for section in chosen:
        if section.part not in STABLE:
            break
        stable.append(section)
    return len(joined(stable))
