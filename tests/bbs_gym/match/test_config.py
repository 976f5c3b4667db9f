"""Settings from a file: what is taken, what is refused, and in which words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bbs_gym.hosts.host import Transport
from bbs_gym.match.config import BadMatch, check_match, read_match, repeated, with_max_cost, with_seed
from bbs_gym.match.config_shapes import MAX_FAULTS
from bbs_gym.match.settings import MatchSettings, Order, ParticipantSettings, Scheduler

DUEL = """
name = "duel"
objective = "{agent_id}, beat {rivals} in {match}: {how}"
route_set = "starlane-auto"
scheduler = "parallel_race"
order = "rotate"
seed = 12
disabled_actions = ["hangup"]
accounts = "agents.toml"
profiles = "own.toml"

[budgets]
max_rounds = 10
max_wall_seconds = 60

[reconnect]
delay_s = 0.5

[door]
game = "starlane"
turns = 20

[settings]
prompt_layout = "cache_friendly"
pictures = "shots"

[[participants]]
agent_id = "ann"
model = {provider = "scripted", replies_file = "ann.jsonl"}
variables = {how = "trade"}

[[participants]]
agent_id = "bob"
transport = "telnet"
profile = "starlane-game"
objective = "no braces: {{ }}"
model = {provider = "scripted", replies = ["x"]}
"""


def good(**changes: Any) -> dict[str, Any]:
    return {
        "name": "m",
        "profile": "shell",
        "participants": [{"agent_id": "ann"}, {"agent_id": "bob"}],
    } | changes


def faults(tmp_path: Path, table: Any) -> tuple[str, ...]:
    file = tmp_path / "m.json"
    file.write_text(table if isinstance(table, str) else json.dumps(table))
    with pytest.raises(BadMatch) as refused:
        read_match(file)
    return refused.value.faults


def test_a_file_of_toml(tmp_path: Path) -> None:
    (tmp_path / "duel.toml").write_text(DUEL)
    settings = read_match(tmp_path / "duel.toml")
    assert (settings.scheduler, settings.order, settings.seed) == (Scheduler.PARALLEL_RACE, Order.ROTATE, 12)
    assert settings.budgets.max_decision_ticks == 50
    assert settings.participants[1].transport is Transport.TELNET
    assert settings.door is not None
    assert settings.door.reset
    assert settings.accounts == tmp_path / "agents.toml"
    assert settings.profiles == tmp_path / "own.toml"
    assert settings.participants[0].model["replies_file"] == str(tmp_path / "ann.jsonl")
    assert settings.settings["pictures"] == str(tmp_path / "shots")


def test_json_says_the_same(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(good(seed=3)))
    assert read_match(tmp_path / "m.json").seed == 3


def test_overrides(tmp_path: Path) -> None:
    settings = MatchSettings(name="m", profile="shell", participants=(ParticipantSettings(agent_id="a"),), seed=5)
    assert with_seed(settings, 9).seed == 9
    assert with_max_cost(settings, 1.5).budgets.max_cost_usd == 1.5
    assert [one.seed for one in repeated(settings, 3)] == [5, 6, 7]
    for wrong in (0, -1, float("nan"), float("inf")):
        with pytest.raises(BadMatch, match="--max-cost is"):
            with_max_cost(settings, wrong)
    with pytest.raises(BadMatch, match="--repeat is 0"):
        repeated(settings, 0)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"name": 3}, "name is 3: give a string"),
        ({"nam": "x"}, 'nam = "x" means nothing: did you mean name?'),
        ({"scheduler": "barrier"}, 'scheduler is "barrier": give one of sequential, parallel_barrier,'),
        ({"accounts": 3}, "accounts is 3: give a path, as a string"),
        ({"seed": 1.5}, "seed is 1.5: give a whole number"),
        ({"budgets": {"max_rouns": 3}}, "budgets.max_rouns = 3 means nothing: did you mean max_rounds"),
        ({"budgets": {"max_rounds": 0}}, "budgets.max_rounds is 0: give a number above 0, or leave it away"),
        ({"budgets": {"max_wall_seconds": -1}}, "budgets.max_wall_seconds is -1.0: give a number above 0, up to"),
        ({"participants": []}, "participants are 0: give 1 to 250"),
        ({"participants": 3}, "participants is 3: give a list"),
        ({"participants": [{}]}, "participants[0].agent_id is missing: add it"),
        ({"participants": [{"agent_id": "../x"}]}, 'participants[0].agent_id is "../x": take up to 100 letters'),
        ({"participants": [{"agent_id": "match"}]}, "take another: the run has files of that name"),
        ({"participants": [{"agent_id": "a.raw"}]}, "take another: the run has files of that name"),
        ({"participants": [{"agent_id": "a"}, {"agent_id": "A"}]}, 'participants[1].agent_id is "A", as that of'),
        ({"participants": [{"agent_id": "a", "node": 0}]}, "participants[0].node is 0: nodes count from 1"),
        (
            {"participants": [{"agent_id": "a", "node": 2}, {"agent_id": "b", "node": 2}]},
            "participants[1].node is 2: give each participant a node of its own, or none",
        ),
        (
            {"participants": [{"agent_id": "a", "variables": {"k": "v", "n": 3}}]},
            "participants[0].variables.n is 3: give a string",
        ),
        ({"participants": [{"agent_id": "a", "variables": {"rivals": "v"}}]}, "variables.rivals is"),
        (
            {"participants": [{"agent_id": "a", "model": {"provider": "openai"}}]},
            "participants[0].model is wrong: `model` must name a model of openai",
        ),
        ({"profile": None}, "participants[0].profile is missing, and the match has none: name a profile or"),
        ({"route_set": "bbs-auto"}, 'profile is "shell" beside a route_set: leave one of the two away'),
        ({"objective": "beat {rival} and {me}"}, "can't be filled in, {rival}, {me} has no value: name {agent_id}"),
        ({"objective": "a { b"}, "a brace stands alone in 'a { b': write {{ or }} for one"),
        ({"disabled_actions": ["hang_up"]}, 'disabled_actions[0] is "hang_up": give one of press_key,'),
        ({"reconnect": {"max_reconnects": -1}}, "reconnect.max_reconnects is -1: give 0 to 100"),
        ({"host": {"ports": {"ssh2": 3}}}, "host.ports.ssh2 is 3: name one of telnet, rlogin, ssh"),
        ({"host": {"ports": {"ssh": 0}}}, "host.ports.ssh is 0: give a port"),
        ({"door": {"game": "tw2", "turns": 0}}, "door.turns is 0: give a number above 0"),
        ({"checks": [{"kind": "psted"}]}, 'checks[0].kind is "psted": give one of posted,'),
        ({"checks": [{"kind": "posted", "agent": "zed"}]}, 'checks[0].agent is "zed": name a participant'),
        ({"settings": {"prompt_mode": "full"}}, 'settings.prompt_mode is "full": give stateless_full or'),
        ({"settings": {"dpi": 3}}, "settings.dpi = 3 means nothing: give prompt_mode,"),
    ],
)
def test_a_wrong_field_is_named_with_its_value_and_what_to_do(
    tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    found = faults(tmp_path, good(**changes))
    assert all(line.startswith("m.json: ") for line in found)
    assert any(told in line for line in found), found


def test_every_wrong_field_is_named_at_once(tmp_path: Path) -> None:
    table = good(name=1, seed="x", ordr="fixed", budgets={"max_rounds": "x", "max_tokens": []}, scheduler="s")
    found = faults(tmp_path, table)
    places = {line.split()[1] for line in found}
    assert places == {"name", "scheduler", "seed", "budgets.max_rounds", "budgets.max_tokens", "ordr"}


def test_what_has_no_sense_is_named_beside_what_has_no_shape(tmp_path: Path) -> None:
    roster = [{"agent_id": "ann"}, {"agent_id": "ann", "node": "x"}, {}]
    table = good(seed="x", route_set="bbs-auto", participants=roster, budgets={"max_rounds": -1, "max_tokens": "x"})
    places = [line.split()[1] for line in faults(tmp_path, table)]
    assert places == [
        "participants[1].node", "participants[2].agent_id", "seed", "budgets.max_tokens", "profile",
        "participants[0].agent_id", "participants[1].agent_id", "budgets.max_rounds",
    ]  # fmt: skip


def test_there_is_an_end_to_faults(tmp_path: Path) -> None:
    assert len(faults(tmp_path, good(participants=[{"agent_id": 1}] * 50))) == MAX_FAULTS


def test_two_participants_never_share_a_session_of_the_provider(tmp_path: Path) -> None:
    model = {"provider": "codex", "stateful": True, "session_file": "s"}
    roster = [{"agent_id": "a", "model": model}, {"agent_id": "b", "model": model}]
    assert len(faults(tmp_path, good(participants=roster))) == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "it is no JSON"),
        ("[1]", "it is [1]: write an object"),
        ("[" * 100_000, "it is no JSON"),
        ("x" * 1_100_000, "is larger than"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, text: str, told: str) -> None:
    assert told in faults(tmp_path, text)[0]


def test_no_utf_8_and_no_file(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(BadMatch, match=r"m\.toml: byte 8 is no UTF-8"):
        read_match(tmp_path / "m.toml")
    with pytest.raises(FileNotFoundError):
        read_match(tmp_path / "n.toml")


def test_settings_made_in_python_are_checked_alike() -> None:
    with pytest.raises(BadMatch, match="participants are 0"):
        check_match(MatchSettings(name="m", profile="shell", participants=()))
