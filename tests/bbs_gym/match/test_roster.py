"""Who plays what, with profiles of the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bbs_gym.accounts.account import Account
from bbs_gym.match.config import BadMatch
from bbs_gym.match.roster import resolve
from bbs_gym.match.settings import MatchSettings, ParticipantSettings
from bbs_gym.match.wiring import Wiring

OWN = """
[profiles.advised-trader]
base = "starlane-game"
add_modules = ["starlane_strategy"]

[route_sets.advised-auto]
default = "starlane-entry"

[[route_sets.advised-auto.routes]]
name = "in-game"
profile = "advised-trader"
game = "starlane"
"""
ACCOUNTS = {"ann": Account(agent_id="ann", alias="Ann")}


def settings_of(file: Path, text: str = OWN, **activity: Any) -> MatchSettings:
    file.write_text(text)
    ann = ParticipantSettings(agent_id="ann", model={"provider": "scripted", "replies": ["x"]}, **activity)
    return MatchSettings(name="m", participants=(ann,), profiles=file)


def test_profiles_and_route_sets_of_a_file_are_played(tmp_path: Path) -> None:
    file = tmp_path / "profiles.toml"
    (ann,) = resolve(settings_of(file, profile="advised-trader"), ACCOUNTS, Wiring())
    assert "starlane_strategy" in [module.name for module in ann.profiles[0].modules]
    (ann,) = resolve(settings_of(file, route_set="advised-auto"), ACCOUNTS, Wiring())
    assert [profile.name for profile in ann.profiles] == ["starlane-entry", "advised-trader"]
    (ann,) = resolve(settings_of(file, profile="shell"), ACCOUNTS, Wiring())
    assert ann.activity.name == "shell"


def test_a_wrong_file_of_profiles_is_told(tmp_path: Path) -> None:
    file = tmp_path / "profiles.toml"
    with pytest.raises(BadMatch, match=r"^profiles\.toml: .*'nope'"):
        resolve(settings_of(file, '[profiles.x]\nbase = "nope"\n', profile="x"), ACCOUNTS, Wiring())
    with pytest.raises(BadMatch, match=r"participants\[0\] \(ann\): there is no profile 'advised-tradr': did you mean"):
        resolve(settings_of(file, profile="advised-tradr"), ACCOUNTS, Wiring())
    settings = settings_of(file, profile="x")
    file.unlink()
    with pytest.raises(FileNotFoundError):
        resolve(settings, ACCOUNTS, Wiring())
