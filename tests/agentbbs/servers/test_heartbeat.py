"""Looking at connections, with a clock that the test turns."""

from __future__ import annotations

import asyncio

from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time

from agentbbs.play.alarms import Alarms
from agentbbs.servers.heartbeat import Heartbeat

HEARTBEAT_S = 20.0


class Peer:
    """A connection whose peer answers pings or does not."""

    def __init__(self, *, answers: bool = True) -> None:
        self.heard = True
        self.pinged = False
        self.answers = answers
        self.pings = 0
        self.cut_off = False

    def ping(self) -> None:
        self.pings += 1
        self.heard = self.answers

    def cut(self) -> None:
        self.cut_off = True


def beating() -> Heartbeat:
    return Heartbeat(Alarms(asyncio.get_running_loop()), HEARTBEAT_S)


def test_a_peer_that_answers_is_pinged_and_stays() -> None:
    async def work() -> None:
        heart, peer = beating(), Peer()
        heart.watch(peer)
        await pass_time(10 * HEARTBEAT_S)
        assert peer.pings > 4
        assert not peer.cut_off

    in_virtual_time(work())


def test_a_peer_that_vanished_is_cut_after_one_and_a_half_heartbeats() -> None:
    async def work() -> None:
        heart, peer = beating(), Peer(answers=False)
        heart.watch(peer)
        await pass_time(1.5 * HEARTBEAT_S - 0.1)
        assert (peer.pings, peer.cut_off) == (1, False)
        await pass_time(0.2)
        assert peer.cut_off

    in_virtual_time(work())


def test_a_peer_that_talks_is_never_pinged() -> None:
    async def work() -> None:
        heart, peer = beating(), Peer()
        heart.watch(peer)
        for _ in range(20):
            await pass_time(HEARTBEAT_S / 2 - 0.1)
            peer.heard = True
        assert peer.pings == 0

    in_virtual_time(work())


def test_one_that_was_forgotten_is_left_alone_and_the_next_is_looked_at() -> None:
    async def work() -> None:
        heart, gone, there = beating(), Peer(answers=False), Peer(answers=False)
        heart.watch(gone)
        heart.forget(gone)
        await pass_time(5 * HEARTBEAT_S)
        assert gone.pings == 0
        heart.watch(there)
        await pass_time(2 * HEARTBEAT_S)
        assert there.cut_off

    in_virtual_time(work())
