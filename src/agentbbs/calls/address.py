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
