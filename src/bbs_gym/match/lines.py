"""The lines of a match: nodes are leased, sessions connected one by one, and the BBS is asked whether it lives."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import msgspec

from bbs_gym.hosts.host import Host, HostFault, NotSupported
from bbs_gym.match.events import MatchEvent
from bbs_gym.match.journal import MatchJournal
from bbs_gym.match.participant import Participant
from bbs_gym.match.wiring import Connect
from bbs_gym.nodes import NodePool, NoNodeFree
from tty_agent.terminal.inert import inert
from tty_agent.transcript.transcript import TranscriptError
from tty_agent.transports.transport import CannotConnect

BBS_ANSWER_S: Final = 5.0
"""For a BBS to say who is on: a local program's start, or one request. One that takes longer is as good as gone."""

MAX_FAULT_CHARS: Final = 300
"""Of why a line could not be had: a sentence, parts of which come from outside."""


class LineFault(msgspec.Struct, frozen=True):
    """A line that could not be had. Nothing that an agent did."""

    detail: str
    retriable: bool


class Lines:
    """Connects participants. One at a time: a BBS gives the lowest free node, so who calls next gets the next one."""

    def __init__(
        self, host: Host, connect: Connect, pool: NodePool | None, journal: MatchJournal, *, match_id: str
    ) -> None:
        self._host = host
        self._connect = connect
        self._pool = pool
        self._journal = journal
        self._match_id = match_id
        self._calling = asyncio.Lock()

    async def connect(self, participant: Participant) -> LineFault | None:
        """Have the participant's line, on the node that it holds or on one that is leased for it."""
        async with self._calling:
            try:
                await self._call(participant)
            except CannotConnect as fault:
                return _fault(fault, retriable=bool(getattr(fault, "retriable", True)))
            except (NoNodeFree, HostFault) as fault:
                return _fault(fault, retriable=True)
            except (TranscriptError, ValueError) as fault:  # a wrong account is a ValueError
                return _fault(fault, retriable=False)
        return None

    async def bbs_answers(self) -> bool:
        """The BBS is there. One that can't be asked is taken to be."""
        try:
            async with asyncio.timeout(BBS_ANSWER_S):
                await self._host.nodes()
        except NotSupported:
            return True
        except (HostFault, TimeoutError):
            return False
        return True

    @staticmethod
    def node_told(participant: Participant) -> dict[str, Any]:
        """The nodes, as events tell them."""
        node = participant.node
        return {
            "requested_node": node.requested,
            "allocated_node": node.allocated,
            "observed_node": node.observed,
            "seen_by": node.seen_by,
        }

    def tell_mismatch(self, participant: Participant) -> None:
        """An event, if the BBS shows another node than was wanted."""
        if participant.node.mismatch:
            told = self.node_told(participant)
            self._journal.write(MatchEvent.NODE_MISMATCH, agent_id=participant.agent_id, data=told)

    async def _call(self, participant: Participant) -> None:
        entrant = participant.entrant
        if self._pool is not None and participant.lease is None:
            participant.lease = await self._pool.wait(entrant.node)
        line = await self._connect(
            entrant.account,
            self._host.endpoint(entrant.transport),
            entrant.transport,
            host=self._host,
            node=entrant.node,
            allocated=participant.lease.node if participant.lease is not None else None,
            transcript=participant.transcript,
            metadata={"match_id": self._match_id},
        )
        participant.take(line)


def _fault(fault: Exception, *, retriable: bool) -> LineFault:
    return LineFault(inert(" ".join(str(fault).split()), max_chars=MAX_FAULT_CHARS), retriable)
