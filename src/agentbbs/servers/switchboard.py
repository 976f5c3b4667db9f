"""Puts callers through to the hub, from whatever server they come.

It keeps the number of callers within bounds, in total and for each address, counts them by transport, and hangs up when
the venue stops. A call that cannot be put through is told why in one line.
"""

from __future__ import annotations

import asyncio
import ipaddress
from typing import Final

import structlog

from agentbbs.calls.line import Line
from agentbbs.calls.reception import Call, Reception
from agentbbs.play.tally import Tally
from agentbbs.servers.admission import Admission, Place, source

MAX_CALLERS: Final = 1000
"""Callers at once, those among them whom the hub tells that no node is free: some 150 KiB each."""

MAX_CALLERS_PER_ADDRESS: Final = 50
"""Of these, from one address other than this machine: a school's or an office's, not a flood."""

STOPPING: Final = "The BBS closes now. Call again in a few minutes."
FULL: Final = "Too many callers are on the line. Call again in a few minutes."

_log = structlog.get_logger(__name__)


class Switchboard:
    """One for all the servers of a venue. Belongs to one event loop."""

    def __init__(
        self,
        reception: Reception,
        tally: Tally,
        *,
        plaintext_login: bool = False,
        total: int = MAX_CALLERS,
        each: int = MAX_CALLERS_PER_ADDRESS,
    ) -> None:
        self.plaintext_login: Final = plaintext_login
        """Whether passwords in the clear are taken from everywhere, not only from this machine."""
        self._reception = reception
        self._tally = tally
        self._places: Admission[Line] = Admission(total=total, each=each, waiting=0, waiting_each=0)
        self._total = total
        self._calls: dict[asyncio.Task[None], Line] = {}
        self._stopping = False

    def put_through(self, call: Call) -> None:
        """Give the call to the reception, in a task of its own, or turn it away. Its line is hung up in any case."""
        line = call.line
        if self._stopping:
            _turn_away(line, STOPPING)
        elif not self._take_place(line):
            _log.info("call_refused", transport=line.transport, address=line.address, why="too many callers")
            _turn_away(line, FULL)
        else:
            self._tally.calls[line.transport] += 1
            self._tally.calls_total[line.transport] += 1
            task = asyncio.get_running_loop().create_task(self._receive(call))
            self._calls[task] = line
            task.add_done_callback(self._over)

    def refuse(self) -> None:
        """The venue is about to stop: who calls from now on is told so. Those who are on the line stay."""
        self._stopping = True

    def hang_up(self, transport: str) -> None:
        """The venue stops: tell the callers of one transport, and hang up. Their visits end by it."""
        self._stopping = True
        for line in tuple(self._calls.values()):
            if line.transport == transport:
                _turn_away(line, STOPPING)

    async def shut_down(self, timeout_s: float) -> None:
        """Hang up on everybody and wait for the visits to end; those that do not are cancelled."""
        self._stopping = True
        for line in tuple(self._calls.values()):
            _turn_away(line, STOPPING)
        tasks = tuple(self._calls)
        if not tasks:
            return
        _, left = await asyncio.wait(tasks, timeout=timeout_s)
        if left:
            _log.warning("visits_cancelled", count=len(left))
            for task in left:
                task.cancel()
            await asyncio.wait(left)

    async def _receive(self, call: Call) -> None:
        line = call.line
        _log.info("call_began", transport=line.transport, address=line.address)  # nothing that the caller said
        try:
            await self._reception.receive(call)
        except Exception:  # the reception promised to raise nothing: whoever reads the log finds it here
            _log.exception("visit_failed", transport=line.transport, address=line.address)
        finally:
            line.hang_up()
            _log.info("call_ended", transport=line.transport, address=line.address)

    def _over(self, task: asyncio.Task[None]) -> None:
        line = self._calls.pop(task)
        self._tally.calls[line.transport] -= 1
        self._places.leave(line)

    def _take_place(self, line: Line) -> bool:
        """A place among all, and where it is not this machine among those of its address."""
        if len(self._calls) >= self._total:
            return False
        return is_loopback(line.address) or self._places.arrive(line, source(line.address)) is Place.IN


def is_loopback(address: str) -> bool:
    """Whether an IP address is this machine's own."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return (mapped or ip).is_loopback


def _turn_away(line: Line, why: str) -> None:
    line.write(f"\r\n{why}\r\n".encode("ascii"))
    line.hang_up()
