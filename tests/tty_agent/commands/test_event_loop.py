"""Where commands run: what the harness logs is no part of a command's answer."""

from __future__ import annotations

import pytest
import structlog

from tty_agent.commands import event_loop


def test_what_is_logged_goes_to_stderr_a_line_an_event(capsys: pytest.CaptureFixture[str]) -> None:
    async def stalled() -> int:
        structlog.get_logger("tty_agent.session").warning("no_answer", why="it says\n\x1b]0;owned\x07")
        return 7

    try:
        assert event_loop.run(stalled()) == 7
    finally:
        structlog.reset_defaults()
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "\x1b" not in told.err
    assert "level='warning' event='no_answer'" in told.err
