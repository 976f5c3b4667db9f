"""Programs that are run and waited for."""

from __future__ import annotations

import asyncio
import os
import select
import sys
from pathlib import Path

import pytest

from bbs_gym.hosts.host import HostFault
from bbs_gym.hosts.program import MAX_TOLD_CHARS, run_program

LIMIT_S = 30.0


async def run(code: str, *, text: bytes | None = None, limit_s: float = LIMIT_S) -> bytes:
    command = (sys.executable, "-I", "-S", "-c", f"import os, sys, time; {code}")
    return await run_program("the program", command, environment={"WORD": "yes"}, text=text, limit_s=limit_s)


async def test_it_reads_writes_and_has_the_environment_that_it_is_given() -> None:
    assert await run("print(sys.stdin.read()[::-1], dict(os.environ).get('WORD'))", text=b"abc") == b"cba yes\n"


async def test_without_text_its_input_is_empty() -> None:
    assert await run("print(repr(sys.stdin.read()))") == b"''\n"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("sys.exit('first\\nerror: no such board: make one')", "the program: no such board: make one"),
        ("sys.exit('starlane: aboard are ada')", "the program: aboard are ada"),
        ("sys.exit(7)", "the program: it failed with status 7 and said nothing"),
        ("sys.exit('error: \\x1b[2J')", "the program: \\x1b[2J"),
    ],
)
async def test_why_it_failed_is_its_last_line(code: str, told: str) -> None:
    with pytest.raises(HostFault) as fault:
        await run(code)
    assert str(fault.value) == told


async def test_what_it_says_without_end_is_cut() -> None:
    with pytest.raises(HostFault) as fault:
        await run("sys.exit('x' * 100_000)")
    assert len(str(fault.value)) < MAX_TOLD_CHARS + 20


async def test_what_is_not_there_can_not_be_run(tmp_path: Path) -> None:
    with pytest.raises(HostFault, match="the program can't be run"):
        await run_program("the program", (str(tmp_path / "none"),), environment={})


@pytest.mark.parametrize("ending", ["limit", "cancelled"])
async def test_it_has_ended_whatever_comes(ending: str, tmp_path: Path) -> None:
    told = tmp_path / "pid"
    os.mkfifo(told)
    reading = os.open(told, os.O_RDONLY | os.O_NONBLOCK)
    code = f"f = open({str(told)!r}, 'w'); f.write(str(os.getpid())); f.flush(); time.sleep({LIMIT_S})"
    running = asyncio.create_task(run(code, limit_s=LIMIT_S if ending == "cancelled" else 1.0))
    ready, _, _ = await asyncio.to_thread(select.select, [reading], [], [], LIMIT_S)
    assert ready
    pidfd = os.pidfd_open(int(os.read(reading, 100)))
    os.close(reading)
    if ending == "cancelled":
        running.cancel()
    with pytest.raises(asyncio.CancelledError if ending == "cancelled" else HostFault):
        await running
    assert select.select([pidfd], [], [], 0)[0]
    os.close(pidfd)
