"""A caller's regular expression never holds up a run."""

from __future__ import annotations

import signal
from typing import Any

import pytest
from tests.tty_agent.trace_samples import an_observation

from tty_agent.activity.completion import screen_shows
from tty_agent.commands import bounded_check
from tty_agent.commands.bounded_check import LooksTooLong, bounded
from tty_agent.hints import extract

ENDLESS = "(a+)+$"


def look(pattern: str, screen: str) -> Any:
    check = bounded(screen_shows(pattern), pattern=pattern, option="--done-when")
    observation = an_observation(pretty_screen=screen, cursor=(5, 0))
    return check.check(observation, extract(observation))


def test_what_is_found_in_time_is_found() -> None:
    found = look(ENDLESS, "baaa\n$")
    assert found is not None
    assert found.outcome == "done"


def test_what_takes_for_ever_is_ended_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_check, "LOOK_S", 0.05)
    handler, timer = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)
    with pytest.raises(LooksTooLong, match=r"--done-when '\(a\+\)\+\$' takes more than 0.05 s"):
        look(ENDLESS, "a" * 60 + "!\n$")
    assert signal.getsignal(signal.SIGALRM) == handler
    assert (signal.getitimer(signal.ITIMER_REAL)[0] > 0) == (timer[0] > 0)


def test_a_run_with_such_a_pattern_ends_with_one_line(run: Any, script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_check, "LOOK_S", 0.05)
    shows = f"pty:/bin/sh -c 'echo {'a' * 60}!; read x'"
    result = run("run-activity", "--target", shows, "--model", script(), "--quiet-ms", 50, "--done-when", ENDLESS)
    assert result.exit_code == 1
    assert "error: --done-when '(a+)+$' takes more than" in result.stderr
