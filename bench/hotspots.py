"""Where a process spends its CPU: py-spy samples it from outside, and the samples are summed up as text.

A sampler is used because a tracing profiler (cProfile) charges each call and makes small functions, of which
a venue is made, look dear. Only threads that hold the interpreter's lock are counted: that lock is what a busy
venue runs out of, and waiting for a disk or a lock is no work.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

SAMPLES_PER_S: Final = 200
"""A sample each 5 ms: some thousand in a run, and each stops the process for well under a ms."""
LONGEST_S: Final = 600
"""A bound for a sampler that nobody stops."""
FINISH_LIMIT_S: Final = 60.0
"""Time to write the samples."""
SHOWN: Final = 40
"""Lines of each list of the summary."""

_FRAME: Final = re.compile(r"^(?P<function>.*) \((?P<file>[^()]+?)(:\d+)?\)$")
_INSTALL: Final = "install it with: pip install py-spy"


class NoSampler(Exception):
    """py-spy is not there, or may not look into the process."""


class Sampler:
    """Samples the process `pid` while the `with` lasts, into the file `folded` (one stack and its count a line).

    With `native` the stacks go on into C, where system calls and the event loop show; that costs the process more.
    Raises NoSampler.
    """

    def __init__(self, pid: int, folded: Path, *, native: bool) -> None:
        found = shutil.which("py-spy", path=str(Path(sys.executable).parent)) or shutil.which("py-spy")
        if found is None:
            raise NoSampler(f"py-spy is not installed; {_INSTALL}")
        self._folded = folded
        self._command = [
            found, "record", "--pid", str(pid), "--rate", str(SAMPLES_PER_S), "--duration", str(LONGEST_S),
            "--format", "raw", "--threads", "--gil", "--output", str(folded), *(["--native"] if native else []),
        ]  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(FINISH_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if kind is None and not self._folded.exists():
            raise NoSampler("py-spy left no samples: it may need to be root, or kernel.yama.ptrace_scope 0")


def summary(folded: str) -> str:
    """The samples as four lists: by thread, by file (C counts for the Python file that called it), by function
    itself, and by function with all that it called."""
    threads: Counter[str] = Counter()
    files: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    within: Counter[str] = Counter()
    for line in folded.splitlines():
        stack, _, number = line.rpartition(" ")
        count = int(number)
        thread, *frames = stack.split(";")
        if not frames:
            continue
        names = [_name(frame) for frame in frames]
        threads[thread.partition(": ")[2] or thread] += count
        files[_python_file(frames)] += count
        alone[names[-1]] += count
        within.update(dict.fromkeys(names, count))
    total = threads.total()
    for root in [name for name, count in within.items() if count >= max(threads.values())]:
        del within[root]  # what a whole thread is inside of tells nothing
    parts = [f"{total} samples, {SAMPLES_PER_S} a second while a thread held the interpreter's lock\n"]
    for title, counts in (
        ("By thread", threads),
        ("By file", files),
        ("By function, itself", alone),
        ("By function, with all it called", within),
    ):
        parts.append(f"{title}\n" + "\n".join(_rows(counts, total)) + "\n")
    return "\n".join(parts)


def _rows(counts: Counter[str], total: int) -> Iterable[str]:
    return (f"  {count / total:6.1%}  {what}" for what, count in counts.most_common(SHOWN))


def _name(frame: str) -> str:
    """A frame without its line, so that a function is one entry."""
    found = _FRAME.match(frame)
    return f"{found['function']} ({found['file']})" if found else frame


def _python_file(frames: list[str]) -> str:
    for frame in reversed(frames):
        found = _FRAME.match(frame)
        if found and found["file"].endswith(".py"):
            return found["file"]
    return "(no Python)"
