"""A script's call against programs that do what programs should not."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bbs_gym.hosts import jsexec_call
from bbs_gym.hosts.host import HostFault
from bbs_gym.hosts.jsexec_call import Refused, run_script


async def call(body: str, request: Any = None, **options: Any) -> Any:
    return await run_script(("/bin/sh", "-c", body), request or {}, name="scores.js", **options)


async def test_the_answer_is_the_marked_line_whatever_else_is_printed() -> None:
    body = """echo '{"ok": true, "value": 1}'; echo 'bbs-gym: {"ok": true, "value": {"n": 2}}'; echo 'Done.' >&2"""
    assert await call(body) == {"n": 2}


async def test_the_request_is_one_line_of_stdin_and_nothing_is_in_the_arguments(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    body = f"""tr '\\0' ' ' < /proc/$$/cmdline > {seen}; env >> {seen}; head -n 1 >> {tmp_path}/stdin
        echo 'bbs-gym: {{"ok": true}}'"""
    await call(body, {"password": "secret-Pa55 \u00fc"}, environment={"PATH": os.environ["PATH"]})
    assert "secret-Pa55" not in seen.read_text()
    assert (tmp_path / "stdin").read_text() == '{"password": "secret-Pa55 \\u00fc"}\n'


async def test_a_program_that_reads_nothing_is_no_fault() -> None:
    assert await call("""exec <&-; echo 'bbs-gym: {"ok": true, "value": 3}'""", {"long": "x" * 500_000}) == 3


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_a_program_that_ended_before_the_request_could_be_written(loop: str) -> None:
    module = pytest.importorskip(loop, reason=f"{loop} is not installed")

    async def talk_late() -> tuple[bytes, bytes]:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec("/bin/echo", "answer", stdin=pipe, stdout=pipe, stderr=pipe)
        try:
            assert process.stdin is not None
            await process.wait()
            await until(process.stdin.is_closing)
            return await jsexec_call._talk(process, b"x" * 1_000_000)
        finally:
            await jsexec_call.end_process(process)

    with asyncio.Runner(loop_factory=module.new_event_loop) as runner:
        assert runner.run(talk_late()) == (b"answer\n", b"")


async def test_a_refusal_is_told_in_its_own_words() -> None:
    with pytest.raises(Refused) as caught:
        await call("""echo 'bbs-gym: {"ok": false, "refused": true, "error": "not now\\u001b[2J"}'""")
    assert str(caught.value) == r"not now\x1b[2J"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit 3", "no answer, exit code 3: it printed nothing"),
        ("echo '!Module file does not exist' >&2; exit 255", "exit code 255: !Module file does not exist"),
        ("echo one; printf 'last \\033[2Jwords'; kill -9 $$", r"exit code -9: last \\x1b\[2Jwords"),
        ("echo 'bbs-gym: {\"ok\":'", "no JSON"),
        ("echo 'bbs-gym: [1]'", "another form"),
        ("echo 'bbs-gym: {\"ok\": 1}'", "another form"),
        ('echo \'bbs-gym: {"ok": false, "error": "boom"}\'', "scores.js: boom"),
        ("head -c 300000 /dev/zero", "no answer"),
    ],
)
async def test_what_is_no_answer_is_a_fault_that_says_so(body: str, words: str) -> None:
    with pytest.raises(HostFault, match=words) as caught:
        await call(body)
    assert not isinstance(caught.value, Refused)


async def test_no_program() -> None:
    with pytest.raises(HostFault, match=r"/nowhere/jsexec can't be run .No such file or directory.: is Synchronet"):
        await run_script(("/nowhere/jsexec",), {}, name="scores.js")


async def test_a_program_that_may_not_be_run(tmp_path: Path) -> None:
    program = tmp_path / "jsexec"
    program.write_text("#!/bin/sh\n")
    with pytest.raises(HostFault, match="Permission denied"):
        await run_script((str(program),), {}, name="scores.js")


async def test_a_program_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    with pytest.raises(HostFault, match=r"no answer within 0\.3 s"):
        await call(f"sleep 600 & echo $! > {pid_file}; wait", timeout_s=0.3)
    pid = int(pid_file.read_text())
    await until(lambda: ended(pid))


async def test_a_call_that_is_cancelled_leaves_nothing_behind(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    task = asyncio.create_task(call(f"echo $$ > {pid_file}.new; mv {pid_file}.new {pid_file}; exec sleep 600"))
    await until(pid_file.exists)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    pid = int(pid_file.read_text())
    await until(lambda: ended(pid))


async def test_endless_output_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsexec_call, "MAX_OUTPUT_BYTES", 100_000)
    with pytest.raises(HostFault, match="printed over 100000 bytes"):
        await call("yes")


async def test_a_request_that_no_script_would_read() -> None:
    with pytest.raises(HostFault, match="do it in parts"):
        await call("true", {"accounts": ["x" * jsexec_call.MAX_REQUEST_BYTES]})


@pytest.mark.parametrize(
    "body",
    [
        "cat >&2; exit 1",
        "tr a-z A-Z >&2; exit 1",
        """head -n 1 > /dev/null; echo 'bbs-gym: {"ok": false, "error": "bad secret-Pa55"}'""",
    ],
)
async def test_a_fault_never_quotes_a_secret(body: str) -> None:
    with pytest.raises(HostFault) as caught:
        await call(body, {"password": "secret-Pa55"}, secrets=("secret-Pa55",))
    assert "secret" not in str(caught.value).lower()
    assert "***" in str(caught.value)


def ended(pid: int) -> bool:
    """A zombie of init has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


async def until(true: Callable[[], bool]) -> None:
    """Wait for what another process does, with a bound."""
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110 - no event tells of another process's files
            await asyncio.sleep(0.01)
