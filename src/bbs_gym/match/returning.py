"""A line that ended: how, and whether it is had back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import structlog

from bbs_gym.match.events import MatchEvent
from bbs_gym.match.journal import MatchJournal
from bbs_gym.match.lines import Lines
from bbs_gym.match.participant import Participant
from bbs_gym.match.settings import ReconnectPolicy
from bbs_gym.match.stopping import Departure, Stop, departure, stop_of_line

_log = structlog.get_logger(__name__)


class Returning:
    """By the reconnect policy of a match."""

    def __init__(
        self,
        lines: Lines,
        policy: ReconnectPolicy,
        journal: MatchJournal,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._lines = lines
        self._policy = policy
        self._journal = journal
        self._sleep = sleep

    async def settle(self, participant: Participant, detail: str, *, may_return: bool) -> Stop | None:
        """None: the line is there again. Else how the participant stopped; `detail` says how the line ended."""
        end = participant.line.end if participant.line is not None else None
        hung_up = participant.hung_up
        answers = hung_up or await self._lines.bbs_answers()
        how = departure(end, acted=participant.acted, bbs_answers=answers)
        if may_return and (how is not Departure.LEFT or self._policy.on_hangup):
            while participant.reconnects < self._policy.max_reconnects:
                if await self._attempt(participant):
                    return None
            answers = how is Departure.LEFT or await self._lines.bbs_answers()
        return stop_of_line(how, detail, bbs_answers=answers, hung_up=hung_up)

    async def _attempt(self, participant: Participant) -> bool:
        participant.reconnects += 1
        data = {"attempt": participant.reconnects, "of": self._policy.max_reconnects}
        await participant.hang_up()
        await self._sleep(self._policy.delay_s)
        self._journal.write(MatchEvent.RECONNECT_ATTEMPTED, agent_id=participant.agent_id, data=data)
        fault = await self._lines.connect(participant)
        if fault is not None:
            _log.info("not_reconnected", agent_id=participant.agent_id, why=fault.detail)
            if not fault.retriable:
                participant.reconnects = max(participant.reconnects, self._policy.max_reconnects)
            return False
        told = self._lines.node_told(participant)
        self._journal.write(MatchEvent.RECONNECTED, agent_id=participant.agent_id, data=told)
        self._lines.tell_mismatch(participant)
        return True
