"""A finished match, ply by ply."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from tests.agentbbs.hub.games.golden import agrees
from tests.agentbbs.hub.games.visiting import GUEST, TERMINALS, Hall, There, a_hall
from tests.agentbbs.hub.lines import ScriptedLine, VirtualClock, settled
from tests.agentbbs.store.making import finished

from agentbbs.hub.games.match_lists import show_match
from agentbbs.hub.games.replays import AUTOPLAY_S
from agentbbs.play.ports import FinishedMatch, Ply, Strike
from agentbbs.protocol.agentgames import Termination


@pytest.fixture
async def hall(migrated: Path, tmp_path: Path) -> AsyncIterator[Hall]:
    async with a_hall(migrated, tmp_path) as hall:
        yield hall


def a_match(hall: Hall) -> FinishedMatch:
    """One with a reason that means ill, strikes on the way and at the end."""
    ada, bob = (hall.enrol(name).account for name in ("agent-001", "agent-002"))
    plain = finished(ada, bob, 0, termination=Termination.STRIKES, match_id="aaaa-0001")
    plies = (
        Ply("4", 12, (), "The centre, of course. \x1b[2J\u202e"),
        Ply("0", 900, (Strike("illegal_move", 7, "4\r\n"), Strike("timeout", 15_000))),
        Ply("8", 40),
    )
    return msgspec.structs.replace(plain, plies=plies, unplayed=(Strike("timeout", 15_000),))


async def at_the_replay(hall: Hall, *, line: ScriptedLine | None = None, clock: VirtualClock | None = None) -> There:
    hall.log(a_match(hall))
    there = await hall.visit(GUEST, lambda visit: show_match(visit, "aaaa"), line=line, clock=clock)
    await there.line.until("0 / 3")
    await settled()
    return there


@pytest.mark.parametrize("terminal", TERMINALS)
async def test_a_replay_as_screens(hall: Hall, terminal: str) -> None:
    line = ScriptedLine(**TERMINALS[terminal])
    there = await at_the_replay(hall, line=line)
    screens = [line.text]
    for number in range(1, 4):
        line.type(" ")
        await line.until(f"{number} / 3")
        await settled()
        screens.append(line.text)
    line.type("q")
    await there.left()
    agrees(f"replay-{terminal}", screens)


async def test_a_long_reason_leaves_the_whole_on_the_screen(hall: Hall) -> None:
    ada, bob = (hall.enrol(name).account for name in ("agent-003", "agent-004"))
    strikes = (Strike("timeout", 15_000), Strike("illegal_move", 3, "x" * 64))
    plies = (Ply("3", 12, strikes, "because " * 35),)
    ended = finished(ada, bob, 0, game="c4", termination=Termination.STRIKES, match_id="bbbb-0001")
    hall.log(msgspec.structs.replace(ended, plies=plies, unplayed=strikes[:1]))
    there = await hall.visit(GUEST, lambda visit: show_match(visit, "bbbb"))
    await there.line.until("0 / 1")
    there.line.type(" ")
    await there.line.until("1 / 1")
    await settled()
    assert "Replay: Connect 4" in there.line.text
    assert "A: autoplay" in there.line.text


async def test_the_board_stays_on_the_screen_under_the_longest_strikes(hall: Hall) -> None:
    """Two endpoints that strike out with much to say: the texts give way, the board and the ending do not."""
    ada, bob = (hall.enrol(name).account for name in ("agent-005", "agent-006"))
    strikes = tuple(
        Strike("illegal_move", 3, "x" * 64, "what was wrong " * 13, "because " * 35, f"{number:032}", 10**8)
        for number in range(3)
    )
    plies = (Ply("3", 12, strikes[:2], "because " * 35),)
    ended = finished(ada, bob, 0, game="c4", termination=Termination.STRIKES, match_id="cccc-0001")
    hall.log(msgspec.structs.replace(ended, plies=plies, unplayed=strikes))
    there = await hall.visit(GUEST, lambda visit: show_match(visit, "cccc"))
    await there.line.until("0 / 1")
    there.line.type(" ")
    await there.line.until("1 / 1")
    await settled()
    shown = there.line.text
    assert "A: autoplay" in shown
    assert "X agent-001 wins (forfeit: strikes)" in shown
    assert "X agent-001 played 3 after 12 ms" in shown
    assert shown.count("strike of X agent-001 at ply 0: illegal_move after 3 ms") == 2
    assert shown.count("strike of O agent-002 at ply 1: illegal_move after 3 ms") == 3
    assert " ..." in shown


async def test_the_keys(hall: Hall) -> None:
    there = await at_the_replay(hall)
    for keys, at in (
        (("n",), 1),
        (("enter",), 2),
        (("p",), 1),
        (("right",), 2),
        (("left",), 1),
        (("end",), 3),
        ((" ",), 3),
        (("home",), 0),
        (("backspace",), 0),
        (("G",), 0),
        (("e",), 3),
        (("x",), 3),
    ):
        there.line.press(*keys)
        await there.line.until(f"{at} / 3")
        await settled()
        assert f"{at} / 3" in there.line.text, keys
    there.line.press("escape")
    await there.left()


async def test_it_goes_on_by_itself_to_the_end(hall: Hall) -> None:
    clock = VirtualClock()
    there = await at_the_replay(hall, clock=clock)
    there.line.type("a")
    await there.line.until("A: stop")
    for at in (1, 2, 3):
        await clock.advance(AUTOPLAY_S / 2)
        assert f"{at - 1} / 3" in there.line.text
        await clock.advance(AUTOPLAY_S / 2)
        assert f"{at} / 3" in there.line.text
    await there.line.until("A: autoplay")
    await clock.advance(100)
    there.line.type("a")
    await there.line.until("0 / 3")
    await there.line.until("A: stop")


@pytest.mark.parametrize(("key", "at"), [("a", 1), ("p", 0), (" ", 2)])
async def test_a_key_stops_it(hall: Hall, key: str, at: int) -> None:
    clock = VirtualClock()
    there = await at_the_replay(hall, clock=clock)
    there.line.type("a")
    await settled()
    await clock.advance(AUTOPLAY_S)
    await there.line.until("1 / 3")
    there.line.type(key)
    await there.line.until("A: autoplay")
    await clock.advance(100)
    assert f"{at} / 3" in there.line.text


async def test_nothing_that_an_agent_said_acts_on_the_terminal(hall: Hall) -> None:
    there = await at_the_replay(hall)
    there.line.type(" ")
    await there.line.until(r"\x1b[2J\u202e")
    there.line.type(" ")
    await there.line.until(r"offered '4\\r\\n'")
