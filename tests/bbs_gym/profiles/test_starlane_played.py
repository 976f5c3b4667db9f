"""The profiles of Starlane at the real game, on a pseudo-terminal."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bbs_gym.profiles.catalog import route_set
from bbs_gym.readers.known_prompt import live_prompt
from bbs_gym.readers.live_screen import of_turn
from bbs_gym.reading import READERS, observed_facts, shown_game
from tty_agent.hints import extract
from tty_agent.observation.observation import Observation
from tty_agent.observer.readiness import Adaptive
from tty_agent.session.session import TerminalSession
from tty_agent.terminal.dialect import XTERM
from tty_agent.transports.pty import Pty

pytest.importorskip("starlane.commands.play", reason="the game is not there")


PATIENT = Adaptive(timeout_s=30.0, blank_s=30.0, answer_s=30.0)
"""However slow the machine: a turn is over when the game has answered."""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A world that is the same each time."""
    options = ("--data", str(tmp_path), "--seed", "7", "--sectors", "100")
    subprocess.run([sys.executable, "-m", "starlane", "new", *options], check=True, capture_output=True)
    return tmp_path


@asynccontextmanager
async def call(folder: Path) -> AsyncIterator[TerminalSession]:
    """A call of Ada's."""
    play = ("-m", "starlane", "play", "--plain", "--data", str(folder), "--name", "Ada", "--key", "ada")
    pty = Pty((sys.executable, *play), dialect=XTERM)
    prompts = route_set("starlane-auto").default.prompts
    async with TerminalSession(pty, agent_id="ada", dialect=XTERM, policy=PATIENT, prompts=prompts) as session:
        yield session


async def type_(session: TerminalSession, keys: str) -> Observation:
    await session.write(keys.encode())
    return await session.observe_turn()


def active(routes_name: str, seen: Observation) -> str:
    return route_set(routes_name).select(seen, extract(seen))[0].name


TOUR: tuple[tuple[str, str], ...] = (
    ("n", "starlane-command"),
    ("i", "starlane-command"),
    ("s", "starlane-command"),
    ("?", "starlane-command"),
    ("p", "starlane-port"),
    ("i", "starlane-number"),
    ("2\r", "starlane-offer"),
    ("\r", "starlane-port"),
    ("q", "starlane-command"),
    ("y", "starlane-yard"),
    ("f", "starlane-number"),
    ("\r", "starlane-yard"),
    ("q", "starlane-command"),
    ("c", "starlane-computer"),
    ("p", "starlane-number"),
    ("3\r", "starlane-computer"),
    ("l", "starlane-log"),
    ("w", "starlane-text"),
    ("ice is cheap here\r", "starlane-log"),
    ("q", "starlane-computer"),
    ("x", "starlane-command"),
    ("r", "starlane-radio"),
    ("b", "starlane-text"),
    ("Command (?=Help)? Your offer?\r", "starlane-radio"),
    ("q", "starlane-command"),
    ("t", "starlane-alliances|starlane-key"),  # where it is longer than a row, only its end is in the live one
    ("q", "starlane-command"),
    ("b", "starlane-bounties"),
    ("q", "starlane-command"),
    ("j", "starlane-key"),
    ("\r", "starlane-command"),
    ("h", "starlane-number"),
    ("0\r", "starlane-command"),
    ("m", "starlane-number"),
    ("\r", "starlane-command"),
    ("w", "starlane-yes-no"),
    ("n", "starlane-command"),
    ("q", "starlane-quit"),
)
"""Keys, and the prompt that each leads to."""


def known(seen: Observation) -> Iterator[str]:
    prompt = live_prompt(READERS["starlane"].prompts, of_turn(seen, extract(seen)))
    if prompt is not None:
        yield prompt.name


async def test_a_tour_of_the_game(world: Path) -> None:
    """Each prompt has its name, is told as the game's own, and is never taken for one of Trade Wars."""
    async with call(world) as session:
        seen = await session.observe_turn()
        assert list(known(seen)) == ["starlane-instructions"]
        assert active("bbs-auto", seen) == "bbs-door-safe"
        met = []
        for keys, _ in TOUR:
            seen = await type_(session, keys)
            met.append((keys, next(known(seen), "")))
            assert active("starlane-auto", seen) == "starlane-game"
            assert active("bbs-auto", seen) == "bbs-door-safe", seen.pretty_screen
            assert shown_game(of_turn(seen)) == "starlane"
            assert seen.matched_prompt == met[-1][1]
        assert [keys for (keys, name), (_, names) in zip(met, TOUR, strict=True) if name not in names.split("|")] == []
        seen = await type_(session, "y")
        assert seen.closed is not None
        assert active("starlane-auto", seen) == "starlane-entry"
        assert observed_facts(seen, "starlane").game is None


async def test_the_facts_of_a_trade(world: Path) -> None:
    async with call(world) as session:
        await session.observe_turn()
        start = observed_facts(await type_(session, "n"), "starlane")
        assert (start.game, start.sector, start.credits, start.holds) == ("starlane", 1, 2000, 20)
        assert (start.free_holds, start.cargo, start.safe_to_act) == (20, {}, True)
        docked = observed_facts(await type_(session, "p"), "starlane")
        assert start.turns is not None
        assert (docked.turns, docked.free_holds) == (start.turns - 1, 20)
        await type_(session, "i")
        asked = observed_facts(await type_(session, "5\r"), "starlane")
        assert asked.safe_to_act is False
        await type_(session, "\r")
        await type_(session, "q")
        owned = observed_facts(await type_(session, "d"), "starlane")
        assert (owned.cargo, owned.free_holds, owned.turns) == ({"ice": 5}, 15, docked.turns)
        assert owned.credits is not None
        assert 1900 < owned.credits < 2000
