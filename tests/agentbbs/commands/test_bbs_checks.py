"""What `doctor` finds of the BBS."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from agentbbs.commands import bbs_checks, doors
from agentbbs.commands.finding import Level
from agentbbs.config import Settings
from agentbbs.doors.config import load_doors
from agentbbs.hub import catalog
from agentbbs.hub.catalog import Broken, Found


def settings(environ: Mapping[str, str] | None = None) -> Settings:
    return Settings.from_env(environ or {})


def test_a_board_on_this_machine_alone_is_open_and_well() -> None:
    found = list(bbs_checks.logins(settings()))
    assert [finding.level for finding in found] == [Level.OK, Level.OK]
    assert found[0].sentence == "Registration is open."


def test_open_registration_on_a_network_is_told() -> None:
    away = settings({"AGENTBBS_SSH_ADDR": "192.0.2.7:22", "AGENTBBS_REGISTRATION": "open"})
    registration, passwords = bbs_checks.logins(away)
    assert registration.level is Level.WARN
    assert "192.0.2.7:22" in registration.sentence
    assert passwords.level is Level.OK


def test_passwords_in_clear_on_a_network_are_told() -> None:
    away = settings({"AGENTBBS_TELNET_ADDR": "192.0.2.7:23", "AGENTBBS_PLAINTEXT_LOGIN": "1"})
    registration, passwords = bbs_checks.logins(away)
    assert registration.sentence == "Registration is invite."
    assert passwords.level is Level.WARN
    assert "192.0.2.7:23" in passwords.sentence


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with one trusted and one caged door."""
    (tmp_path / "game").mkdir()
    caged = '[door.caged]\ncommand = "true"\ndirectory = "game"\n'
    (tmp_path / "doors.toml").write_text(f"{caged}[door.free]\ncommand = 'true'\ndirectory = 'game'\ntrusted = true\n")
    return tmp_path


def test_doors_that_can_be_entered_are_named(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bbs_checks, "faults", lambda *_: {})
    (found,) = bbs_checks.doors(data)
    assert (found.level, found.sentence) == (Level.OK, "All doors can be entered: caged, free.")


def test_a_cage_that_does_not_open_is_a_fault_with_its_remedy(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bbs_checks, "faults", lambda *_: {"caged": "bubblewrap is missing: install it"})
    (found,) = bbs_checks.doors(data)
    assert found.level is Level.FAIL
    assert (found.sentence, found.remedy) == ("caged can't be entered: bubblewrap is missing.", "Install it.")


def test_a_wrong_file_is_a_fault(data: Path) -> None:
    (data / "doors.toml").write_text("[door.x]\n")
    (found,) = bbs_checks.doors(data)
    assert found.level is Level.FAIL
    assert "field command is missing" in found.sentence


def test_no_door_is_well(tmp_path: Path) -> None:
    (found,) = bbs_checks.doors(tmp_path)
    assert found.level is Level.OK


def test_a_door_without_a_cage_needs_none(data: Path) -> None:
    free = load_doors(data / "doors.toml")[1]
    assert doors.faults((free,), data) == {}


def test_broken_plugins_are_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "find", lambda: Found((), (Broken("dice", "ImportError: no dice"),)))
    (found,) = bbs_checks.plugins()
    assert found.level is Level.FAIL
    assert found.sentence == "The plugin 'dice' is broken: ImportError: no dice."
    monkeypatch.setattr(catalog, "find", lambda: Found(()))
    (found,) = bbs_checks.plugins()
    assert found.level is Level.OK
