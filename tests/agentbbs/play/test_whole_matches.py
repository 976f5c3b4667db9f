"""Whole matches in memory, as dialogues: two sessions, a lobby, a runner, and a log that commits when it is told to."""

from __future__ import annotations

import random
from typing import Final

import pytest
from tests.agentbbs.play.scripted import ScriptedLog
from tests.agentbbs.play.venue import Agent, Venue, play_out, seated
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time, turn

from agentbbs.play.ports import Standing
from agentbbs.ratings import elo

FIRST_ROW: Final = "03142"
"""Tic-tac-toe: seat 0 completes the first row at ply 5."""
DRAWN: Final = "012435768"


def state(board: str, to_move: int, legal: str, mine: bool, ply: int, last: str | None, left_ms: int) -> bytes:
    """A `state` of Tic-Tac-Toe, byte by byte."""
    cells = ",".join(f'"{cell}"' for cell in board)
    moves = ",".join(f'"{move}"' for move in legal)
    shown = "null" if last is None else f'"{last}"'
    return (
        f'{{"type":"state","observation":{{"board":[{cells}],"toMove":{to_move},"legal":[{moves}]}},'
        f'"yourTurn":{"true" if mine else "false"},"ply":{ply},"lastMove":{shown},"remainingMs":{left_ms}}}'
    ).encode()


def test_a_whole_match_byte_by_byte() -> None:
    async def work() -> None:
        venue = Venue()
        alice = await venue.settled_in(venue.agent("agent-alice", 1, "ttt"))
        assert alice.wire.take() == [b'{"type":"queued","game":"ttt","waiting":1}']
        bob = await venue.settled_in(venue.agent("agent-bob", 2))
        assert bob.wire.take() == []
        bob.joins("Tic-Tac-Toe")
        await turn()
        first, second = seated(alice, bob)
        match = first.match
        play_out((first, second), FIRST_ROW)

        positions = (
            (".........", 0, "012345678", 0, None, 15_000),
            ("X........", 1, "12345678", 1, "0", 15_000),
            ("X..O.....", 0, "1245678", 2, "3", 15_000),
            ("XX.O.....", 1, "245678", 3, "1", 15_000),
            ("XX.OO....", 0, "25678", 4, "4", 15_000),
            ("XXXOO....", -1, "", 5, "2", 0),
        )
        end = b'"match":"%b","reason":null,"termination":"normal","rated":true,"ratingBefore":1500' % match.encode()
        results = (
            b'{"type":"result","winner":0,"outcome":"win","rating":1516,%b,"opponentRating":1484}' % end,
            b'{"type":"result","winner":0,"outcome":"loss","rating":1484,%b,"opponentRating":1516}' % end,
        )
        for seat, (agent, other) in enumerate(((first, second), (second, first))):
            hello = (
                f'{{"type":"hello","player":{seat},"game":"ttt","opponent":"{other.name}","match":"{match}",'
                '"moveTimeoutMs":15000}'
            )
            queued = [b'{"type":"queued","game":"ttt","waiting":2}'] if agent is bob else []
            states = [
                state(board, to_move, legal, to_move == seat, ply, last, left)
                for board, to_move, legal, ply, last, left in positions
            ]
            assert agent.wire.take() == [*queued, hello.encode(), *states, results[seat]]
            assert agent.wire.closed is None

    in_virtual_time(work())


def test_a_draw_of_equals_moves_no_rating() -> None:
    async def work() -> None:
        agents = await Venue().pair()
        play_out(agents, DRAWN)
        for agent in agents:
            result = agent.hears()[-1]
            assert (result["winner"], result["outcome"], result["rating"]) == (-1, "draw", 1500)

    in_virtual_time(work())


@pytest.mark.parametrize(
    ("deed", "reason", "termination"),
    [
        ("illegal move", "forfeit: illegal move", "illegal_move"),
        ("silence", "forfeit: timeout", "timeout"),
        ("hanging up", "forfeit: disconnect", "disconnect"),
        ("twenty bad messages", "forfeit: disconnect", "disconnect"),
        ("resigning", "forfeit: resign", "resign"),
    ],
)
def test_every_forfeit_is_told_to_the_other_side(deed: str, reason: str, termination: str) -> None:
    """The offender has moved once; whatever it does then, its opponent wins and is told why."""

    async def work() -> None:
        venue = Venue()
        offender, other = await venue.pair()
        play_out((offender, other), "40")
        if deed == "illegal move":
            offender.moves("4")
        elif deed == "silence":
            await pass_time(16)
        elif deed == "hanging up":
            offender.hangs_up()
        elif deed == "twenty bad messages":
            for _ in range(20):
                offender.says("nonsense")
            assert offender.wire.closed == (1008, "20 bad messages")
        else:
            offender.says({"type": "resign"})
        final, result = other.hears()[-2:]
        assert (final["observation"]["toMove"], final["observation"]["legal"]) == (-1, [])
        assert (final["ply"], final["lastMove"], final["yourTurn"]) == (2, "0", False)
        assert (result["winner"], result["outcome"], result["rating"]) == (1, "win", 1516)
        assert (result["reason"], result["termination"], result["rated"]) == (reason, termination, True)
        (stored,) = venue.log.committed
        assert ([ply.move for ply in stored.plies], stored.winner) == (["4", "0"], 1)
        if deed in ("illegal move", "silence", "resigning"):
            mine = offender.hears()[-1]
            assert (mine["outcome"], mine["rating"], mine["reason"]) == ("loss", 1484, reason)
            assert offender.wire.closed is None

    in_virtual_time(work())


def test_bad_input_of_one_disturbs_neither_its_opponent_nor_other_matches() -> None:
    async def work() -> None:
        venue = Venue()
        first, second = await venue.pair()
        others = seated(venue.agent("carol", 3, "ttt"), await venue.settled_in(venue.agent("dave", 4, "ttt")))
        for agent in (first, second, *others):
            agent.hears()
        for _ in range(19):
            first.says('{"type":"move","move":"4","move":"5"}')
        assert [kind for agent in (second, *others) for kind in agent.hears_kinds()] == []
        play_out(others, FIRST_ROW)
        assert others[0].hears()[-1]["outcome"] == "win"
        play_out((first, second), FIRST_ROW)
        assert first.hears_kinds() == ["bad_message"] * 19 + ["state"] * 5 + ["result"]

    in_virtual_time(work())


def test_a_connection_plays_match_after_match_and_the_first_move_alternates() -> None:
    async def work() -> None:
        venue = Venue()
        alice, bob = await venue.pair()
        firsts = []
        for _ in range(10):
            first, second = seated(alice, bob)
            firsts.append(first.name)
            play_out((first, second), FIRST_ROW)
            for agent in (alice, bob):
                assert agent.hears()[-1]["type"] == "result"
            alice.joins()
            await pass_time(1)
            bob.says({"type": "join"})
            await turn()
        assert firsts.count("alice") == firsts.count("bob") == 5
        for account in (1, 2):
            standing = venue.log.standing(account, "ttt")
            assert standing is not None
            assert (standing.played, standing.firsts) == (10, 5)

    in_virtual_time(work())


def test_an_evening_leaves_no_alarm_behind() -> None:
    """Matches played, given up, lost by silence, waits that came to nothing: all end with what they set."""

    async def work() -> None:
        venue = Venue(queue_wait_s=5)
        alice, bob = await venue.pair()
        at_rest = len(venue.alarms._bells) - 1
        play_out((alice, bob), FIRST_ROW)
        for deed in ("resign", "silence", "leave the queue", "nobody"):
            alice.joins()
            if deed in ("resign", "silence"):
                bob.joins()
            if deed == "resign":
                alice.says({"type": "resign"})
            elif deed == "silence":
                await pass_time(16)
            elif deed == "leave the queue":
                await turn()
                alice.hangs_up()
                alice = venue.agent("alice", 1)
            else:
                await pass_time(6)
        assert (venue.playing, len(venue.lobby)) == (0, 0)
        assert len(venue.alarms._bells) == at_rest
        alice.hangs_up()
        bob.hangs_up()
        assert len(venue.alarms._bells) == at_rest - 2, "only the lobby's own is left"

    in_virtual_time(work())


# Results and the log


def test_no_result_is_told_before_it_is_stored() -> None:
    async def work() -> None:
        venue = Venue(log=ScriptedLog())
        first, second = await venue.pair()
        play_out((first, second), FIRST_ROW)
        await pass_time(60)
        for agent in (first, second):
            assert agent.hears_kinds()[-1] == "state"
        first.joins()
        first.moves("8")
        first.says({"type": "resign"})
        first.says({"type": "ping"})
        assert first.hears_kinds() == ["bad_message", "game_over", "game_over", "pong"]
        venue.log.commit()
        assert first.hears()[-1]["rating"] == 1516
        assert second.hears()[-1]["rating"] == 1484

    in_virtual_time(work())


def test_a_match_that_could_not_be_stored_yet_invents_no_rating() -> None:
    async def work() -> None:
        venue = Venue(log=ScriptedLog())
        first, second = await venue.pair()
        match = first.match
        play_out((first, second), FIRST_ROW)
        venue.log.fail()
        for agent in (first, second):
            error = agent.hears()[-1]
            assert (error["type"], error["code"]) == ("error", "internal")
            assert match in error["message"]
        assert venue.told == []
        first.joins()
        second.joins()
        await turn()
        assert {agent.hears_kinds()[-1] for agent in (first, second)} == {"state"}, "the venue goes on"

    in_virtual_time(work())


def test_a_result_for_somebody_who_has_gone_is_stored_all_the_same() -> None:
    async def work() -> None:
        venue = Venue(log=ScriptedLog())
        first, second = await venue.pair()
        play_out((first, second), FIRST_ROW)
        first.hangs_up()
        second.hangs_up()
        venue.log.commit()
        (match,) = venue.told
        assert (match.winner, match.termination) == (0, "normal")
        assert venue.tally.connections == 0

    in_virtual_time(work())


def pair_up(agents: list[Agent]) -> list[tuple[Agent, Agent]]:
    """The matches that these agents are in, by the ids they were told."""
    by_match: dict[str, list[Agent]] = {}
    for agent in agents:
        by_match.setdefault(agent.match, []).append(agent)
    return [seated(*pair) for pair in by_match.values()]


@pytest.mark.parametrize("seed", range(3))
def test_200_matches_at_once_settle_in_any_order(seed: int) -> None:
    """Everybody is told exactly what was stored for it, and the book is what a replay of the log gives."""

    async def work() -> None:
        rng = random.Random(seed)
        venue = Venue(log=ScriptedLog(), seed=seed)
        agents = [venue.agent(f"agent-{account}", account, "ttt") for account in range(1, 401)]
        await turn()
        pairs = pair_up(agents)
        assert len(pairs) == 200
        assert venue.playing == 200
        unfinished = [(pair, list(rng.choice((FIRST_ROW, DRAWN, "304182"))), 0) for pair in pairs]
        while unfinished:
            index = rng.randrange(len(unfinished))
            pair, moves, ply = unfinished[index]
            pair[ply % 2].moves(moves[ply])
            if ply + 1 < len(moves):
                unfinished[index] = (pair, moves, ply + 1)
            else:
                del unfinished[index]
        assert len(venue.log.pending) == 200
        assert all(b'"result"' not in agent.wire.sent[-1] for agent in agents)
        venue.log.commit_all(rng)

        assert len(venue.told) == len({match.id for match in venue.told}) == 200
        stored = {match.id: match for match in venue.log.committed}
        for agent in agents:
            result = agent.hears()[-1]
            match = stored[result["match"]]
            seat = [player.name for player in match.players].index(agent.name)
            outcomes = {-1: "draw", seat: "win", 1 - seat: "loss"}
            assert (result["winner"], result["outcome"]) == (match.winner, outcomes[match.winner])
            standing = venue.log.standing(agent.session.account, "ttt")
            assert standing is not None
            assert result["rating"] == round(standing.rating)

    in_virtual_time(work())


@pytest.mark.parametrize("seed", range(3))
def test_one_account_on_many_connections_never_loses_an_update(seed: int) -> None:
    """40 connections of one account against 40 others, the matches stored in any order."""

    async def work() -> None:
        rng = random.Random(seed)
        venue = Venue(log=ScriptedLog(), seed=seed)
        mine = [venue.agent("many", 1, "c4") for _ in range(40)]
        await turn()
        assert venue.playing == 0
        others = [venue.agent(f"agent-{account}", account, "c4") for account in range(2, 42)]
        await turn()
        pairs = pair_up([*mine, *others])
        assert len(pairs) == 40
        for pair in pairs:
            assert {agent.session.account == 1 for agent in pair} == {True, False}
            pair[rng.randrange(2)].says({"type": "resign"})
        venue.log.commit_all(rng)

        rating = elo.START
        for match in venue.log.committed:
            seat = 0 if match.players[0].account == 1 else 1
            score = 1.0 if match.winner == seat else 0.0
            rating, _ = elo.updated(rating, elo.START, score)
        standing = venue.log.standing(1, "c4")
        assert standing is not None
        assert standing.played == 40
        assert standing.rating == pytest.approx(rating, abs=1e-9)
        told = [agent.hears()[-1] for agent in mine]
        assert round(rating) in [result["rating"] for result in told]

    in_virtual_time(work())


def test_13_matches_against_13_opponents_are_all_rated() -> None:
    async def work() -> None:
        venue = Venue()
        alice = venue.agent("alice", 1)
        for account in range(2, 15):
            alice.joins()
            other = await venue.settled_in(venue.agent(f"agent-{account}", account, "ttt"))
            other.says({"type": "resign"})
            result = alice.hears()[-1]
            assert (result["outcome"], result["rated"], "why" in result) == ("win", True, False)
        standing = venue.log.standing(1, "ttt")
        assert standing is not None
        assert (standing.played, standing.wins) == (13, 13)

    in_virtual_time(work())


@pytest.mark.parametrize("plies", [0, 1, 4])
def test_an_agent_that_crashed_has_its_result_and_is_paired_again(plies: int) -> None:
    async def work() -> None:
        venue = Venue()
        first, second = await venue.pair()
        play_out((first, second), FIRST_ROW[:plies])
        first.hangs_up()
        (stored,) = venue.log.committed
        assert (stored.winner, stored.termination, len(stored.plies)) == (1, "disconnect", plies)
        again = venue.agent(first.name, first.session.account, "ttt")
        second.joins()
        await turn()
        assert again.hears_kinds() == ["queued", "hello", "state"]

    in_virtual_time(work())


def test_the_next_match_is_paired_by_the_rating_that_was_just_told() -> None:
    async def work() -> None:
        venue = Venue()
        first, second = await venue.pair()
        play_out((first, second), FIRST_ROW)
        first.joins()
        await turn()
        (waiting,) = venue.lobby.queues()
        assert waiting.rating == first.hears()[-2]["rating"] == 1516
        assert venue.ladders.asked == [(1, "ttt"), (2, "ttt")], "a standing is read once and kept"

    in_virtual_time(work())


def test_a_ladder_of_old_is_read_before_the_first_match() -> None:
    async def work() -> None:
        venue = Venue()
        venue.log.standings[1, "ttt"] = Standing(rating=1900.0, played=50, firsts=25)
        alice = await venue.settled_in(venue.agent("alice", 1, "ttt"))
        (waiting,) = venue.lobby.queues()
        assert (waiting.name, waiting.rating) == ("alice", 1900)
        bob = await venue.settled_in(venue.agent("bob", 2, "ttt"))
        assert alice.hears_kinds() == bob.hears_kinds() == ["queued"], "400 points apart: not yet"
        await pass_time(2.5)
        first, second = seated(alice, bob)
        play_out((first, second), FIRST_ROW)
        result = alice.hears()[-1]
        assert result["ratingBefore"] == 1900
        assert result["opponentRating"] == bob.hears()[-1]["rating"]

    in_virtual_time(work())
