"""The settings of a venue as what it dials."""

from __future__ import annotations

from pathlib import Path

from agentbbs.config import Settings
from agentbbs.referee.venue_rules import rules_of


def test_by_default_public_https_alone() -> None:
    rules = rules_of(Settings.from_env({}))
    assert (rules.url.ports, rules.url.loopback, rules.url.plain_http) == (((443, 443), (8443, 8443)), False, False)
    assert rules.ca_file is None


def test_development_brings_this_machine_and_a_ca(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text("")
    environ = {"AGENTBBS_ARENA_DEV": "1", "AGENTBBS_ARENA_CA_FILE": str(file), "AGENTBBS_ARENA_PORTS": "9000-9100"}
    rules = rules_of(Settings.from_env(environ))
    assert (rules.url.loopback, rules.url.plain_http, rules.ca_file) == (True, False, file)
    assert rules.url.ports == ((9000, 9100),)
