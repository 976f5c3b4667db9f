"""How fast a long trace is looked into: `python bench/traces.py`.

Makes a trace of `--steps` decisions in a temporary folder, of lines as long as those of real runs, and looks into it
in a new process each time: the first page, and single steps at random places, with the index that the writer left
and without any (then the reader makes one, which is timed with its first answer). For comparison all of it is read
from end to end. The peak of memory is that of the whole process; an empty one's is told beside it. The file was just
written, so it comes from the page cache: a cold disk adds its own time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.figures import Latency
from bench.procfs import peak_kib

from tty_agent.observation.observation import Observation, Readiness, ReadyReason
from tty_agent.trace.index import TraceFile, sidecar
from tty_agent.trace.records import DecisionRecord, Header, ReplyRecord, read_trace
from tty_agent.trace.writer import TraceWriter

STEPS: Final = 100_000
PAGE: Final = 20
"""Decisions of a page, as a viewer shows them."""
LOOKS: Final = 50
"""Steps looked at in one process."""
PROMPT_CHARS: Final = 10_000
"""Of a decision's prompt: a screen, sixteen recent steps, a summary. With it a line has some 18 kB."""
WHEN: Final = "2026-01-31T14:05:09.123Z"


class Built(msgspec.Struct, frozen=True):
    """The trace."""

    steps: int
    bytes: int
    index_bytes: int
    write_us_a_step: float


class Looked(msgspec.Struct, frozen=True):
    """What one process saw. Times in ms, from the opening of the file on."""

    opened_ms: float
    first_ms: float
    """Until the first answer was there: the page, the step, or all of it."""
    steps: Latency
    """Of each step after that, the file being open."""
    peak_kib: int


def build(path: Path, steps: int) -> Built:
    """Write the trace as a run does."""
    screen = "\n".join(f"Sector {row:3}: ore {row * 7919 % 100:3}, organics, equipment, a port" for row in range(24))
    prompt = (screen + "\n") * (PROMPT_CHARS // len(screen) + 1)
    readiness = Readiness(
        reason=ReadyReason.STABLE,
        policy="fixed",
        waited_ms=400,
        stable_ms=350,
        byte_quiet_ms=350,
        threshold_ms=350,
        bytes_read=750,
    )
    text = 'I look around. {"action": "submit_line", "arguments": {"text": "look"}}'
    started = time.perf_counter()
    with TraceWriter(path) as trace:
        trace.write(Header(run_id="bench", agent_id="bench", timestamp=WHEN, model="m", provider="p", profile="shell"))
        for step in range(1, steps + 1):
            observation = Observation(
                agent_id="bench",
                pretty_screen="",
                model_text="",
                new_text=screen,
                cursor=(23, 10),
                columns=80,
                rows=24,
                stable_ms=350,
                byte_quiet_ms=350,
                matched_prompt=None,
                ready_reason=ReadyReason.STABLE,
                transcript_path="bench.raw",
                transcript_byte_start=750 * step,
                transcript_byte_end=750 * step + 750,
                bytes_read=750,
                timestamp=WHEN,
                readiness=readiness,
            )
            trace.write(
                DecisionRecord(
                    match_id=None,
                    agent_id="bench",
                    node=None,
                    step=step,
                    raw_bytes_path="bench.raw",
                    transcript_byte_start=observation.transcript_byte_start,
                    transcript_byte_end=observation.transcript_byte_end,
                    pretty_screen=screen,
                    model_text=screen,
                    matched_prompt=None,
                    ready_reason="stable",
                    prompt=f"This is decision {step}\n{prompt[:PROMPT_CHARS]}",
                    action={"action": "submit_line", "arguments": {"text": "look"}},
                    timestamp=WHEN,
                    active_profile="shell",
                    observation=observation,
                    system_prompt=prompt[:2000],
                    reply=ReplyRecord(raw=text, text=text),
                )
            )
        size = trace.size
    took = time.perf_counter() - started
    return Built(steps, size, sidecar(path).stat().st_size, 1e6 * took / steps)


def look(path: Path, what: str) -> Looked:
    """In a process of its own: `page`, `step`, `all`, or `nothing`."""
    started = time.perf_counter()
    if what == "nothing":
        return Looked(0.0, 0.0, Latency.of(()), peak_kib(os.getpid()))
    if what == "all":
        count = sum(1 for _ in read_trace(path))
        assert count
        return Looked(0.0, 1000 * (time.perf_counter() - started), Latency.of(()), peak_kib(os.getpid()))
    taken = []
    chance = random.Random(1)
    with TraceFile(path) as trace:
        opened = time.perf_counter()
        if what == "page":
            assert trace.page(1, PAGE)[-1].step == PAGE
        else:
            assert trace.step(trace.steps // 2).step == trace.steps // 2
        first = time.perf_counter()
        for number in (chance.randint(1, trace.steps) for _ in range(LOOKS)):
            before = time.perf_counter()
            assert trace.step(number).step == number
            taken.append(time.perf_counter() - before)
    return Looked(1000 * (opened - started), 1000 * (first - started), Latency.of(taken), peak_kib(os.getpid()))


def looked(path: Path, what: str, *, index: bool) -> Looked:
    """`look` in a new process, with or without the index."""
    kept = sidecar(path).with_suffix(".kept")
    if not index:
        sidecar(path).replace(kept)
    try:
        told = subprocess.run(
            [sys.executable, __file__, "--look", what, str(path)], capture_output=True, check=True, text=True
        ).stdout
    finally:
        if not index:
            kept.replace(sidecar(path))
    return msgspec.json.decode(told, type=Looked)


CASES: Final = (
    ("the first page, with the index", "page", True),
    ("the first page, without", "page", False),
    ("a step in the middle, with the index", "step", True),
    ("a step in the middle, without", "step", False),
    ("all of it from end to end", "all", True),
    ("nothing: the process alone", "nothing", True),
)


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--look", nargs=2, metavar=("WHAT", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.look:
        print(msgspec.json.encode(look(Path(options.look[1]), options.look[0])).decode())
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "trace.jsonl"
        built = build(path, options.steps)
        print(
            f"{built.steps} steps, {built.bytes / 2**20:.0f} MiB, index {built.index_bytes / 2**10:.0f} KiB; "
            f"written in {built.write_us_a_step:.0f} us a step"
        )
        print(f"{'':38} {'open':>10} {'answer':>10} {'then a step, p50 / worst':>26} {'peak memory':>12}")
        figures: dict[str, Any] = {"trace": msgspec.to_builtins(built)}
        for name, what, index in CASES:
            one = looked(path, what, index=index)
            then = f"{one.steps.p50_ms:.2f} / {one.steps.max_ms:.2f} ms" if one.steps.count else ""
            print(
                f"{name:38} {one.opened_ms:7.1f} ms {one.first_ms:7.1f} ms {then:>26} {one.peak_kib / 1024:8.1f} MiB",
                flush=True,
            )
            figures[name] = msgspec.to_builtins(one)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
