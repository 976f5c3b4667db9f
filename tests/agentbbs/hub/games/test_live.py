"""Matches watched as they are played."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.agentbbs.hub.games.golden import agrees
from tests.agentbbs.hub.games.visiting import GUEST, TERMINALS, Hall, There, a_hall
from tests.agentbbs.hub.lines import ScriptedLine, settled
from tests.agentbbs.play.scripted import ScriptedBot
from tests.agentbbs.play.venue import Agent, bots, chair, seated

from agentbbs.hub.games.live import show_live


@pytest.fixture
async def hall(migrated: Path, tmp_path: Path) -> AsyncIterator[Hall]:
    async with a_hall(migrated, tmp_path) as hall:
        yield hall


async def a_match(hall: Hall) -> tuple[Agent, Agent]:
    one, other = hall.venue.agent("alice", 1, "ttt"), hall.venue.agent("bob", 2, "ttt")
    await settled()
    return seated(one, other)


async def watching(hall: Hall, line: ScriptedLine | None = None) -> There:
    there = await hall.visit(GUEST, show_live, line=line)
    await there.line.until("Number or key")
    there.line.type("1", "enter")
    await there.line.until("Q: leave")
    await settled()
    return there


@pytest.mark.parametrize("terminal", TERMINALS)
async def test_a_match_to_its_end_as_screens(hall: Hall, terminal: str) -> None:
    line = ScriptedLine(**TERMINALS[terminal])
    x, o = bots(hall.venue)
    chair(x).move("4")
    there = await watching(hall, line)
    screens = [line.text]
    for bot, move in ((o, "0"), (x, "2"), (o, "1"), (x, "6")):
        chair(bot).move(move)
        await settled()
        screens.append(line.text)
    await line.until("X x wins after 5 plies")
    line.press("x")
    await line.until("(nothing)")
    line.type("q")
    await there.left()
    agrees(f"live-{terminal}", screens)
    assert hall.venue.audience.count() == 0


async def test_the_list_says_who_plays_what_and_whether_it_counts(hall: Hall) -> None:
    first, second = await a_match(hall)
    first.moves("4")
    bots(hall.venue)
    there = await hall.visit(GUEST, show_live)
    await there.line.until("Number or key")
    row = next(row for row in there.line.text.split("\n") if "alice" in row)
    assert row.split() == ["2", "Tic-Tac-Toe", first.name, second.name, "1", "yes"]


async def test_a_forfeit_ends_the_watching_too(hall: Hall) -> None:
    first, second = await a_match(hall)
    there = await watching(hall)
    first.hangs_up()
    await there.line.until(f"O {second.name} wins (forfeit: disconnect)")
    await there.line.until("[Hit a key]")


async def test_who_leaves_or_hangs_up_watches_no_more(hall: Hall) -> None:
    bots(hall.venue)
    one, other = await watching(hall), await watching(hall)
    assert hall.venue.audience.count() == 2
    one.line.type("q")
    await one.line.until("Number or key")
    other.line.drop()
    await settled()
    assert hall.venue.audience.count() == 0
    assert hall.venue.playing == 1


async def test_a_match_that_has_ended_meanwhile_is_said_to(hall: Hall) -> None:
    x, _ = bots(hall.venue)
    there = await hall.visit(GUEST, show_live)
    await there.line.until("Number or key")
    chair(x).resign()
    there.line.type("1", "enter")
    await there.line.until("That match is over")


class Deaf(ScriptedLine):
    """A line that takes nothing while it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.open = True

    async def drain(self) -> None:
        while not self.open:
            await settled()
        await super().drain()


async def test_who_reads_slowly_delays_nobody_and_sees_the_newest_in_the_end(hall: Hall) -> None:
    pair: tuple[ScriptedBot, ScriptedBot] = bots(hall.venue)
    line = Deaf()
    there = await watching(hall, line)
    line.open = False
    line.press("x")
    await settled()
    mark = line.mark()
    for ply, move in enumerate("4021"):
        chair(pair[ply % 2]).move(move)
        await settled()
    (match,) = hall.venue.runner.live
    assert match.position.ply == 4
    assert line.since(mark).count("Live:") <= 1
    line.open = True
    await line.until("X x to move")
    await line.until(" O │[O]│ X")
    assert not there.task.done()
