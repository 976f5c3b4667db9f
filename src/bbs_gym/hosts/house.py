"""The house's own BBS as a host: a private venue that is started here, or one that runs already.

Where neither a data folder nor an address is named, the host starts a venue of its own in its folder, on free ports of
this machine alone, and ends it at `stop`; it also ends when this process does, however that comes about. Everything
outside of play goes through the command lines `agentbbs` and `starlane`, but for `nodes`, which asks the venue itself.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.fault import AccountFault
from bbs_gym.accounts.secrets import password_of
from bbs_gym.hosts.content_hash import content_sha256
from bbs_gym.hosts.host import (
    Change,
    Endpoint,
    HostFault,
    NotSupported,
    Provisioned,
    Score,
    Seat,
    Snapshot,
    Transport,
)
from bbs_gym.hosts.house_commands import FORMER_WORLDS, STARLANE, HouseCommands, operators_environment
from bbs_gym.hosts.made_secrets import has_source, made_password, secret_file, with_made_secrets
from bbs_gym.hosts.public_key import public_key_of
from bbs_gym.hosts.seats import seats
from bbs_gym.hosts.snapshot_name import check_snapshot_name
from bbs_gym.hosts.venue_process import PRIVATE_NODES, VenueProcess, venue_environment
from bbs_gym.hosts.venue_state import VenueState, read_venue_state

if TYPE_CHECKING:
    from bbs_gym.hosts.settings import HostSettings

KIND: Final = "house"

DEFAULT_PORTS: Final[Mapping[str, int]] = {"ssh": 2222, "telnet": 2323, "rlogin": 2513, "game_ws": 8090}
"""Of a venue that nothing more is known of."""

DEFAULT_NODES: Final = 32
"""The same."""

FIRST_SEED: Final = 0
"""Of the world that a private venue has until a match makes another: the same one each time."""

EXPORTS: Final = ("boards", "mail", "users", STARLANE)
"""What `export` knows."""


class HouseHost:
    """One venue of the house; see `bbs_gym.hosts.host.Host`, and `with_secrets` beside it.

    After `start` and after `restore` ask `endpoint` anew: a private venue has other ports then.
    """

    kind: str = KIND

    def __init__(self, settings: HostSettings, folder: Path) -> None:
        """`folder` is for what the host makes: the private venue (`venue`), its log, passwords, snapshots."""
        self._settings = settings
        self._folder = folder.absolute()
        self._process: VenueProcess | None = None
        self._commands: HouseCommands | None = None
        if settings.data is not None:
            self._commands = HouseCommands(settings.data, operators_environment(settings.data))
        elif settings.address is None:
            data = self._folder / "venue"
            environment = venue_environment(data)
            self._commands = HouseCommands(data, environment)
            self._process = VenueProcess(data, self._folder / "venue.log", environment)
        self._agents: dict[str, str] = {}
        self._changing = asyncio.Lock()

    @property
    def private(self) -> bool:
        """The venue is this host's own."""
        return self._process is not None

    # Running

    async def start(self) -> None:
        """See Host. Another venue is looked for, and not started."""
        async with self._changing:
            if self._process is None:
                if self._commands is not None:
                    self._state()
            elif not self._process.running:
                await self._start_private(self._process)

    async def stop(self) -> None:
        """See Host."""
        async with self._changing:
            if self._process is not None:
                await self._process.stop()

    async def _start_private(self, process: VenueProcess) -> None:
        await process.stop()  # of one that has died
        commands = self._has_commands()
        try:
            commands.data.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not commands.has_universe():
                await self._make_world(FIRST_SEED)
            await process.start()
        except OSError as fault:
            raise HostFault(f"a private venue can't be started in {self._folder}: {fault.strerror}") from fault

    async def _make_world(self, seed: int | None) -> None:
        """One where no midnight falls into a match, if the venue is ours."""
        words = () if seed is None else ("--seed", str(seed))
        await self._has_commands().starlane("new", *words, "--clock", "manual" if self.private else "local")

    # Where it is

    def endpoint(self, transport: Transport) -> Endpoint:
        """See Host."""
        found = self._server(transport.value)
        if found is None:
            raise NotSupported(f"this venue takes no calls by {transport}: take another transport")
        return found

    def encoding(self) -> str:
        """See Host. The house finds out what a terminal speaks; this is what BBSes speak."""
        return "cp437"

    def node_count(self) -> int:
        """See Host."""
        if self._process is not None:
            return PRIVATE_NODES
        return DEFAULT_NODES if self._commands is None else self._state().nodes or DEFAULT_NODES

    async def nodes(self) -> tuple[Seat, ...]:
        """See Host. It takes a few ms, where `agentbbs nodes` would take a process: sessions ask it one by one."""
        game_port = self._server("game_ws")
        if game_port is None:
            raise NotSupported("this venue has no game port, by which it tells who is on: set AGENTBBS_GAME_WS_ADDR")
        return await seats(game_port)

    def _server(self, server: str) -> Endpoint | None:
        """Where one of its servers is reached: as the settings say, or else as the venue does."""
        stated = None if self._commands is None else self._state().endpoint(server)
        port = self._settings.ports.get(server)
        if self._commands is None:
            port = port or DEFAULT_PORTS[server]
        if stated is None and port is None:
            return None
        host = self._settings.address or (stated.host if stated else "127.0.0.1")
        return Endpoint(host, port or (stated.port if stated else 0))

    def _state(self) -> VenueState:
        """What the venue says of itself. Raises HostFault if it does not run."""
        if self._process is not None:
            return self._process.state
        data = self._has_commands().data
        state = read_venue_state(data)
        if state is None:
            raise HostFault(f"no venue runs in {data}: start it with `AGENTBBS_DATA={data} agentbbs serve`")
        return state

    def _has_commands(self) -> HouseCommands:
        """Its command lines. Raises HostFault for a venue of which only the address is known, and for one that died."""
        if self._commands is None:
            raise NotSupported(
                f"the venue at {self._settings.address} can be played on and no more: name its data folder for the rest"
            )
        if self._process is not None:
            self._process.check()
        return self._commands

    # Accounts

    def with_secrets(self, accounts: Sequence[Account]) -> tuple[Account, ...]:
        """The accounts as they are to call with: on a private venue, those that name no password with one made for
        them, in a file that is this user's alone. The same at each call. Raises HostFault."""
        if not self.private:
            return tuple(accounts)
        try:
            return with_made_secrets(accounts, self._secrets)
        except OSError as fault:
            raise HostFault(f"passwords can't be kept in {self._secrets}: {fault.strerror}") from fault

    async def provision(self, accounts: Sequence[Account], *, dry_run: bool = False) -> tuple[Provisioned, ...]:
        """See Host: all of them or, where one can't be, none. Raises HostFault for what is wrong with an account too.

        Their first call is like any later one. On a private venue those without a password get one: `with_secrets`.
        """
        commands = self._has_commands()
        called = accounts if dry_run else self.with_secrets(accounts)
        try:
            wanted = [await asyncio.to_thread(self._wanted, account) for account in called]
        except AccountFault as fault:
            raise HostFault(str(fault)) from fault
        words = ("user", "provision", "-", *(("--dry-run",) if dry_run else ()))
        told = await commands.agentbbs_json(*words, text=msgspec.json.encode(wanted))
        found = msgspec.convert(told, list[_Told])
        self._agents |= {one.name.casefold(): account.agent_id for one, account in zip(found, accounts, strict=True)}
        return tuple(
            Provisioned(
                agent_id=account.agent_id,
                alias=one.name,
                change=one.change,
                detail=", ".join(part for part in one.what if part != "account"),
            )
            for one, account in zip(found, accounts, strict=True)
        )

    @property
    def _secrets(self) -> Path:
        return self._folder / "secrets"

    def _wanted(self, account: Account) -> dict[str, str]:
        """As `agentbbs user provision` takes it."""
        password = self._password(account)
        key = None if account.key_file is None else public_key_of(account)
        if password is None and key is None:
            raise HostFault(
                f"{account.agent_id} has neither a password nor a key: set password_env, password_file or key_file"
            )
        return {
            "name": account.alias,
            **({} if password is None else {"password": password}),
            **({} if key is None else {"key": key}),
        }

    def _password(self, account: Account) -> str | None:
        """Its password; on a private venue also one that was made, or in a dry run would be."""
        if has_source(account) or not self.private:
            return password_of(account)
        file = secret_file(account, self._secrets)
        if file.exists():
            return password_of(msgspec.structs.replace(account, password_file=file))
        return made_password()

    # State

    async def save(self, name: str) -> Snapshot:
        """See Host. Callers may be on. A name is taken once."""
        commands = self._has_commands()
        place = self._folder / "snapshots" / check_snapshot_name(name)
        if place.exists():
            raise HostFault(f"there is a snapshot {name} in {place.parent} already: choose another name, or remove it")
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            await commands.agentbbs("snapshot", "save", str(place))
            sha256 = await asyncio.to_thread(content_sha256, place)
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)  # half a snapshot is none, and what it is of still stands
            raise
        return Snapshot(
            name=name, path=place, sha256=sha256, created_at=datetime.now(UTC).isoformat(timespec="seconds")
        )

    async def restore(self, snapshot: Snapshot) -> None:
        """See Host. A private venue is stopped and started; another one has to be stopped by whoever runs it. Raises
        HostFault also if the snapshot is not what it was when it was saved."""
        commands = self._has_commands()
        found = await asyncio.to_thread(content_sha256, snapshot.path) if snapshot.path.is_dir() else ""
        if found != snapshot.sha256:
            gone = "is not there" if not found else "is not what it was when it was saved"
            raise HostFault(f"the snapshot {snapshot.name} {gone} ({snapshot.path}): take another one")
        async with self._changing:
            running = self._process is not None and self._process.running
            if self._process is not None:
                await self._process.stop()
            try:
                await commands.agentbbs("snapshot", "restore", str(snapshot.path))
            finally:
                if running and self._process is not None:
                    await self._start_private(self._process)

    async def export(self, what: str) -> object:
        """See Host: `boards`, `mail`, `users`, `starlane`, as the command lines have them."""
        commands = self._has_commands()
        match what:
            case "boards" | "mail":
                return await commands.agentbbs_json(what, "export")
            case "users":
                return await commands.agentbbs_json("user", "list")
            case "starlane":
                return await commands.starlane_json("export")
        raise NotSupported(f"the house exports {', '.join(EXPORTS)}, and no {what!r}")

    # Games

    async def scores(self, game: str) -> tuple[Score, ...]:
        """See Host. The score in Starlane is what a pilot is worth; the parts are all else that its line says."""
        self._check_game(game)
        told = await self._has_commands().starlane_json("scores")
        return tuple(self._score(line) for line in told["scores"])

    def _score(self, line: Mapping[str, Any]) -> Score:
        parts = {name: float(value) for name, value in line.items() if isinstance(value, int | float)}
        name = str(line["name"])
        return Score(
            player=name,
            agent_id=self._agents.get(name.casefold()),
            score=parts.pop("net_worth"),
            parts={part: value for part, value in parts.items() if part != "rank"},
        )

    async def reset_door(self, game: str, *, seed: int | None = None) -> None:
        """See Host. Where there is no world yet, one is made."""
        self._check_game(game)
        commands = self._has_commands()
        if not commands.has_universe():
            await self._make_world(seed)
            return
        await commands.starlane("reset", *(() if seed is None else ("--seed", str(seed))))
        if self.private:  # a board of one run has its snapshots, and nobody who would look for the world of before
            for former in commands.starlane_folder().glob(FORMER_WORLDS):
                former.unlink()

    async def grant_turns(self, game: str, player: str, turns: int) -> None:
        """See Host. Whoever has an account and was never in the game is made a player first, by a visit that ends at
        once: later it is greeted as one who comes back."""
        self._check_game(game)
        commands = self._has_commands()
        try:
            await commands.starlane("grant-turns", player, str(turns))
        except HostFault:
            if any(score.player.casefold() == player.casefold() for score in await self.scores(game)):
                raise
            await self._enlist(player)
            await commands.starlane("grant-turns", player, str(turns))

    async def _enlist(self, player: str) -> None:
        """Let an account be seen in Starlane, as the board itself names it there. Raises HostFault."""
        commands = self._has_commands()
        users = await commands.agentbbs_json("user", "list")
        found = [user for user in users if user["name"].casefold() == player.casefold()]
        if not found:
            raise HostFault(f"{player} has no account on this board: provision it first")
        await commands.starlane("play", "--key", f"#{found[0]['account']}", "--name", found[0]["name"], "--plain")

    def _check_game(self, game: str) -> None:
        if game != STARLANE:
            raise NotSupported(f"the house has the scores and the worlds of {STARLANE}, and none of {game!r}")


class _Told(msgspec.Struct, frozen=True):
    """One account, as `agentbbs user provision` tells of it."""

    name: str
    change: Change
    what: tuple[str, ...]
