"""Finds peers that are gone without a word: one alarm for all connections of a server.

Twice a heartbeat every connection is looked at. One that said something since the last look is there; one
that did not is pinged; one that has not answered the ping by the next look is cut off. So a peer that
vanishes is found after at most one and a half heartbeats, and one that talks costs nothing.
"""

from __future__ import annotations

from typing import Protocol

from agentbbs.play.alarms import Alarms


class Pulse(Protocol):
    """A connection that can be looked at."""

    heard: bool
    """Set by the connection with every frame that comes in."""
    pinged: bool
    """Whether an answer to a ping is awaited."""

    def ping(self) -> None:
        """Ask whether the peer is there."""
        ...

    def cut(self) -> None:
        """The peer is gone: drop the connection."""
        ...


class Heartbeat:
    """Looks at the connections that it was given."""

    def __init__(self, alarms: Alarms, heartbeat_s: float) -> None:
        self._alarms = alarms
        self._half_s = heartbeat_s / 2
        self._connections: set[Pulse] = set()
        self._alarm = alarms.add(self._look)
        self._beating = False

    def watch(self, connection: Pulse) -> None:
        """Look at `connection` from now on, until `forget`."""
        self._connections.add(connection)
        if not self._beating:
            self._beat()

    def forget(self, connection: Pulse) -> None:
        """Look at it no more."""
        self._connections.discard(connection)

    def _beat(self) -> None:
        self._beating = True
        self._alarms.set(self._alarm, self._alarms.now() + self._half_s)

    def _look(self) -> None:
        self._beating = False
        for connection in tuple(self._connections):
            if connection.heard:
                connection.heard = connection.pinged = False
            elif connection.pinged:
                connection.cut()
            else:
                connection.pinged = True
                connection.ping()
        if self._connections:
            self._beat()
