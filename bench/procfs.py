"""What Linux tells of a process: CPU time of all its threads, memory now and at its peak; and of the machine."""

from __future__ import annotations

import os
import platform
import tempfile
import time
from pathlib import Path
from typing import Final

import msgspec

_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")
_SYNCS: Final = 20
"""Writes timed by `sync_ms`: enough for a median, done in well under a second on any disk."""


def cpu_seconds(pid: int) -> float:
    """User and system time of all threads of `pid`, living and ended; its resolution is 10 ms on most kernels."""
    return _cpu_seconds(Path(f"/proc/{pid}/stat"))


def main_thread_cpu_seconds(pid: int) -> float:
    """As `cpu_seconds`, of the first thread alone: in a venue, the event loop's."""
    return _cpu_seconds(Path(f"/proc/{pid}/task/{pid}/stat"))


def _cpu_seconds(stat: Path) -> float:
    # The command name, in brackets, may itself hold blanks and brackets: count from its end.
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S


def resident_kib(pid: int) -> int:
    """Memory in RAM now (VmRSS), in KiB."""
    return _status_kib(pid, "VmRSS:")


def peak_kib(pid: int) -> int:
    """The most memory that was in RAM at any time (VmHWM), in KiB."""
    return _status_kib(pid, "VmHWM:")


class MachineTime(msgspec.Struct, frozen=True):
    """CPU time of the whole machine since its start, in seconds: all there was, spent in processes, stolen."""

    total_s: float
    processes_s: float
    stolen_s: float


def machine_time() -> MachineTime:
    """The machine's CPU time so far. Interrupts are in the total and in neither part."""
    user, nice, system, idle, wait, irq, soft, stolen = (
        int(field) / _TICKS_PER_S for field in Path("/proc/stat").read_text().split(maxsplit=9)[1:9]
    )
    return MachineTime(user + nice + system + idle + wait + irq + soft + stolen, user + nice + system, stolen)


def _status_kib(pid: int, key: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1])
    raise LookupError(f"{key} of process {pid}")


def machine() -> str:
    """One line: processor, cores, Python."""
    model = platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return f"{model}, {len(os.sched_getaffinity(0))} cores, Python {platform.python_version()}"


def sync_ms(folder: Path) -> float:
    """The median time in ms to append 4 KiB to a file in `folder` and fsync it: the floor of a durable commit."""
    took: list[float] = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(_SYNCS):
            begun = time.perf_counter()
            file.write(b"\0" * 4096)
            file.flush()
            os.fsync(file.fileno())
            took.append(time.perf_counter() - begun)
    return sorted(took)[_SYNCS // 2] * 1000
