"""Which BBS a command is to call, and as whom: from its options to a session that logs in."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

if TYPE_CHECKING:
    from bbs_gym.accounts.account import Account
    from bbs_gym.login.session import BbsSession
    from tty_agent.observer.readiness import PromptPattern, TurnPolicy

_PANEL: Final = "A BBS"

TransportName = Annotated[
    str | None,
    typer.Option(
        "--transport",
        metavar="rlogin|telnet|ssh",
        help="Call a BBS by it, and log in as --agent-id.",
        rich_help_panel=_PANEL,
    ),
]
RegistryFile = Annotated[
    Path | None,
    typer.Option("--registry", metavar="FILE", help="The agents; left out: config/agents.local.json or .toml."),
]
HostName = Annotated[str | None, typer.Option("--host", metavar="ADDRESS", help="Of the BBS; left out: this machine.")]
PortNumber = Annotated[
    int | None,
    typer.Option("--port", min=1, max=65535, help="Left out: 2513 by rlogin, 2323 by telnet, 2222 by ssh."),
]
NodeNumber = Annotated[int | None, typer.Option("--node", min=1, help="The node that is wanted; it is noted.")]
KindName = Annotated[
    str | None,
    typer.Option("--kind", metavar="house|synchronet", help="How the BBS words its login; left out: either."),
]
DoorCode = Annotated[
    str | None, typer.Option("--door", metavar="CODE", help="By rlogin: straight into that door, past the menus.")
]

KINDS: Final = ("house", "synchronet")


class BbsChoice:
    """A `Place` at a BBS (see `tty_agent.commands.terminal_choice`). Raises BadParameter, and Failed for an account
    that is none."""

    def __init__(
        self,
        agent_id: str,
        transport: str,
        *,
        registry: Path | None = None,
        host: str | None = None,
        port: int | None = None,
        node: int | None = None,
        kind: str | None = None,
        door: str | None = None,
        columns: int = 80,
        rows: int = 24,
        policy: TurnPolicy | None = None,
        accept_new: bool = False,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        from bbs_gym.commands.telling import telling  # noqa: PLC0415 - not for the help, as is what follows
        from bbs_gym.endpoints import DEFAULT_ADDRESS, endpoint_at  # noqa: PLC0415
        from bbs_gym.hosts.host import Transport  # noqa: PLC0415
        from tty_agent.observer.readiness import Fixed  # noqa: PLC0415

        self.transport = Transport(one_of("--transport", transport, tuple(Transport)))
        if kind is not None:
            one_of("--kind", kind, KINDS)
        if door is not None and self.transport is not Transport.RLOGIN:
            raise typer.BadParameter("only rlogin leads straight into a door", param_hint="--door")
        ports = {self.transport.value: port} if port is not None else MappingProxyType({})
        self.endpoint = endpoint_at(self.transport, host or DEFAULT_ADDRESS, ports)
        with telling():
            self.account = account_of(agent_id, registry)
        self._settings: dict[str, Any] = {
            "node": node,
            "kind": kind,
            "door": door,
            "columns": columns,
            "rows": rows,
            "policy": policy or Fixed(),
            "accept_new_host_key": accept_new,
            "environment": environment,
        }

    def session(
        self, agent_id: str, *, transcript: Path | None = None, prompts: Sequence[PromptPattern] = ()
    ) -> BbsSession:
        """The session of the account, not open yet; opening it logs in. `agent_id` is the account's own. Raises Failed,
        LoginFault and TranscriptError."""
        from bbs_gym.commands.telling import telling  # noqa: PLC0415
        from bbs_gym.login.connecting import bbs_session  # noqa: PLC0415

        assert agent_id == self.account.agent_id
        with telling():
            return bbs_session(
                self.account, self.endpoint, self.transport, transcript=transcript, prompts=prompts, **self._settings
            )

    def told(self) -> dict[str, Any]:
        """What a trace tells of it: no secret, nor where one is."""
        import msgspec  # noqa: PLC0415

        shown = ("node", "kind", "door", "columns", "rows")
        return {
            "transport": self.transport.value,
            "host": self.endpoint.host,
            "port": self.endpoint.port,
            "alias": self.account.alias,
            **{name: self._settings[name] for name in shown},
            "turn": msgspec.to_builtins(self._settings["policy"]),
        }


def account_of(agent_id: str, registry: Path | None) -> Account:
    """The account of an agent, of that registry or the usual one; without any, its alias is its id. Raises
    AccountFault."""
    from bbs_gym.accounts.account import Account  # noqa: PLC0415 - not for the help, as is what follows
    from bbs_gym.accounts.registry import check_agent_id, find_registry, read_registry  # noqa: PLC0415

    path = registry or find_registry()
    if path is not None:
        return read_registry(path).account(agent_id)
    check_agent_id(f"agent {agent_id!r}", agent_id)
    return Account(agent_id=agent_id, alias=agent_id)


def one_of(option: str, value: str, known: Sequence[str]) -> str:
    """The value. Raises BadParameter if it is none of those."""
    if value not in known:
        raise typer.BadParameter(f"{value!r} is none of {', '.join(known)}", param_hint=option)
    return value
