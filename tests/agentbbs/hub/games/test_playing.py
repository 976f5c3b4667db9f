"""A person plays a house bot: with the cursor, by typing, to a result, a resignation or a hang-up."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.agentbbs.hub.games.golden import agrees
from tests.agentbbs.hub.games.visiting import TERMINALS, Hall, There, a_hall
from tests.agentbbs.hub.lines import ScriptedLine, settled

from agentbbs.games.catalog import find
from agentbbs.hub.games.human_seat import HumanSeat
from agentbbs.hub.games.playing import play
from agentbbs.hub.games.room import RoomClosed
from agentbbs.hub.visit import Visit


@pytest.fixture
async def hall(migrated: Path, tmp_path: Path) -> AsyncIterator[Hall]:
    async with a_hall(migrated, tmp_path) as hall:
        yield hall


async def at_the_board(hall: Hall, game: str = "ttt", *, first: bool = True, line: ScriptedLine | None = None) -> There:
    """Alice, in a match against a bot that plays the first legal move."""

    async def view(visit: Visit) -> None:
        seat = HumanSeat(1, "alice", visit.caller.nudge)
        hall.room.practise(find(game), "random", seat, first=first)
        await play(visit.caller, seat)

    there = await hall.visit(hall.enrol("alice"), view, line=line)
    await there.line.until("alice (you)")
    await there.line.until("Your move:")
    return there


@pytest.mark.parametrize("terminal", TERMINALS)
async def test_a_match_as_screens(hall: Hall, terminal: str) -> None:
    line = ScriptedLine(**TERMINALS[terminal])
    there = await at_the_board(hall, line=line)
    screens = [line.text]
    bar = "│" if line.answers else "|"
    for move, seen in (("8", f"[O]{bar} 1"), ("7", f"O {bar}[O]{bar} 2"), ("6", "You win.")):
        if move == "8" and line.answers:
            line.press("right", "down", "enter")
        else:
            line.type(move, "enter")
        await line.until(seen)
        await settled()
        screens.append(line.text)
    line.press(" ")
    await there.left()
    c4 = await at_the_board_again(hall, ScriptedLine(**TERMINALS[terminal]))
    screens.append(c4.line.text)
    agrees(f"board-{terminal}", screens)


async def at_the_board_again(hall: Hall, line: ScriptedLine) -> There:
    async def view(visit: Visit) -> None:
        seat = HumanSeat(1, "alice", visit.caller.nudge)
        hall.room.practise(find("c4"), "random", seat, first=False)
        await play(visit.caller, seat)

    there = await hall.visit(hall.enrol("alice-2"), view, line=line)
    await line.until("Your move:")
    return there


async def test_the_cursor_goes_over_the_columns(hall: Hall) -> None:
    there = await at_the_board(hall, "c4")
    there.line.press("left", "enter")
    await there.line.until("[O]")
    (match,) = hall.venue.runner.live
    assert [ply.move for ply in match.plies] == ["2", "0"]


async def test_what_can_not_be_played_is_said_and_no_fault(hall: Hall) -> None:
    there = await at_the_board(hall)
    line = there.line
    line.type("9", "enter")
    await line.until("9 is no legal move: ? lists them.")
    line.type("?", "enter")
    await line.until("Legal moves: 0 1 2 3 4 5 6 7 8")
    line.press("enter")
    await line.until("[X]")
    await line.until("Your move:")
    line.press("enter")
    await line.until("You can't play there.")
    (match,) = hall.venue.runner.live
    assert [ply.move for ply in match.plies] == ["4", "0"]


async def test_what_is_typed_can_be_taken_back(hall: Hall) -> None:
    there = await at_the_board(hall)
    there.line.type("12", "backspace", "backspace")
    there.line.type("77", "escape")
    await settled()
    there.line.type("5", "enter")
    await there.line.until("[O]")
    (match,) = hall.venue.runner.live
    assert match.plies[0].move == "5"


@pytest.mark.parametrize("keys", [("escape",), ("ctrl-c",), ("q", "enter"), ("r", "e", "s", "i", "g", "n", "enter")])
async def test_resigning_is_asked_back(hall: Hall, keys: tuple[str, ...]) -> None:
    there = await at_the_board(hall)
    there.line.press(*keys)
    await there.line.until("Resign this match? [y/N]")
    there.line.press("n")
    await there.line.until("Your move:")
    assert hall.venue.playing == 1
    there.line.press(*keys)
    await there.line.until("Resign this match? [y/N]")
    there.line.press("y")
    await there.line.until("You lose (forfeit: resign).")
    there.line.press(" ")
    await there.left()
    assert hall.venue.told[0].reason == "forfeit: resign"


async def test_who_hangs_up_has_left(hall: Hall) -> None:
    there = await at_the_board(hall)
    there.line.drop()
    await settled()
    assert there.task.done()
    assert there.task.exception() is not None
    assert [match.reason for match in hall.venue.told] == ["forfeit: disconnect"]


async def test_a_visit_that_is_cancelled_has_left_too(hall: Hall) -> None:
    there = await at_the_board(hall)
    there.task.cancel()
    await settled()
    assert hall.venue.playing == 0


async def test_the_end_is_seen_in_the_middle_of_typing(hall: Hall) -> None:
    there = await at_the_board(hall)
    there.line.type("1")
    (bot,) = hall.venue.house.seated
    assert bot.chair is not None
    bot.chair.leave()
    await there.line.until("You win (forfeit: disconnect).")


async def test_notices_do_not_destroy_what_is_typed(hall: Hall) -> None:
    there = await at_the_board(hall)
    there.line.type("3")
    await settled()
    there.caller.post("bob logged on")
    await there.line.until("bob logged on\nYour move: 3")
    there.line.press("enter")
    await there.line.until("[O]")


async def test_when_the_venue_is_about_to_stop_the_match_is_void_and_no_more_begin(hall: Hall) -> None:
    there = await at_the_board(hall)
    hall.room.close()
    await there.line.until("The match is void")
    assert not hall.room.live
    with pytest.raises(RoomClosed):
        hall.room.practise(find("ttt"), "random", HumanSeat(1, "alice", lambda: None), first=True)
