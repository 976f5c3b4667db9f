"""Whose end it is: the table of departures, and what each end makes of a participant."""

from __future__ import annotations

import pytest

from bbs_gym.match.events import StopReason
from bbs_gym.match.stopping import Departure, departure, stop_of, stop_of_line, stop_of_match
from tty_agent.activity.budget import Limit
from tty_agent.runner.decision import Infra
from tty_agent.runner.result import Outcome, RunEnd
from tty_agent.transports.transport import End, EndKind


@pytest.mark.parametrize(
    ("kind", "acted", "answers", "how"),
    [
        (EndKind.HUNG_UP, True, True, Departure.LEFT),
        (EndKind.HUNG_UP, False, False, Departure.LEFT),
        (EndKind.EOF, True, True, Departure.LEFT),
        (EndKind.EXITED, True, True, Departure.LEFT),
        (EndKind.EOF, False, True, Departure.PUT_OFF),
        (EndKind.EOF, True, False, Departure.LOST),
        (EndKind.EOF, False, False, Departure.LOST),
        (EndKind.LOST, True, True, Departure.LOST),
        (EndKind.LOST, False, False, Departure.LOST),
    ],
)
def test_how_a_line_ended(kind: EndKind, acted: bool, answers: bool, how: Departure) -> None:
    assert departure(End(kind, "x"), acted=acted, bbs_answers=answers) is how


@pytest.mark.parametrize(
    ("how", "answers", "hung_up", "reason", "void"),
    [
        (Departure.LEFT, True, True, StopReason.HANGUP, False),
        (Departure.LEFT, True, False, StopReason.CLOSED, False),
        (Departure.PUT_OFF, True, False, StopReason.DISCONNECTED, False),
        (Departure.LOST, True, False, StopReason.DISCONNECTED, True),
        (Departure.LOST, False, False, StopReason.INFRA, True),
    ],
)
def test_what_a_line_that_is_gone_makes_of_its_agent(
    how: Departure, answers: bool, hung_up: bool, reason: StopReason, void: bool
) -> None:
    stop = stop_of_line(how, "x", bbs_answers=answers, hung_up=hung_up)
    assert (stop.reason, stop.void) == (reason, void)
    assert (stop.end.outcome == Outcome.INFRA) is void


@pytest.mark.parametrize("limit", list(Limit))
def test_every_limit_has_its_reason(limit: Limit) -> None:
    stop = stop_of(RunEnd(outcome=Outcome.BUDGET, limit=limit))
    assert (str(stop.reason), stop.void) == (str(limit), False)


def test_other_ends() -> None:
    broken = stop_of(RunEnd.broken(Infra("timeout", "no answer")))
    assert (broken.reason, broken.void, broken.detail) == (StopReason.INFRA, True, "timeout: no answer")
    assert stop_of(RunEnd(outcome="failed")).reason is StopReason.FAILED
    own = stop_of(RunEnd(outcome="docked", detail="at port"))
    assert (own.reason, own.detail) == (StopReason.DONE, "docked: at port")


@pytest.mark.parametrize("reason", list(StopReason))
def test_a_match_stops_for_any_reason_and_says_so(reason: StopReason) -> None:
    stop = stop_of_match(reason, "why")
    assert stop.reason is reason
    assert stop.void is (reason in {StopReason.INFRA, StopReason.INTERRUPTED})
