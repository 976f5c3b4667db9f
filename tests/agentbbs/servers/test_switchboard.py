"""Who is put through to the hub, and how it ends, over lines in memory."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from structlog.testing import capture_logs

from agentbbs.calls.identity import Stranger
from agentbbs.calls.reception import Call
from agentbbs.play.tally import Tally
from agentbbs.servers.caller_line import CallerLine
from agentbbs.servers.switchboard import FULL, STOPPING, Switchboard, is_loopback

from .conftest import until
from .exchange import ScriptedReception


class Carrier:
    """Remembers what was sent."""

    unsent_bytes = 0

    def __init__(self) -> None:
        self.sent = b""
        self.hung_up = False

    def send(self, data: bytes) -> None:
        self.sent += data

    def hold(self) -> None: ...

    def release(self) -> None: ...

    def hang_up(self) -> None:
        self.hung_up = True

    def cut(self, why: str) -> None: ...


def call(address: str = "192.0.2.1", transport: str = "telnet") -> tuple[Call, Carrier]:
    carrier = Carrier()
    return Call(CallerLine(carrier, transport=transport, address=address, private=False), Stranger()), carrier


class Board:
    """A switchboard whose visits last until the test ends them."""

    def __init__(self, **options: Any) -> None:
        self.over = asyncio.Event()
        self.tally = Tally()
        self.reception = ScriptedReception(self._visit)
        self.switchboard = Switchboard(self.reception, self.tally, **options)

    async def _visit(self, _: Call) -> None:
        await self.over.wait()

    def put_through(self, address: str = "192.0.2.1", transport: str = "telnet") -> Carrier:
        made, carrier = call(address, transport)
        self.switchboard.put_through(made)
        return carrier


class TestPlaces:
    async def test_so_many_of_one_address(self) -> None:
        board = Board(each=2)
        inside = [board.put_through() for _ in range(2)]
        refused = board.put_through()
        assert refused.hung_up
        assert refused.sent == f"\r\n{FULL}\r\n".encode()
        assert not board.put_through("192.0.2.2").hung_up
        assert not any(carrier.hung_up for carrier in inside)
        await board.switchboard.shut_down(0)

    async def test_this_machine_has_no_limit_of_its_own(self) -> None:
        board = Board(total=5, each=1)
        assert not any(board.put_through(address).hung_up for address in ["127.0.0.1", "::1"] * 2)
        assert not board.put_through().hung_up
        assert board.put_through("127.0.0.1").hung_up
        await board.switchboard.shut_down(0)

    async def test_are_given_back(self) -> None:
        board = Board(total=1, each=1)
        first = board.put_through()
        board.over.set()
        await until(lambda: first.hung_up and not board.tally.calls["telnet"])
        assert not board.put_through().hung_up


class TestCounts:
    async def test_by_transport(self) -> None:
        board = Board()
        board.put_through()
        board.put_through(transport="rlogin")
        assert board.tally.calls == {"telnet": 1, "rlogin": 1}
        board.over.set()
        await until(lambda: not any(board.tally.calls.values()))
        assert board.tally.calls_total == {"telnet": 1, "rlogin": 1}


class TestVisits:
    async def test_that_fail_are_logged_and_hung_up(self) -> None:
        async def fail(_: Call) -> None:
            raise RuntimeError("a defect")

        switchboard = Switchboard(ScriptedReception(fail), Tally())
        made, carrier = call()
        with capture_logs() as logs:
            switchboard.put_through(made)
            await until(lambda: carrier.hung_up)
        assert [entry["event"] for entry in logs] == ["call_began", "visit_failed", "call_ended"]


class TestTheStop:
    async def test_is_told_to_who_calls_before_and_disturbs_nobody(self) -> None:
        board = Board()
        inside = board.put_through()
        board.switchboard.refuse()
        late = board.put_through()
        assert late.hung_up
        assert late.sent == f"\r\n{STOPPING}\r\n".encode()
        assert not inside.hung_up
        await board.switchboard.shut_down(0)

    async def test_of_one_transport_lets_the_others_talk(self) -> None:
        board = Board()
        one, other = board.put_through(), board.put_through(transport="ssh")
        board.switchboard.hang_up("telnet")
        assert one.sent == f"\r\n{STOPPING}\r\n".encode()
        assert (one.hung_up, other.hung_up) == (True, False)
        await board.switchboard.shut_down(0)
        assert other.hung_up

    async def test_cancels_visits_that_do_not_end(self) -> None:
        board = Board()
        board.put_through()
        await board.switchboard.shut_down(0.01)
        assert not board.tally.calls["telnet"]

    async def test_turns_away_who_comes_then(self) -> None:
        board = Board()
        await board.switchboard.shut_down(0)
        assert board.put_through().sent == f"\r\n{STOPPING}\r\n".encode()
        assert board.reception.calls.empty()


@pytest.mark.parametrize(
    ("address", "own"),
    [
        ("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("::ffff:127.0.0.1", True),
        ("192.0.2.1", False), ("::ffff:192.0.2.1", False), ("fe80::1%eth0", False), ("", False), ("/socket", False),
    ],
)  # fmt: skip
def test_is_loopback(address: str, own: bool) -> None:
    assert is_loopback(address) is own
