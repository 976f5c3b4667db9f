"""A match on a private BBS of the house: the real lines, the real door, the real score."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bbs_gym.match_fakes import a_match, presses_p

from bbs_gym.hosts.catalog import make_host
from bbs_gym.hosts.host import Transport
from bbs_gym.hosts.settings import HostSettings
from bbs_gym.match.events import MatchEvent, StopReason
from bbs_gym.match.journal import FILE_NAME, read_events
from bbs_gym.match.run import run_match
from bbs_gym.match.settings import Budgets, DoorSettings, Scheduler

WHO = '{"action": "press_key", "arguments": {"key": "w"}}'
ESCAPE = '{"action": "press_key", "arguments": {"key": "escape"}}'


@pytest.mark.slow
async def test_two_agents_on_a_private_bbs(tmp_path: Path) -> None:
    settings = a_match(
        presses_p("ann", WHO, ESCAPE),
        presses_p("bob", ESCAPE, WHO, transport=Transport.TELNET),
        scheduler=Scheduler.CONTINUOUS,
        budgets=Budgets(max_rounds=8, max_wall_seconds=60),
        door=DoorSettings(game="starlane", turns=20),
        seed=4,
    )
    host = make_host(HostSettings(), tmp_path / "host")
    try:
        outcome = await run_match(settings, tmp_path / "run", host=host)
        scores = {score.agent_id: score for score in await host.scores("starlane")}
    finally:
        await host.stop()
    assert {one.stop_reason for one in outcome.participants} == {StopReason.ROUNDS}, outcome.detail
    assert (outcome.decisions, outcome.ticks, outcome.void) == (8, 8, False)
    assert [one.node.observed for one in outcome.participants] == [1, 2]
    assert scores["ann"].parts["turns"] == scores["bob"].parts["turns"]
    assert b"Who's online" in (tmp_path / "run" / "ann.raw").read_bytes()
    events = [event.event for event in read_events(tmp_path / "run" / FILE_NAME)]
    assert events.count(MatchEvent.ACTION_COMMITTED) == 8
    assert MatchEvent.NODE_MISMATCH not in events
