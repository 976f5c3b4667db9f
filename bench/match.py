"""What a match costs the harness, and how even its schedulers are: `python bench/match.py`.

A private house BBS is started, with a node for every agent. All agents are scripted and alike: each enters Starlane,
and then flies between two sectors and looks around. A window opens when every agent has made its first decisions, by
which it is in the game, and lasts `--seconds`; then the match is stopped. The BBS, a process for each door and this
process share the machine, so CPU a decision is worth more than decisions a second.

1. `--agents` of them in `continuous`, without time to think: decisions a second, and CPU of this process for each
   (looking, deciding, typing, trace, transcript, journal). A turn is ready when the screen was still for the 0.35 s of
   the profiles, so no agent can make more than 2.8 decisions a second.
2. `--fair-agents` of them under each scheduler, each thinking for a random time about every decision: committed actions
   of the one that acted least and most, and their standard deviation.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.procfs import machine

from bbs_gym.hosts.house import HouseHost
from bbs_gym.hosts.settings import HostSettings
from bbs_gym.match.events import EventLine, MatchEvent
from bbs_gym.match.run import run_match
from bbs_gym.match.settings import Budgets, DoorSettings, MatchSettings, Order, ParticipantSettings, Scheduler
from bbs_gym.match.wiring import Wiring
from tty_agent.commands import event_loop
from tty_agent.models.catalog import ModelConfig
from tty_agent.models.model import ModelReply, Prompt
from tty_agent.models.scripted import ScriptedModel

AGENTS: Final = (2, 8, 64)
FAIR_AGENTS: Final = 8
SECONDS: Final = 10.0
THINK_S: Final = 0.25
"""Mean of the thinking time where fairness is measured: with none, scripts are too equal to tell schedulers apart."""
WARM_UP: Final = 5
"""Decisions of each agent that are not counted: the way into the game, and the first looks there."""
WARM_LIMIT_S: Final = 120.0
"""For all of them: 64 doors are started on however slow a machine."""
SEED: Final = 7
"""Of a world in which sector 2 is next to Haven."""


def _press(key: str) -> str:
    return f'{{"action": "press_key", "arguments": {{"key": "{key}"}}}}'


def _fly(sector: int) -> str:
    return f'{{"action": "submit_line", "arguments": {{"text": "{sector}"}}}}'


ENTER: Final = (_press("d"), _fly(1), _press("n"))
ROUND_TRIP: Final = (_press("d"), _press("i"), _fly(2), _press("d"), _press("i"), _fly(1))
"""Two turns of the 250 of a day."""


class Throughput(msgspec.Struct, frozen=True):
    """`continuous`, without time to think."""

    agents: int
    decisions: int
    seconds: float
    per_s: float
    cpu_ms: float
    """Of this process, a decision."""
    cpu_share: float
    """Of one core, taken by this process."""


class Fairness(msgspec.Struct, frozen=True):
    """Actions committed by agents that are alike."""

    scheduler: str
    agents: int
    seconds: float
    least: int
    most: int
    mean: float
    deviation: float
    """Standard deviation over the agents."""


class Window(msgspec.Struct, frozen=True):
    """What was committed in it, by agent, and the CPU of this process."""

    actions: dict[str, int]
    seconds: float
    cpu_s: float


class Thinker:
    """A script that thinks about each answer."""

    stateful = False
    provider = "scripted"

    def __init__(self, name: str, think_s: float) -> None:
        replies: Iterator[str] = itertools.chain(ENTER, itertools.cycle(ROUND_TRIP))
        self._script = ScriptedModel(lambda _: next(replies), name=name)
        self._think_s = think_s
        self._rng = random.Random(name)
        self.name = name

    async def complete(self, prompt: Prompt) -> ModelReply:
        """The next reply."""
        if self._think_s:
            await asyncio.sleep(self._rng.uniform(0, 2 * self._think_s))
        return await self._script.complete(prompt)

    async def close(self) -> None:
        """Nothing is held."""


class Watch:
    """Counts committed actions, and tells when every agent is warm."""

    def __init__(self, agents: Sequence[str]) -> None:
        self.actions: Counter[str] = Counter()
        self.warm = asyncio.Event()
        self._cold = set(agents)

    def __call__(self, event: EventLine) -> None:
        """One event of the match."""
        if event.event is not MatchEvent.ACTION_COMMITTED or event.agent_id is None:
            return
        self.actions[event.agent_id] += 1
        if self.actions[event.agent_id] >= WARM_UP:
            self._cold.discard(event.agent_id)
            if not self._cold:
                self.warm.set()


def a_match(scheduler: Scheduler, agents: Sequence[str]) -> MatchSettings:
    """It has no limit: whoever measures stops it."""
    return MatchSettings(
        name="bench",
        route_set="starlane-auto",
        scheduler=scheduler,
        order=Order.ROTATE,
        seed=SEED,
        budgets=Budgets(max_wall_seconds=None, max_decision_ticks=None),
        door=DoorSettings(game="starlane"),
        participants=tuple(
            ParticipantSettings(agent_id=agent, model={"provider": "scripted", "model": agent, "replies": ["-"]})
            for agent in agents
        ),
    )


async def window(
    host: HouseHost, folder: Path, scheduler: Scheduler, count: int, *, seconds: float, think_s: float
) -> Window:
    """Play, and measure for `seconds` from when everybody is warm."""

    def make_model(config: ModelConfig) -> Thinker:
        return Thinker(config.model, think_s)

    agents = [f"agent-{number:03}" for number in range(1, count + 1)]
    watch = Watch(agents)
    settings = a_match(scheduler, agents)
    playing = asyncio.create_task(
        run_match(settings, folder, host=host, watch=watch, wiring=Wiring(make_model=make_model))
    )
    try:
        warm = asyncio.create_task(watch.warm.wait())
        await asyncio.wait({warm, playing}, timeout=WARM_LIMIT_S, return_when=asyncio.FIRST_COMPLETED)
        if not warm.done():
            warm.cancel()
            raise SystemExit(f"the {count} agents were not in the game after {WARM_LIMIT_S:.0f} s: {watch.actions}")
        before, began, cpu = watch.actions.copy(), time.perf_counter(), time.process_time()
        await asyncio.wait({playing}, timeout=seconds)
        took, cpu = time.perf_counter() - began, time.process_time() - cpu
        if playing.done():
            raise SystemExit(f"the match ended before it was measured: {playing.result()}")
        return Window({agent: watch.actions[agent] - before[agent] for agent in agents}, took, cpu)
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing


async def throughput(host: HouseHost, folder: Path, count: int, seconds: float) -> Throughput:
    """`count` agents in `continuous`."""
    found = await window(host, folder, Scheduler.CONTINUOUS, count, seconds=seconds, think_s=0.0)
    made = sum(found.actions.values())
    return Throughput(
        agents=count,
        decisions=made,
        seconds=found.seconds,
        per_s=made / found.seconds,
        cpu_ms=1000 * found.cpu_s / max(1, made),
        cpu_share=found.cpu_s / found.seconds,
    )


async def fairness(
    host: HouseHost, folder: Path, scheduler: Scheduler, count: int, *, seconds: float, think_s: float
) -> Fairness:
    """`count` agents under one scheduler."""
    found = await window(host, folder, scheduler, count, seconds=seconds, think_s=think_s)
    counts = list(found.actions.values())
    return Fairness(
        scheduler=str(scheduler),
        agents=count,
        seconds=found.seconds,
        least=min(counts),
        most=max(counts),
        mean=statistics.fmean(counts),
        deviation=statistics.pstdev(counts),
    )


async def measure(options: argparse.Namespace, scratch: Path) -> tuple[list[Throughput], list[Fairness]]:
    """Everything, on one private BBS."""
    host = HouseHost(HostSettings(), scratch / "host")
    await host.start()
    try:
        rates = []
        for count in options.agents:
            rates.append(await throughput(host, scratch / f"rate-{count}", count, options.seconds))
            print(told_rate(rates[-1]), flush=True)
        evenness = []
        for scheduler in Scheduler if options.fair_agents else ():
            evenness.append(
                await fairness(
                    host,
                    scratch / scheduler,
                    scheduler,
                    options.fair_agents,
                    seconds=options.seconds,
                    think_s=options.think,
                )
            )
            print(told_fairness(evenness[-1]), flush=True)
    finally:
        await host.stop()
    return rates, evenness


def told_rate(one: Throughput) -> str:
    """For a person."""
    return (
        f"continuous        {one.agents:3} agents  {one.per_s:7.1f} decisions/s  {one.cpu_ms:5.2f} ms harness CPU each,"
        f" {one.cpu_share:.0%} of a core  ({one.decisions} in {one.seconds:.1f} s)"
    )


def told_fairness(one: Fairness) -> str:
    """For a person."""
    return (
        f"{one.scheduler:17} {one.agents:3} agents  actions least {one.least}, most {one.most}, mean {one.mean:.1f},"
        f" standard deviation {one.deviation:.2f}  (in {one.seconds:.1f} s)"
    )


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, nargs="*", default=list(AGENTS), help="in `continuous`; each number once")
    parser.add_argument("--fair-agents", type=int, default=FAIR_AGENTS, help="under each scheduler; 0: none")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each window")
    parser.add_argument("--think", type=float, default=THINK_S, help="mean seconds a decision, for fairness")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    busy = os.getloadavg()[0]
    print(f"{machine()}; load {busy:.1f} before", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        rates, evenness = event_loop.run(measure(options, Path(scratch)))
    if options.json:
        figures = {"machine": machine(), "load_before": busy, "throughput": rates, "fairness": evenness}
        options.json.write_text(json.dumps(msgspec.to_builtins(figures), indent=2) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
