"""A deadline counts only when nothing of the seat lies unread: an answer's coming decides, not our reading it."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from typing import Final

import pytest
from tests.agentbbs.play.scripted import ScriptedBot
from tests.agentbbs.play.venue import Agent, Venue
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time, turn

from agentbbs.games.ttt import TTT
from agentbbs.play.match import STRIKES
from agentbbs.play.runner import MAX_GRACE_ROUNDS, QUIET_TURNS

TIMEOUT_S: Final = 15.0


def in_turn(venue: Venue, turns: int, deed: Callable[[], None]) -> None:
    """Do something so many turns of the loop after the moment at which the first deadline passes."""

    def later(left: int) -> None:
        if left:
            venue.loop.call_soon(later, left - 1)
        else:
            deed()

    venue.loop.call_at(venue.loop.time() + TIMEOUT_S, later, turns)


@pytest.mark.parametrize("turns", range(QUIET_TURNS))
def test_an_answer_that_is_read_before_the_ruling_saves_the_move(turns: int) -> None:
    async def work() -> None:
        venue = Venue()
        first, second = await venue.pair()
        in_turn(venue, turns, lambda: first.moves("4"))
        await pass_time(TIMEOUT_S + 0.001)
        assert first.hears_kinds()[-1] == "state"
        assert venue.runner.live[0].plies[0].move == "4"
        await pass_time(TIMEOUT_S - 0.002)
        assert venue.playing == 1, "the other seat has all of its time"
        second.moves("0")
        assert venue.runner.live[0].position.ply == 2
        await pass_time(TIMEOUT_S + 0.001)
        assert venue.log.committed[0].termination == "timeout"
        assert venue.log.committed[0].winner == 1

    in_virtual_time(work())


@pytest.mark.parametrize("turns", range(QUIET_TURNS + 8))
@pytest.mark.parametrize("timeout_of", ["first", "second"])
def test_the_seat_that_is_asked_next_is_never_blamed(timeout_of: str, turns: int) -> None:
    """Whenever the late answer is read, only the seat whose deadline it was can time out by it."""

    async def work() -> None:
        venue = Venue()
        first, second = await venue.pair()
        mover, other = first, second
        if timeout_of == "second":
            first.moves("0")
            mover, other = second, first
        in_turn(venue, turns, lambda: mover.moves("4"))
        await pass_time(TIMEOUT_S + 0.001)
        if venue.playing == 0:
            (match,) = venue.log.committed
            assert match.players[match.winner].name == other.name
            assert mover.hears_kinds()[-1] == "game_over"
        else:
            other.moves("8")
            assert venue.playing == 1

    in_virtual_time(work())


def test_silence_is_ruled_on_without_a_moment_of_delay() -> None:
    async def work() -> None:
        venue = Venue()
        first, _ = await venue.pair()
        await pass_time(TIMEOUT_S)
        await turn(QUIET_TURNS + 3)
        assert first.hears()[-1]["reason"] == "forfeit: timeout"

    in_virtual_time(work())


@pytest.mark.parametrize("frame", ['{"type":"ping"}', "nonsense", '{"type":"move","move":"4","ply":7}'])
def test_a_frame_that_is_no_answer_only_puts_the_ruling_off(frame: str) -> None:
    async def work() -> None:
        venue = Venue()
        first, second = await venue.pair()
        in_turn(venue, 1, lambda: first.says(frame))
        in_turn(venue, QUIET_TURNS + 2, lambda: first.moves("4"))
        await pass_time(TIMEOUT_S + 0.001)
        assert second.hears()[-1]["ply"] == 1, "the frame behind it was the answer"

        second.says(frame)
        await pass_time(TIMEOUT_S + 0.001)
        assert second.hears()[-1]["reason"] == "forfeit: timeout"

    in_virtual_time(work())


def test_a_seat_cannot_hold_its_clock_open_by_pinging() -> None:
    async def work() -> None:
        venue = Venue()
        first, second = await venue.pair()
        pings = 0

        def ping() -> None:
            nonlocal pings
            if venue.playing:
                pings += 1
                first.says({"type": "ping"})
                venue.loop.call_soon(ping)

        in_turn(venue, 0, ping)
        await pass_time(TIMEOUT_S + 0.001)
        assert second.hears()[-1]["outcome"] == "win"
        assert pings <= (MAX_GRACE_ROUNDS + 1) * (QUIET_TURNS + 1) + 3

    in_virtual_time(work())


def test_frames_of_the_other_seat_put_nothing_off() -> None:
    async def work() -> None:
        venue = Venue()
        first, second = await venue.pair()
        turns = 0

        def ping() -> None:
            nonlocal turns
            if venue.playing:
                turns += 1
                second.says({"type": "ping"})
                venue.loop.call_soon(ping)

        in_turn(venue, 0, ping)
        await pass_time(TIMEOUT_S + 0.001)
        assert first.hears()[-1]["reason"] == "forfeit: timeout"
        assert turns <= QUIET_TURNS + 3

    in_virtual_time(work())


def test_a_disconnect_while_the_ruling_waits_is_a_disconnect() -> None:
    async def work() -> None:
        venue = Venue()
        first, second = await venue.pair()
        in_turn(venue, 1, first.hangs_up)
        await pass_time(TIMEOUT_S + 0.001)
        assert second.hears()[-1]["reason"] == "forfeit: disconnect"
        assert len(venue.log.recorded) == 1

    in_virtual_time(work())


@pytest.mark.parametrize("turns", range(QUIET_TURNS + 2))
def test_a_bad_answer_that_is_read_before_the_ruling_is_one_strike_and_not_two(turns: int) -> None:
    async def work() -> None:
        venue = Venue()
        x = ScriptedBot("x", STRIKES(3), plays=False)
        venue.runner.start(TTT, (x, ScriptedBot("o", plays=False)))
        chair = x.chair
        assert chair is not None

        def answer() -> None:
            x.frames += 1
            chair.move("nonsense")

        in_turn(venue, turns, answer)
        await pass_time(TIMEOUT_S + 0.001)
        chair.move("4")
        (match,) = venue.runner.live
        struck = [strike.kind for strike in match.plies[0].strikes]
        assert struck in (["illegal_move"], ["timeout", "illegal_move"])
        assert struck == ["illegal_move"] or turns >= QUIET_TURNS

    in_virtual_time(work())


# Real loops and sockets


class LinesToSession(asyncio.Protocol):
    """Hands lines to a session within the callback of the loop, as the SSH server does."""

    def __init__(self, agent: Agent, read: asyncio.Event) -> None:
        self._agent = agent
        self._read = read

    def data_received(self, data: bytes) -> None:
        for line in data.splitlines():
            self._agent.session.receive(line)
        self._read.set()


async def lines_of_a_task(ours: socket.socket, agent: Agent, read: asyncio.Event) -> asyncio.Task[None]:
    """Hand lines to a session from a task that waits for them, as the WebSocket server does."""
    reader, writer = await asyncio.open_connection(sock=ours)

    async def pump() -> None:
        try:
            while line := await reader.readline():
                agent.session.receive(line)
                read.set()
        finally:
            writer.close()

    return asyncio.create_task(pump())


def uvloop_or_skip() -> asyncio.AbstractEventLoop:
    """A loop of uvloop, where it is installed."""
    loop: asyncio.AbstractEventLoop = pytest.importorskip("uvloop").new_event_loop()
    return loop


@pytest.mark.parametrize("reading", ["in a callback", "in a task"])
@pytest.mark.parametrize("loop_factory", [asyncio.new_event_loop, uvloop_or_skip], ids=["asyncio", "uvloop"])
@pytest.mark.parametrize("answers", [True, False])
def test_an_answer_that_lay_in_the_socket_while_we_were_busy_is_in_time(
    loop_factory: Callable[[], asyncio.AbstractEventLoop], reading: str, answers: bool
) -> None:
    """The loop stands still for three times the limit; the answer came before. Without one it is a timeout."""

    async def work() -> None:
        venue = Venue(move_timeout_ms=50)
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        with theirs:
            loop = asyncio.get_running_loop()
            read = asyncio.Event()
            mover, other = venue.agent("alice", 1), venue.agent("bob", 2)
            if reading == "in a callback":
                transport, _ = await loop.create_connection(lambda: LinesToSession(mover, read), sock=ours)
                close: Callable[[], object] = transport.close
            else:
                close = (await lines_of_a_task(ours, mover, read)).cancel
            venue.runner.start(TTT, (mover.session, other.session))
            if answers:
                theirs.sendall(b'{"type":"move","move":"4"}\n')
            time.sleep(0.15)  # noqa: ASYNC251 - the stall is the test
            async with asyncio.timeout(10):
                if answers:
                    await read.wait()
                    assert mover.hears()[-1]["ply"] == 1
                else:
                    while venue.playing:
                        await turn()
                    assert mover.hears()[-1]["reason"] == "forfeit: timeout"
            close()
            await turn()
            venue.alarms.stop()

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(work())
