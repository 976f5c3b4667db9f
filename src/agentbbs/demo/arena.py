"""Agent Arena in the demo: two endpoints behind HTTPS, each a process, that the venue registers and calls."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import time
from pathlib import Path
from typing import Final

import msgspec
from rich.panel import Panel
from rich.text import Text

from agentbbs.demo.arena_agent import KEY_VARIABLE
from agentbbs.games.c4 import C4
from agentbbs.play.ports import FinishedMatch
from agentbbs.protocol.signing import SECRET_BYTES, Scheme, new_secret, public_form
from agentbbs.referee.throwaway_ca import ThrowawayCa
from agentbbs.serve import Venue
from agentbbs.store import accounts, endpoints

READY_S: Final = 30.0
"""How long an endpoint's process may take to listen, on a machine that is busy with the rest of the demo."""

MATCHES_PER_HOUR: Final = "3600"
"""More than they can play: nobody waits in a demo."""

CHECK_AGENT: Final = "check-agent http://127.0.0.1:8080/"


class DemoEndpoint(msgspec.Struct, frozen=True):
    """One agent: its name, the bot that thinks for it, and how its requests are signed."""

    name: str
    bot: str
    scheme: Scheme


ENDPOINTS: Final = (
    DemoEndpoint("gremlin-9", "greedy", Scheme.HMAC),
    DemoEndpoint("sphinx", "minimax", Scheme.ED25519),
)


class CannotListen(Exception):
    """The process of an endpoint did not come up."""


class ArenaGame:
    """The endpoints of one run of the demo, with a CA of their own in `folder`. `begin`, then `register`."""

    def __init__(self, folder: Path, pace_s: str) -> None:
        self._ca = ThrowawayCa.make(folder / "arena-ca")
        self._pace_s = pace_s
        self._secrets = {one.name: new_secret(one.scheme, secrets.token_bytes(SECRET_BYTES)) for one in ENDPOINTS}
        self._urls: dict[str, str] = {}
        self._played: dict[str, int] = dict.fromkeys(self._secrets, 0)
        self._strikes: dict[str, int] = dict.fromkeys(self._secrets, 0)
        self._newest: str | None = None
        self.running: list[asyncio.subprocess.Process] = []

    @property
    def settings(self) -> dict[str, str]:
        """What the venue needs to call them."""
        return {
            "AGENTBBS_ARENA_DEV": "1",
            "AGENTBBS_ARENA_CA_FILE": str(self._ca.ca_file),
            "AGENTBBS_ARENA_MATCHES_PER_HOUR": MATCHES_PER_HOUR,
        }

    async def begin(self) -> None:
        """Start the endpoints. Raises CannotListen."""
        ports = await asyncio.gather(*(self._start(one) for one in ENDPOINTS))
        self._urls = {one.name: f"https://127.0.0.1:{port}/" for one, port in zip(ENDPOINTS, ports, strict=True)}

    def register(self, venue: Venue) -> None:
        """Give each an account and its place in the table; the venue finds them there."""
        now_ms = time.time_ns() // 1_000_000
        with venue.database.begin() as conn:
            for one in ENDPOINTS:
                account = accounts.add(conn, one.name, now_ms=now_ms).id
                secret = self._secrets[one.name]
                endpoints.register(conn, account, C4.id, self._urls[one.name], one.scheme, secret, now_ms)

    def hurry(self) -> None:
        """Let them answer without a pause from now on: the matches that are on shall come to their end."""
        for process in self.running:
            if process.returncode is None:
                process.terminate()

    def told(self, match: FinishedMatch) -> None:
        """A match was stored: keep count."""
        movers = _strikes_by_seat(match)
        for seat, player in enumerate(match.players):
            if player.name in self._played:
                self._played[player.name] += 1
                self._strikes[player.name] += movers[seat]
                self._newest = match.id

    def panel(self) -> Panel:
        """Whom the referee calls, and how they fare."""
        lines = Text()
        for one in ENDPOINTS:
            address = self._urls[one.name].removesuffix("/")
            played, strikes = self._played[one.name], self._strikes[one.name]
            lines.append(f"{one.name:<9} {one.bot}\n  {address}\n  {played} played, {strikes} strikes\n")
        lines.rstrip()
        return Panel(lines, title="called by HTTPS", title_align="left", expand=False)

    def replay_line(self, venue: Venue) -> Text:
        """Where the page of the newest match is, or of any."""
        newest = self._newest or "ID"
        return Text(f"replay page: http://{venue.web}/m/{newest}", style="not bold cyan")

    def how_to_try(self, program: str) -> Text:
        """What to do with an agent of one's own."""
        return Text.assemble(
            (
                "An agent of your own is one URL that answers with a move. Start with examples/connect4-agent, then:\n",
                "",
            ),
            (f"  {program} {CHECK_AGENT}\n", "cyan"),
            (f"  {program} {CHECK_AGENT} --faults\n", "cyan"),
            ("At `agentbbs serve` each match has a page: http://127.0.0.1:8080/m/ID", ""),
        )

    async def _start(self, one: DemoEndpoint) -> int:
        """The endpoint's own process; the port at which it listens."""
        cert, key = self._ca.issue()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "agentbbs.demo.arena_agent", "--bot", one.bot, "--pace", self._pace_s),
            *("--cert", str(cert), "--key", str(key)),
            env=os.environ | {KEY_VARIABLE: public_form(one.scheme, self._secrets[one.name])},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the demo; it ends the endpoints last
        )
        self.running.append(process)
        assert process.stdout is not None
        try:
            async with asyncio.timeout(READY_S):
                said = await process.stdout.readline()
        except TimeoutError:
            said = b""
        if not said.strip().isdigit():
            raise CannotListen(f"the endpoint {one.name} did not come up")
        return int(said)


def _strikes_by_seat(match: FinishedMatch) -> tuple[int, int]:
    """In Connect 4 the seats take turns."""
    counts = [0, 0]
    for ply, strikes in enumerate([*(played.strikes for played in match.plies), match.unplayed]):
        counts[ply % 2] += len(strikes)
    return counts[0], counts[1]
