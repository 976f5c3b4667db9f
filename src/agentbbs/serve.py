"""The composition root: settings in, a running venue out, and an orderly stop.

Everything is wired here and nowhere else. The stop drains: nobody new is paired, matches that are on may
finish within `AGENTBBS_DRAIN`, what is left is void, every result is stored and told, then the doors close.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import gc
import os
import random
import resource
import signal
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

import structlog
from aiohttp import web

from agentbbs import __version__
from agentbbs.arena import Arena, WrongCaFile
from agentbbs.bbs import Bbs
from agentbbs.bots.house import HouseSeats
from agentbbs.config import Address, Settings
from agentbbs.doors.config import WrongDoors
from agentbbs.games import catalog
from agentbbs.hub.games import GameRoom
from agentbbs.play.alarms import Alarms
from agentbbs.play.lobby import Lobby
from agentbbs.play.ports import FinishedMatch, Settled
from agentbbs.play.runner import Runner, Told
from agentbbs.play.spectators import Audience
from agentbbs.play.tally import Tally
from agentbbs.servers.gate import Gate
from agentbbs.servers.host_key import HostKeyFault, host_key
from agentbbs.servers.ssh import SshEndpoint
from agentbbs.servers.vestibule import Vestibule
from agentbbs.servers.watch import WatchEndpoints
from agentbbs.servers.websocket import PlayEndpoint
from agentbbs.store.accounts import rights_epoch
from agentbbs.store.careers_fold import catch_up, uncounted
from agentbbs.store.database import Database
from agentbbs.store.key_ring import KeyRing
from agentbbs.store.ladder import LadderReader
from agentbbs.store.matches import FOLD_MATCHES, MatchWriter
from agentbbs.store.token_cache import TokenCache
from agentbbs.venue_folder import LOCK_FILE, State, remove_state, write_state
from agentbbs.web.venue_view import VenueView
from agentbbs.website import Website, admit_by, bind, web_settings

BACKLOG: Final = 4096
"""Connections that may wait to be accepted: a whole fleet that reconnects at once."""

FLUSH_LAST_USE_S: Final = 5.0
"""How often the last use of tokens is written: a hint for people, not worth a commit a login."""

RIGHTS_S: Final = 1.0
"""How soon an open connection feels that its account, key or token is gone; the door feels it at once."""

CLOSE_S: Final = 5.0
"""How long open connections get to close in an orderly stop."""

STORE_S: Final = 30.0
"""How long the last matches may take to be stored in an orderly stop."""

GC_THRESHOLDS: Final = (10_000, 20, 50)
"""Objects made before the youngest are looked at, and how often the older ones are: by default 700, 10, 10. A look at
ten thousand takes 10 ms; at fifty thousand it took 46, and made a hundredth of all pages late."""

_log = structlog.get_logger(__name__)


class CannotStart(Exception):
    """Why the venue does not start, as one line that names the remedy."""


class Venue:
    """A venue in this event loop. Use it as an async context manager; leaving it is the orderly stop."""

    def __init__(self, settings: Settings, *, told: Told | None = None) -> None:
        """`told` hears of each match that was committed, before its players do."""
        self.settings = settings
        self._also_told = told
        self.tally = Tally()
        self.stopping = False
        self.game_ws: Address | None = None
        self.ssh: Address | None = None
        self.telnet: Address | None = None
        self.rlogin: Address | None = None
        self.web: Address | None = None
        self._fingerprint: str | None = None
        self._lock: IO[str] | None = None
        self.lost = 0
        """Matches that could not be stored before the end; each is in the log in full."""
        self._web: web.AppRunner | None = None
        self._http: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def status(self) -> str:
        """`ok`, `stopping`, or `retrying` while finished matches can't be stored."""
        if self.stopping:
            return "stopping"
        return "ok" if self.writer.healthy else "retrying"

    async def __aenter__(self) -> Self:
        catalog.ids()  # a broken game of a third party stops the start, not the first join
        self._lock = _lock_folder(self.settings.data)
        try:
            await self._open()
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def stop(self) -> None:
        """Drain and close; a second call does nothing."""
        if self.stopping:
            return
        self.stopping = True
        _log.info("venue_stopping", live=len(self.runner.live), drain_s=self.settings.drain_s)
        self.bbs.begin_to_close(self.settings.drain_s)
        self.lobby.stop()
        self.arena.practice.stop()
        await self.runner.drain(self.settings.drain_s)
        await asyncio.gather(
            self.play.shut_down(CLOSE_S), self.game_ssh.shut_down(CLOSE_S), self.bbs.shut_down(CLOSE_S)
        )
        await self._close()
        _log.info("venue_stopped")

    async def _open(self) -> None:
        settings = self.settings
        loop = asyncio.get_running_loop()
        self.database = Database(settings.database_url).open()
        await self._count_careers()
        self.writer = MatchWriter(self.database, loop)
        self.writer.start()
        self.tokens = TokenCache(self.database)
        self.alarms = Alarms(loop)
        self.audience = Audience()
        self.house = HouseSeats()
        self.runner = Runner(
            self.writer,
            self.alarms,
            self.audience,
            self.tally,
            move_timeout_ms=settings.move_timeout_ms,
            told=self._told,
        )
        self.lobby = Lobby(
            self.runner,
            LadderReader(self.database),
            self.house,
            self.alarms,
            random.SystemRandom(),
            queue_wait_s=settings.queue_wait_s,
            resume_grace_s=settings.resume_grace_s,
        )
        gate = Gate(self.tokens, loop.time, lambda: self.stopping, settings.trusted_proxies, self.tally)
        self.play = PlayEndpoint(gate, self.lobby, self.alarms, self.tally)
        self.website = Website(self.alarms)
        self._open_arena()
        await self._open_bbs()
        if settings.game_ws_addr is not None:
            self.game_ws = await self._listen(settings.game_ws_addr)
        await self._open_website(gate)
        open_at = {name: _shown(address) for name, address in self._addresses().items()}
        write_state(settings.data, State(os.getpid(), nodes=settings.nodes, **open_at))
        self._tasks.add(asyncio.create_task(self.arena.attend()))
        self._tasks.add(asyncio.create_task(self._flush_last_use()))
        self._tasks.add(asyncio.create_task(self._watch_rights()))
        _log.info(
            "venue_open",
            version=__version__,
            **open_at,
            ssh_host_key=self._fingerprint,
            data=str(settings.data.absolute()),
        )
        if not any(open_at.values()):
            _log.warning("no_door_is_open", remedy="set AGENTBBS_GAME_WS_ADDR or AGENTBBS_SSH_ADDR")

    async def _count_careers(self) -> None:
        """Count the matches of an earlier version before the doors open: pages would be slow until then."""

        def progress(done: int, whole: int) -> None:
            _log.info("careers_counted", matches=done, of=whole)

        if await self.database.look_up(uncounted) > FOLD_MATCHES:
            await asyncio.to_thread(catch_up, self.database, progress=progress)

    def _open_arena(self) -> None:
        """The referee that calls endpoints. Raises CannotStart."""
        try:
            self.arena = Arena(self.settings, self.database, self.runner, self.lobby, self.house, self.alarms)
        except WrongCaFile as fault:
            raise CannotStart(str(fault)) from fault

    async def _open_website(self, gate: Gate) -> None:
        """The pages with the API, which know every other door. Raises CannotStart."""
        address = self.settings.web_addr
        if address is None:
            return
        try:
            listening, self.web = bind(address)
        except OSError as fault:
            raise CannotStart(_why_not("AGENTBBS_WEB_ADDR", address, fault)) from fault
        self.arena.public_url = self.arena.public_url or f"http://{self.web}"
        view = VenueView(
            settings=web_settings(
                self.settings,
                self.arena.public_url,
                game_ws=self.game_ws,
                ssh=self.ssh,
                telnet=self.telnet,
            ),
            database=self.database,
            live=self.runner,
            audience=self.audience,
            admit=admit_by(gate),
            check_token=gate.check,
            registrations=self.bbs.registrations,
            status=lambda: self.status,
            waiting=self.lobby.queues,
        )
        await self.website.listen(listening, view, self.arena)

    async def _open_bbs(self) -> None:
        """The board, and the servers that lead to it: SSH (the games' door too), telnet, rlogin. Raises CannotStart."""
        settings = self.settings
        try:
            games = GameRoom(self.lobby, self.runner, self.audience, self.house)
            self.bbs = Bbs(settings, self.database, games, self.tally, self.alarms, probe=self.arena.probe)
        except WrongDoors as fault:
            raise CannotStart(str(fault)) from fault
        await self.bbs.begin()
        self.game_ssh = SshEndpoint(
            KeyRing(self.database),
            self.lobby,
            self.alarms,
            self.tally,
            stopping=lambda: self.stopping,
            hub=self.bbs.ssh,
        )
        if settings.ssh_addr is not None:
            self.ssh = await self._listen_ssh(settings.ssh_addr)
        self.telnet = await _listening("AGENTBBS_TELNET_ADDR", settings.telnet_addr, self.bbs.listen_telnet)
        self.rlogin = await _listening("AGENTBBS_RLOGIN_ADDR", settings.rlogin_addr, self.bbs.listen_rlogin)

    def _addresses(self) -> dict[str, Address | None]:
        """Where it listens, by the names and in the order of `venue_folder.State`."""
        return {
            "game_ws": self.game_ws,
            "ssh": self.ssh,
            "telnet": self.telnet,
            "rlogin": self.rlogin,
            "web": self.web,
        }

    def _told(self, match: FinishedMatch, settled: Settled) -> None:
        self.lobby.told(match, settled)
        self.arena.told(match, settled)
        if self._also_told is not None:
            self._also_told(match, settled)

    async def _listen(self, address: Address) -> Address:
        """Serve the game port; returns where it listens. Raises CannotStart."""
        watch = WatchEndpoints(self.runner, self.lobby, self.audience, self, self.bbs.board.presence.everyone)
        app = web.Application()
        app.on_response_prepare.append(_name_no_version)
        app.router.add_get("/play", self.play.serve)
        app.router.add_get("/watch/{match}", watch.watch)
        app.router.add_get("/live", watch.live)
        app.router.add_get("/lobby", watch.lobby)
        app.router.add_get("/nodes", watch.nodes)
        app.router.add_get("/healthz", watch.healthz)
        app.router.add_get("/metrics", watch.metrics)
        self._web = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=CLOSE_S)
        vestibule = Vestibule(self.alarms)
        app.middlewares.append(vestibule.middleware)
        self.play.upgraded = vestibule.upgraded
        watch.upgraded = vestibule.upgraded
        await self._web.setup()
        server = self._web.server
        if server is None:
            raise RuntimeError("aiohttp's runner was set up and has no server")
        loop = asyncio.get_running_loop()
        try:
            self._http = await loop.create_server(vestibule.around(server), address.host, address.port, backlog=BACKLOG)
        except OSError as fault:
            raise CannotStart(_why_not("AGENTBBS_GAME_WS_ADDR", address, fault)) from fault
        host, port = self._http.sockets[0].getsockname()[:2]
        return Address(host, port)

    async def _listen_ssh(self, address: Address) -> Address:
        """Serve `game@`; returns where it listens. Raises CannotStart."""
        try:
            key = host_key(self.settings.data)
            self._fingerprint = key.get_fingerprint()
            return Address(*await self.game_ssh.listen(address.host, address.port, key))
        except HostKeyFault as fault:
            raise CannotStart(str(fault)) from fault
        except OSError as fault:
            raise CannotStart(_why_not("AGENTBBS_SSH_ADDR", address, fault)) from fault

    async def _flush_last_use(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_LAST_USE_S)
            await self.tokens.flush_last_use()

    async def _watch_rights(self) -> None:
        """See within RIGHTS_S that an account, key or token was taken away, and expel who came in by it."""
        seen: int | None = None
        while True:
            await asyncio.sleep(RIGHTS_S if seen is not None else 0)
            try:
                epoch = await self.database.look_up(rights_epoch)
                if epoch != seen:
                    await asyncio.gather(self.play.recheck(), self.game_ssh.recheck(), self.bbs.recheck())
                    seen = epoch
            except Exception:  # the next look tries again
                _log.exception("rights_not_checked")
                await asyncio.sleep(RIGHTS_S)

    async def _end_tasks(self) -> None:
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _close(self) -> None:
        await self._end_tasks()
        if self._http is not None:
            self._http.close()
        if self._web is not None:
            await self._web.cleanup()
        if hasattr(self, "website"):
            await self.website.close()
        if hasattr(self, "arena"):
            await self.arena.close()
        if hasattr(self, "writer"):
            self.lost = await self.writer.close(STORE_S)
            await self.tokens.flush_last_use()
            self.alarms.stop()
            self.house.close()
        if hasattr(self, "bbs"):
            self.bbs.close()
        if hasattr(self, "database"):
            await self.database.close()
        if self._lock is not None:
            remove_state(self.settings.data)
            self._lock.close()


def _lock_folder(data: Path) -> IO[str]:
    """Take the data folder for this process. Raises CannotStart."""
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.fdopen(os.open(data / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK, 0o600))
        if not stat.S_ISREG(os.fstat(lock.fileno()).st_mode):
            lock.close()
            raise CannotStart(f"{data / LOCK_FILE} is no file: remove it")
    except OSError as fault:
        why = f"AGENTBBS_DATA={str(data)!r} can't be used: {fault.strerror}: name a folder you own"
        raise CannotStart(why) from fault
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as fault:
        lock.close()
        raise CannotStart(
            f"AGENTBBS_DATA={str(data)!r} is in use by a venue that runs: stop it, or name another folder"
        ) from fault
    return lock


async def _name_no_version(_: web.Request, response: web.StreamResponse) -> None:
    response.headers["Server"] = "AgentBBS"  # nobody shall sort venues by the versions of their libraries


async def _listening(
    variable: str, address: Address | None, listen: Callable[[Address], Awaitable[Address]]
) -> Address | None:
    """Where a server listens that `variable` sets; None if it is off. Raises CannotStart."""
    if address is None:
        return None
    try:
        return await listen(address)
    except OSError as fault:
        raise CannotStart(_why_not(variable, address, fault)) from fault


def _shown(address: Address | None) -> str | None:
    return None if address is None else str(address)


def _why_not(variable: str, address: Address, fault: OSError) -> str:
    where = f"{variable}={str(address)!r}"
    if fault.errno == errno.EADDRINUSE:
        return f"{where} is in use by another program: stop it, or set another port (0 takes a free one)"
    if fault.errno == errno.EACCES:
        return f"{where} is not allowed: ports below 1024 need privileges, set a higher one"
    return f"{where} can't be listened on: {fault.strerror or fault}"


async def serve(settings: Settings) -> int:
    """Run a venue until SIGTERM or SIGINT, then stop it in order. Returns how many finished matches could not
    be stored. Raises CannotStart."""
    _raise_file_limit()
    loop = asyncio.get_running_loop()
    told = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    async with Venue(settings) as venue:
        _quieten_the_collector()
        await told.wait()
    return venue.lost


def _quieten_the_collector() -> None:
    """What is there now stays: look for cycles only in what comes after, and less often. A venue makes and
    drops hundreds of objects a move, hardly any in cycles; measured in docs/performance.md."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def _raise_file_limit() -> None:
    """Take as many open files as this process may have: each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def run(settings: Settings) -> int:
    """`serve` on the fastest event loop there is; returns what `serve` does."""
    try:
        import uvloop  # noqa: PLC0415 - optional, the extra `fast`
    except ImportError:
        return asyncio.run(serve(settings))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(serve(settings))
