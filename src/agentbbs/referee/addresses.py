"""What kind of address a name resolved to, and which of them are never dialled. Pure.

The tables are those of the IANA special-purpose registries (RFC 6890 and its successors), with the addresses at which
clouds keep their secrets. An IPv6 address that carries an IPv4 one is judged by both. Stricter than
`ipaddress.is_global`: what a translator or a tunnel would turn into another address is refused as a whole.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class AddressKind(StrEnum):
    """The kinds; only PUBLIC is dialled, and LOOPBACK where development allows it."""

    PUBLIC = "public"
    LOOPBACK = "loopback"
    PRIVATE = "private"
    LINK_LOCAL = "link_local"
    CGNAT = "cgnat"
    MULTICAST = "multicast"
    METADATA = "metadata"
    UNSPECIFIED = "unspecified"
    EMBEDDED = "embedded"
    """IPv6 that stands for an IPv4 address: mapped, compatible, translated or tunnelled."""
    RESERVED = "reserved"
    MALFORMED = "malformed"
    """No address, or one of a certain interface (`%eth0`)."""


_TABLE: Final[tuple[tuple[str, AddressKind], ...]] = (
    # Where clouds answer with credentials: before the ranges that hold them.
    ("169.254.169.254/32", AddressKind.METADATA),
    ("169.254.170.2/32", AddressKind.METADATA),
    ("100.100.100.200/32", AddressKind.METADATA),
    ("168.63.129.16/32", AddressKind.METADATA),
    ("192.0.0.192/32", AddressKind.METADATA),
    ("fd00:ec2::254/128", AddressKind.METADATA),
    ("fd20:ce::254/128", AddressKind.METADATA),
    ("0.0.0.0/32", AddressKind.UNSPECIFIED),
    ("0.0.0.0/8", AddressKind.RESERVED),
    ("10.0.0.0/8", AddressKind.PRIVATE),
    ("100.64.0.0/10", AddressKind.CGNAT),
    ("127.0.0.0/8", AddressKind.LOOPBACK),
    ("169.254.0.0/16", AddressKind.LINK_LOCAL),
    ("172.16.0.0/12", AddressKind.PRIVATE),
    ("192.0.0.0/24", AddressKind.RESERVED),
    ("192.0.2.0/24", AddressKind.RESERVED),
    ("192.31.196.0/24", AddressKind.RESERVED),
    ("192.52.193.0/24", AddressKind.RESERVED),
    ("192.88.99.0/24", AddressKind.RESERVED),
    ("192.168.0.0/16", AddressKind.PRIVATE),
    ("192.175.48.0/24", AddressKind.RESERVED),
    ("198.18.0.0/15", AddressKind.RESERVED),
    ("198.51.100.0/24", AddressKind.RESERVED),
    ("203.0.113.0/24", AddressKind.RESERVED),
    ("224.0.0.0/4", AddressKind.MULTICAST),
    ("240.0.0.0/4", AddressKind.RESERVED),
    ("::/128", AddressKind.UNSPECIFIED),
    ("::1/128", AddressKind.LOOPBACK),
    ("::/96", AddressKind.EMBEDDED),
    ("::ffff:0:0/96", AddressKind.EMBEDDED),
    ("::ffff:0:0:0/96", AddressKind.EMBEDDED),
    ("64:ff9b::/96", AddressKind.EMBEDDED),
    ("64:ff9b:1::/48", AddressKind.EMBEDDED),
    ("100::/64", AddressKind.RESERVED),
    ("2001::/32", AddressKind.EMBEDDED),
    ("2001::/23", AddressKind.RESERVED),
    ("2001:db8::/32", AddressKind.RESERVED),
    ("2002::/16", AddressKind.EMBEDDED),
    ("2620:4f:8000::/48", AddressKind.RESERVED),
    ("3fff::/20", AddressKind.RESERVED),
    ("5f00::/16", AddressKind.RESERVED),
    ("fc00::/7", AddressKind.PRIVATE),
    ("fe80::/10", AddressKind.LINK_LOCAL),
    ("fec0::/10", AddressKind.PRIVATE),
    ("ff00::/8", AddressKind.MULTICAST),
)

_NETWORKS: Final[tuple[tuple[Network, AddressKind], ...]] = tuple(
    (ipaddress.ip_network(text), kind) for text, kind in _TABLE
)

_GLOBAL_UNICAST: Final = ipaddress.ip_network("2000::/3")
"""All of IPv6 that is handed out (RFC 4291, section 2.4); what lies beyond is of no host yet."""

_ISATAP: Final = frozenset({0x00005EFE, 0x02005EFE})
"""Third quarter of an IPv6 address that an ISATAP tunnel turns into the IPv4 address in its last (RFC 5214, 6.1)."""


def classify(address: str) -> AddressKind:
    """The kind of an address in text form. Raises nothing."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return AddressKind.MALFORMED
    if isinstance(found, ipaddress.IPv6Address) and found.scope_id is not None:
        return AddressKind.MALFORMED
    for network, kind in _NETWORKS:
        if found.version == network.version and found in network:
            return kind
    if found.version == 6 and int(found) >> 32 & 0xFFFFFFFF in _ISATAP:
        return AddressKind.EMBEDDED
    if found.version == _GLOBAL_UNICAST.version and found not in _GLOBAL_UNICAST:
        return AddressKind.RESERVED
    return AddressKind.PUBLIC


def refusal(addresses: Sequence[str], *, loopback: bool) -> AddressKind | None:
    """The kind of the first address that must not be dialled; None if all may be. With `loopback` those of this
    machine may."""
    for address in addresses:
        kind = classify(address)
        if kind is not AddressKind.PUBLIC and not (loopback and kind is AddressKind.LOOPBACK):
            return kind
    return None
