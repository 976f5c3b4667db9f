"""What counts as one address, wherever callers are counted, slowed down or turned away. Pure."""

from __future__ import annotations

import ipaddress
from typing import Final

IPV6_PREFIX_BITS: Final = 64
"""A host has a whole /64 of IPv6 addresses, so that counts as one address (RFC 6177)."""


def parse(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address in `address`, without a zone, and as IPv4 where it is IPv4 written as IPv6; None if it is none."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    return ip


def source(address: str) -> str:
    """An IPv4 address, also where it comes as IPv6, or the /64 of an IPv6 one; anything else as it is."""
    ip = parse(address)
    if ip is None:
        return address
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    return str(ipaddress.ip_network((ip, IPV6_PREFIX_BITS), strict=False))


def client_address(peer: str, forwarded: str | None, trusted: tuple[str, ...]) -> str:
    """The address to which limits apply: the peer's, or, where the peer is a proxy that the operator trusts, the last
    address of `X-Forwarded-For` that is not itself a trusted proxy. `trusted` are addresses and networks."""
    hops = [hop.strip() for hop in (forwarded or "").split(",") if hop.strip()]
    address = peer
    while hops and _is_trusted(address, trusted):
        address = hops.pop()
        if parse(address) is None:
            return peer
    return address


def _is_trusted(address: str, trusted: tuple[str, ...]) -> bool:
    ip = parse(address)
    try:
        return ip is not None and any(ip in ipaddress.ip_network(network, strict=False) for network in trusted)
    except ValueError:
        return False
