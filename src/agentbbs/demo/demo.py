"""The demo: a venue in a temporary folder, four agents that play on it, two pilots in its door game, and a screen.

Nothing is staged: the venue is the one that `agentbbs serve` runs, the agents are `agentbbs play` and the pilots
`starlane-bot`, processes of their own. When it ends, so do they, and the folder goes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from agentbbs import logs
from agentbbs.config import Settings
from agentbbs.demo.arena import ArenaGame
from agentbbs.demo.joining import how_to_join, program
from agentbbs.demo.passes import Passes, make_passes
from agentbbs.demo.starlane import StarlaneGame
from agentbbs.games import catalog
from agentbbs.play.match import Match
from agentbbs.play.ports import FinishedMatch, Settled
from agentbbs.play.verdict import outcome
from agentbbs.serve import Venue
from agentbbs.store.ladder import ladder

REFRESH_S: Final = 0.25
"""How often the screen is drawn."""

PACE_S: Final = "0.4"
"""What the agents wait before a move, so that a person can follow."""

AGENT_STOP_S: Final = 5.0
"""How long an agent's process may take to end its match before it must resign, and then before it is killed."""

RECENT: Final = 6
"""Results on the screen."""

ROOMY_LINES: Final = 40
"""A terminal of so many lines shows everything at once; on a smaller one the doors are printed first."""

ADDRESSES: Final = (
    "AGENTBBS_GAME_WS_ADDR",
    "AGENTBBS_SSH_ADDR",
    "AGENTBBS_TELNET_ADDR",
    "AGENTBBS_RLOGIN_ADDR",
    "AGENTBBS_WEB_ADDR",
)
"""The servers of the demo, each on a free port."""


class DemoAgent(msgspec.Struct, frozen=True):
    """One agent of the demo: which bot plays what, through which door (`websocket` or `ssh`)."""

    name: str
    game: str
    bot: str
    door: str


AGENTS: Final = (
    DemoAgent("deep-ada", "c4", "minimax", "ssh"),
    DemoAgent("quick-bob", "c4", "greedy", "websocket"),
    DemoAgent("noughts", "ttt", "minimax", "websocket"),
    DemoAgent("dice", "ttt", "random", "ssh"),
)


class Demo:
    """One run of the demo. `seconds` None: until Ctrl-C. `arena`: with agents behind HTTPS."""

    def __init__(self, console: Console, seconds: float | None, *, arena: bool = False) -> None:
        self._console = console
        self._seconds = seconds
        self._with_arena = arena
        self._arena: ArenaGame | None = None
        self._results: deque[str] = deque(maxlen=RECENT)
        self._played = 0
        self._printed = 0
        self._stop = asyncio.Event()
        self._starlane: StarlaneGame

    async def run(self) -> None:
        """Play until the time is over or somebody stops it, then say what happened."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop.set)
        with tempfile.TemporaryDirectory(prefix="agentbbs-demo-") as folder:
            environ = {"AGENTBBS_DATA": folder} | dict.fromkeys(ADDRESSES, "127.0.0.1:0")
            # The arena's development switch, of which a venue warns, is set on purpose.
            logs.configure("console", "error" if self._with_arena else "warning")
            if not self._with_arena:
                summary = await self._at_venue(Settings.from_env(environ))
            else:
                self._arena = ArenaGame(Path(folder), PACE_S)
                try:
                    await self._arena.begin()
                    summary = await self._at_venue(Settings.from_env(environ | self._arena.settings))
                finally:
                    await _end(self._arena.running)
        self._console.print(summary)

    async def _at_venue(self, settings: Settings) -> Group:
        """Open a venue, let the agents play and show them; what there is to say at the end."""
        async with Venue(settings, told=self._told) as venue:
            passes = await asyncio.to_thread(make_passes, venue, settings.data, [agent.name for agent in AGENTS])
            if self._arena is not None:
                await asyncio.to_thread(self._arena.register, venue)
            self._starlane = StarlaneGame(settings.data)
            running = [await _start(agent, venue, passes) for agent in AGENTS] + await self._starlane.begin()
            try:
                await self._show(venue, passes)
            finally:
                self._console.print("Ending: the agents play their matches to the end.", style="dim")
                if self._arena is not None:
                    self._arena.hurry()
                await _end(running)
            self._print_news()
            return self._summary(venue)

    async def _show(self, venue: Venue, passes: Passes) -> None:
        """Draw until the end: a live screen on a terminal, a line a result elsewhere."""
        ends_at = None if self._seconds is None else time.monotonic() + self._seconds
        doors = how_to_join(venue, passes)
        if not self._roomy:
            self._console.print(doors, soft_wrap=True)  # a command that is broken in two can not be copied
            if self._arena is not None and not self._console.is_terminal:
                self._console.print(self._arena.replay_line(venue), soft_wrap=True)
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            while not self._stop.is_set() and (ends_at is None or time.monotonic() < ends_at):
                if self._console.is_terminal:
                    live.update(self._screen(venue, doors), refresh=True)
                self._print_news()
                await self._starlane.look(time.monotonic())
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), REFRESH_S)

    def _print_news(self) -> None:
        """Where there is no screen: the results that were not printed yet, a line each."""
        new, self._printed = self._played - self._printed, self._played
        if new and not self._console.is_terminal:
            for line in list(self._results)[-new:]:
                self._console.print(line)

    def _told(self, match: FinishedMatch, settled: Settled) -> None:
        self._played += 1
        if self._arena is not None:
            self._arena.told(match)
        first, second = (
            f"{player.name} ({round(after.rating) if after else '-'})"
            for player, after in zip(match.players, settled.after, strict=True)
        )
        how = {"win": "beat", "loss": "lost to", "draw": "drew with", "void": "did not finish with"}[outcome(match, 0)]
        why = f" - {match.reason}" if match.reason else ""
        self._results.append(f"{match.game}: {first} {how} {second} in {len(match.plies)} plies{why}")

    def _screen(self, venue: Venue, doors: Text) -> Group:
        boards = [_board(match) for match in venue.runner.live]
        called = [] if self._arena is None else [self._arena.panel()]
        who = "four agents" if self._arena is None else "six agents (two by HTTPS)"
        parts: list[RenderableType] = [
            Text(f"AgentBBS demo - a venue, {who} at rated matches, two pilots in the door game", style="bold"),
            Columns([*boards, _ladders(venue), *called, self._starlane.panel()], padding=(0, 1)),
            Panel("\n".join(self._results) or "the first matches are on", title="results", title_align="left"),
        ]
        if self._arena is not None:
            parts.append(self._arena.replay_line(venue))
        if self._roomy:
            parts.append(doors)
        parts.append(Text("Ctrl-C ends the demo", style="dim"))
        return Group(*parts)

    def _summary(self, venue: Venue) -> Group:
        parts: list[RenderableType] = [
            Text(f"{self._played} matches played and stored.", style="bold"),
            _ladders(venue),
            self._starlane.panel(),
        ]
        if self._arena is not None:
            parts += [self._arena.panel(), self._arena.how_to_try(program())]
        return Group(*parts)

    @property
    def _roomy(self) -> bool:
        """Whether the terminal shows boards, results and doors at once."""
        return self._console.is_terminal and self._console.height >= ROOMY_LINES


async def _start(agent: DemoAgent, venue: Venue, passes: Passes) -> asyncio.subprocess.Process:
    """The agent's own process."""
    options = ("--game", agent.game, "--bot", agent.bot, "--budget", "0.5", "--pace", PACE_S, "-n", "0", "--quiet")
    if agent.door == "ssh":
        keys_of = ("--identity", str(passes.keys[agent.name]), "--known-hosts", str(passes.known_hosts))
        where: tuple[str, ...] = (f"ssh://game@{venue.ssh}", *keys_of)
    else:
        where = (f"ws://{venue.game_ws}",)
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "agentbbs", "play", *where, *options),
        env=os.environ | {"AGENTBBS_TOKEN": passes.tokens[agent.name]},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for the demo; it ends the agents in order
    )


async def _end(running: list[asyncio.subprocess.Process]) -> None:
    """Ask every agent to stop: once, and it plays the match to its end; twice, and it resigns. Kill what is left."""
    for _ in range(2):
        for process in running:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.terminate()
        waits = [asyncio.wait_for(process.wait(), AGENT_STOP_S) for process in running]
        ends = await asyncio.gather(*waits, return_exceptions=True)
        if not any(isinstance(end, TimeoutError) for end in ends):
            return
    for process in running:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _board(match: Match) -> Panel:
    names = [player.name for player in match.players]
    mover = match.position.to_move
    lines = [
        f"{mark} {name}{' <' if seat == mover else ''}"
        for seat, (mark, name) in enumerate(zip("XO", names, strict=True))
    ]
    return Panel(f"{match.position.text()}\n\n" + "\n".join(lines), title=match.game.title, title_align="left")


def _ladders(venue: Venue) -> Panel:
    """Every ladder of the demo, one line a name."""
    lines = Text()
    for game in dict.fromkeys(agent.game for agent in AGENTS):
        lines.append(f"{catalog.find(game).title}\n", style="bold")
        with venue.database.connect() as conn:
            for row in ladder(conn, game):
                lines.append(f"{row.rank:>2} {row.name:<10} {row.rating:>5.0f}  {row.wins}-{row.draws}-{row.losses}\n")
    lines.rstrip()
    return Panel(lines, title="ladders (win-draw-loss)", title_align="left", expand=False)


def demo(seconds: float | None, console: Console | None = None, *, arena: bool = False) -> None:
    """Run the demo in this process."""
    asyncio.run(Demo(console or Console(), seconds, arena=arena).run())
