"""What the profiles of the gym have in common: sets of actions, budgets, notes of each turn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bbs_gym.readers.board import BOARD_PROMPTS
from bbs_gym.readers.known_prompt import KnownPrompt, live_prompt
from bbs_gym.readers.live_screen import of_turn
from bbs_gym.reading import READERS, observed_facts
from tty_agent.actions.action import ActionName
from tty_agent.activity.activity import Budget, Completion, CompletionCheck, Detector
from tty_agent.hints import ObservationHints
from tty_agent.observation.observation import Observation
from tty_agent.observer.readiness import PromptPattern

KEYSTROKE_ACTIONS: Final = (ActionName.PRESS_KEY, ActionName.TYPE_TEXT, ActionName.WAIT)
"""Enter is a key of its own: where a number may act at once, one Enter too many answers the next question."""

LINE_ACTIONS: Final = (ActionName.PRESS_KEY, ActionName.TYPE_TEXT, ActionName.SUBMIT_LINE, ActionName.WAIT)

GAME_BUDGET: Final = Budget(max_decision_ticks=200, max_wall_seconds=1800.0)
"""A day of a door game has hundreds of turns; half an hour is what a call may last on many boards."""


def noted(*tables: Iterable[KnownPrompt]) -> tuple[PromptPattern, ...]:
    """The prompts of tables for the observer, one a name: what has several looks is one pattern of them all, since of
    equal names a run keeps the first."""
    looks: dict[str, list[str]] = {}
    for prompt in (prompt for table in tables for prompt in table):
        known = looks.setdefault(prompt.name, [])
        if prompt.pattern not in known:
            known.append(prompt.pattern)
    return tuple(PromptPattern(name, "|".join(patterns)) for name, patterns in looks.items())


def safe_to_act(game: str | None) -> Detector:
    """Notes that the live prompt takes whatever is typed without harm that can't be undone."""

    def check(observation: Observation, hints: ObservationHints) -> bool:
        return observed_facts(observation, game, hints).safe_to_act is True

    return Detector("safe-to-act", check)


def out_of_turns(game: str) -> Detector:
    """Notes that the screen says that no turn is left. It ends nothing: another caller could write so, too."""

    def check(observation: Observation, hints: ObservationHints) -> bool:
        return observed_facts(observation, game, hints).turns == 0

    return Detector("out-of-turns", check)


def _idle(observation: Observation, hints: ObservationHints) -> bool:
    prompt = live_prompt(BOARD_PROMPTS, of_turn(observation, hints))
    return prompt is not None and prompt.name == "bbs-idle"


IDLE_WARNING: Final = Detector("idle-warning", _idle)
"""Notes that the BBS asks whether anybody is there."""


def entered(game: str) -> CompletionCheck:
    """The activity is done as soon as the game's command prompt is live, and no sooner: who leaves a game at one of its
    first questions may never get in again. Only the live row counts, so nobody's text ends it."""

    def check(observation: Observation, hints: ObservationHints) -> Completion | None:
        prompt = live_prompt(READERS[game].prompts, of_turn(observation, hints))
        if prompt is not None and prompt.name == f"{game}-command":
            return Completion("done", f"{game} waits for a command")
        return None

    return CompletionCheck(f"{game} entered", check)
