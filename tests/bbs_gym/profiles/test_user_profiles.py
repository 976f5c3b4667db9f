"""A user's profiles from a TOML file."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tty_agent.terminal_turns import turn

from bbs_gym.profiles.catalog import BUILT_IN, profile
from bbs_gym.profiles.user_file import ProfileFileError
from bbs_gym.profiles.user_profiles import read_user_catalog, user_catalog
from tty_agent.activity.routes import RouteSet
from tty_agent.hints import extract
from tty_agent.observation.observation import Observation
from tty_agent.observer.readiness import Adaptive, Fixed
from tty_agent.prompt_modules import AssistanceLevel

WHOLE = """
[profiles.trader]
base = "tw2-game"
objective = "Trade, and nothing else."
actions = ["press_key", "type_text"]
max_text_chars = 20
add_modules = ["tw2_strategy"]
drop_modules = ["tw2_facts"]
turn = {type = "adaptive", timeout_s = 10}
guidance = "Be brief."
done_when = ["^Sector 99$"]

[profiles.trader.budget]
max_decision_ticks = 100
max_wall_seconds = 0

[[profiles.trader.notes]]
name = "house_rules"
level = "game_interface"
text = "Never gamble."

[[profiles.trader.prompts]]
name = "tw2-command"
pattern = "^Command"

[profiles.bold-trader]
base = "trader"
failed_when = ["destroyed"]

[route_sets.trading]
default = "tw2-entry"

[[route_sets.trading.routes]]
name = "in-game"
profile = "bold-trader"
game = "tw2"

[[route_sets.trading.routes]]
name = "at-menu"
profile = "bbs-main-menu"
prompts = ["bbs-main"]

[[route_sets.trading.routes]]
name = "elsewhere"
profile = "bbs-door-line"
row = "^Ready>"
"""


def test_a_whole_file() -> None:
    catalog = user_catalog(WHOLE)
    trader, base = catalog.profile("trader"), profile("tw2-game")
    assert (trader.name, trader.objective, trader.system_guidance) == (
        "trader",
        "Trade, and nothing else.",
        "Be brief.",
    )
    assert [str(action) for action in trader.policy.allowed] == ["press_key", "type_text"]
    assert trader.policy.max_text_chars == 20
    assert trader.policy.max_wait_s == base.policy.max_wait_s
    names = [module.name for module in base.modules if module.name != "tw2_facts"]
    assert [module.name for module in trader.modules] == [*names, "tw2_strategy", "house_rules"]
    assert trader.turn == Adaptive(timeout_s=10)
    assert (trader.budget.max_decision_ticks, trader.budget.max_wall_seconds) == (100, None)
    assert trader.budget.max_validation_failures == base.budget.max_validation_failures
    assert [prompt.pattern for prompt in trader.prompts if prompt.name == "tw2-command"] == ["^Command"]
    assert catalog.profile("tw2-game") is base


def test_one_profile_may_rest_on_another_wherever_that_stands() -> None:
    catalog = user_catalog('[profiles.b]\nbase = "a"\n[profiles.a]\nbase = "chat"\nobjective = "Talk."\n')
    assert catalog.profile("b").objective == "Talk."
    assert catalog.profile("b").policy == profile("chat").policy


@pytest.mark.parametrize(
    ("sketch", "name"),
    [
        ("Command (?=Help)? |", "bold-trader"),
        ("Main menu: |", "bbs-main-menu"),
        ("Ready> |", "bbs-door-line"),
        ("[Hit a key] |", "tw2-entry"),
        ("Main menu: \nCommand (?=Help)? \nReady> \n|", "tw2-entry"),
    ],
)
def test_its_routes_go_by_the_live_row(sketch: str, name: str) -> None:
    assert taken(user_catalog(WHOLE).route_set("trading"), turn(sketch)) == name


def taken(routes: RouteSet, seen: Observation) -> str:
    return routes.select(seen, extract(seen))[0].name


def test_two_games_in_one_set_are_kept_apart_where_the_screen_tells_them() -> None:
    routes = user_catalog(
        "[route_sets.both]\ndefault = 'bbs-door-safe'\n"
        "[[route_sets.both.routes]]\nname = 't'\nprofile = 'tw2-game'\ngame = 'tw2'\n"
        "[[route_sets.both.routes]]\nname = 's'\nprofile = 'starlane-game'\ngame = 'starlane'\n"
    ).route_set("both")
    starlane = "Lanes    3\nYou      5 turns, 2 credits, 3 fighters, holds 20: 20 free\nCommand (?=Help)? |"
    trade_wars = "Fighters defending sector\n   None\nWarps lead to   3\n\nCommand (?=Help)? |"
    assert taken(routes, turn(starlane)) == "starlane-game"
    assert taken(routes, turn(trade_wars)) == "tw2-game"


def test_assistance_up_to_a_level() -> None:
    low = user_catalog('[profiles.low]\nbase = "tw2-game"\nassistance = "generic_terminal"\n').profile("low")
    assert {module.level for module in low.modules} == {AssistanceLevel.GENERIC_TERMINAL}


def test_modules_by_name() -> None:
    text = '[profiles.two]\nbase = "tw2-game"\nmodules = ["active_prompt", "tw2_facts"]\nturn = {type = "fixed"}\n'
    two = user_catalog(text).profile("two")
    assert [module.name for module in two.modules] == ["active_prompt", "tw2_facts"]
    assert two.turn == Fixed()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[profiles.x]\nbase=", "it is no TOML: "),
        ("[profile.x]\n", "there is no table 'profile': did you mean profiles?"),
        ("profiles = 3", "profiles: it is a table, as [profiles.NAME] begins one"),
        ("[profiles]\nx = 3", "profiles.x: it is a table of settings"),
        ("[profiles.'a b']\n", "profiles: 'a b' is no name: take up to 64 letters"),
        ("[profiles.chat]\n", "profiles.chat: that name is built in"),
        ("[profiles.x]\nbase = 'tw2-gaem'", "profiles.x.base: there is no profile 'tw2-gaem': did you mean tw2-game"),
        ("[profiles.x]\nbase = 'x'", "profiles.x.base: it rests on itself: x on x"),
        ("[profiles.x]\nbase = 'y'\n[profiles.y]\nbase = 'x'", "it rests on itself: x on y on x"),
        ("[profiles.x]\nobjectve = 'a'", "profiles.x: there is no field 'objectve': did you mean objective?"),
        ("[profiles.x]\nobjective = 3", "profiles.x: Expected `str | null`, got `int` - at `$.objective`"),
        ("[profiles.x]\nactions = ['jump']", "profiles.x: Invalid enum value 'jump' - at `$.actions[0]`"),
        ("[profiles.x]\nactions = []", "profiles.x: a policy allows at least one action"),
        ("[profiles.x]\nkeys = ['no such key']", "profiles.x: "),
        ("[profiles.x]\nmax_text_chars = 0", "profiles.x: max_text_chars is 0; it is at least 1"),
        ("[profiles.x]\nmodules = ['tw2_fact']", "profiles.x.modules: there is no module 'tw2_fact': did you mean"),
        ("[profiles.x]\nadd_modules = ['active_prompt']", "profiles.x: the module 'active_prompt' is in it twice"),
        ("[profiles.x]\ndrop_modules = ['tw2_facts']", "profiles.x.drop_modules: there is no module 'tw2_facts'"),
        ("[profiles.x]\nassistance = 'much'", "profiles.x: Invalid enum value 'much' - at `$.assistance`"),
        ("[profiles.x]\ndone_when = ['(']", "profiles.x.done_when: the prompt pattern"),
        ("[profiles.x]\nfailed_when = ['(a+)+$']", "profiles.x.failed_when: the prompt pattern"),
        ("[profiles.x]\nturn = {type = 'slow'}", "profiles.x: Invalid value 'slow' - at `$.turn.type`"),
        ("[profiles.x]\nturn = {type = 'fixed', quiet_s = -1}", "profiles.x: "),
        ("[profiles.x.budget]\nmax_tokens = -1", "profiles.x.budget.max_tokens: it is -1; it is above 0"),
        ("[profiles.x.budget]\nmax_wall_seconds = inf", "profiles.x.budget.max_wall_seconds: it is inf"),
        ("[profiles.x.budget]\nmax_steps = 1", "profiles.x: Object contains unknown field `max_steps` - at `$.budget`"),
        ("[[profiles.x.notes]]\nname='n'\nlevel='strategic'\ntext=' '", "profiles.x.notes: the text of 'n' has 1 to"),
        ("[[profiles.x.notes]]\nname='tw2_facts'\nlevel='strategic'\ntext='a'", "profiles.x.notes: 'tw2_facts' is"),
        (
            "[[profiles.x.prompts]]\nname='p'\npattern='('",
            "profiles.x: the prompt pattern 'p' is no regular expression",
        ),
        ("[route_sets.tw2-auto]\ndefault='chat'", "route_sets.tw2-auto: that name is built in"),
        ("[route_sets.r]\ndefault='caht'", "route_sets.r: there is no profile 'caht': did you mean chat"),
        ("[route_sets.r]\n", "route_sets.r: Object missing required field `default`"),
        ("[route_sets.r]\ndefault='chat'\nroutes=[{name='a', profile='chat'}]", "route_sets.r.routes: 'a' has exactly"),
        (
            "[route_sets.r]\ndefault='chat'\nroutes=[{name='a', profile='chat', game='tw'}]",
            "route_sets.r.routes.game: there is no game 'tw': did you mean tw2?",
        ),
        (
            "[route_sets.r]\ndefault='chat'\nroutes=[{name='a', profile='chat', prompts=['tw2-comand']}]",
            "route_sets.r.routes.prompts: there is no prompt 'tw2-comand': did you mean tw2-command",
        ),
        (
            "[route_sets.r]\ndefault='chat'\nroutes=[{name='a', profile='chat', row='('}]",
            "route_sets.r.routes.row: the prompt pattern",
        ),
        (
            "[route_sets.r]\ndefault='chat'\nroutes=[{name='default', profile='bre', game='tw2'}]",
            "route_sets.r: the route set 'r' has two routes of one name",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, said: str) -> None:
    with pytest.raises(ProfileFileError) as raised:
        user_catalog(text)
    assert said in str(raised.value)


@given(st.text())
def test_any_text_is_a_catalog_or_an_error(text: str) -> None:
    with suppress(ProfileFileError):
        assert set(user_catalog(text).profiles) >= set(BUILT_IN.profiles)


def test_a_file_is_named_in_its_mistakes(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[profiles.chat]\n")
    with pytest.raises(ProfileFileError, match=r"^mine\.toml: profiles\.chat: that name is built in"):
        read_user_catalog(file)
    file.write_bytes(b"\xff")
    with pytest.raises(ProfileFileError, match=r"^mine\.toml: .*utf-8"):
        read_user_catalog(file)
    file.write_text(WHOLE)
    assert "trading" in read_user_catalog(file).route_sets
    with pytest.raises(FileNotFoundError):
        read_user_catalog(tmp_path / "none.toml")
