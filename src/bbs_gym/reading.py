"""Visible facts of a screen: what it says of the player and the call, read from its text alone.

They annotate, and never gate. What other people wrote stands on the same screen, so a fact is what the screen says, in
the form in which the program says it; nobody vouches for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

import msgspec

from bbs_gym.facts import Facts
from bbs_gym.readers.board import BOARD_PROMPTS, board_facts
from bbs_gym.readers.known_prompt import KnownPrompt, live_prompt
from bbs_gym.readers.live_screen import LiveScreen, of_text, of_turn
from bbs_gym.readers.starlane import STARLANE_PROMPTS, starlane_facts, starlane_shown
from bbs_gym.readers.tw2 import TW2_PROMPTS, tw2_facts, tw2_shown
from tty_agent.hints import ObservationHints
from tty_agent.observation.observation import Observation

MAX_REMEMBERED: Final = 128
"""Screens whose facts are kept: several notes and modules ask for those of one turn, of 64 agents at once."""

TW2: Final = "tw2"
STARLANE: Final = "starlane"


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """How one game is read."""

    prompts: tuple[KnownPrompt, ...]
    facts: Callable[[LiveScreen], dict[str, Any]]
    shown: Callable[[LiveScreen], bool]
    """Something on the screen is laid out as only this game does it."""


READERS: Final[Mapping[str, Reader]] = MappingProxyType(
    {
        TW2: Reader(prompts=TW2_PROMPTS, facts=tw2_facts, shown=tw2_shown),
        STARLANE: Reader(prompts=STARLANE_PROMPTS, facts=starlane_facts, shown=starlane_shown),
    }
)
"""By game. Others have facts of the board alone."""


def read_facts(text: str, game: str | None) -> Facts:
    """The facts of a screen as text, whose last row with text is the live one. `game` is the one that may be on it
    (`tw2`, `starlane`; any other name has facts of the board alone), None: whichever shows itself. Takes any text."""
    return facts_of(of_text(text), game)


def observed_facts(observation: Observation, game: str | None, hints: ObservationHints | None = None) -> Facts:
    """The facts of a turn; its live row is that of the cursor."""
    return facts_of(of_turn(observation, hints), game)


@lru_cache(maxsize=MAX_REMEMBERED)
def facts_of(screen: LiveScreen, game: str | None) -> Facts:
    """The facts of a screen. `game` in them is None where it does not show itself."""
    board = board_facts(screen)
    name = shown_game(screen) if game is None else game
    reader = READERS.get(name or "")
    if reader is None:
        return Facts(safe_to_act=_safe(screen, BOARD_PROMPTS), **board)
    told = reader.facts(screen)
    at_prompt = live_prompt(reader.prompts, screen)
    present = reader.shown(screen) or (at_prompt is not None and at_prompt.name.startswith(f"{name}-"))
    return Facts(
        game=name if present else None,
        safe_to_act=_safe(screen, (*reader.prompts, *BOARD_PROMPTS)),
        **(board | told),
    )


def shown_game(screen: LiveScreen) -> str | None:
    """The first game of which something is on the screen, in what only it lays out so, or else by its live prompt; a
    prompt that two games share tells neither."""
    for name, reader in READERS.items():
        if reader.shown(screen):
            return name
    for name, reader in READERS.items():
        prompt = live_prompt(reader.prompts, screen)
        if prompt is not None and not prompt.shared:
            return name
    return None


def prompt_of(screen: LiveScreen) -> str | None:
    """The known prompt that the screen waits at, whatever runs there: of the game that shows itself, of the BBS, of any
    game. One that two games share is the first game's unless the screen shows the other."""
    shown = READERS.get(shown_game(screen) or "")
    games = (prompt for reader in READERS.values() for prompt in reader.prompts)
    prompt = live_prompt((*(shown.prompts if shown is not None else ()), *BOARD_PROMPTS, *games), screen)
    return None if prompt is None else prompt.name


def live_game(screen: LiveScreen, game: str, *, alone: bool = True) -> bool:
    """Whether the live prompt is one of that game. This is what routes go by: the live row must be a prompt of the
    game, from its first character to the cursor, so that no text above it, whoever wrote it, makes a game of it.

    A prompt that another game words just so counts if the game is `alone`, as where a route set knows one game only;
    else unless the screen shows another game and not this one.
    """
    prompt = live_prompt(READERS[game].prompts, screen)
    if prompt is None or not prompt.name.startswith(f"{game}-"):
        return False
    if alone or not prompt.shared or READERS[game].shown(screen):
        return True
    return not any(reader.shown(screen) for name, reader in READERS.items() if name != game)


def _safe(screen: LiveScreen, prompts: tuple[KnownPrompt, ...]) -> bool | None:
    prompt = live_prompt(prompts, screen)
    return None if prompt is None else prompt.safe
