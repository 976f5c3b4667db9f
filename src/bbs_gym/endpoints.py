"""Where a BBS listens if nobody says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from bbs_gym.hosts.host import Endpoint, Transport

DEFAULT_ADDRESS: Final = "127.0.0.1"

DEFAULT_PORTS: Final[Mapping[Transport, int]] = MappingProxyType(
    {Transport.TELNET: 2323, Transport.RLOGIN: 2513, Transport.SSH: 2222}
)
"""The same for the house and for Synchronet as `deploy/compose.yaml` runs it."""


def endpoint_at(
    transport: Transport | str,
    address: str = DEFAULT_ADDRESS,
    ports: Mapping[str, int] = MappingProxyType({}),
) -> Endpoint:
    """Where to call at `address`; `ports` by transport, in place of the usual ones."""
    transport = Transport(transport)
    return Endpoint(address, ports.get(transport, DEFAULT_PORTS[transport]))
