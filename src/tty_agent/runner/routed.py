"""A run whose profile follows what is on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tty_agent.activity.activity import ActivityProfile
from tty_agent.activity.routes import RouteSet
from tty_agent.hints import ObservationHints
from tty_agent.models.model import Model
from tty_agent.observation.observation import Observation
from tty_agent.observer.readiness import PromptPattern
from tty_agent.runner.runner import ActivityRunner
from tty_agent.runner.turn import Session


class RoutedActivityRunner(ActivityRunner):
    """As ActivityRunner, with the profile chosen anew at each observation: same session, budget, memory and trace."""

    def __init__(self, session: Session, model: Model, routes: RouteSet, **rest: Any) -> None:
        """`rest` as in ActivityRunner. The budget is that of the settings, else of the default profile."""
        super().__init__(session, model, routes.default, **rest)
        self.routes = routes

    def _select(self, observation: Observation, hints: ObservationHints) -> tuple[ActivityProfile, str]:
        profile, route = self.routes.select(observation, hints)
        return self._for_session(profile), route

    def _profiles(self) -> Sequence[ActivityProfile]:
        return tuple(self.routes.profiles().values())

    def _prompts(self) -> Sequence[PromptPattern]:
        """Those of the profile so far, then what the others have besides: a route may go by the prompt that came."""
        every = [self._active.prompts, *(profile.prompts for profile in self._profiles())]
        found: dict[str, PromptPattern] = {}
        for prompt in (prompt for prompts in every for prompt in prompts):
            found.setdefault(prompt.name, prompt)
        return tuple(found.values())

    def _route_set(self) -> str | None:
        return self.routes.name
