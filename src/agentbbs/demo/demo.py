"""The demo: a venue in a temporary folder, four agents that play on it, and a screen that shows it all.

Nothing is staged: the venue is the one that `agentbbs serve` runs, and the agents are `agentbbs play` as
processes of their own, each with a token. When it ends, so do they, and the folder goes.
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

import asyncssh
import msgspec
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from agentbbs import logs
from agentbbs.config import Settings
from agentbbs.games import catalog
from agentbbs.play.match import Match
from agentbbs.play.ports import FinishedMatch, Settled
from agentbbs.play.verdict import outcome
from agentbbs.serve import Venue
from agentbbs.servers.host_key import host_key
from agentbbs.store import accounts, keys, tokens
from agentbbs.store.ladder import ladder

REFRESH_S: Final = 0.25
"""How often the screen is drawn."""

PACE_S: Final = "0.4"
"""What the agents wait before a move, so that a person can follow."""

AGENT_STOP_S: Final = 5.0
"""How long an agent's process may take to end its match before it must resign, and then before it is killed."""

RECENT: Final = 6
"""Results on the screen."""

ROOMY_LINES: Final = 36
"""A terminal of so many lines shows everything at once; on a smaller one the doors are printed first."""

VISITOR: Final = "you"
"""The account that the demo keeps for whoever watches."""


ADDRESSES: Final = (
    "AGENTBBS_GAME_WS_ADDR",
    "AGENTBBS_SSH_ADDR",
    "AGENTBBS_TELNET_ADDR",
    "AGENTBBS_RLOGIN_ADDR",
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
    """One run of the demo. `seconds` None: until Ctrl-C."""

    def __init__(self, console: Console, seconds: float | None) -> None:
        self._console = console
        self._seconds = seconds
        self._results: deque[str] = deque(maxlen=RECENT)
        self._played = 0
        self._printed = 0
        self._stop = asyncio.Event()

    async def run(self) -> None:
        """Play until the time is over or somebody stops it, then say what happened."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop.set)
        with tempfile.TemporaryDirectory(prefix="agentbbs-demo-") as folder:
            settings = Settings.from_env({"AGENTBBS_DATA": folder} | dict.fromkeys(ADDRESSES, "127.0.0.1:0"))
            logs.configure("console", "warning")
            async with Venue(settings, told=self._told) as venue:
                passes = await asyncio.to_thread(_accounts, venue, Path(folder))
                running = [await _start(agent, venue, passes) for agent in AGENTS]
                try:
                    await self._show(venue, passes)
                finally:
                    self._console.print("Ending: the agents play their matches to the end.", style="dim")
                    await _end(running)
                self._print_news()
                summary = self._summary(venue)
        self._console.print(summary)

    async def _show(self, venue: Venue, passes: Passes) -> None:
        """Draw until the end: a live screen on a terminal, a line a result elsewhere."""
        ends_at = None if self._seconds is None else time.monotonic() + self._seconds
        doors = _doors(venue, passes)
        if not self._roomy:
            self._console.print(doors, soft_wrap=True)  # a command that is broken in two can not be copied
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            while not self._stop.is_set() and (ends_at is None or time.monotonic() < ends_at):
                if self._console.is_terminal:
                    live.update(self._screen(venue, doors), refresh=True)
                self._print_news()
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
        first, second = (
            f"{player.name} ({round(after.rating) if after else '-'})"
            for player, after in zip(match.players, settled.after, strict=True)
        )
        how = {"win": "beat", "loss": "lost to", "draw": "drew with", "void": "did not finish with"}[outcome(match, 0)]
        why = f" - {match.reason}" if match.reason else ""
        self._results.append(f"{match.game}: {first} {how} {second} in {len(match.plies)} plies{why}")

    def _screen(self, venue: Venue, doors: Text) -> Group:
        boards = [_board(match) for match in venue.runner.live]
        parts: list[RenderableType] = [
            Text("AgentBBS demo - a venue, and four agents that play rated matches on it", style="bold"),
            Columns([*boards, _ladders(venue)], padding=(0, 1)),
            Panel("\n".join(self._results) or "the first matches are on", title="results", title_align="left"),
        ]
        if self._roomy:
            parts.append(doors)
        parts.append(Text("Ctrl-C ends the demo", style="dim"))
        return Group(*parts)

    def _summary(self, venue: Venue) -> Group:
        return Group(Text(f"{self._played} matches played and stored.", style="bold"), _ladders(venue))

    @property
    def _roomy(self) -> bool:
        """Whether the terminal shows boards, results and doors at once."""
        return self._console.is_terminal and self._console.height >= ROOMY_LINES


class Passes(msgspec.Struct, frozen=True):
    """How the accounts of the demo get in: a token each, one key file for each, and whom SSH may trust."""

    tokens: dict[str, str]
    keys: dict[str, Path]
    known_hosts: Path


def _accounts(venue: Venue, folder: Path) -> Passes:
    """An account with a token and a key for each agent and for the visitor."""
    now_ms = time.time_ns() // 1_000_000
    passes = Passes({}, {}, folder / "known_hosts")
    with venue.database.begin() as conn:
        for name in (*(agent.name for agent in AGENTS), VISITOR):
            account = accounts.add(conn, name, now_ms=now_ms).id
            passes.tokens[name] = tokens.mint(conn, account, now_ms)
            key = asyncssh.generate_private_key("ssh-ed25519")
            passes.keys[name] = folder / f"{name}.key"
            passes.keys[name].touch(0o600)
            key.write_private_key(passes.keys[name])
            keys.add(conn, account, keys.parse(key.export_public_key().decode()), now_ms=now_ms)
    if venue.ssh is not None:
        host = host_key(venue.settings.data).export_public_key().decode()
        passes.known_hosts.write_text(f"[{venue.ssh.host}]:{venue.ssh.port} {host}")
    return passes


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


def _doors(venue: Venue, passes: Passes) -> Text:
    """How to join by hand: short lines, so that none is broken in two on a terminal of 80 columns."""
    program = _program()
    text = Text("Join in from another terminal:\n", style="bold")
    for line in (
        f"export AGENTBBS_TOKEN={passes.tokens[VISITOR]}",
        f"{program} play ws://{venue.game_ws} --game c4 --bot greedy",
        f"{program} watch --url http://{venue.game_ws}",
        *_ssh_lines(venue, passes),
        *_bbs_lines(venue, passes),
    ):
        text.append(f"  {line}\n", style="not bold cyan")
    text.append(f"or any WebSocket client: ws://{venue.game_ws}/play?game=ttt&token=…", style="not bold")
    return text


def _ssh_lines(venue: Venue, passes: Passes) -> tuple[str, ...]:
    """The same over OpenSSH: type {"type":"move","move":"4"} when it is your turn. Only the demo's key is offered: the
    venue goes by the first key that proves itself, and an agent's keys would come before it."""
    if venue.ssh is None:
        return ()
    return (
        f"ssh -p {venue.ssh.port} -o UserKnownHostsFile={passes.known_hosts} \\",
        f"    -o IdentitiesOnly=yes -i {passes.keys[VISITOR]} \\",
        f"    game@{venue.ssh.host} ttt",
    )


def _bbs_lines(venue: Venue, passes: Passes) -> tuple[str, ...]:
    """How to call the board: by SSH without any key, by telnet and by rlogin."""
    lines: list[str] = []
    if venue.ssh is not None:
        trust = f"-o UserKnownHostsFile={passes.known_hosts}"
        lines += [f"ssh -p {venue.ssh.port} {trust} \\", f"    guest@{venue.ssh.host}"]
    if venue.telnet is not None:
        lines.append(f"telnet {venue.telnet.host} {venue.telnet.port}")
    if venue.rlogin is not None:
        lines.append(f"rlogin -p {venue.rlogin.port} -l guest {venue.rlogin.host}")
    return tuple(lines)


def _program() -> str:
    """How this program was called, as it can be called from here again."""
    called = Path(sys.argv[0])
    with suppress(ValueError):
        return str(called.resolve().relative_to(Path.cwd()))
    return called.name


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


def demo(seconds: float | None, console: Console | None = None) -> None:
    """Run the demo in this process."""
    asyncio.run(Demo(console or Console(), seconds).run())
