"""What people are told of a failure."""

from __future__ import annotations

import errno
import os

import pytest
import typer

from tty_agent.commands.command_line import FAILED, CommandLine


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (errno.ENOSPC, "error: No space left on device: make room\n"),
        (errno.ENOENT, "error: No such file or directory: check the name, and that you may use it\n"),
    ],
)
def test_a_fault_of_the_system_has_its_remedy(capsys: pytest.CaptureFixture[str], number: int, told: str) -> None:
    app = typer.Typer(cls=CommandLine, add_completion=False)

    @app.callback()
    def nothing() -> None:
        """With it there is a command to name."""

    @app.command()
    def fail() -> None:
        """Fail."""
        raise OSError(number, os.strerror(number))

    with pytest.raises(SystemExit) as ended:
        app(["fail"])
    assert ended.value.code == FAILED
    assert capsys.readouterr().err == told
