"""What ends a run, and in which order."""

from __future__ import annotations

import pytest
from tests.tty_agent.trace_samples import an_observation

from tty_agent.activity.budget import Exhausted, Limit
from tty_agent.activity.completion import screen_shows
from tty_agent.hints import extract
from tty_agent.observation.observation import ReadyReason
from tty_agent.runner.ending import ending
from tty_agent.runner.result import RunEnd
from tty_agent.transports.transport import End, EndKind

USED_UP = Exhausted(Limit.TOKENS, 10, 12)
LOST = End(EndKind.LOST, "reset by the other side")


def at(screen: str, *, connection: End | None = None, reached: Exhausted | None = None) -> RunEnd | None:
    observation = an_observation(
        pretty_screen=f"{screen}\n> ",
        cursor=(1, 2),
        closed=connection.detail if connection else None,
        ready_reason=ReadyReason.CLOSED if connection else ReadyReason.STABLE,
    )
    checks = (screen_shows("died", "failed"), screen_shows("won"), screen_shows("tied", "draw"))
    return ending(checks, observation, extract(observation), connection, reached)


def test_a_run_goes_on() -> None:
    assert at("menu") is None


@pytest.mark.parametrize(("screen", "outcome"), [("won", "done"), ("died", "failed"), ("tied", "draw")])
def test_the_last_screen_counts_before_all_else(screen: str, outcome: str) -> None:
    end = at(screen, connection=LOST, reached=USED_UP)
    assert end is not None
    assert (end.outcome, end.infra) == (outcome, None)


def test_a_lost_connection_is_infra_and_others_are_ends_like_any() -> None:
    """Case 58."""
    lost = at("menu", connection=LOST, reached=USED_UP)
    assert lost is not None
    assert lost.outcome == "infra"
    assert lost.infra is not None
    assert (lost.infra.kind, lost.infra.message) == ("connection", "reset by the other side")
    for kind, outcome in ((EndKind.EOF, "closed"), (EndKind.EXITED, "closed"), (EndKind.HUNG_UP, "hangup")):
        end = at("menu", connection=End(kind, "over"))
        assert end == RunEnd(outcome=outcome, detail="over")


def test_a_limit_is_named_with_its_figure() -> None:
    end = at("menu", reached=USED_UP)
    assert end == RunEnd(outcome="budget", detail="tokens: 12 of 10 used", limit=Limit.TOKENS)
