"""Routed runs: the profile follows the screen; session, budget, memory and trace stay the same."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.tty_agent.run_fakes import FakeTerminal, FakeTime

from tty_agent.activity.activity import Budget
from tty_agent.activity.completion import screen_shows
from tty_agent.activity.profiles import SHELL, STABILITY_ONLY
from tty_agent.activity.routes import Route, RouteSet
from tty_agent.models.scripted import ScriptedModel
from tty_agent.observer.readiness import Adaptive, PromptPattern
from tty_agent.runner.record import RunIdentity
from tty_agent.runner.routed import RoutedActivityRunner
from tty_agent.runner.settings import RunSettings
from tty_agent.trace.records import DecisionRecord, EventRecord, Header, Record, Switch

P = '{"action": "press_key", "arguments": {"key": "P"}}'

GAME = msgspec.structs.replace(
    STABILITY_ONLY,
    name="tw2-game",
    objective="trade with profit",
    prompts=(PromptPattern("tw2-command", r"Command \(\?=Help\)\?"),),
    turn=Adaptive(),
    completion=(screen_shows("You are rich"),),
)
ROUTES = RouteSet("tw2-auto", SHELL, (Route("sector", lambda seen, hints: "Sector" in seen.pretty_screen, GAME),))


async def played(*screens: str, **settings: Any) -> tuple[list[Record], FakeTerminal, Any]:
    terminal, records = FakeTerminal(*screens), list[Record]()
    runner = RoutedActivityRunner(
        terminal,
        ScriptedModel([P], loop=True),
        ROUTES,
        identity=RunIdentity(run_id="run-1", agent_id="agent-001"),
        settings=RunSettings(**settings),
        watch=records.append,
        clock=FakeTime().clock,
    )
    return records, terminal, await runner.run()


@pytest.fixture
def budget() -> Budget:
    return Budget(max_decision_ticks=4)


async def test_the_active_profile_is_on_every_step_and_a_switch_is_an_event(budget: Budget) -> None:
    records, _, result = await played("Menu\n> ", "Sector 1\n> ", "Sector 2\n> ", "Menu\n> ", budget=budget)
    header, steps = records[0], [record for record in records if isinstance(record, DecisionRecord)]
    assert isinstance(header, Header)
    assert (header.route_set, set(header.profiles)) == ("tw2-auto", {"shell", "tw2-game"})
    assert header.profile == ROUTES.default.name
    assert [record.active_profile for record in steps] == ["shell", "tw2-game", "tw2-game", "shell"]
    assert [record.profile_switch for record in steps] == [
        None,
        Switch("shell", "tw2-game", "sector"),
        None,
        Switch("tw2-game", "shell", "default"),
    ]
    switches = [record for record in records if isinstance(record, EventRecord) and record.event == "profile_switch"]
    assert [(event.step, event.data["after"]) for event in switches] == [(1, "tw2-game"), (3, "shell")]
    assert (result.steps, result.profile) == (4, "shell")


async def test_the_prompt_is_that_of_the_active_profile_under_the_objective_of_the_run(budget: Budget) -> None:
    records, _, _ = await played("Menu\n> ", "Sector 1\n> ", budget=budget, run_objective="get rich in TW2")
    first, second = [record for record in records if isinstance(record, DecisionRecord)][:2]
    assert "trade with profit" not in first.prompt
    assert "trade with profit" in second.prompt
    assert second.prompt.index("get rich in TW2") < second.prompt.index("trade with profit")
    assert "hangup" in first.system_prompt
    assert "hangup" not in second.system_prompt
    assert "step 1" in second.prompt  # the memory is one


async def test_turns_are_taken_by_the_rules_of_the_profile_that_is_active(budget: Budget) -> None:
    _, terminal, _ = await played("Menu\n> ", "Sector 1\n> ", budget=budget)
    assert [asked["policy"] for asked in terminal.asked] == [None, None, *[Adaptive()] * 3]
    first, _, third = ([prompt.name for prompt in asked["prompts"]] for asked in terminal.asked[:3])
    shell, game = ([prompt.name for prompt in profile.prompts] for profile in (SHELL, GAME))
    assert first == [*shell, *(name for name in game if name not in shell)], "a route may go by any prompt"
    assert third == [*game, *(name for name in shell if name not in game)]


async def test_the_first_screen_may_already_be_another_profile(budget: Budget) -> None:
    records, _, _ = await played("Sector 1\n> ", budget=budget)
    names = [record.event for record in records if isinstance(record, EventRecord)]
    assert names[:2] == ["run_started", "profile_switch"]


async def test_only_the_active_profile_says_when_it_is_done(budget: Budget) -> None:
    _, _, result = await played("You are rich\n> ", "Sector\nYou are rich\n> ", budget=budget)
    assert (result.outcome, result.steps) == ("done", 1)


async def test_the_budget_is_that_of_the_default_profile() -> None:
    records, _, result = await played("Menu\n> ")
    assert result.steps == SHELL.budget.max_decision_ticks
    assert isinstance(records[0], Header)
