"""Campaigns from files: each wrong field by its name, and what the settings make of a match."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.bbs_gym.campaign.campaigns import SCRIPT, a_campaign

from bbs_gym.campaign.composing import composed, overlaid
from bbs_gym.campaign.config import BadCampaign, check_campaign, read_campaign
from bbs_gym.campaign.schedule import make_schedule
from bbs_gym.campaign.settings import Format, SwapSettings, TurnSettings
from bbs_gym.match.settings import Scheduler

TOML = """
name = "spring"
seed = 7

[models.small]
provider = "scripted"
replies = ["{}"]

[[agents]]
agent_id = "ada"

[[agents]]
agent_id = "ben"
objective = "Beat {rivals} with {tool}."
variables = { tool = "patience" }

[match]
profile = "starlane-game"
budgets = { max_decision_ticks = 5, max_cost_usd = 0.5 }

[[variants]]
name = "race"
match = { scheduler = "parallel_race", budgets = { max_decision_ticks = 9 } }

[[turns]]
name = "practice"
format = "solo"
match = { route_set = "starlane-auto" }

[[turns]]
name = "duel"
seeds = [1, 2]
"""


def written(tmp_path: Path, text: str | dict[str, Any]) -> Path:
    if isinstance(text, str):
        (tmp_path / "c.toml").write_text(text)
        return tmp_path / "c.toml"
    (tmp_path / "c.json").write_bytes(msgspec.json.encode(text))
    return tmp_path / "c.json"


def a_table(**fields: Any) -> dict[str, Any]:
    return {
        "name": "spring",
        "agents": [{"agent_id": "a1"}, {"agent_id": "a2"}],
        "models": {"m": SCRIPT},
        "match": {"profile": "chat"},
        "turns": [{"name": "duel"}],
    } | fields


def test_a_file_makes_the_matches_it_describes(tmp_path: Path) -> None:
    campaign = read_campaign(written(tmp_path, TOML))
    schedule = make_schedule(campaign)
    assert len(schedule.matches) == 2 + 2 * 2
    alone = composed(campaign, schedule.matches[0])
    assert (alone.name, alone.route_set, alone.profile) == ("spring/practice/race", "starlane-auto", None)
    duel = composed(campaign, schedule.matches[-1])
    assert (duel.seed, duel.scheduler) == (2, Scheduler.PARALLEL_RACE)
    assert (duel.budgets.max_decision_ticks, duel.budgets.max_cost_usd) == (9, 0.5)
    assert [one.agent_id for one in duel.participants] == ["ben", "ada"]
    assert duel.participants[0].objective == "Beat {rivals} with {tool}."
    assert duel.participants[1].model["provider"] == "scripted"


def test_json_is_the_same(tmp_path: Path) -> None:
    assert read_campaign(written(tmp_path, a_table())).agents[1].agent_id == "a2"


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"agents": 3}, "c.json: agents is wrong: Expected `array`, got `int`: correct it there"),
        ({"sede": 3}, "c.json: sede = 3 means nothing: remove it"),
        ({"turns": []}, "c.json: turns are none: give one at least"),
        ({"turns": [{"name": "t", "format": "duel"}]}, "turns[0].format is wrong: Invalid enum value 'duel'"),
        ({"turns": [{"name": "t"}, {"name": "t"}]}, 'turns have 2 times the name "t"'),
        ({"turns": [{"name": "t", "agents": ["a3"]}]}, 'turns[0].agents names "a3": there are a1, a2'),
        ({"turns": [{"name": "t", "agents": ["a1"]}]}, "turns[0].format is round_robin, for 1 agent"),
        ({"turns": [{"name": "t", "seeds": [1, 1]}]}, "turns[0].seeds are [1,1]: name each once"),
        ({"turns": [{"name": "t", "seeds": 0}]}, "turns[0].seeds are 0: give 1 to"),
        ({"turns": [{"name": "t", "seats": 2}]}, "turns[0].seats is 2: leave it away"),
        ({"turns": [{"name": "t", "format": "melee", "seats": 3}]}, "turns[0].seats is 3: give 2 to 2"),
        ({"agents": [{"agent_id": "a1", "models": ["n"]}, {"agent_id": "a2"}]}, 'agents[0].models names "n"'),
        ({"agents": [{"agent_id": "a1"}, {"agent_id": "A1"}]}, "agents have 2 times the agent_id"),
        ({"models": {"m": {"provider": "nobody"}}}, "models.m is wrong"),
        ({"match": {"profile": "chat", "seed": 3}}, "match.seed is 3: leave it away"),
        ({"match": {"profile": "chat", "scheduler": "fast"}}, 'match of turn duel: scheduler is "fast": give one of'),
        ({"match": {}}, "match of turn duel: a1.profile is missing"),
        ({"match": {"profile": "chat", "door": {"gmae": "x"}}}, "match of turn duel: door.game is missing"),
        ({"swaps": [{"turn": "duel", "old": "m", "new": "m"}]}, 'swaps[0].turn is "duel", the first'),
        ({"swaps": [{"turn": "x", "old": "m", "new": "k"}]}, 'swaps[0].new names "k"'),
        ({"max_tries": 0}, "max_tries is 0: give 1 to 100"),
    ],
)
def test_each_wrong_field_is_named(tmp_path: Path, fields: dict[str, Any], fault: str) -> None:
    with pytest.raises(BadCampaign) as bad:
        read_campaign(written(tmp_path, a_table(**fields)))
    assert any(fault in line for line in bad.value.faults), bad.value.faults


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    wrong = a_table(agents=[{"agent_id": 1}, {"agent": "x"}], turns=[{"name": 3}], memory="yes")
    with pytest.raises(BadCampaign) as bad:
        read_campaign(written(tmp_path, wrong))
    assert len(bad.value.faults) == 4


@pytest.mark.parametrize("text", ["name = ", "\x00"])
def test_what_is_no_toml_says_so(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadCampaign, match="it is no TOML"):
        read_campaign(written(tmp_path, text))


def test_settings_made_in_python_are_checked_too() -> None:
    check_campaign(a_campaign())
    with pytest.raises(BadCampaign, match="name two agents at least, or take solo"):
        check_campaign(a_campaign(1))
    turns = (TurnSettings(name="one"), TurnSettings(name="two"))
    check_campaign(a_campaign(2, 2, turns, swaps=(SwapSettings(turn="two", old="m1", new="m2"),)))


def test_a_check_of_an_agent_that_is_not_in_the_match_is_left_out() -> None:
    checks = [{"kind": "posted", "agent": "a1"}, {"kind": "posted"}]
    campaign = a_campaign(
        2, 0, (TurnSettings(name="t", format=Format.SOLO),), match={"profile": "chat", "checks": checks}
    )
    check_campaign(campaign)
    assert [len(composed(campaign, match).checks) for match in make_schedule(campaign).matches] == [2, 1]


def test_tables_lie_over_tables() -> None:
    below = {"profile": "a", "door": {"game": "x", "turns": 3}, "order": "fixed"}
    assert overlaid(below, {"route_set": "b", "door": {"turns": 4}}) == {
        "route_set": "b",
        "door": {"game": "x", "turns": 4},
        "order": "fixed",
    }
    assert below["profile"] == "a"
