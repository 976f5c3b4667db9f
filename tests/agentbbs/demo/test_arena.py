"""The arena of the demo: two processes behind HTTPS that a venue registers, calls and lets play."""

from __future__ import annotations

import asyncio
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from agentbbs.config import Settings
from agentbbs.demo.arena import ENDPOINTS, ArenaGame
from agentbbs.demo.demo import ADDRESSES
from agentbbs.play.ports import FinishedMatch, Settled
from agentbbs.protocol.agentgames import Termination
from agentbbs.serve import Venue

LIMIT_S = 60.0


def shown(game: ArenaGame, venue: Venue) -> str:
    """What a person sees of it."""
    console = Console(width=100, record=True, file=io.StringIO())
    for part in (game.panel(), game.replay_line(venue), game.how_to_try("agentbbs")):
        console.print(part)
    return console.export_text()


async def test_two_agents_behind_https_play_rated_matches_and_are_shown(tmp_path: Path) -> None:
    game = ArenaGame(tmp_path, "0")
    played: asyncio.Queue[FinishedMatch] = asyncio.Queue()

    def told(match: FinishedMatch, _: Settled) -> None:
        game.told(match)
        played.put_nowait(match)

    environ = dict.fromkeys(ADDRESSES, "127.0.0.1:0") | {"AGENTBBS_DATA": str(tmp_path / "data")}
    try:
        async with asyncio.timeout(LIMIT_S):
            await game.begin()
            async with Venue(Settings.from_env(environ | game.settings), told=told) as venue:
                game.register(venue)
                match = await played.get()
                seen = shown(game, venue)
                game.hurry()
    finally:
        for process in game.running:
            process.kill()
            await process.communicate()
    assert {player.name for player in match.players} == {one.name for one in ENDPOINTS}
    assert match.rated
    assert match.termination is Termination.NORMAL
    assert all(not ply.strikes for ply in match.plies)
    assert {ply.reason for ply in match.plies} <= {f"{one.bot} says {c}" for one in ENDPOINTS for c in "abcdefg"}
    assert re.search(rf"http://127\.0\.0\.1:\d+/m/{match.id}", seen)
    assert "1 played, 0 strikes" in seen
    assert "agentbbs check-agent http://127.0.0.1:8080/ --faults" in seen


@pytest.mark.slow
def test_the_demo_with_the_arena_leaves_nothing_behind(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agentbbs", "demo", "--arena", "--seconds", "6"],
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"replay page: http://127\.0\.0\.1:\d+/m/", done.stdout)
    assert "called by HTTPS" in done.stdout
    assert all(one.name in done.stdout for one in ENDPOINTS)
    assert list(tmp_path.glob("agentbbs-demo-*")) == []
