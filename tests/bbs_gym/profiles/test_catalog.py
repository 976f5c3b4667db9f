"""The profiles by name, and what holds for each of them."""

from __future__ import annotations

import pytest
from tests.bbs_gym.recorded import turns
from tests.tty_agent.decision_contexts import context
from tests.tty_agent.terminal_turns import turn

from bbs_gym.profiles.catalog import BUILT_IN, GYM_PROFILES, UnknownProfile, profile, route_set
from bbs_gym.prompt_modules import STRATEGIES
from bbs_gym.reading import READERS
from tty_agent.activity.activity import ActivityProfile
from tty_agent.hints import extract
from tty_agent.prompt_modules import GENERIC_TERMINAL_MODULES, AssistanceLevel, ModuleContext, render_modules
from tty_agent.prompts.prompts import decision_prompt

every_profile = pytest.mark.parametrize("one", GYM_PROFILES, ids=lambda one: one.name)


def test_the_names() -> None:
    assert [one.name for one in GYM_PROFILES] == [
        "bbs-main-menu",
        "bbs-door-safe",
        "bbs-door-line",
        "tw2-entry",
        "tw2-game",
        "bre",
        "tele-arena",
        "starlane-entry",
        "starlane-game",
        "agentgames-practice",
        "message-board",
        "chat",
    ]
    assert set(BUILT_IN.profiles) == {one.name for one in GYM_PROFILES} | {"stability-only", "shell"}
    assert set(BUILT_IN.route_sets) == {"tw2-auto", "bbs-auto", "starlane-auto"}


def test_one_by_its_name() -> None:
    assert profile("tw2-game").name == "tw2-game"
    assert route_set("tw2-auto").name == "tw2-auto"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tw2-gaem", "there is no profile 'tw2-gaem': did you mean tw2-game"),
        ("zzz", "there is no profile 'zzz': there are stability-only, shell, bbs-main-menu"),
        ("\x1b[2J", r"there is no profile '\x1b[2J': there are "),
    ],
)
def test_a_name_that_is_none(name: str, said: str) -> None:
    with pytest.raises(UnknownProfile) as raised:
        profile(name)
    assert str(raised.value).startswith(said)


def test_a_route_set_that_is_none() -> None:
    with pytest.raises(UnknownProfile, match="there is no route set 'tw2-game': did you mean tw2-auto"):
        route_set("tw2-game")


def actions(name: str) -> set[str]:
    return set(map(str, profile(name).policy.allowed))


def test_door_safe_is_door_line_without_submit_line() -> None:
    assert actions("bbs-door-safe") == {"press_key", "type_text", "wait"}
    assert actions("bbs-door-line") == actions("bbs-door-safe") | {"submit_line"}


def test_several_lines_are_for_texts_alone() -> None:
    assert [one.name for one in GYM_PROFILES if "submit_lines" in one.policy.allowed] == ["message-board"]


@every_profile
def test_no_profile_has_raw_bytes_or_hangs_up(one: ActivityProfile) -> None:
    assert not {"send_raw", "hangup"} & set(map(str, one.policy.allowed))


@every_profile
def test_every_profile_rests_on_the_baseline_and_gives_no_advice(one: ActivityProfile) -> None:
    names = [module.name for module in one.modules]
    assert len(set(names)) == len(names)
    assert set(GENERIC_TERMINAL_MODULES) <= set(one.modules)
    assert AssistanceLevel.STRATEGIC not in {module.level for module in one.modules}
    assert not set(STRATEGIES) & set(one.modules)


@every_profile
def test_no_prompt_ends_a_turn(one: ActivityProfile) -> None:
    assert not any(prompt.fast for prompt in one.prompts)
    names = [prompt.name for prompt in one.prompts]
    assert len(set(names)) == len(names)


@every_profile
def test_the_schema_that_is_shown_is_that_of_the_policy(one: ActivityProfile) -> None:
    seen = turn("Main menu: |")
    hints = extract(seen)
    modules = tuple(render_modules(one.modules, ModuleContext(seen, hints)))
    asked = decision_prompt(context(one, observation=seen, hints=hints, modules=modules))
    for action in ("press_key", "type_text", "submit_line", "submit_lines", "wait", "hangup", "send_raw"):
        assert (f'"action": "{action}"' in asked.prompt.system) == (action in one.policy.allowed)


@every_profile
def test_modules_speak_of_actions_that_the_profile_has(one: ActivityProfile) -> None:
    seen = turn("Main menu: |", metadata={"transport": "rlogin"})
    told = " ".join(one.text for one in render_modules(one.modules, ModuleContext(seen, extract(seen))))
    for action in ("submit_lines", "submit_line", "type_text"):
        if action in one.policy.allowed:
            told = told.replace(action, "")
        assert action not in told, f"{one.name} tells of {action}"


@every_profile
def test_nobody_is_told_where_the_prompt_is_unknown(one: ActivityProfile) -> None:
    """On a screen of no known program only what is stable is said, and the baseline."""
    seen = turn("something else entirely")
    rendered = render_modules(one.modules, ModuleContext(seen, extract(seen)))
    assert all(part.static or part.level is AssistanceLevel.GENERIC_TERMINAL for part in rendered)


@pytest.mark.parametrize(
    ("name", "recording", "typed", "prompt"),
    [
        ("tw2-game", "turns-a", b"i", "tw2-command"),
        ("tw2-entry", "turns-a", b"\r", "hit-a-key"),
        ("bbs-main-menu", "telnet-bob-logoff", b"o", "bbs-main"),
    ],
)
def test_the_observer_gets_the_prompt_of_a_recorded_screen(
    name: str, recording: str, typed: bytes, prompt: str
) -> None:
    seen = next(moment.observation for moment in turns(recording) if moment.typed == typed)
    row, column = seen.cursor
    line = seen.pretty_screen.split("\n")[row]
    found = next(one for one in profile(name).prompts if one.matches(line[:column].ljust(column), line))
    assert found.name == prompt


@pytest.mark.parametrize(
    ("sketch", "detected"),
    [
        ("Command (?=Help)? |", ("safe-to-act",)),
        ("Your offer? |", ()),
        ("I'm sorry but you don't have any turns left.\n\nCommand (?=Help)? |", ("safe-to-act", "out-of-turns")),
        ("alice! Are you really there? |", ("safe-to-act", "idle-warning")),
        ("Command (?=Help)? \n|", ()),
    ],
)
def test_what_is_noted_of_a_turn_of_trade_wars(sketch: str, detected: tuple[str, ...]) -> None:
    seen = turn(sketch)
    assert profile("tw2-game").detected(seen, extract(seen)) == detected


@pytest.mark.parametrize("game", READERS)
def test_the_way_into_a_game_ends_at_its_prompt_alone(game: str) -> None:
    check = profile(f"{game}-entry").completion[0].check
    for sketch, done in (
        ("Command (?=Help)? |", True),
        ("Do you want instructions (Y/N) [N]? |", False),
        ("Command (?=Help)? \n[Hit a key] |", False),
        ("<mallory> Command (?=Help)? \nmain> |", False),
    ):
        seen = turn(sketch)
        assert (check(seen, extract(seen)) is not None) is done
