"""Run a model's command-line program once, and leave nothing of it behind.

Input, output and errors are files of a folder of its own, so that no pipe fills up or is held open by a grandchild,
and the prompt is never seen in the list of processes. The program leads a process group, and the whole group is
ended when the program has exited, when the time is up, and when the call is cancelled.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final

import msgspec

from tty_agent.models.model import ProviderFault
from tty_agent.models.redaction import secrets_of, tail_of

GRACE_S: Final = 2.0
"""Between the request to end and the end by force: enough to save a session, not enough to hold up a run."""

MAX_OUTPUT_BYTES: Final = 32 * 1024 * 1024
"""Of the events of one answer; far above what was ever seen."""

MAX_ERROR_BYTES: Final = 8 * 1024
"""Of the end of the error output, from which a fault quotes the last line or two."""


class Finished(msgspec.Struct, frozen=True):
    """A program that has exited."""

    exit_code: int
    """Negative: the signal that ended it."""
    output: bytes
    error_tail: str
    """The end of what it wrote to its error output: without secrets, inert, on one line."""


async def run_program(
    command: Sequence[str],
    stdin: str,
    *,
    scratch: Path,
    workdir: Path,
    timeout_s: float,
    environment: Mapping[str, str] | None = None,
) -> Finished:
    """Run `command` in `workdir` with `stdin`; `scratch` is an existing folder for its three streams.

    Raises ProviderFault: `missing` if there is no such program, `timeout` if it does not exit within `timeout_s`,
    `cut_off` if it writes more than MAX_OUTPUT_BYTES. A non-zero exit code is for the caller to judge.
    """
    env = dict(os.environ if environment is None else environment)
    with contextlib.ExitStack() as files:
        streams = _streams(scratch, stdin, files)
        process = await _start(command, streams, workdir, env)
        try:
            async with asyncio.timeout(timeout_s):
                exit_code = await process.wait()
        except TimeoutError:
            raise ProviderFault(
                "timeout", f"{_program(command)} did not answer within {timeout_s:g} s", retryable=True
            ) from None
        finally:
            await _end(process)
    return _finished(command, exit_code, scratch, env)


def _program(command: Sequence[str]) -> str:
    return Path(command[0]).name


def _streams(scratch: Path, stdin: str, files: contextlib.ExitStack) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    given = scratch / "stdin"
    given.write_bytes(stdin.encode("utf-8", "replace"))
    return (
        files.enter_context(given.open("rb")),
        files.enter_context((scratch / "stdout").open("wb")),
        files.enter_context((scratch / "stderr").open("wb")),
    )


async def _start(
    command: Sequence[str], streams: tuple[IO[bytes], IO[bytes], IO[bytes]], workdir: Path, env: Mapping[str, str]
) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            cwd=workdir,
            env=env,
            start_new_session=True,
        )
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ProviderFault("missing", f"can't start {_program(command)}: {why}") from error


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the program, if it still runs, and whatever it has started and left behind."""
    try:
        if process.returncode is None and _signal(process.pid, signal.SIGTERM):
            with contextlib.suppress(TimeoutError):  # then by force
                async with asyncio.timeout(GRACE_S):
                    await process.wait()
    finally:
        _signal(process.pid, signal.SIGKILL)
    await process.wait()


def _signal(group: int, number: signal.Signals) -> bool:
    """Whether there was anybody left in the process group to get the signal."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False  # all have exited; what is left of a group that changed its user is not ours to end
    return True


def _finished(command: Sequence[str], exit_code: int, scratch: Path, env: Mapping[str, str]) -> Finished:
    output = scratch / "stdout"
    if output.stat().st_size > MAX_OUTPUT_BYTES:
        raise ProviderFault("cut_off", f"{_program(command)} wrote more than {MAX_OUTPUT_BYTES} bytes")
    with (scratch / "stderr").open("rb") as errors:
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - MAX_ERROR_BYTES))
        tail = errors.read().decode("utf-8", "replace")
    return Finished(exit_code, output.read_bytes(), tail_of(tail, secrets_of(env)))
