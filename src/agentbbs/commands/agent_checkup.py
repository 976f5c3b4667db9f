"""What `agentbbs check-agent` does: matches, then situations, and the report of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from agentbbs.bots.house import HouseSeats
from agentbbs.commands.failure import Failed
from agentbbs.commands.ticker import ticking
from agentbbs.games.game import Game
from agentbbs.protocol.arena_board import SIDES, arena_name
from agentbbs.protocol.signing import Signer
from agentbbs.protocol.strikes import STRIKES, StrikeRow
from agentbbs.referee.endpoint_url import MAX_PORT, EndpointUrl, UrlRefused, UrlRules, is_loopback, parse
from agentbbs.referee.outbound import Outbound, OutboundRules
from agentbbs.referee.rehearsal import Rehearsal, Rehearsed
from agentbbs.referee.situation_check import PAUSE_S, Broken, Finding, SituationCheck, Verdict
from agentbbs.referee.situations import SITUATIONS
from agentbbs.referee.webhook_seat import Target

OWN_MACHINE: Final = UrlRules(ports=((1, MAX_PORT),), loopback=True, plain_http=True)
"""Whoever checks an agent asks from a machine of theirs: any port, and plain HTTP where it does not leave it."""

NAME: Final = "your agent"

NOWHERE: Final = "https://check-agent.invalid"
"""There is no page of a match that is not stored; the top-level name is kept for that (RFC 2606)."""

_NOT_ASKED: Final = "this machine could not ask ({}): nothing is known of the agent, try again"


class Checkup(msgspec.Struct, frozen=True):
    """What is to be checked."""

    game: Game
    bot: str
    matches: int
    faults: bool
    deadline_ms: int
    signers: tuple[Signer, ...] = ()


class Listener(Protocol):
    """Hears of each thing as it is found."""

    def note(self, sentence: str) -> None:
        """Something to know, for a person."""
        ...

    def match(self, number: int, rehearsed: Rehearsed) -> None:
        """A match is over; numbers from 1."""
        ...

    def finding(self, finding: Finding) -> None:
        """A situation was gone through."""
        ...


class Report(msgspec.Struct, frozen=True):
    """All that was found."""

    url: str
    checkup: Checkup
    notes: tuple[str, ...]
    matches: tuple[Rehearsed, ...]
    findings: tuple[Finding, ...]

    @property
    def strikes(self) -> int:
        """Of all matches."""
        return sum(len(match.strikes) for match in self.matches)

    @property
    def failed(self) -> int:
        """Situations."""
        return sum(finding.verdict is Verdict.FAIL for finding in self.findings)

    @property
    def sound(self) -> bool:
        """It never struck, and no situation failed."""
        return not self.strikes and not self.failed

    @property
    def hint(self) -> str | None:
        """What else may be wrong, if anything looks like it."""
        if self.checkup.signers or not (self.strikes or self.failed):
            return None
        details = [struck.strike.detail for match in self.matches for struck in match.strikes]
        details += [finding.detail for finding in self.findings if finding.row is not None]
        if any(detail is not None and detail.endswith(("status 401", "status 403")) for detail in details):
            return "the agent seems to check signatures: give its secret with --secret-file"
        return None

    def as_json(self) -> dict[str, Any]:
        """The report for programs."""
        return {
            "url": self.url,
            "game": arena_name(self.checkup.game),
            "bot": self.checkup.bot,
            "sound": self.sound,
            "notes": self.notes,
            "hint": self.hint,
            "matches": [_match_json(match) for match in self.matches],
            "situations": [msgspec.to_builtins(finding) for finding in self.findings],
        }


async def run(url: str, checkup: Checkup, ca_file: Path | None, *, quiet: bool, told: Listener) -> Report:
    """Check the agent at `url`. `quiet`: no line on stderr that counts the seconds. Raises Failed."""
    try:
        outbound = Outbound(OutboundRules(url=OWN_MACHINE, ca_file=ca_file))
    except OSError as fault:  # ssl.SSLError is one
        raise Failed(f"--ca-file {ca_file} can't be used: it should hold certificates (PEM)") from fault
    async with outbound:
        try:
            endpoint = await outbound.check(url)
        except UrlRefused as fault:
            raise Failed(fault.why) from fault
        notes = tuple(_notes(endpoint))
        for sentence in notes:
            told.note(sentence)
        target = Target(
            account=None,
            name=NAME,
            url=endpoint,
            signers=checkup.signers,
            deadline_ms=checkup.deadline_ms,
            public_url=NOWHERE,
        )
        matches = await _matches(outbound, target, checkup, quiet=quiet, told=told)
        findings = await _situations(outbound, target, checkup, quiet=quiet, told=told) if checkup.faults else ()
    return Report(url, checkup, notes, matches, findings)


async def _matches(
    outbound: Outbound, target: Target, checkup: Checkup, *, quiet: bool, told: Listener
) -> tuple[Rehearsed, ...]:
    house = HouseSeats()
    ended: list[Rehearsed] = []
    try:
        async with Rehearsal(outbound) as rehearsal:

            def progress() -> str:
                plies = sum(len(match.plies) for match in rehearsal.live)
                return f"match {len(ended) + 1} of {checkup.matches}, {plies} plies"

            async with ticking(progress, quiet=quiet) as clear:
                for number in range(checkup.matches):
                    one = await rehearsal.play(target, checkup.game, house, checkup.bot, agent_first=number % 2 == 0)
                    if one.void:
                        raise Failed(_NOT_ASKED.format(one.match.reason))
                    ended.append(one)
                    clear()
                    told.match(number + 1, one)
    finally:
        house.close()
    return tuple(ended)


async def _situations(
    outbound: Outbound, target: Target, checkup: Checkup, *, quiet: bool, told: Listener
) -> tuple[Finding, ...]:
    found: list[Finding] = []
    situations = tuple(SITUATIONS.values())
    async with SituationCheck(outbound, target, checkup.game, pause_s=PAUSE_S) as check:

        def progress() -> str:
            at = min(len(found), len(situations) - 1)
            return f"situation {at + 1} of {len(situations)} ({situations[at].name})"

        async with ticking(progress, quiet=quiet) as clear:
            for situation in situations:
                try:
                    found.append(await check.run(situation))
                except Broken as fault:
                    raise Failed(_NOT_ASKED.format(fault)) from fault
                clear()
                told.finding(found[-1])
    return tuple(found)


def _notes(endpoint: EndpointUrl) -> list[str]:
    """What is allowed here and not at a venue."""
    if is_loopback(endpoint.host):
        plain = " and over plain HTTP" if endpoint.scheme == "http" else ""
        return [f"{endpoint.text} is on this machine{plain}: fine for a check; a venue calls public HTTPS URLs alone"]
    try:
        parse(endpoint.text, UrlRules())
    except UrlRefused as fault:
        return [f"most venues would refuse this URL: {fault.why}"]
    return []


def _match_json(rehearsed: Rehearsed) -> dict[str, Any]:
    match = rehearsed.match
    return {
        "you": SIDES[rehearsed.seat],
        "opponent": match.players[1 - rehearsed.seat].name,
        "outcome": rehearsed.outcome,
        "termination": match.termination,
        "plies": len(match.plies),
        "p50Ms": rehearsed.p50_ms,
        "maxMs": rehearsed.max_ms,
        "strikes": [
            {
                "moveNumber": struck.move_number,
                "row": struck.strike.kind,
                "detail": struck.strike.detail,
                "offered": struck.strike.offered,
                "ms": struck.strike.ms,
                "remedy": STRIKES[StrikeRow(struck.strike.kind)].remedy,
            }
            for struck in rehearsed.strikes
        ],
    }
