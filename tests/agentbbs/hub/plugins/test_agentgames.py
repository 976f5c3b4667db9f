"""AgentGames from its menu: who may do what, practice from the menu, and a challenge from both sides."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.agentbbs.hub.games.golden import agrees
from tests.agentbbs.hub.games.visiting import GUEST, TERMINALS, Hall, There, a_hall
from tests.agentbbs.hub.lines import ScriptedLine, settled
from tests.agentbbs.play.venue import Agent

from agentbbs.bots.catalog import BOTS
from agentbbs.games.catalog import GAMES
from agentbbs.hub.games.room import CHALLENGE_MOVE_MS
from agentbbs.hub.plugin import Access
from agentbbs.hub.plugins.agentgames import PLUGIN


@pytest.fixture
async def hall(migrated: Path, tmp_path: Path) -> AsyncIterator[Hall]:
    async with a_hall(migrated, tmp_path) as hall:
        yield hall


async def at_the_menu(hall: Hall, *, line: ScriptedLine | None = None) -> There:
    there = await hall.visit(hall.enrol("carol"), PLUGIN.run, line=line)
    await there.line.until("Key (")
    return there


async def an_agent(hall: Hall, name: str = "alice", account: int = 77) -> Agent:
    agent = hall.venue.agent(name, account)
    agent.joins("ttt", humans=True)
    await settled()
    agent.wire.take()
    return agent


@pytest.mark.parametrize("terminal", TERMINALS)
async def test_the_menu_as_a_screen(hall: Hall, terminal: str) -> None:
    await an_agent(hall)
    line = ScriptedLine(**TERMINALS[terminal])
    there = await at_the_menu(hall, line=line)
    screens = [line.text]
    line.type("c")
    await line.until("Number or key")
    screens.append(line.text)
    line.type("q")
    await line.until("Key (")
    line.type("p")
    await line.until("Which game?")
    line.type("1", "enter")
    await line.until("Against whom?")
    await settled()
    screens.append(line.text)
    line.type("q")
    if not line.answers:
        line.press("enter")
    await line.until("Key (")
    line.type("q")
    await there.left()
    agrees(f"menu-{terminal}", screens)


async def test_a_guest_looks_on_and_has_no_seat(hall: Hall) -> None:
    assert PLUGIN.access is Access.GUEST
    there = await hall.visit(GUEST, PLUGIN.run)
    await there.line.until("Guests look on: register to play.")
    assert "practise" not in there.line.text
    there.line.type("pc")
    await settled()
    assert "Which game?" not in there.line.text
    for key, seen in (("m", "Matches"), ("w", "Live matches"), ("l", "Which game?")):
        there.line.type(key)
        await there.line.until(seen)
        there.line.type("q")
        await there.line.until("Key (")
        await settled()


async def test_every_game_and_every_bot_is_offered_for_practice(hall: Hall) -> None:
    there = await at_the_menu(hall)
    there.line.type("p")
    await there.line.until("Which game?")
    assert all(game.title in there.line.text for game in GAMES.values())
    there.line.type("1", "enter")
    await there.line.until("Against whom?")
    await settled()
    assert all(bot.name in there.line.text and bot.blurb.split(".")[0] in there.line.text for bot in BOTS.values())


async def test_practice_from_the_menu_and_again_with_the_other_seat(hall: Hall) -> None:
    there = await at_the_menu(hall)
    line = there.line
    line.type("p")
    await line.until("Which game?")
    line.type("2", "enter")
    await line.until("Against whom?")
    line.type("1", "enter")
    for _ in range(2):
        await line.until("Your move:")
        line.press("escape")
        await line.until("Resign this match?")
        line.press("y")
        await line.until("You lose (forfeit: resign).")
        line.press(" ")
        await line.until("Play again?")
        line.press("y" if len(hall.venue.told) == 1 else "n")
    await line.until("Key (")
    assert there.doing == [
        "at the games",
        "about to practise",
        "playing Connect 4 against random",
        "playing Connect 4 against random",
        "at the games",
    ]
    assert [(match.why, match.rated) for match in hall.venue.told] == [("practice", False)] * 2
    seats = [[player.name for player in match.players].index("carol") for match in hall.venue.told]
    assert sorted(seats) == [0, 1]


async def test_a_challenge_from_the_list_to_the_result_on_both_sides(hall: Hall) -> None:
    agent = await an_agent(hall)
    there = await at_the_menu(hall)
    line = there.line
    line.type("c")
    await line.until("alice")
    await line.until("Number or key")
    line.type("1", "enter")
    await line.until("carol (you)")
    hello, _ = agent.hears()
    assert (hello["opponent"], hello["moveTimeoutMs"]) == ("carol", CHALLENGE_MOVE_MS)
    assert there.doing[-1] == "playing Tic-Tac-Toe against alice"
    mine, theirs = ("678", "01") if hello["player"] == 1 else ("678", "012")
    for ply in range(9):
        if hall.venue.playing == 0:
            break
        if ply % 2 == hello["player"]:
            agent.moves(theirs[ply // 2])
        else:
            await line.until("Your move:")
            line.type(mine[ply // 2], "enter")
        await settled()
    won = hello["player"] == 0
    await line.until("You lose." if won else "You win.")
    kinds = agent.hears()
    assert [said["type"] for said in kinds][-2:] == ["result", "queued"]
    assert (kinds[-2]["outcome"], kinds[-2]["why"]) == ("win" if won else "loss", "human")
    line.press(" ")
    await line.until("Agents that play people")
    assert [match.why for match in hall.venue.told] == ["human"]


async def test_who_is_paired_meanwhile_can_not_be_challenged(hall: Hall) -> None:
    agent = await an_agent(hall)
    there = await at_the_menu(hall)
    there.line.type("c")
    await there.line.until("Number or key")
    hall.venue.agent("bob", 78, "ttt")
    await settled()
    assert agent.hears_kinds() == ["hello", "state"]
    there.line.type("1", "enter")
    await there.line.until("alice does not wait any more")
    await there.line.until("(nothing)")


async def test_who_hangs_up_gives_the_agent_back_to_its_queue(hall: Hall) -> None:
    agent = await an_agent(hall)
    there = await at_the_menu(hall)
    there.line.type("c")
    await there.line.until("Number or key")
    there.line.type("1", "enter")
    await there.line.until("carol (you)")
    agent.wire.take()
    there.line.drop()
    await settled()
    assert agent.hears_kinds() == ["state", "result", "queued"]
    assert len(hall.venue.lobby) == 1
