"""Seats that outlive their connection: whoever comes back in time finds the match as it stands."""

from __future__ import annotations

import json
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agentbbs.play.scripted import Said, ScriptedLog
from tests.agentbbs.play.venue import Agent, Venue, play_out, seated
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time, turn

from agentbbs.play.ports import Ply, Strike

GRACE_S: Final = 60.0
FIRST_ROW: Final = "03142"


def token(agent: Agent) -> str:
    """The resume token of the newest hello that is not yet taken."""
    said: Said = json.loads(next(message for message in reversed(agent.wire.sent) if b'"hello"' in message))
    return str(said["resume"])


def come_back(venue: Venue, agent: Agent, with_token: str) -> Agent:
    """A new connection of the same account, with the token of its seat."""
    back = venue.agent(agent.name, agent.session.account)
    back.says({"type": "join", "resume": with_token})
    return back


async def match(venue: Venue) -> tuple[Agent, Agent, str, str]:
    """Two agents in a match, the first mover first, and their tokens."""
    first, second = await venue.pair()
    return first, second, token(first), token(second)


def test_without_a_time_of_grace_there_is_no_token_and_a_disconnect_forfeits() -> None:
    async def work() -> None:
        venue = Venue()
        first, second = await venue.pair()
        assert "resume" not in first.hears()[-2]
        first.hangs_up()
        assert second.hears()[-1]["reason"] == "forfeit: disconnect"
        back = come_back(venue, first, "anything")
        assert back.hears() == [
            {
                "type": "error",
                "code": "game_over",
                "message": "this venue keeps no seat for a dropped connection: join without `resume`",
            }
        ]
        assert venue.lobby.kept_seats == 0

    in_virtual_time(work())


@pytest.mark.parametrize("plies", range(6))
def test_who_comes_back_finds_its_seat_at_the_very_ply(plies: int) -> None:
    """Dropped at ply 0, 1, … and after the last: the state shows as many plies as moves were played."""

    async def work() -> None:
        venue = Venue(resume_grace_s=GRACE_S, log=ScriptedLog())
        first, second, mine, _ = await match(venue)
        play_out((first, second), FIRST_ROW[:plies])
        first.hangs_up()
        await pass_time(5)
        back = come_back(venue, first, mine)
        hello, state = back.hears()
        assert (hello["type"], hello["player"], hello["opponent"]) == ("hello", 0, second.name)
        assert hello["resume"] == mine
        assert (state["type"], state["ply"]) == ("state", plies)
        assert state["lastMove"] == (FIRST_ROW[plies - 1] if plies else None)
        over = plies == len(FIRST_ROW)
        assert state["yourTurn"] is (not over and plies % 2 == 0)
        assert state["remainingMs"] == (0 if over else 10_000), "the clock ran on"
        for ply in range(plies, 5):
            (back, second)[ply % 2].moves(FIRST_ROW[ply], ply=ply)
        venue.log.commit()
        assert back.hears()[-1]["outcome"] == "win"
        assert second.hears()[-1]["outcome"] == "loss"

    in_virtual_time(work())


def test_the_opponent_notices_nothing_of_a_dropped_connection() -> None:
    async def work() -> None:
        venue = Venue(resume_grace_s=GRACE_S)
        first, second, mine, _ = await match(venue)
        second.hears()
        first.hangs_up()
        await pass_time(3)
        come_back(venue, first, mine).moves("4")
        assert [said["ply"] for said in second.hears()] == [1]

    in_virtual_time(work())


def test_a_move_that_was_lost_on_the_way_is_sent_again_and_counts_once() -> None:
    async def work() -> None:
        venue = Venue(resume_grace_s=GRACE_S)
        first, second, mine, _ = await match(venue)
        first.moves("4", ply=0)
        first.hangs_up()
        back = come_back(venue, first, mine)
        assert back.hears()[-1]["ply"] == 1
        back.moves("4", ply=0)
        assert back.hears_kinds() == ["stale_ply"]
        second.moves("0", ply=1)
        back.moves("8", ply=2)
        assert [ply.move for ply in venue.runner.live[0].plies] == ["4", "0", "8"]

    in_virtual_time(work())


def test_the_newer_connection_takes_the_seat_and_the_older_is_superseded() -> None:
    async def work() -> None:
        venue = Venue(resume_grace_s=GRACE_S)
        first, second, mine, _ = await match(venue)
        first.hears()
        back = come_back(venue, first, mine)
        assert first.hears() == [
            {
                "type": "error",
                "code": "superseded",
                "message": "another connection took this seat with its resume token",
            }
        ]
        assert first.wire.closed == (4000, "superseded")
        first.moves("4")
        first.hangs_up()
        await pass_time(14)
        assert venue.playing == 1, "the older connection speaks for the seat no more"
        back.moves("4")
        assert second.hears()[-1]["ply"] == 1
        again = come_back(venue, back, mine)
        assert back.wire.closed == (4000, "superseded")
        assert again.hears_kinds() == ["hello", "state"]

    in_virtual_time(work())


def test_who_does_not_come_back_in_time_forfeits_by_disconnect() -> None:
    async def work() -> None:
        venue = Venue(resume_grace_s=10.0, move_timeout_ms=60_000)
        first, second, mine, _ = await match(venue)
        first.hangs_up()
        await pass_time(9.99)
        assert venue.playing == 1
        await pass_time(0.02)
        assert second.hears()[-1]["reason"] == "forfeit: disconnect"
        assert come_back(venue, first, mine).hears_kinds() == ["game_over"]

    in_virtual_time(work())


def test_the_time_of_grace_begins_anew_with_each_drop() -> None:
    async def work() -> None:
        venue = Venue(resume_grace_s=10.0, move_timeout_ms=600_000)
        first, _, mine, _ = await match(venue)
        agent = first
        for _ in range(3):
            agent.hangs_up()
            await pass_time(9)
            agent = come_back(venue, agent, mine)
            await pass_time(9)
        assert venue.playing == 1

    in_virtual_time(work())


def test_the_clock_of_an_agent_that_is_away_runs_out() -> None:
    async def work() -> None:
        venue = Venue(resume_grace_s=GRACE_S)
        first, second, mine, _ = await match(venue)
        first.hangs_up()
        await pass_time(15.1)
        assert second.hears()[-1]["reason"] == "forfeit: timeout"
        back = come_back(venue, first, mine)
        assert back.hears_kinds() == ["hello", "state", "result"]

    in_virtual_time(work())


def test_a_result_that_was_lost_can_be_asked_for_again_and_another_match_joined() -> None:
    async def work() -> None:
        venue = Venue(resume_grace_s=GRACE_S)
        first, second, mine, _ = await match(venue)
        play_out((first, second), FIRST_ROW)
        told = first.hears()[-1]
        first.hangs_up()
        for _ in range(2):
            back = come_back(venue, first, mine)
            assert back.hears()[-1] == told
        back.says({"type": "join"})
        second.joins()
        await turn()
        assert back.hears_kinds()[-1] == "state"

    in_virtual_time(work())


def test_a_result_that_could_not_be_stored_yet_is_told_to_who_comes_back() -> None:
    async def work() -> None:
        venue = Venue(resume_grace_s=GRACE_S, log=ScriptedLog())
        first, second, mine, _ = await match(venue)
        play_out((first, second), FIRST_ROW)
        first.hangs_up()
        venue.log.fail()
        assert come_back(venue, first, mine).hears_kinds() == ["hello", "state", "internal"]

    in_virtual_time(work())


def test_a_token_is_good_for_its_own_account_and_its_own_seat_alone() -> None:
    async def work() -> None:
        venue = Venue(resume_grace_s=GRACE_S)
        first, second, mine, others = await match(venue)
        assert mine != others
        thief = venue.agent("thief", 9)
        for stolen in (mine, others, "", "nonsense"):
            thief.says({"type": "join", "resume": stolen})
        assert thief.hears_kinds() == ["game_over"] * 4
        assert (first.wire.closed, second.wire.closed) == (None, None)
        assert come_back(venue, second, mine).hears_kinds() == ["game_over"]

    in_virtual_time(work())


def test_a_seat_is_forgotten_when_its_time_is_over() -> None:
    async def work() -> None:
        venue = Venue(resume_grace_s=GRACE_S)
        first, second, mine, _ = await match(venue)
        play_out((first, second), FIRST_ROW)
        assert venue.lobby.kept_seats == 2
        bells = len(venue.alarms._bells)
        await pass_time(GRACE_S + 1)
        assert venue.lobby.kept_seats == 0
        assert len(venue.alarms._bells) == bells - 2
        assert come_back(venue, first, mine).hears_kinds() == ["game_over"]

    in_virtual_time(work())


def test_a_drain_that_runs_out_voids_the_match_of_an_agent_that_is_away() -> None:
    async def work() -> None:
        venue = Venue(resume_grace_s=GRACE_S, move_timeout_ms=60_000)
        first, second, _, _ = await match(venue)
        first.hangs_up()
        await venue.runner.drain(1)
        assert second.hears()[-1]["outcome"] == "void"
        assert venue.log.standings == {}

    in_virtual_time(work())


def test_practice_keeps_its_seat_too() -> None:
    async def work() -> None:
        venue = Venue(resume_grace_s=GRACE_S)
        alice = venue.agent("alice", 1)
        alice.joins("ttt", practice="random")
        mine = token(alice)
        await turn()
        alice.hangs_up()
        back = come_back(venue, alice, mine)
        assert back.hears_kinds() == ["hello", "state"]
        back.moves(venue.runner.live[0].position.legal[0])
        assert back.hears()[-1]["ply"] >= 1

    in_virtual_time(work())


class Evening:
    """A match whose two agents come and go."""

    def __init__(self, venue: Venue, agents: list[Agent], tokens: list[str]) -> None:
        self.venue = venue
        self.agents = agents
        self.tokens = tokens
        self.here = [True, True]
        (self.match,) = venue.runner.live

    def does(self, deed: str, seat: int, choice: int) -> None:
        """One deed of an agent; what it cannot do now it leaves."""
        position, plies = self.match.position, self.match.plies
        playing = self.here[seat] and self.match.finished is None
        if deed == "move" and playing and position.to_move == seat:
            self.agents[seat].moves(position.legal[choice % len(position.legal)], ply=position.ply)
        elif deed == "repeat" and playing and plies:
            self.agents[seat].moves(plies[-1].move, ply=position.ply - 1)
        elif deed == "drop" and self.here[seat]:
            self.agents[seat].hangs_up()
            self.here[seat] = False
        elif deed == "come back":
            self.comes_back(seat)

    def comes_back(self, seat: int) -> list[Said]:
        """The seat is taken by a new connection, whether or not there is an older one."""
        self.agents[seat] = come_back(self.venue, self.agents[seat], self.tokens[seat])
        self.here[seat] = True
        heard = self.agents[seat].hears()
        assert [said["ply"] for said in heard if said["type"] == "state"] == [len(self.match.plies)]
        return heard


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(("move", "move", "drop", "come back", "repeat")), st.integers(0, 1), st.integers(0, 8)
        ),
        max_size=40,
    )
)
def test_whatever_drops_and_comes_back_the_match_is_one(story: list[tuple[str, int, int]]) -> None:
    """Every state shows as many plies as there are moves, and each side can hear the one result."""

    async def work() -> None:
        venue = Venue(resume_grace_s=GRACE_S)
        first, second, *tokens = await match(venue)
        evening = Evening(venue, [first, second], tokens)
        for deed, seat, choice in story:
            evening.does(deed, seat, choice)
            assert evening.match.position.ply == len(evening.match.plies)
        evening.comes_back(0)
        evening.agents[0].says({"type": "resign"})
        (stored,) = venue.log.committed
        for seat in (0, 1):
            result = evening.comes_back(seat)[-1]
            assert (result["type"], result["match"], result["winner"]) == ("result", stored.id, stored.winner)

    in_virtual_time(work())


def test_a_kept_seat_hands_on_all_that_its_transport_says() -> None:
    async def work() -> None:
        venue = Venue(resume_grace_s=GRACE_S)
        first, second, _, _ = await match(venue)
        chair = first.session._chair
        assert chair is not None
        chair.move("4", 0, "the centre", "n1")
        line = second.session._chair
        assert line is not None
        line.fault("timeout", "8", detail="nothing came", reason="hm", nonce="n2")
        (stored,) = venue.log.recorded
        assert stored.plies == (Ply("4", 0, (), "the centre", "n1"),)
        assert stored.unplayed == (Strike("timeout", 0, "8", "nothing came", "hm", "n2"),)

    in_virtual_time(work())


def test_the_two_agents_of_a_pair_are_seated_as_ever() -> None:
    async def work() -> None:
        venue = Venue(resume_grace_s=GRACE_S)
        alice, bob = venue.agent("alice", 1, "ttt"), await venue.settled_in(venue.agent("bob", 2, "ttt"))
        first, second = seated(alice, bob)
        second.moves("0")
        first.moves("nonsense")
        assert second.hears_kinds() == ["queued", "hello", "state", "not_your_turn", "state", "result"]
        assert first.hears()[-1]["reason"] == "forfeit: illegal move"

    in_virtual_time(work())
