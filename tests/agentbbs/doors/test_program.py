"""A program on its terminal: what a board sees of it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.agentbbs.doors.playing import until

from agentbbs.doors.program import Program

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


async def test_a_stopped_program_is_seen(tmp_path: Path) -> None:
    program = Program(["sh", "-c", "echo $$ >number; read x"], environment=ENVIRONMENT, directory=tmp_path)
    assert not await program.stopped()
    await program.open(80, 24)
    try:
        await until(lambda: (tmp_path / "number").exists() and (tmp_path / "number").read_text().endswith("\n"))
        number = int((tmp_path / "number").read_text())
        assert not await program.stopped()
        os.kill(number, signal.SIGSTOP)
        await until(lambda: Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "T")
        assert await program.stopped()
    finally:
        await program.close()
    assert program.code == -signal.SIGHUP
    assert not await program.stopped()
