"""SSH: `NAME@`, with a key or the password; the connection itself lets the caller in."""

from __future__ import annotations

import ipaddress
from pathlib import Path

from bbs_gym.hosts.host import Endpoint
from bbs_gym.login.call import Call
from bbs_gym.login.dialogue import Dialogue, Stage
from bbs_gym.login.fault import FaultKind
from bbs_gym.login.prompts import Manners
from tty_agent.transports.ssh import Ssh
from tty_agent.transports.transport import CannotConnect


def ssh_call(
    alias: str,
    password: str | None,
    endpoint: Endpoint,
    manners: Manners,
    *,
    key_file: Path | None = None,
    accept_new: bool = False,
) -> Call:
    """A call by SSH. The host key is checked against the user's known hosts, `accept_new` adds that of a new host. On
    this machine it is not looked at: nobody is in between, and a BBS for tests has a new one each time."""
    local = is_loopback(endpoint.host)
    return Call(
        transport=Ssh(
            endpoint.host,
            endpoint.port,
            user=alias,
            password=password,
            key_file=key_file,
            accept_new=accept_new and not local,
            insecure=local,
        ),
        dialogue=Dialogue(manners, name=alias, stage=Stage.CHECKING),
        alias=alias,
    )


def kind_of(fault: CannotConnect) -> FaultKind:
    """Which fault a connection that did not come about is."""
    import asyncssh  # noqa: PLC0415 - loads slowly, and only SSH needs it

    if isinstance(fault.__cause__, asyncssh.PermissionDenied):
        return FaultKind.WRONG_PASSWORD
    return FaultKind.UNREACHABLE


def is_loopback(host: str) -> bool:
    """Whether that is this machine, by its name or address alone."""
    if host.casefold() == "localhost":
        return True
    try:
        ip = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return (mapped or ip).is_loopback
