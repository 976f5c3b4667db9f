"""Local programs on a pseudo-terminal of their own."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from tty_agent.terminal.dialect import ANSI_BBS, XTERM
from tty_agent.transports.pty import INHERITED, Pty, environment_for
from tty_agent.transports.transport import READ_BYTES, CannotConnect, EndKind, Transport

LIMIT_S = 10


@asynccontextmanager
async def running(*command: str, columns: int = 80, rows: int = 24, **options: object) -> AsyncIterator[Pty]:
    pty = Pty(command, **options)  # type: ignore[arg-type]
    await pty.open(columns, rows)
    try:
        yield pty
    finally:
        await pty.close()


def bash() -> AbstractAsyncContextManager[Pty]:
    """An interactive shell whose prompt is `$ `, whoever runs the tests."""
    return running("bash", "--norc", "--noprofile", "-i", environment=environment_for(XTERM, os.environ, PS1="$ "))


async def read_until(transport: Transport, text: bytes) -> bytes:
    """What comes, up to and with `text`."""
    seen = b""
    try:
        async with asyncio.timeout(LIMIT_S):
            while text not in seen:
                data = await transport.read()
                assert data, f"ended with {transport.end} after {seen!r}"
                assert len(data) <= READ_BYTES
                seen += data
    except TimeoutError:
        pytest.fail(f"no {text!r} in {seen!r}")
    return seen


async def read_all(transport: Transport) -> bytes:
    seen = b""
    async with asyncio.timeout(LIMIT_S):
        while data := await transport.read():
            seen += data
    return seen


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(LIMIT_S):
        while not condition():  # noqa: ASYNC110 - of processes that are not our children nobody tells us
            await asyncio.sleep(0.01)


def alive(process: int) -> bool:
    """Whether it runs; a zombie that init has not reaped yet does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


async def test_the_exit_status_and_all_output_are_told() -> None:
    async with running("sh", "-c", "seq 2000; exit 7") as pty:
        output = await read_all(pty)
        assert pty.end is not None
        assert (pty.end.kind, pty.end.code) == (EndKind.EXITED, 7)
    assert output == b"".join(b"%d\r\n" % number for number in range(1, 2001))
    assert await pty.read() == b""


async def test_the_signal_that_ended_it_is_told() -> None:
    async with running("sh", "-c", "kill -SEGV $$") as pty:
        await read_all(pty)
        assert pty.end is not None
        assert (pty.end.kind, pty.end.code) == (EndKind.EXITED, -signal.SIGSEGV)
        assert "SIGSEGV" in pty.end.detail


async def test_it_leads_a_session_with_this_terminal() -> None:
    """Job control works, and Ctrl-C reaches the program in the foreground."""
    async with bash() as pty:
        greeting = await read_until(pty, b"$ ")
        assert b"no job control" not in greeting
        await pty.write(b"tty; sh -c 'echo ready-$((1 + 1)); exec sleep 100'\r")
        assert b"/dev/pts/" in await read_until(pty, b"ready-2")
        await pty.write(b"\x03")
        await read_until(pty, b"$ ")
        await pty.write(b"echo status-$?-\r")
        await read_until(pty, b"status-130-")
        await pty.write(b"exit 0\r")
        await read_all(pty)
        assert pty.end is not None
        assert (pty.end.kind, pty.end.code) == (EndKind.EXITED, 0)


async def test_window_size_and_its_change() -> None:
    script = "trap 'stty size' WINCH; stty size; while :; do sleep 0.01; done"
    async with running("bash", "-c", script, columns=132, rows=37) as pty:
        await read_until(pty, b"37 132")
        await pty.resize(94, 55)
        await read_until(pty, b"55 94")


async def test_the_environment_is_built_from_a_short_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2")
    async with running("env", dialect=ANSI_BBS) as pty:
        output = (await read_all(pty)).decode()
    names = {line.partition("=")[0] for line in output.splitlines()}
    assert names <= {*INHERITED, "TERM", "LANG", "PWD", "SHLVL", "_", "OLDPWD"}
    assert "TERM=pcansi\r" in output
    assert "hunter2" not in output


def test_the_environment_of_a_dialect() -> None:
    assert environment_for(XTERM, {"PATH": "/bin", "SECRET": "x"}, EDITOR="vi") == {
        "PATH": "/bin",
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "EDITOR": "vi",
    }


async def test_no_descriptor_of_ours_leaks() -> None:
    async with running("sleep", "60"), running("sh", "-c", "ls /proc/self/fd") as pty:
        output = await read_all(pty)
    assert output.split() == [b"0", b"1", b"2", b"3"]  # 3 is the folder that ls reads


async def test_all_bytes_pass_both_ways() -> None:
    program = "stty raw -echo; printf ready; exec cat"
    every = bytes(range(256)) * 20
    async with running("sh", "-c", program) as pty:
        await read_until(pty, b"ready")
        await pty.write(every)
        seen = b""
        async with asyncio.timeout(LIMIT_S):
            while len(seen) < len(every):
                seen += await pty.read()
        assert seen == every


async def test_much_output_waits_for_a_slow_reader_and_none_is_lost() -> None:
    async with running("sh", "-c", "head -c 600000 /dev/zero | tr '\\0' x") as pty:
        await until(lambda: pty._inbox._paused)
        output = await read_all(pty)
        assert len(output) == 600_000
        assert pty.end is not None
        assert pty.end.code == 0


async def test_a_program_that_does_not_read_holds_the_writer_and_closing_lets_go() -> None:
    async with running("sh", "-c", "stty raw -echo; printf ready; exec sleep 60") as pty:
        await read_until(pty, b"ready")
        await pty.write(b"x" * 200_000)
        writing = asyncio.create_task(pty.write(b"y"))
        done, _ = await asyncio.wait({writing}, timeout=0.05)
        assert not done
        await pty.close()
        async with asyncio.timeout(LIMIT_S):
            await writing
        await pty.write(b"after the end")
        assert pty.end is not None
        assert pty.end.kind is EndKind.HUNG_UP


STUBBORN = """
import os, signal, sys, time
for number in %r:
    signal.signal(number, signal.SIG_IGN)
sys.stdout.write("pid %%d\\n" %% os.getpid())
sys.stdout.flush()
time.sleep(600)
"""


@pytest.mark.parametrize(
    "ignored", [(), (signal.SIGHUP,), (signal.SIGHUP, signal.SIGTERM)], ids=["polite", "no HUP", "no HUP, no TERM"]
)
async def test_closing_ends_what_will_not_go(ignored: tuple[int, ...]) -> None:
    async with running(sys.executable, "-c", STUBBORN % ([int(number) for number in ignored],)) as pty:
        process = int((await read_until(pty, b"\n")).split()[1])
        assert alive(process)
        async with asyncio.timeout(LIMIT_S):
            await pty.close()
        assert not alive(process)
        await pty.close()
    with pytest.raises(ChildProcessError):
        os.waitpid(process, os.WNOHANG)  # noqa: ASYNC222 - reaped: no child of ours, so no wait


async def test_a_close_that_was_cancelled_is_gone_on_with() -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough
    async with running(sys.executable, "-c", STUBBORN % ([int(signal.SIGHUP)],)) as pty:
        process = int((await read_until(pty, b"\n")).split()[1])
        closing = asyncio.create_task(pty.close())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        assert alive(process)
        async with asyncio.timeout(LIMIT_S):
            await pty.close()
        assert not alive(process)
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


async def test_closing_ends_the_group_in_the_foreground_too() -> None:
    async with bash() as pty:
        await read_until(pty, b"$ ")
        await pty.write(b'sh -c \'trap "" HUP; echo pid $$ e""nd; sleep 600; sleep 600\'\r')
        process = int((await read_until(pty, b" end\r\n")).split()[-2])
        async with asyncio.timeout(LIMIT_S):
            await pty.close()
        await until(lambda: not alive(process))


async def test_an_end_with_something_left_behind_that_holds_the_terminal() -> None:
    async with running("sh", "-c", "trap '' HUP; sleep 600 & echo pid $!; exit 5") as pty:
        output = await read_all(pty)
        assert pty.end is not None
        assert (pty.end.kind, pty.end.code) == (EndKind.EXITED, 5)
        os.kill(int(output.split()[1]), signal.SIGKILL)


async def test_a_program_that_hides_from_its_terminal() -> None:
    async with running("sh", "-c", "exec <&- >&- 2>&-; exec sleep 600") as pty:
        async with asyncio.timeout(LIMIT_S):
            assert await pty.read() == b""
        assert pty.end is not None
        assert pty.end.kind is EndKind.EOF


@pytest.mark.parametrize(
    ("pty", "fault"),
    [
        (Pty(["no-such-program-anywhere"]), "no program"),
        (Pty(["sh"], directory="/no/such/folder"), "no folder"),
        (Pty(["sh"], environment={"PATH": "/nowhere"}), "no program"),
    ],
)
async def test_what_cannot_start_says_why(pty: Pty, fault: str) -> None:
    with pytest.raises(CannotConnect, match=fault):
        await pty.open(80, 24)
    await pty.close()


async def test_a_path_is_one_from_the_folder(tmp_path: Path) -> None:
    script = tmp_path / "game.sh"
    script.write_text("#!/bin/sh\npwd\n")
    script.chmod(0o755)
    async with running("./game.sh", directory=tmp_path) as pty:
        assert (await read_all(pty)).decode().strip() == str(tmp_path)


def test_an_empty_command_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        Pty([])


async def test_without_descriptors_of_processes_a_thread_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_process: int) -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", missing)
    async with running("sh", "-c", "exit 3") as pty:
        await read_all(pty)
        assert pty.end is not None
        assert pty.end.code == 3


async def test_many_at_once() -> None:
    async def one(number: int) -> bytes:
        async with running("sh", "-c", f"read word; echo $word-{number}") as pty:
            await pty.write(b"hello\r")
            return await read_until(pty, b"hello-%d\r\n" % number)

    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough
    answers: list[Awaitable[bytes]] = [one(number) for number in range(40)]
    await asyncio.gather(*answers)
    assert len(os.listdir("/proc/self/fd")) <= before  # noqa: PTH208
