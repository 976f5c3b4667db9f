"""Synchronet as a host: accounts, nodes, scores, doors and snapshots, by our own scripts and its own files.

Three rules of Synchronet shape this. Its worlds are in memory and reach the disk only every `save_interval`, not at
the end of the process: so a stop waits that long, and scores are read live. A player who is in a door has a copy of
the record that is written over ours: so turns are given, and worlds are reset, only with nobody inside. And nodes are
given by Synchronet, the lowest free one first: `node.dab` tells which.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.fault import AccountFault
from bbs_gym.accounts.secrets import password_of
from bbs_gym.hosts import state_folders
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
from bbs_gym.hosts.line_probe import Sleep
from bbs_gym.hosts.node_dab import BadNodeFile, NodeState, read_node_dab
from bbs_gym.hosts.synchronet_choice import choose_installation
from bbs_gym.hosts.synchronet_compose import PORTS
from bbs_gym.hosts.synchronet_installation import Installation
from bbs_gym.hosts.synchronet_messages import board_records, mail_records, read_areas
from bbs_gym.hosts.synchronet_tree import LOOPBACK
from bbs_gym.hosts.tw2_world import read_players, scores_of, state_of

if TYPE_CHECKING:
    from bbs_gym.hosts.settings import HostSettings

_Result = TypeVar("_Result")

SNAPSHOTS: Final = "snapshots"
"""In the host's folder."""

MAX_ALIAS_CHARS: Final = 25
MAX_PASSWORD_CHARS: Final = 40
"""Of Synchronet's own records; what is longer would be cut."""

SAVE_MARGIN_S: Final = 1.0
"""Beyond `save_interval`: the timer of the JSON service counts whole seconds."""

MAX_TURNS: Final = 10_000
"""More than a day of play has; a mistyped number stands out."""

_TW2: Final = "tw2"
_ALIAS: Final = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")

_BY_HAND: Final = {
    "bre": "the reset program of BRE itself, or a snapshot",
    "tw2002": "BIGBANG and TEDIT of TW2002, or a snapshot",
    "tele-arena": "the tools of its server (TELE_ARENA.md)",
}
"""What takes the place of a reset where there is no script."""


class SynchronetHost:
    """One Synchronet. Its methods may run at the same time; those that stop it exclude each other."""

    kind = "synchronet"

    def __init__(
        self,
        settings: HostSettings,
        folder: Path,
        *,
        installation: Installation | None = None,
        secret_of: Callable[[Account], str | None] = password_of,
        sleep: Sleep = asyncio.sleep,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`folder` takes snapshots, and the log of a BBS that we start; nothing is started here.

        Without an `installation` it is the one that the settings choose; where that is none, it is somebody else's BBS:
        agents can call there, and nothing else is supported. Raises HostFault.
        """
        self._installation = choose_installation(settings, folder) if installation is None else installation
        self._snapshots = folder / SNAPSHOTS
        self._address = settings.address or LOOPBACK
        self._ports: Mapping[str, int] | None = settings.ports or (PORTS if self._installation is None else None)
        self._secret_of = secret_of
        self._sleep = sleep
        self._now = now
        self._started = False
        self._switch = asyncio.Lock()
        self._agents: dict[str, str] = {}
        self._aliases: dict[int, str] = {}

    async def start(self) -> None:
        """Have it run and take calls; nothing if it does already."""
        async with self._switch:
            self._started = await self._ours("be started").start() or self._started

    async def stop(self) -> None:
        """End it, if this object started it; its worlds are on the disk then."""
        async with self._switch:
            if self._started:
                self._started = False
                await self._halt(self._ours("be stopped"))

    def endpoint(self, transport: Transport) -> Endpoint:
        """Where it listens. Raises NotSupported for SSH, and for what is switched off."""
        ports = self._ports if self._ports is not None else self._ours("tell its ports").ports()
        if transport not in ports:
            raise NotSupported(f"this Synchronet offers no {transport}: take {' or '.join(ports) or 'another BBS'}")
        return Endpoint(host=self._address, port=ports[transport])

    def encoding(self) -> str:
        """CP437; a terminal that counts the byte order mark as nothing is taken for UTF-8."""
        return "cp437"

    async def provision(self, accounts: Sequence[Account], *, dry_run: bool = False) -> tuple[Provisioned, ...]:
        """Make or update them by `provision.js`; passwords go over a pipe."""
        wanted = [{"alias": _checked_alias(one), "password": self._password(one)} for one in accounts]
        if len({one["alias"].casefold() for one in wanted if one["alias"]}) < len(wanted):
            raise HostFault("two agents have one alias: give each its own")
        secrets = [one["password"] for one in wanted if one["password"]]
        request = {"accounts": wanted, "dry_run": dry_run}
        answer = await self._ours("have accounts made").run("provision.js", request, secrets=secrets)
        rows = _rows(answer, "accounts", len(accounts))
        for account, row in zip(accounts, rows, strict=True):
            self._agents[account.alias.casefold()] = account.agent_id
            if isinstance(number := row.get("number"), int):
                self._aliases[number] = account.alias
        return tuple(_provisioned(account, row) for account, row in zip(accounts, rows, strict=True))

    async def nodes(self) -> tuple[Seat, ...]:
        """Who is logged on, by `node.dab`; names that are not known yet are asked for."""
        used = [node for node in self.node_states() if node.in_use]
        if any(node.user not in self._aliases for node in used):
            await self._learn_aliases()
        return tuple(
            Seat(node=node.node, alias=self._aliases.get(node.user, f"user {node.user}"), doing=node.doing)
            for node in used
        )

    def node_states(self) -> tuple[NodeState, ...]:
        """All nodes as `ctrl/node.dab` has them now. Raises HostFault."""
        path = self._ours("show its nodes").root / "ctrl" / "node.dab"
        try:
            return read_node_dab(path.read_bytes())
        except (OSError, BadNodeFile) as fault:
            reason = fault.strerror if isinstance(fault, OSError) else str(fault)
            raise HostFault(f"{path}: {reason}: has this Synchronet run, and may you read its files?") from fault

    def node_count(self) -> int:
        """From `FirstNode` and `LastNode` of `sbbs.ini`."""
        return self._ours("tell its nodes").settings().nodes

    async def save(self, name: str) -> Snapshot:
        """Stop it if it runs, copy its state, start it again. Raises HostFault while somebody is on."""
        async with self._switch:
            installation = self._ours("be kept")
            runs = await self._must_be_ours_to_stop(installation)
            if runs and (callers := await self.nodes()):
                who = ", ".join(f"{seat.alias} (node {seat.node})" for seat in callers)
                raise HostFault(f"on the BBS are {who}: it is stopped for a snapshot, so have them leave first")
            at = self._now().isoformat(timespec="seconds")
            return await self._while_stopped(
                installation,
                lambda: state_folders.save_folders(installation.root, self._snapshots, name, at),
                runs=runs,
            )

    async def restore(self, snapshot: Snapshot) -> None:
        """Stop it if it runs, put the state back, start it again; who is on loses the line."""
        async with self._switch:
            installation = self._ours("be put back")
            runs = await self._must_be_ours_to_stop(installation)
            self._aliases.clear()
            await self._while_stopped(
                installation, lambda: state_folders.put_back(snapshot, installation.root), runs=runs, keep=False
            )

    async def scores(self, game: str) -> tuple[Score, ...]:
        """Of `tw2`, live; the best first, where the door's own list has the best last."""
        self._only_tw2(game, "scores: read its rankings on the screen")
        return scores_of(await self._tw2_players(), self._agents)

    async def reset_door(self, game: str, *, seed: int | None = None, turns_per_day: int | None = None) -> None:
        """Make `tw2` anew with nobody in it. A new world is always the same map: any seed is the same.

        `turns_per_day` is kept where it is None. Raises Refused where somebody is inside.
        """
        del seed  # sectors and ports come from a table; chance is in battles and prices alone
        self._only_tw2(game, f"reset: use {_BY_HAND.get(game, 'a snapshot')}")
        if turns_per_day is not None and not 1 <= turns_per_day <= MAX_TURNS:
            raise HostFault(f"{turns_per_day} turns a day: take 1 to {MAX_TURNS}")
        await self._ours("have a door reset").run("reset_tw2.js", {"turns_per_day": turns_per_day})

    async def grant_turns(self, game: str, player: str, turns: int) -> None:
        """Add `turns` to what a player of `tw2` has today; `player` is the alias. Raises Refused where he is inside."""
        self._only_tw2(game, f"script for turns: use {_BY_HAND.get(game, 'a snapshot')}")
        if not 1 <= turns <= MAX_TURNS:
            raise HostFault(f"{turns} turns: take 1 to {MAX_TURNS}")
        await self._ours("grant turns").run("grant_tw2_turns.js", {"player": player, "turns": turns})

    async def export(self, what: str) -> object:
        """`boards` and `mail` in the house's form, `users`, `tw2`."""
        installation = self._ours("export anything")
        if what in {"boards", "mail"}:
            answer = await installation.run("export_messages.js", {"what": what})
            areas = read_areas(answer.get("areas") if isinstance(answer, dict) else None)
            return board_records(areas) if what == "boards" else mail_records(areas)
        if what == "users":
            return [{"type": "user", **row} for row in _rows(await installation.run("list_users.js", {}), "users")]
        self._only_tw2(what, "export: take boards, mail, users or tw2")
        return state_of(await self._tw2_players())

    async def _tw2_players(self) -> Any:
        answer = await self._ours("read scores").run("scores_tw2.js", {})
        return read_players(answer.get("players") if isinstance(answer, dict) else None)

    async def _learn_aliases(self) -> None:
        for row in _rows(await self._ours("list users").run("list_users.js", {}), "users"):
            if isinstance(row.get("number"), int):
                self._aliases[row["number"]] = str(row.get("alias", ""))

    def _ours(self, what: str) -> Installation:
        if self._installation is None:
            raise NotSupported(f"this Synchronet can't {what} from here: name its folder, on the machine where it runs")
        return self._installation

    def _password(self, account: Account) -> str | None:
        try:
            password = self._secret_of(account)
        except AccountFault as fault:
            raise HostFault(str(fault)) from fault
        if password is not None and (len(password) > MAX_PASSWORD_CHARS or not password.isascii()):
            raise HostFault(f"{account.alias}: Synchronet's passwords have up to {MAX_PASSWORD_CHARS} ASCII characters")
        return password

    def _only_tw2(self, game: str, otherwise: str) -> None:
        if game != _TW2:
            raise NotSupported(f"Synchronet: of {game!r} there is no {otherwise}")

    async def _must_be_ours_to_stop(self, installation: Installation) -> bool:
        """Whether it runs. Raises HostFault where it does and we could not start it again as it was."""
        runs = await installation.running()
        if runs and not (self._started or installation.restartable):
            raise HostFault("this Synchronet was started by somebody else: stop it there, then do this again")
        return runs

    async def _while_stopped(
        self, installation: Installation, work: Callable[[], _Result], *, runs: bool, keep: bool = True
    ) -> _Result:
        """The result of `work`, done in a thread between stop and start; it is started again whatever happens."""
        if runs:
            await (self._halt(installation) if keep else installation.stop())
        try:
            return await asyncio.to_thread(work)
        finally:
            if runs:
                await installation.start()

    async def _halt(self, installation: Installation) -> None:
        """Stop it once its worlds are on the disk."""
        await self._sleep(installation.settings().save_interval_s + SAVE_MARGIN_S)
        await installation.stop()


def _checked_alias(account: Account) -> str:
    if not _ALIAS.fullmatch(account.alias) or len(account.alias) > MAX_ALIAS_CHARS:
        raise HostFault(
            f"{account.agent_id}: an alias at Synchronet has 1 to {MAX_ALIAS_CHARS} printable ASCII characters"
        )
    return account.alias


def _provisioned(account: Account, row: Mapping[str, Any]) -> Provisioned:
    try:
        change = Change(str(row.get("change")))
    except ValueError:
        raise HostFault(f"{account.alias}: Synchronet answered {row.get('change')!r}, which is no change") from None
    return Provisioned(
        agent_id=account.agent_id,
        alias=account.alias,
        change=change,
        detail=", ".join(map(str, row.get("detail") or ())),
    )


def _rows(answer: object, name: str, count: int | None = None) -> list[dict[str, Any]]:
    """The list `name` of an answer. Raises HostFault for anything else."""
    rows = answer.get(name) if isinstance(answer, dict) else None
    whole = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
    if not whole or (count is not None and len(rows or ()) != count):
        raise HostFault(f"Synchronet's answer has no such list of {name} as our script gives: is it of this version?")
    return list(rows or ())
