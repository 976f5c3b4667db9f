"""The compose file, by the few rules that must hold: on the loopback only, state where the gym looks for it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from bbs_gym.hosts.jsexec_call import SCRIPTS
from bbs_gym.hosts.synchronet_compose import COMPOSE_FILE, DOS_SERVICE, IN_CONTAINER, PORTS, SERVICE, STATE

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / COMPOSE_FILE

KNOWN_KEYS = {
    "environment", "image", "ports", "profiles", "pull_policy", "restart", "stop_grace_period", "volumes",
}  # fmt: skip
"""Of the compose specification, those that the file uses; a misspelt one is none of them."""

IN_BBS = {"telnet": 23, "rlogin": 513}
"""Where the public image listens."""


@pytest.fixture(scope="module")
def compose() -> Any:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: the compose file can't be parsed")
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module", params=[SERVICE, DOS_SERVICE])
def service(compose: Any, request: pytest.FixtureRequest) -> Any:
    return compose["services"][request.param]


def filled(text: str) -> str:
    """With every `${NAME:-default}` replaced by its default."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)


def test_there_are_two_services_of_one_project(compose: Any) -> None:
    assert set(compose) == {"name", "services", "x-synchronet"}
    assert set(compose["services"]) == {SERVICE, DOS_SERVICE}


def test_a_service_says_nothing_that_compose_does_not_know(service: Any) -> None:
    assert set(service) - KNOWN_KEYS == set()


def test_every_port_is_on_the_loopback_and_where_the_gym_calls(service: Any) -> None:
    assert service["ports"] == [f"127.0.0.1:{PORTS[name]}:{IN_BBS[name]}" for name in ("telnet", "rlogin")]


def test_state_and_scripts_are_where_the_gym_has_them(service: Any) -> None:
    mounts = dict(re.fullmatch(r"(.*?):(/.*)", filled(volume)).groups() for volume in service["volumes"])  # type: ignore[union-attr, misc]
    here = {(FILE.parent / source).resolve(): target for source, target in mounts.items()}
    assert here == {
        ROOT / STATE: "/sbbs-data",
        ROOT / STATE / "data": "/sbbs/data",
        SCRIPTS: f"{IN_CONTAINER}:ro",
    }


def test_the_environment_holds_no_secret(service: Any) -> None:
    assert service["environment"] == {"SBBSCTRL": "/sbbs/ctrl"}


def test_the_plain_service_needs_nothing_built(compose: Any) -> None:
    assert filled(compose["services"][SERVICE]["image"]) == "bbsio/synchronet:latest"
    assert "profiles" not in compose["services"][SERVICE]


def test_the_one_with_dosemu_is_asked_for_and_never_fetched(compose: Any) -> None:
    dosemu = compose["services"][DOS_SERVICE]
    assert (dosemu["profiles"], dosemu["pull_policy"]) == (["dosemu"], "never")


def test_the_text_itself_opens_no_other_port() -> None:
    """Without a parser: no port but these two, and neither without its address."""
    published = re.findall(r'^\s*- "?([\d.:]*\d+:\d+)"?$', FILE.read_text(encoding="utf-8"), re.MULTILINE)
    assert published == ["127.0.0.1:2323:23", "127.0.0.1:2513:513"]
