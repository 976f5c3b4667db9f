"""One script of ours, run by Synchronet's `jsexec`: a request over stdin, an answer from stdout, all of it bounded.

Nothing secret stands among the arguments or in the environment: passwords are part of the request, and the request is
written to a pipe. What a fault quotes of the program's output is inert, and no secret of the request is in it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from bbs_gym.hosts.host import HostFault
from tty_agent.terminal.inert import inert

SCRIPTS: Final = Path(str(files("bbs_gym.hosts").joinpath("jsexec")))
"""Our scripts, as they are shipped."""

MARK: Final = b"bbs-gym: "
"""Before the answer; every other line is none."""

MAX_REQUEST_BYTES: Final = 1_048_576
"""As many as the scripts read."""

MAX_OUTPUT_BYTES: Final = 64 * 1_048_576
"""An export of all messages of a board; more is a program gone wild."""

TIMEOUT_S: Final = 60.0
"""A reset takes 1.3 s; the JSON service of a busy BBS may be waited for 30 s."""

_QUOTED_CHARS: Final = 300
"""Of the program's own words in a fault: the line that matters, no page."""

_READ_BYTES: Final = 65_536


class Refused(HostFault):
    """The script found that it must not be done now; the text says why."""


async def run_script(
    command: Sequence[str],
    request: Mapping[str, Any],
    *,
    name: str,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    secrets: Sequence[str] = (),
    timeout_s: float = TIMEOUT_S,
) -> Any:
    """Run `command`, which is jsexec with a script, and return the value of its answer. `name` is for people.

    Raises Refused if the script does, and HostFault where there is no program, no answer, a bad one or none in time;
    no process is left behind. `secrets` are struck from whatever a fault quotes.
    """
    line = json.dumps(request).encode("ascii") + b"\n"
    if len(line) > MAX_REQUEST_BYTES:
        raise HostFault(f"{name}: the request has {len(line)} bytes, and {MAX_REQUEST_BYTES} are taken: do it in parts")
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            env=None if environment is None else dict(environment),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as fault:
        raise HostFault(
            f"{name}: {command[0]} can't be run ({fault.strerror}): is Synchronet installed there?"
        ) from fault
    try:
        async with asyncio.timeout(timeout_s):
            output, errors = await _talk(process, line)
            code = await process.wait()
    except TimeoutError:
        raise HostFault(f"{name}: no answer within {timeout_s:g} s: does the BBS hang?") from None
    except _TooMuch:
        raise HostFault(f"{name}: it printed over {MAX_OUTPUT_BYTES} bytes, which is no answer") from None
    finally:
        await end_process(process)
    return _Answer(name, output, errors, code, tuple(secrets)).value()


async def end_process(process: asyncio.subprocess.Process) -> None:
    """Kill what is left of a process that leads its own group, and wait for it."""
    with contextlib.suppress(ProcessLookupError):  # it has gone, which is what we want
        os.killpg(process.pid, signal.SIGKILL)
    transport = getattr(process, "_transport", None)  # asyncio offers no other way to close pipes that are not read out
    if transport is not None:
        transport.close()
    await process.wait()
    await asyncio.sleep(0)  # the loop closes the pipes in its next turn


class _TooMuch(Exception):
    """More output than any answer has."""


async def _talk(process: asyncio.subprocess.Process, line: bytes) -> tuple[bytes, bytes]:
    async def write() -> None:
        assert process.stdin is not None
        if process.stdin.is_closing():  # it has ended already; writing now is a fault of its own on some loops
            return
        with contextlib.suppress(ConnectionError):  # it ended without reading: its output says why
            process.stdin.write(line)
            await process.stdin.drain()
        process.stdin.close()

    assert process.stdout is not None
    assert process.stderr is not None
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(write())
            output = group.create_task(_read(process.stdout))
            errors = group.create_task(_read(process.stderr))
    except* _TooMuch:
        raise _TooMuch from None
    return output.result(), errors.result()


async def _read(stream: asyncio.StreamReader) -> bytes:
    chunks: list[bytes] = []
    length = 0
    while chunk := await stream.read(_READ_BYTES):
        chunks.append(chunk)
        length += len(chunk)
        if length > MAX_OUTPUT_BYTES:
            raise _TooMuch
    return b"".join(chunks)


class _Answer:
    """What came, until it is understood."""

    def __init__(self, name: str, output: bytes, errors: bytes, code: int, secrets: tuple[str, ...]) -> None:
        self._name = name
        self._output = output
        self._errors = errors
        self._code = code
        self._secrets = secrets

    def value(self) -> Any:
        """The value, or the fault that the answer is."""
        marked = [line for line in self._output.splitlines() if line.startswith(MARK)]
        if not marked:
            raise HostFault(f"{self._name}: no answer, exit code {self._code}{self._quoted()}")
        try:
            answer = json.loads(marked[-1][len(MARK) :])
        except (ValueError, RecursionError):
            raise HostFault(f"{self._name}: the answer is no JSON{self._quoted()}") from None
        if not isinstance(answer, dict) or not isinstance(answer.get("ok"), bool):
            raise HostFault(f"{self._name}: the answer has another form than our scripts give{self._quoted()}")
        if answer["ok"]:
            return answer.get("value")
        error = self._struck(str(answer.get("error", "")))
        if answer.get("refused") is True:
            raise Refused(inert(error))
        raise HostFault(f"{self._name}: {inert(error, max_chars=_QUOTED_CHARS)}")

    def _quoted(self) -> str:
        """The last words of the program."""
        text = self._errors.strip() or self._output.strip()
        last = self._struck(text.decode("cp437").splitlines()[-1]) if text else ""
        return f": {inert(last, max_chars=_QUOTED_CHARS)}" if last else ": it printed nothing"

    def _struck(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***").replace(secret.upper(), "***") if secret else text
        return text
