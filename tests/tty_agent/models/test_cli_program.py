from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tty_agent.models import cli_program
from tty_agent.models.cli_program import Finished, run_program
from tty_agent.models.model import ProviderFault


async def run(tmp_path: Path, script: str, stdin: str = "", *, timeout_s: float = 60.0) -> Finished:
    return await run_program(
        (sys.executable, "-c", script), stdin, scratch=tmp_path, workdir=tmp_path, timeout_s=timeout_s
    )


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


async def gone(pid: int) -> bool:
    """Whether a process ends within some seconds."""
    for _ in range(200):
        if not alive(pid):
            return True
        await asyncio.sleep(0.02)
    return False


async def pid_in(file: Path) -> int:
    """The number that another process writes into `file`."""
    async with asyncio.timeout(30):
        while not written(file).endswith("\n"):  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.02)
    return int(written(file))


def written(file: Path) -> str:
    return file.read_text() if file.exists() else ""


async def test_input_output_and_exit_code(tmp_path: Path) -> None:
    finished = await run(tmp_path, "import sys; print(sys.stdin.read().upper()); sys.exit(3)", "hällo")
    assert finished == Finished(3, "HÄLLO\n".encode(), "")


async def test_a_prompt_of_a_megabyte_and_a_program_that_does_not_read_it(tmp_path: Path) -> None:
    finished = await run(tmp_path, "print('done')", "x" * 1_000_000)
    assert (finished.exit_code, finished.output) == (0, b"done\n")


async def test_lone_surrogates_do_not_stop_a_prompt(tmp_path: Path) -> None:
    finished = await run(tmp_path, "import sys; sys.stdout.write(sys.stdin.read())", "a\ud800b")
    assert finished.output == b"a?b"


async def test_the_tail_of_the_errors_has_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "correct-horse-battery")
    finished = await run(
        tmp_path,
        "import os, sys\n"
        "sys.stderr.write('noise\\n' * 5000)\n"
        "sys.stderr.write('bad key ' + os.environ['SOME_API_KEY'] + '\\x1b[31m\\n')",
    )
    assert finished.error_tail.endswith(r"noise bad key ***\x1b[31m")
    assert finished.error_tail.startswith("…")


async def test_a_program_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ProviderFault, match="can't start no-such-program: No such file") as caught:
        await run_program(("/nowhere/no-such-program",), "", scratch=tmp_path, workdir=tmp_path, timeout_s=5)
    assert (caught.value.kind, caught.value.retryable) == ("missing", False)


async def test_a_hung_program_times_out(tmp_path: Path) -> None:
    with pytest.raises(ProviderFault, match=r"did not answer within 0\.2 s") as caught:
        await run(tmp_path, "import time; time.sleep(300)", timeout_s=0.2)
    assert (caught.value.kind, caught.value.retryable) == ("timeout", True)


async def test_a_cancelled_program_is_ended_with_its_children(tmp_path: Path) -> None:
    script = (
        "import pathlib, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'])\n"
        "pathlib.Path('child').write_text(f'{child.pid}\\n')\n"
        "time.sleep(300)"
    )
    call = asyncio.create_task(run(tmp_path, script))
    child = await pid_in(tmp_path / "child")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await gone(child)


async def test_a_program_that_ignores_the_request_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_program, "GRACE_S", 0.05)
    script = (
        "import os, pathlib, signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "pathlib.Path('self').write_text(f'{os.getpid()}\\n')\n"
        "time.sleep(300)"
    )
    call = asyncio.create_task(run(tmp_path, script))
    pid = await pid_in(tmp_path / "self")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await gone(pid)


async def test_a_program_may_save_its_session_when_the_call_is_cancelled(tmp_path: Path) -> None:
    script = (
        "import os, pathlib, signal, sys, time\n"
        "def end(*_): pathlib.Path('saved').touch(); sys.exit()\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "pathlib.Path('self').write_text(f'{os.getpid()}\\n')\n"
        "time.sleep(300)"
    )
    call = asyncio.create_task(run(tmp_path, script))
    await pid_in(tmp_path / "self")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (tmp_path / "saved").exists()


async def test_children_that_a_program_left_behind_are_ended(tmp_path: Path) -> None:
    script = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'])\n"
        "print(child.pid)"
    )
    finished = await run(tmp_path, script)
    assert finished.exit_code == 0
    assert await gone(int(finished.output))


async def test_a_program_that_a_signal_ended(tmp_path: Path) -> None:
    finished = await run(tmp_path, "import os; os.kill(os.getpid(), 9)")
    assert finished.exit_code == -9


async def test_output_without_end_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_program, "MAX_OUTPUT_BYTES", 1000)
    with pytest.raises(ProviderFault) as caught:
        await run(tmp_path, "print('x' * 2000)")
    assert caught.value.kind == "cut_off"


async def test_the_prompt_is_not_in_the_list_of_processes(tmp_path: Path) -> None:
    finished = await run(
        tmp_path, "import pathlib; print(pathlib.Path('/proc/self/cmdline').read_bytes())", "the-secret-plan"
    )
    assert b"the-secret-plan" not in finished.output


async def test_a_program_leads_a_group_of_its_own(tmp_path: Path) -> None:
    finished = await run(tmp_path, "import os; print(os.getpgrp() == os.getpid())")
    assert finished.output == b"True\n"
    assert os.getpgrp() != 0
