"""One connection within bounds, with a transport and a speaker of the test's own."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agentbbs.play.alarms import Alarms
from agentbbs.servers.admission import Admission
from agentbbs.servers.bounded import (
    BYTES_A_TURN,
    CLOSE_TIMEOUT_S,
    MAX_EARLY_BYTES,
    MAX_LOGIN_BYTES,
    MAX_UNREAD_BYTES,
    PACED_BYTES,
    PERSON_LOGIN_S,
    BoundedPipe,
)
from agentbbs.servers.turnstile import Turnstile

from .conftest import until


class Transport(asyncio.Transport):
    """Remembers what was asked of it."""

    def __init__(self) -> None:
        super().__init__()
        self.pipe: BoundedPipe
        self.reading = True
        self.high = 0
        self.unread = 0
        self.aborted = False
        self.closed = False
        self.ended = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("192.0.2.1", 4242) if name == "peername" else default

    def is_closing(self) -> bool:
        return self.aborted or self.closed

    def write_eof(self) -> None:
        self.ended = True

    def close(self) -> None:
        self.closed = True

    def pause_reading(self) -> None:
        assert self.reading
        self.reading = False

    def resume_reading(self) -> None:
        assert not self.reading
        self.reading = True

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self.high = high or 0

    def get_write_buffer_size(self) -> int:
        return self.unread

    def abort(self) -> None:
        if not self.aborted:
            self.aborted = True
            asyncio.get_running_loop().call_soon(self.pipe.connection_lost, None)


class Speaker:
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.portions: list[bytes] = []
        self.transport: Transport
        self.lost = False
        self.ended = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, Transport)
        self.transport = transport

    def abort(self) -> None:
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        self.portions.append(data)

    def eof_received(self) -> None:
        self.ended = True

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = True


class House:
    """A door with one place, unless told otherwise."""

    def __init__(self, total: int = 1) -> None:
        loop = asyncio.get_running_loop()
        self.admission: Admission[BoundedPipe] = Admission(total=total, each=total, waiting=2, waiting_each=2)
        self.strangers = Turnstile(loop)
        self.bulk = Turnstile(loop)
        self.alarms = Alarms(loop)
        self.login_timeout_s = 60.0
        self.speakers: dict[BoundedPipe, Speaker] = {}
        self.here: set[BoundedPipe] = set()

    def speaker(self, pipe: BoundedPipe) -> Speaker:
        return self.speakers.setdefault(pipe, Speaker())

    def came(self, pipe: BoundedPipe) -> None:
        self.here.add(pipe)

    def gone(self, pipe: BoundedPipe) -> None:
        self.here.discard(pipe)

    def caller(self, *, proved: bool = False, in_session: bool = False) -> tuple[BoundedPipe, Transport, Speaker]:
        pipe, transport = BoundedPipe(asyncio.get_running_loop(), self), Transport()
        transport.pipe = pipe
        pipe.connection_made(transport)
        if proved:
            pipe.proved()
        if in_session:
            pipe.session_began()
        return pipe, transport, self.speakers.get(pipe, Speaker())


@pytest.fixture
async def house() -> AsyncIterator[House]:
    made = House()
    yield made
    made.alarms.stop()


class TestInput:
    async def test_of_a_move_is_handed_on_at_once(self, house: House) -> None:
        pipe, transport, speaker = house.caller(proved=True, in_session=True)
        pipe.data_received(b"move")
        assert speaker.portions == [b"move"]
        assert transport.reading

    async def test_of_many_bytes_is_handed_on_a_portion_a_turn(self, house: House) -> None:
        pipe, transport, speaker = house.caller(proved=True, in_session=True)
        data = random.Random(1).randbytes(10 * BYTES_A_TURN + 1)
        pipe.data_received(data)
        for turn in range(11):
            assert len(speaker.portions) == turn
            assert not transport.reading
            await asyncio.sleep(0)
        assert transport.reading
        assert b"".join(speaker.portions) == data
        assert max(map(len, speaker.portions)) == BYTES_A_TURN

    async def test_that_comes_in_spite_of_a_pause_keeps_its_order(self, house: House) -> None:
        """Some loops deliver once more after reading was paused."""
        pipe, transport, speaker = house.caller(proved=True, in_session=True)
        data = random.Random(2).randbytes(5 * BYTES_A_TURN)
        pipe.data_received(data[: 3 * BYTES_A_TURN])
        await asyncio.sleep(0)
        pipe.data_received(data[3 * BYTES_A_TURN : -1])
        pipe.data_received(data[-1:])
        await until(lambda: transport.reading)
        assert b"".join(speaker.portions) == data

    @pytest.mark.parametrize("proved", [False, True], ids=["strangers", "floods"])
    async def test_of_all_takes_turns(self, *, proved: bool) -> None:
        house = House(total=3)
        callers = [house.caller(proved=proved, in_session=proved) for _ in range(3)]
        for pipe, _, _ in callers:
            pipe.data_received(b"x" * 2 * BYTES_A_TURN)
        for turn in range(1, 7):
            await asyncio.sleep(0)
            portions = [len(speaker.portions) for _, _, speaker in callers]
            assert sum(portions) == turn
            assert max(portions) - min(portions) <= 1
        assert all(transport.reading for _, transport, _ in callers)
        house.alarms.stop()

    async def test_of_a_move_passes_the_floods(self) -> None:
        house = House(total=3)
        flooders = [house.caller(proved=True, in_session=True) for _ in range(2)]
        for pipe, _, _ in flooders:
            pipe.data_received(b"x" * 100 * BYTES_A_TURN)
        pipe, _, speaker = house.caller(proved=True, in_session=True)
        pipe.data_received(b"move")
        assert speaker.portions == [b"move"]
        house.alarms.stop()

    async def test_before_a_session_is_bounded(self, house: House) -> None:
        pipe, transport, speaker = house.caller(proved=True)
        pipe.data_received(b"x" * (MAX_LOGIN_BYTES + 1))
        await until(lambda: pipe not in house.here)
        assert transport.aborted
        assert sum(map(len, speaker.portions)) <= MAX_LOGIN_BYTES + BYTES_A_TURN

    async def test_in_a_session_is_not(self, house: House) -> None:
        pipe, transport, speaker = house.caller(proved=True, in_session=True)
        for _ in range(3):
            pipe.data_received(b"x" * MAX_LOGIN_BYTES)
            await until(lambda: transport.reading)
        assert sum(map(len, speaker.portions)) == 3 * MAX_LOGIN_BYTES

    async def test_after_the_end_is_dropped(self, house: House) -> None:
        pipe, _, speaker = house.caller(proved=True, in_session=True)
        pipe.data_received(b"x" * 3 * BYTES_A_TURN)
        await asyncio.sleep(0)
        pipe.cut("a test")
        await until(lambda: pipe not in house.here)
        assert len(speaker.portions) == 1
        assert speaker.lost


class TestOutput:
    async def test_that_nobody_reads_ends_the_connection(self, house: House) -> None:
        pipe, transport, speaker = house.caller(proved=True, in_session=True)
        assert transport.high == MAX_UNREAD_BYTES
        transport.unread = MAX_UNREAD_BYTES + 1
        pipe.pause_writing()
        assert transport.aborted
        await until(lambda: speaker.lost)


class Flow:
    """Remembers whether it may write."""

    def __init__(self) -> None:
        self.writes = True

    def pause_writing(self) -> None:
        self.writes = False

    def resume_writing(self) -> None:
        self.writes = True


class TestAPacedWriter:
    async def test_is_told_to_stop_and_to_go_on(self, house: House) -> None:
        pipe, transport, _ = house.caller(proved=True, in_session=True)
        flow = Flow()
        pipe.pace(flow)
        assert transport.high == PACED_BYTES
        pipe.pause_writing()
        assert (flow.writes, transport.aborted) == (False, False)
        pipe.resume_writing()
        assert flow.writes

    async def test_whose_peer_asks_and_does_not_listen_is_cut(self, house: House) -> None:
        """Answers of the protocol itself are not paced."""
        pipe, transport, _ = house.caller(proved=True, in_session=True)
        pipe.pace(Flow())
        transport.unread = MAX_UNREAD_BYTES + 1
        pipe.data_received(b"are you there?")
        assert transport.aborted


class TestHolding:
    async def test_keeps_what_came_until_the_release(self, house: House) -> None:
        pipe, transport, speaker = house.caller(proved=True, in_session=True)
        data = random.Random(3).randbytes(3 * BYTES_A_TURN)
        pipe.data_received(data)
        await asyncio.sleep(0)
        pipe.hold()
        for _ in range(4):
            await asyncio.sleep(0)
        pipe.data_received(b"a straggler")
        await asyncio.sleep(0)
        assert len(speaker.portions) == 1
        assert not transport.reading
        pipe.release()
        await until(lambda: transport.reading)
        assert b"".join(speaker.portions) == data + b"a straggler"

    async def test_with_nothing_there_stops_reading(self, house: House) -> None:
        pipe, transport, _ = house.caller(proved=True, in_session=True)
        pipe.hold()
        assert not transport.reading
        pipe.release()
        assert transport.reading


class TestHangingUp:
    async def test_says_the_end_and_waits_for_the_peers(self, house: House) -> None:
        pipe, transport, speaker = house.caller(proved=True, in_session=True)
        pipe.hold()
        pipe.hang_up()
        pipe.hang_up()
        assert (transport.ended, transport.closed, transport.reading) == (True, False, True)
        assert not pipe.eof_received()
        assert not speaker.ended

    async def test_closes_at_once_if_the_peer_has_ended(self, house: House) -> None:
        pipe, transport, speaker = house.caller(proved=True, in_session=True)
        pipe.eof_received()
        assert speaker.ended
        pipe.hang_up()
        assert (transport.ended, transport.closed) == (False, True)

    @pytest.mark.parametrize("ended", [False, True])
    async def test_cuts_a_peer_that_takes_too_long(self, house: House, *, ended: bool) -> None:
        pipe, transport, _ = house.caller(proved=True, in_session=True)
        if ended:
            pipe.eof_received()
        pipe.hang_up()
        now = house.alarms.now()
        house.alarms.now = lambda: now + CLOSE_TIMEOUT_S + 1
        house.alarms._ring()
        assert transport.aborted


class TestThePlaceAtTheDoor:
    async def test_is_waited_for_in_silence(self, house: House) -> None:
        first, _, _ = house.caller()
        second, transport, _ = house.caller()
        second.data_received(b"SSH-2.0-Test\r\n")
        assert second not in house.speakers
        assert not transport.reading
        first.proved()
        speaker = house.speakers[second]
        await until(lambda: speaker.portions == [b"SSH-2.0-Test\r\n"])
        assert transport.reading

    async def test_is_given_back_by_who_hangs_up(self, house: House) -> None:
        first, _, _ = house.caller()
        second, _, _ = house.caller()
        first.connection_lost(None)
        assert second in house.speakers

    async def test_is_refused_when_too_many_wait(self, house: House) -> None:
        callers = [house.caller() for _ in range(4)]
        assert [transport.aborted for _, transport, _ in callers] == [False, False, False, True]
        await until(lambda: len(house.here) == 3)

    async def test_is_lost_by_who_sends_too_much_before_it(self, house: House) -> None:
        house.caller()
        pipe, transport, _ = house.caller()
        pipe.data_received(b"x" * (MAX_EARLY_BYTES + 1))
        assert transport.aborted
        await until(lambda: pipe not in house.here)

    async def test_may_be_left_by_who_waits(self, house: House) -> None:
        first, _, _ = house.caller()
        second, _, _ = house.caller()
        assert second.eof_received() is None
        second.connection_lost(None)
        first.proved()
        assert second not in house.speakers


class TestTime:
    async def test_is_short_before_a_session(self, house: House) -> None:
        house.login_timeout_s = 0.02
        for proved in (False, True):
            pipe, transport, _ = house.caller(proved=proved)
            await until(lambda pipe=pipe: pipe not in house.here)  # type: ignore[misc]
            assert transport.aborted

    async def test_does_not_matter_in_a_session(self, house: House) -> None:
        house.login_timeout_s = 0.02
        _, transport, _ = house.caller(proved=True, in_session=True)
        waited = asyncio.Event()
        asyncio.get_running_loop().call_later(0.1, waited.set)
        await waited.wait()
        assert not transport.aborted

    async def test_is_short_after_a_session(self, house: House) -> None:
        pipe, transport, _ = house.caller(proved=True, in_session=True)
        now = house.alarms.now()
        house.alarms.now = lambda: now
        pipe.session_ended()
        assert house.alarms._deadlines.next_look() == pytest.approx(now + CLOSE_TIMEOUT_S, abs=60)
        house.alarms.now = lambda: now + CLOSE_TIMEOUT_S + 1
        house.alarms._ring()
        assert transport.aborted

    async def test_is_longer_for_a_person_who_types(self, house: House) -> None:
        house.login_timeout_s = 20.0
        pipe, transport, _ = house.caller()
        now = house.alarms.now()
        pipe.person_types()
        for after_s, aborted in ((house.login_timeout_s + 1, False), (PERSON_LOGIN_S + 1, True)):
            house.alarms.now = lambda after_s=after_s: now + after_s  # type: ignore[misc]
            house.alarms._ring()
            assert transport.aborted is aborted

    async def test_begins_anew_with_the_place(self, house: House) -> None:
        """Who waited long for a place has as long as others once it is there."""
        first, _, _ = house.caller()
        second, transport, _ = house.caller()
        now = house.alarms.now()
        house.alarms.now = lambda: now + house.login_timeout_s - 1
        first.proved()
        house.alarms.now = lambda: now + house.login_timeout_s + 1
        house.alarms._ring()
        assert not transport.aborted
        assert second in house.speakers
