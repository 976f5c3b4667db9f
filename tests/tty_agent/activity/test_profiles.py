"""The generic profiles: what they allow, and which prompts they know."""

from __future__ import annotations

import pytest
from tests.tty_agent.trace_samples import an_observation

from tty_agent.actions.action import ActionName
from tty_agent.activity.profiles import GENERIC_PROFILES, SHELL, SHELL_PROMPTS, STABILITY_ONLY
from tty_agent.hints import extract
from tty_agent.prompt_modules import AssistanceLevel, ModuleContext, render_modules


def test_the_names_of_the_specification() -> None:
    assert list(GENERIC_PROFILES) == ["stability-only", "shell"]


def test_the_baseline_knows_nothing_of_any_program() -> None:
    assert STABILITY_ONLY.prompts == ()
    assert STABILITY_ONLY.system_guidance == ""
    assert {module.level for module in STABILITY_ONLY.modules} == {AssistanceLevel.GENERIC_TERMINAL}


@pytest.mark.parametrize("profile", GENERIC_PROFILES.values(), ids=GENERIC_PROFILES)
def test_no_profile_of_ordinary_use_sends_raw_bytes(profile: object) -> None:
    assert ActionName.SEND_RAW not in profile.policy.allowed  # type: ignore[attr-defined]


def test_a_shell_is_left_by_hanging_up() -> None:
    assert ActionName.HANGUP in SHELL.policy.allowed


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ("user@host:~/src$ ", "shell"),
        ("# ", "shell"),
        ("PS C:\\> ", "shell"),
        ("[sudo] password for ada: ", "password"),
        ("Do you want to continue? [Y/n] ", "yes-no"),
        ("Overwrite (yes/no)? ", "yes-no"),
        ("--More--(12%)", "pager"),
        ("(END)", "pager"),
        (":", "pager"),
        (">>> ", "python"),
        ("Press any key to continue . . .", "any-key"),
        ("[Hit ENTER]", "any-key"),
        ("total 12", None),
        ("", None),
    ],
)
def test_prompts_of_shells(row: str, name: str | None) -> None:
    found = next((pattern.name for pattern in SHELL_PROMPTS if pattern.matches(row, row)), None)
    assert found == name


def test_every_module_renders_once() -> None:
    observation = an_observation()
    rendered = render_modules(SHELL.modules, ModuleContext(observation, extract(observation)))
    assert "shell_conventions" in [module.name for module in rendered]
