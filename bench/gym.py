"""What the harness costs a decision, and how late turns are with many sessions: `python bench/gym.py`.

1. One agent, a scripted model, trace and transcript on disk, telnet to `echo_bbs.py`: CPU of this process for a
   decision, from bytes to trace line. The same with `--agents` of them at once: a process that sleeps between pieces
   of output finds the caches of its core cold each time, and a decision costs it two to three times as much CPU as
   it costs a busy one. The first decisions, in which modules are loaded and tables filled, are not counted.
2. `--sessions` terminal sessions at once on one core (this process is pinned to one; the BBS runs on another). Each
   sends a line, waits for its turn, thinks for a random time, and so on. A turn is due when the BBS wrote its
   last byte plus the quiet time of the policy; the BBS puts the time of that byte on the screen. *Late* is what
   passed beyond that until the agent has its observation: network, screen, timers and the queue of the loop. The
   sessions are opened, and their greetings read, before the clock runs. Memory is the growth of the process's RSS
   from before the first session is opened to the end of the play, garbage collected both times.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.figures import Latency
from bench.procfs import resident_kib

from tty_agent.activity.activity import Budget
from tty_agent.activity.profiles import STABILITY_ONLY
from tty_agent.commands import event_loop
from tty_agent.models.scripted import ScriptedModel
from tty_agent.observer.readiness import Fixed
from tty_agent.runner.record import RunIdentity
from tty_agent.runner.runner import ActivityRunner
from tty_agent.runner.settings import RunSettings
from tty_agent.session.session import TerminalSession
from tty_agent.trace.writer import TraceWriter
from tty_agent.transcript.transcript import Transcript
from tty_agent.transports.telnet import Telnet

DECISIONS: Final = 300
WARM_UP: Final = 20
"""Decisions that are not counted, of each agent."""
AGENTS: Final = 16
SESSIONS: Final = 500
SECONDS: Final = 20.0
THINK_S: Final = 1.5
"""Mean of the thinking time: models take longer."""
QUICK: Final = Fixed(quiet_s=0.02)
"""For the CPU of a decision: waiting costs none, so it is made short. The third piece comes within it."""
STAMP: Final = re.compile(r"at (\d+\.\d{6})")
LIMIT_S: Final = 0.05
"""The aim: no turn later than this."""


class Decisions(msgspec.Struct, frozen=True):
    """What a decision costs."""

    agents: int
    decisions: int
    cpu_ms: float
    trace_bytes: int


class Sessions(msgspec.Struct, frozen=True):
    """How late turns are."""

    sessions: int
    turns: int
    late: Latency
    over_limit: int
    early: int
    """Turns that were ready before their due time: 0, or the measurement is wrong."""
    cpu_share: float
    """Of one core."""
    cpu_ms_a_turn: float
    kib_a_session: float


@contextmanager
def echo_bbs(core: int | None) -> Iterator[int]:
    """The port of a BBS that runs meanwhile."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("echo_bbs.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        if core is not None:
            os.sched_setaffinity(process.pid, {core})
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.communicate("", timeout=10)


async def play(port: int, path: Path, count: int) -> int:
    """Play `count` decisions, with the trace at `path` and a transcript beside it; returns the trace's size."""
    model = ScriptedModel(['I look around. {"action": "submit_line", "arguments": {"text": "look"}}'], loop=True)
    transcript = Transcript(path.with_suffix(".raw"))
    session = TerminalSession(Telnet("127.0.0.1", port), agent_id="bench", transcript=transcript, policy=QUICK)
    with TraceWriter(path) as trace:
        async with session:
            runner = ActivityRunner(
                session,
                model,
                msgspec.structs.replace(STABILITY_ONLY, turn=QUICK),
                identity=RunIdentity(run_id="bench", agent_id="bench"),
                settings=RunSettings(budget=Budget(max_decision_ticks=count, max_wall_seconds=None)),
                trace=trace,
            )
            await runner.run()
        assert runner.steps == count
        return trace.size


async def decisions(port: int, folder: Path, count: int, agents: int) -> Decisions:
    """`agents` play `count` decisions in all; the CPU of this process from the first observation to the end."""
    each = count // agents
    await asyncio.gather(*(play(port, folder / f"{agents}-warm-{number}.jsonl", WARM_UP) for number in range(agents)))
    started = time.process_time()
    sizes = await asyncio.gather(*(play(port, folder / f"{agents}-{number}.jsonl", each) for number in range(agents)))
    cpu = time.process_time() - started
    made = each * agents
    return Decisions(agents, made, 1000 * cpu / made, sum(sizes))


class Agent:
    """One of many: sends a line, waits for the turn, thinks."""

    def __init__(self, session: TerminalSession, policy: Fixed, seed: int) -> None:
        self._session = session
        self._policy = policy
        self._rng = random.Random(seed)
        self.late: list[float] = []

    async def greeted(self) -> None:
        """Take the first turn."""
        await self._session.observe_turn()

    async def play(self, until: float, think_s: float) -> None:
        """Until the loop's clock says `until`."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(self._rng.uniform(0, 2 * think_s))
        while loop.time() < until:
            await self._session.write(b"look\r")
            observation = await self._session.observe_turn()
            now = time.monotonic()
            stamps = STAMP.findall(observation.new_text)
            if stamps:
                self.late.append(now - float(stamps[-1]) - self._policy.quiet_s)
            await asyncio.sleep(self._rng.uniform(0, 2 * think_s))


async def many(port: int, count: int, seconds: float, think_s: float) -> Sessions:
    """Put `count` agents on the BBS."""
    policy = Fixed()
    loop = asyncio.get_running_loop()
    gc.collect()
    before_kib = resident_kib(os.getpid())
    async with AsyncExitStack() as stack:
        agents = []
        for number in range(count):
            session = TerminalSession(Telnet("127.0.0.1", port), agent_id=f"agent-{number:03}", policy=policy)
            agents.append(Agent(await stack.enter_async_context(session), policy, number))
        await asyncio.gather(*(agent.greeted() for agent in agents))
        started, cpu = loop.time(), time.process_time()
        await asyncio.gather(*(agent.play(started + seconds, think_s) for agent in agents))
        cpu, took = time.process_time() - cpu, loop.time() - started
        gc.collect()
        after_kib = resident_kib(os.getpid())
    late = [one for agent in agents for one in agent.late]
    return Sessions(
        sessions=count,
        turns=len(late),
        late=Latency.of(late),
        over_limit=sum(one > LIMIT_S for one in late),
        early=sum(one < -0.001 for one in late),
        cpu_share=cpu / took,
        cpu_ms_a_turn=1000 * cpu / max(1, len(late)),
        kib_a_session=(after_kib - before_kib) / count,
    )


def report(costs: Sequence[Decisions], crowd: Sessions) -> None:
    """The figures for a person."""
    for cost in costs:
        print(
            f"harness CPU a decision      {cost.cpu_ms:.2f} ms over {cost.decisions} decisions of {cost.agents} at once"
            f" (aim: under 2); trace {cost.trace_bytes / cost.decisions / 1024:.1f} KiB a decision"
        )
    print(
        f"{crowd.sessions} sessions on one core    {crowd.turns} turns, late p50 {crowd.late.p50_ms:.1f} ms, "
        f"p99 {crowd.late.p99_ms:.1f} ms, worst {crowd.late.max_ms:.1f} ms; {crowd.over_limit} over "
        f"{LIMIT_S * 1000:.0f} ms (aim: 0), {crowd.early} early"
    )
    print(f"CPU                         {crowd.cpu_share:.0%} of the core, {crowd.cpu_ms_a_turn:.2f} ms a turn")
    print(f"memory                      {crowd.kib_a_session:.0f} KiB a session (aim: under 1,024)")


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=DECISIONS)
    parser.add_argument("--agents", type=int, default=AGENTS, help="that decide at once, in the second measurement")
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--think", type=float, default=THINK_S, help="mean seconds between a turn and the next input")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as scratch, echo_bbs(cores[-1] if len(cores) > 1 else None) as port:
        os.sched_setaffinity(0, cores[:1])
        costs = [
            event_loop.run(decisions(port, Path(scratch), options.decisions * agents, agents))
            for agents in (1, options.agents)
        ]
        crowd = event_loop.run(many(port, options.sessions, options.seconds, options.think))
    report(costs, crowd)
    if options.json:
        figures: dict[str, Any] = {"decisions": msgspec.to_builtins(costs), "sessions": msgspec.to_builtins(crowd)}
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
