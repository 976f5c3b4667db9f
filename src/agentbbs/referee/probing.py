"""Probes that accounts ask for: a bounded number an hour, and never beside another request to the same agent."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Final

from agentbbs.games.game import Game
from agentbbs.protocol.signing import Signer
from agentbbs.referee.endpoint_url import EndpointUrl, parse
from agentbbs.referee.outbound import Outbound
from agentbbs.referee.probe import ProbeResult, probe
from agentbbs.referee.slots import Slots
from agentbbs.referee.webhook_seat import Target

PER_HOUR: Final = 20
"""Of one account: the venue is no tool to knock at doors with. `agentbbs check-agent` has no limit."""

CHECKS_PER_HOUR: Final = 60
"""Names that are looked up for one account: what they lead to is told in a few words, and nobody shall ask it of a
whole network. Three for each probe: names are mistyped."""

HOUR_S: Final = 3600.0


class TooManyProbes(Exception):
    """No request went out; `wait_s` until the next may."""

    def __init__(self, per_hour: int, what: str, wait_s: int) -> None:
        super().__init__(
            f"{per_hour} {what} an hour: wait {wait_s} s, and try the agent with `agentbbs check-agent` meanwhile"
        )
        self.wait_s = wait_s


class _Ration:
    """So many of something an hour, for each account."""

    def __init__(self, per_hour: int, what: str, now: Callable[[], float]) -> None:
        self._per_hour = per_hour
        self._what = what
        self._now = now
        self._at: dict[int, deque[float]] = {}

    def take(self, account: int) -> None:
        """One more. Raises TooManyProbes."""
        now = self._now()
        recent = self._at.setdefault(account, deque())
        while recent and recent[0] <= now - HOUR_S:
            recent.popleft()
        if len(recent) >= self._per_hour:
            raise TooManyProbes(self._per_hour, self._what, max(1, math.ceil(recent[0] + HOUR_S - now)))
        recent.append(now)


class Probing:
    """Checks URLs and probes endpoints for accounts, by the rules of the venue."""

    def __init__(
        self, outbound: Outbound, slots: Slots, now: Callable[[], float], *, deadline_ms: int, public_url: str
    ) -> None:
        """`now` is a monotonic clock in seconds."""
        self.public_url = public_url
        self.deadline_ms = deadline_ms
        self._outbound = outbound
        self._slots = slots
        self._probes = _Ration(PER_HOUR, "probes", now)
        self._checks = _Ration(CHECKS_PER_HOUR, "URLs", now)

    async def check(self, account: int, url: str) -> EndpointUrl:
        """The endpoint that `url` names, for this account. Raises UrlRefused, TooManyProbes."""
        parse(url, self._outbound.rules.url)  # what is no URL of an endpoint looks nothing up
        self._checks.take(account)
        return await self._outbound.check(url)

    def target(self, account: int, name: str, url: EndpointUrl, signers: tuple[Signer, ...]) -> Target:
        """Whom to ask."""
        return Target(
            account=account,
            name=name,
            url=url,
            signers=signers,
            deadline_ms=self.deadline_ms,
            public_url=self.public_url,
        )

    async def probe(self, target: Target, game: Game, *, signature: bool = False) -> ProbeResult:
        """Ask it for a move, once its turn in the slots has come. Raises TooManyProbes."""
        self._probes.take(target.account or 0)
        async with self._slots.hold(target.agent, target.url):
            return await probe(self._outbound, target, game, signature=signature)
