"""One line a step, harmless whatever a model or a program put into it."""

from __future__ import annotations

import pytest
from tests.tty_agent.trace_samples import a_decision, a_header, an_event

from tty_agent.commands.progress import Progress
from tty_agent.models.retries import Retry
from tty_agent.trace.records import RepairRecord


def shown(capsys: pytest.CaptureFixture[str], *records: object) -> list[str]:
    progress = Progress(50)
    for record in records:
        progress(record)  # type: ignore[arg-type]
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.splitlines()


def test_a_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, a_decision(3, latency_s=1.24)) == [
        "step 3/50 (stable after 0.4 s, prompt tw2-command, model 1.2 s) press_key P"
    ]


def test_no_limit_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    Progress(None)(a_decision(3, matched_prompt=None))
    assert capsys.readouterr().err == "step 3 (stable after 0.4 s) press_key P\n"


def test_a_repaired_and_a_failed_decision(capsys: pytest.CaptureFixture[str]) -> None:
    repair = RepairRecord(error="no JSON", prompt="again")
    lines = shown(capsys, a_decision(1, repair=repair), a_decision(2, action=None, error="no JSON object\x1b[2J"))
    assert "press_key P (repaired)" in lines[0]
    assert "no valid action: no JSON object\\x1b[2J" in lines[1]


def test_events_that_people_should_know_of(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(
        capsys,
        a_header(),
        an_event("run_started", profile="shell"),
        an_event("profile_switch", before="shell", after="tw2-game", route="sector"),
        an_event("uncounted", limit="tokens"),
        an_event("disconnected", kind="eof", detail="the other side closed"),
    )
    assert lines == [
        "  profile_switch: tw2-game",
        "  uncounted: tokens",
        "  disconnected: eof: the other side closed",
    ]


def test_what_breaks_a_run_down_is_told_by_its_end_alone(capsys: pytest.CaptureFixture[str]) -> None:
    broken = (
        an_event("infra", kind="rate_limited", message="429"),
        an_event("disconnected", kind="lost", detail="reset by peer"),
    )
    assert shown(capsys, *broken) == []


def test_a_call_that_is_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    Progress(50).retried(Retry(2, 5, 1.96, "HTTP 503 from http://h/v1: busy"))
    assert capsys.readouterr().err == "  retry 2 of 5 in 2 s: HTTP 503 from http://h/v1: busy\n"
