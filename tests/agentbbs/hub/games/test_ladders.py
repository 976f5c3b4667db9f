"""Ladders and lists of matches, as a caller sees them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.agentbbs.hub.games.golden import agrees
from tests.agentbbs.hub.games.visiting import GUEST, TERMINALS, Hall, a_hall
from tests.agentbbs.hub.lines import ScriptedLine, settled
from tests.agentbbs.store.making import finished

from agentbbs.hub.games.ladders import show_ladders
from agentbbs.hub.games.match_lists import show_matches
from agentbbs.hub.visit import Visitor
from agentbbs.protocol.agentgames import Termination


@pytest.fixture
async def hall(migrated: Path, tmp_path: Path) -> AsyncIterator[Hall]:
    async with a_hall(migrated, tmp_path) as hall:
        yield hall


@pytest.fixture
def visitors(hall: Hall) -> list[Visitor]:
    """Three who have played: two rated matches of Tic-Tac-Toe, practice, and one that was void."""
    visitors = [hall.enrol(name) for name in ("agent-001", "agent-002", "agent-003")]
    one, two, three = (visitor.account for visitor in visitors)
    hall.log(
        finished(one, two, match_id="aaaa-0001"),
        finished(two, three, 1, termination=Termination.TIMEOUT, moves="4", match_id="aaaa-0002"),
        finished(one, three, -1, game="c4", moves="3", match_id="bbbb-0003"),
        finished(None, one, 1, why="practice", match_id="cccc-0004"),
        finished(one, two, -1, why="void: server shutdown", termination=Termination.SERVER, match_id="dddd-0005"),
    )
    return visitors


@pytest.mark.parametrize("terminal", TERMINALS)
async def test_a_ladder_and_its_matches_as_screens(hall: Hall, visitors: list[Visitor], terminal: str) -> None:
    line = ScriptedLine(**TERMINALS[terminal])
    there = await hall.visit(visitors[0], show_ladders, line=line)
    await line.until("Which game?")
    line.type("1", "enter")
    await line.until("Your place: 1 of 3, rating 1516, 1 won, 0 drawn, 0 lost")
    await line.until("Number or key")
    screens = [line.text]
    line.type("2", "enter")
    await line.until("Matches of Tic-Tac-Toe with agent-003")
    await line.until("Number or key")
    screens.append(line.text)
    line.type("a")
    await line.until("void")
    await line.until("Number or key")
    screens.append(line.text)
    line.type("q")
    line.type("q")
    await there.left()
    agrees(f"ladder-{terminal}", screens)


async def test_a_guest_and_who_has_not_played_have_no_place(hall: Hall, visitors: list[Visitor]) -> None:
    newcomer = hall.enrol("newcomer")
    for visitor, said in ((newcomer, True), (GUEST, False)):
        there = await hall.visit(visitor, show_ladders)
        await there.line.until("Which game?")
        there.line.type("1", "enter")
        await there.line.until("Number or key")
        assert ("You have played no rated match" in there.line.text) is said
        assert visitors[0].name in there.line.text


async def test_from_one_ladder_to_another(hall: Hall, visitors: list[Visitor]) -> None:
    there = await hall.visit(visitors[0], show_ladders)
    await there.line.until("Which game?")
    there.line.type("1", "enter")
    await there.line.until("The ladder of Tic-Tac-Toe")
    there.line.type("g")
    await there.line.until("Which game?")
    there.line.type("2", "enter")
    await there.line.until("The ladder of Connect 4")
    there.line.type("q")
    await there.left()


async def _among_matches(hall: Hall, visitor: Visitor, **wanted: Any) -> ScriptedLine:
    there = await hall.visit(visitor, lambda visit: show_matches(visit, **wanted))
    await there.line.until("Number or key")
    return there.line


async def test_a_match_is_found_by_the_beginning_of_its_id(hall: Hall, visitors: list[Visitor]) -> None:
    line = await _among_matches(hall, visitors[0])
    line.type("i")
    await line.until("Id, or how it begins:")
    line.type("BBBB", "enter")
    await line.until("Replay: Connect 4")
    line.type("q")
    await line.until("Number or key")


@pytest.mark.parametrize(
    ("typed", "said"),
    [("eeee", "No finished match has an id that begins with eeee."), ("aaaa", "Several matches"), ("b", "No finished")],
)
async def test_an_id_that_leads_to_no_match_is_said_to(
    hall: Hall, visitors: list[Visitor], typed: str, said: str
) -> None:
    line = await _among_matches(hall, visitors[0])
    line.type("i")
    await line.until("Id, or how it begins:")
    line.type(typed, "enter")
    await line.until(said)


async def test_the_matches_of_an_account_and_of_a_game(hall: Hall, visitors: list[Visitor]) -> None:
    line = await _among_matches(hall, visitors[0])
    line.type("n")
    await line.until("Name:")
    line.type("agent-002", "enter")
    await line.until("Matches with agent-002")
    await settled()
    line.type("g")
    await line.until("Which game?")
    line.type("2", "enter")
    await line.until("Matches of Connect 4 with agent-002")
    await line.until("(nothing)")
    line.type("a")
    await line.until("practice")


async def test_a_match_by_other_rules_is_listed_and_not_shown(hall: Hall, visitors: list[Visitor]) -> None:
    one, two = visitors[0].account, visitors[1].account
    hall.log(finished(one, two, game="halma", moves="a1", match_id="eeee-0006"))
    line = await _among_matches(hall, visitors[0])
    line.type("1", "enter")
    await line.until("That match can't be shown: no game 'halma' is installed here")
