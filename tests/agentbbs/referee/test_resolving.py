"""Look-ups of names: shared, bounded, and never a strike where the venue was too busy."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from agentbbs.referee.attempt import CURRENT, Attempt
from agentbbs.referee.failures import OwnFault
from agentbbs.referee.resolving import Lookups, system_resolver


class Held:
    """A resolver that answers when it is let."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.let = asyncio.Event()

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        await self.let.wait()
        return ["93.184.216.34"]


async def turns(number: int = 5) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def test_who_asks_for_one_name_at_once_shares_one_look_up() -> None:
    held = Held()
    lookups = Lookups(held)
    asking = [asyncio.create_task(lookups.addresses("agent.example", 443)) for _ in range(3)]
    await turns()
    held.let.set()

    assert await asyncio.gather(*asking) == [["93.184.216.34"]] * 3
    assert held.asked == ["agent.example"]
    assert len(lookups) == 0
    await lookups.addresses("agent.example", 443)
    assert len(held.asked) == 2, "nothing is kept"


async def test_who_gives_up_leaves_the_look_up_its_place() -> None:
    held = Held()
    lookups = Lookups(held, most=1)
    asking = asyncio.create_task(lookups.addresses("slow.example", 443))
    await turns()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    other = asyncio.create_task(lookups.addresses("agent.example", 443))
    await turns()
    assert held.asked == ["slow.example"]
    held.let.set()
    assert await other
    assert held.asked == ["slow.example", "agent.example"]
    assert len(lookups) == 0


async def test_waiting_for_a_place_is_noted_as_the_venues_own_delay() -> None:
    held = Held()
    lookups = Lookups(held, most=1)
    attempts: dict[str, Attempt] = {}

    async def ask(host: str, name: str) -> None:
        attempts[name] = Attempt()
        CURRENT.set(attempts[name])
        await lookups.addresses(host, 443)

    asking = [
        asyncio.create_task(ask(host, name))
        for host, name in (("slow.example", "first"), ("agent.example", "second"), ("agent.example", "third"))
    ]
    await turns()
    held.let.set()
    await asyncio.gather(*asking)

    assert {name: attempt.crowded for name, attempt in attempts.items()} == {
        "first": False,
        "second": True,
        "third": True,
    }


async def test_a_fault_reaches_whoever_asks_and_nobody_else() -> None:
    async def fails(host: str, port: int) -> Sequence[str]:
        await asyncio.sleep(0)
        raise socket.gaierror(socket.EAI_AGAIN, "later")

    lookups = Lookups(fails)
    with pytest.raises(socket.gaierror):
        await lookups.addresses("agent.example", 443)
    gone = asyncio.create_task(lookups.addresses("agent.example", 443))
    await asyncio.sleep(0)
    gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    await turns()  # a fault that nobody took would be reported at the end of the test
    assert len(lookups) == 0


async def test_a_name_without_addresses_is_a_fault() -> None:
    async def nothing(host: str, port: int) -> Sequence[str]:
        return []

    with pytest.raises(OSError, match="no address"):
        await Lookups(nothing).addresses("agent.example", 443)


async def test_closing_ends_the_wait_with_a_fault_of_the_venue() -> None:
    lookups = Lookups(Held())
    asking = asyncio.create_task(lookups.addresses("agent.example", 443))
    await turns()
    await lookups.close()

    with pytest.raises(OwnFault):
        await asking
    assert len(lookups) == 0


async def test_the_system_looks_up() -> None:
    assert set(await system_resolver("localhost", 443)) <= {"127.0.0.1", "::1"}
    assert await system_resolver("127.0.0.1", 443) == ["127.0.0.1"]


async def test_a_name_that_the_system_does_not_know_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (socket.EAI_NONAME, socket.EAI_AGAIN, socket.EAI_FAIL):

        def fails(*_: Any, number: int = number, **__: Any) -> Any:
            raise socket.gaierror(number, "no")

        monkeypatch.setattr(socket, "getaddrinfo", fails)
        with pytest.raises(socket.gaierror) as caught:
            await system_resolver("agent.example", 443)
        assert caught.value.errno == number


async def test_a_look_up_that_only_lacks_a_file_handle_is_the_venues_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_AGAIN, "later")

    def none_left(*_: Any, **__: Any) -> Any:
        raise OSError(24, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", fails)
        patch.setattr(socket, "socket", none_left)
        with pytest.raises(OSError, match="Too many open files") as caught:
            await system_resolver("agent.example", 443)
    assert caught.value.errno == 24


async def test_no_memory_is_the_venues_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_MEMORY, "no memory")

    monkeypatch.setattr(socket, "getaddrinfo", fails)
    with pytest.raises(OwnFault):
        await system_resolver("agent.example", 443)


def test_a_slow_name_server_holds_up_neither_the_loop_nor_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    let, done = threading.Event(), threading.Event()

    def slow(*_: Any, **__: Any) -> Any:
        let.wait(10)
        done.set()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", slow)

    async def ask() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await system_resolver("agent.example", 443)

    asyncio.run(ask())  # returns while the thread still waits, and what it says then reaches nobody
    assert not done.is_set()
    assert any(thread.name == "agentbbs-name" and thread.daemon for thread in threading.enumerate())
    let.set()
    assert done.wait(10)
