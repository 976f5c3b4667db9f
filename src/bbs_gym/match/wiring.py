"""What a match needs of others, as values: how to connect, which models and profiles there are, how to wait."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import msgspec

from bbs_gym.accounts.account import Account
from bbs_gym.hosts.host import Endpoint, Host, Transport
from bbs_gym.nodes import NodeRecord
from tty_agent.activity.activity import ActivityProfile
from tty_agent.activity.routes import RouteSet
from tty_agent.models.catalog import ModelConfig, make_model
from tty_agent.models.model import Model
from tty_agent.runner.turn import Session


class PlayedSession(Session, Protocol):
    """A terminal that is logged in."""

    @property
    def node(self) -> NodeRecord: ...

    async def close(self) -> None: ...


class Connect(Protocol):
    """Call and log in. Raises `CannotConnect` (of which `LoginFault` is one), and then nothing is open."""

    async def __call__(
        self,
        account: Account,
        endpoint: Endpoint,
        transport: Transport,
        *,
        host: Host | None,
        node: int | None,
        allocated: int | None,
        transcript: Path,
        metadata: Mapping[str, object],
    ) -> PlayedSession: ...


async def _connect(*args: Any, **rest: Any) -> PlayedSession:
    from bbs_gym.login.connecting import connect  # noqa: PLC0415 - asyncssh is slow to load

    return await connect(*args, **rest)


def _profile(name: str) -> ActivityProfile:
    from bbs_gym.profiles.catalog import profile  # noqa: PLC0415 - for those who bring their own

    return profile(name)


def _route_set(name: str) -> RouteSet:
    from bbs_gym.profiles.catalog import route_set  # noqa: PLC0415 - as above

    return route_set(name)


class Wiring(msgspec.Struct, frozen=True, kw_only=True):
    """Each has a default: the gym's own."""

    connect: Connect = _connect
    make_model: Callable[[ModelConfig], Model] = make_model
    profile: Callable[[str], ActivityProfile] = _profile
    route_set: Callable[[str], RouteSet] = _route_set
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


def with_profiles(wiring: Wiring, path: Path | None) -> Wiring:
    """With the profiles and route sets of a file beside those that are built in; without a file the wiring as it is.
    Raises ProfileFileError and OSError."""
    if path is None:
        return wiring
    from bbs_gym.profiles.user_profiles import read_user_catalog  # noqa: PLC0415 - as above

    catalog = read_user_catalog(path)
    return msgspec.structs.replace(wiring, profile=catalog.profile, route_set=catalog.route_set)
