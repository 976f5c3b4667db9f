"""The prompts, facts and routes at the house's own board, called by telnet: from the login to a door and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.conftest import VenueProcess

from bbs_gym.profiles.catalog import route_set
from bbs_gym.reading import observed_facts
from tty_agent.hints import extract
from tty_agent.observation.observation import Observation
from tty_agent.observer.readiness import Adaptive
from tty_agent.session.session import TerminalSession
from tty_agent.transports.target import open_target

pytestmark = pytest.mark.slow

PASSWORD = "correct horse battery"

PATIENT = Adaptive(timeout_s=30.0, blank_s=30.0, answer_s=30.0)

CALL: tuple[tuple[str, str], ...] = (
    ("b", "bbs-list"),
    ("1\r", "bbs-keys"),
    ("w", "bbs-subject"),
    ("Command (?=Help)?\r", "bbs-text"),
    ("Command (?=Help)? \r", "bbs-text"),
    ("/s\r", "bbs-list"),
    ("1\r", "bbs-keys"),
    ("q", "bbs-list"),
    ("q", "bbs-list"),
    ("q", "bbs-main"),
    ("c", "chat-line"),
    ("Your offer?\r", "chat-line"),
    ("/quit\r", "bbs-main"),
    ("a", "bbs-keys"),
    ("p", "bbs-choose"),
    ("q", "bbs-keys"),
    ("q", "bbs-main"),
    ("d", "bbs-choose"),
    ("1\r", "starlane-instructions"),
    ("n", "starlane-command"),
    ("q", "starlane-quit"),
    ("y", "hit-a-key"),
    (" ", "bbs-choose"),
    ("q", "bbs-main"),
    ("q", "bbs-log-off"),
)
"""Keys, and the prompt that each leads to."""


@pytest.fixture
def telnet(tmp_path: Path) -> Iterator[str]:
    """The address of a board where Ada has an account."""
    venue = VenueProcess(tmp_path / "data").start()
    try:
        (tmp_path / "password").write_text(f"{PASSWORD}\n")
        made = venue.cli("user", "add", "ada", "--password-file", str(tmp_path / "password"))
        assert made.returncode == 0, made.stderr
        yield json.loads((venue.data / "venue.json").read_text())["telnet"]
        assert venue.stop() == 0
    finally:
        venue.kill()


async def see(session: TerminalSession, keys: str, prompt: str) -> Observation:
    """Type, and look until that prompt is live; it takes at most a few looks."""
    await session.write(keys.encode())
    for _ in range(5):
        seen = await session.observe_turn()
        if seen.matched_prompt == prompt:
            return seen
    raise AssertionError(f"{keys!r} did not lead to {prompt}, but to {seen.matched_prompt}:\n{seen.pretty_screen}")


def active(routes: str, seen: Observation) -> str:
    return route_set(routes).select(seen, extract(seen))[0].name


async def test_a_call_from_login_to_log_off(telnet: str) -> None:
    prompts = route_set("starlane-auto").default.prompts
    session = TerminalSession(open_target(f"telnet:{telnet}"), agent_id="ada", policy=PATIENT, prompts=prompts)
    async with session:
        assert observed_facts(await see(session, "", "bbs-login"), None).node == 1
        await see(session, "ada\r", "bbs-password")
        await see(session, f"{PASSWORD}\r", "hit-a-key")
        menu = await see(session, " ", "bbs-main")
        assert (observed_facts(menu, None).node, observed_facts(menu, None).safe_to_act) == (1, True)
        for keys, prompt in CALL:
            seen = await see(session, keys, prompt)
            in_game = prompt.startswith("starlane-")
            assert active("starlane-auto", seen) == ("starlane-game" if in_game else "starlane-entry")
            assert active("bbs-auto", seen) == "bbs-door-safe"
            assert (active("tw2-auto", seen) == "tw2-entry") or in_game
