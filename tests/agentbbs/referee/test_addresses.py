"""Kinds of addresses, against the registry that Python knows and a list of where this venue is stricter."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentbbs.referee.addresses import AddressKind, classify, refusal

KINDS = (
    ("93.184.216.34", "public"),
    ("1.1.1.1", "public"),
    ("2606:2800:220:1:248:1893:25c8:1946", "public"),
    ("127.0.0.1", "loopback"),
    ("127.255.255.254", "loopback"),
    ("::1", "loopback"),
    ("10.0.0.5", "private"),
    ("172.16.0.1", "private"),
    ("172.31.255.255", "private"),
    ("172.32.0.0", "public"),
    ("192.168.1.1", "private"),
    ("fd12::1", "private"),
    ("fec0::1", "private"),
    ("169.254.0.1", "link_local"),
    ("fe80::1", "link_local"),
    ("100.64.0.1", "cgnat"),
    ("100.127.255.255", "cgnat"),
    ("100.128.0.0", "public"),
    ("224.0.0.1", "multicast"),
    ("ff02::1", "multicast"),
    ("169.254.169.254", "metadata"),
    ("169.254.170.2", "metadata"),
    ("100.100.100.200", "metadata"),
    ("168.63.129.16", "metadata"),
    ("192.0.0.192", "metadata"),
    ("fd00:ec2::254", "metadata"),
    ("fd20:ce::254", "metadata"),
    ("0.0.0.0", "unspecified"),
    ("::", "unspecified"),
    ("0.1.2.3", "reserved"),
    ("192.0.0.8", "reserved"),
    ("192.0.2.1", "reserved"),
    ("192.88.99.1", "reserved"),
    ("198.18.0.1", "reserved"),
    ("198.51.100.1", "reserved"),
    ("203.0.113.1", "reserved"),
    ("240.0.0.1", "reserved"),
    ("255.255.255.255", "reserved"),
    ("2001:db8::1", "reserved"),
    ("3fff::1", "reserved"),
    ("5f00::1", "reserved"),
    ("100::1", "reserved"),
    ("4000::1", "reserved"),
    ("::ffff:127.0.0.1", "embedded"),
    ("::ffff:7f00:1", "embedded"),
    ("0:0:0:0:0:ffff:10.0.0.5", "embedded"),
    ("::ffff:169.254.169.254", "embedded"),
    ("::ffff:8.8.8.8", "embedded"),
    ("::127.0.0.1", "embedded"),
    ("::ffff:0:127.0.0.1", "embedded"),
    ("64:ff9b::127.0.0.1", "embedded"),
    ("64:ff9b::a9fe:a9fe", "embedded"),
    ("64:ff9b:1::1", "embedded"),
    ("2002:7f00:1::", "embedded"),
    ("2002:a9fe:a9fe::1", "embedded"),
    ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "embedded"),
    ("2606:2800:220:1:0:5efe:127.0.0.1", "embedded"),
    ("2606:2800:220:1:200:5efe:10.0.0.1", "embedded"),
    ("fe80::1%lo", "malformed"),
    ("fe80::1%25lo", "malformed"),
    ("::1%1", "malformed"),
    ("127.1", "malformed"),
    ("0177.0.0.1", "malformed"),
    ("2130706433", "malformed"),
    ("127.0.0.1 ", "malformed"),
    ("127.0.0.1\x00", "malformed"),
    ("localhost", "malformed"),
    ("", "malformed"),
    ("/run/socket", "malformed"),
)
"""Cases 138, 142 and 143 among them."""


@pytest.mark.parametrize(("address", "kind"), KINDS)
def test_an_address_has_its_kind(address: str, kind: str) -> None:
    assert classify(address) is AddressKind(kind)


@pytest.mark.parametrize(("address", "kind"), KINDS)
def test_only_public_ones_are_dialled_and_this_machine_in_development(address: str, kind: str) -> None:
    assert (refusal([address], loopback=False) is None) is (kind == "public")
    assert (refusal([address], loopback=True) is None) is (kind in {"public", "loopback"})


def test_one_bad_address_refuses_a_whole_name() -> None:
    """Case 143."""
    for bad in ("10.0.0.1", "::ffff:169.254.169.254", "fe80::1%eth0"):
        for addresses in (["93.184.216.34", bad], [bad, "93.184.216.34"], ["2606:2800::1", "1.1.1.1", bad]):
            assert refusal(addresses, loopback=False) is classify(bad)
            assert refusal(addresses, loopback=True) is classify(bad)
    assert refusal(["93.184.216.34", "127.0.0.1"], loopback=False) is AddressKind.LOOPBACK


STRICTER = tuple(
    ipaddress.ip_network(text)
    for text in (
        "168.63.129.16/32",  # metadata of a cloud, in a public range
        "192.0.0.0/24",  # two anycast addresses of it count as global
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.175.48.0/24",
        "224.0.0.0/4",  # multicast may be global
        "ff00::/8",
        "::/8",  # all that stands for IPv4 lies in here or below 2001, 2002
        "64:ff9b::/96",
        "100::/8",
        "200::/7",
        "400::/6",
        "800::/5",
        "1000::/4",
        "2001::/23",
        "2002::/16",
        "2620:4f:8000::/48",
        "3fff::/20",
        "4000::/2",  # not handed out
        "8000::/1",
    )
)
"""Global to Python (in some version), and refused here."""


def _stricter(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    inside = any(address.version == network.version and address in network for network in STRICTER)
    isatap = address.version == 6 and int(address) >> 32 & 0xFDFFFFFF == 0x5EFE
    return inside or isatap


_EDGES = [
    int(edge) + step
    for network in (
        *STRICTER,
        *map(ipaddress.ip_network, ("10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "100.64.0.0/10", "192.168.0.0/16")),
        *map(ipaddress.ip_network, ("169.254.0.0/16", "198.18.0.0/15", "240.0.0.0/4", "203.0.113.0/24")),
    )
    if network.version == 4
    for edge in (network.network_address, network.broadcast_address)
    for step in (-1, 0, 1)
    if 0 <= int(edge) + step < 2**32
]


@settings(max_examples=2000, deadline=None)
@given(st.one_of(st.integers(0, 2**32 - 1), st.sampled_from(_EDGES)))
def test_ipv4_is_public_where_it_is_global_and_not_on_the_list(number: int) -> None:
    address = ipaddress.IPv4Address(number)

    assert (classify(str(address)) is AddressKind.PUBLIC) is (address.is_global and not _stricter(address))


_PREFIXES = st.sampled_from(
    ["::", "::ffff:0:0", "::ffff:0:0:0", "64:ff9b::", "64:ff9b:1::", "100::", "2000::", "2001::", "2001:db8::",
     "2002::",
     "2620:4f:8000::", "3fff::", "3ffe::", "5f00::", "fc00::", "fe80::", "fec0::", "ff00::", "2a00::", "2606:2800::"]
)  # fmt: skip


@settings(max_examples=2000, deadline=None)
@given(
    st.one_of(
        st.integers(0, 2**128 - 1),
        st.builds(
            lambda prefix, rest: int(ipaddress.IPv6Address(prefix)) + rest, _PREFIXES, st.integers(-1, 2**33)
        ).filter(lambda number: number >= 0),
        st.integers(0x2000 << 112, (0x4000 << 112) - 1),
    )
)
def test_ipv6_is_public_only_where_it_is_global_and_not_on_the_list(number: int) -> None:
    address = ipaddress.IPv6Address(number)
    # What Python of some version does not know yet is on the list, and what is public is global to every version.
    assert (classify(str(address)) is AddressKind.PUBLIC) is (address.is_global and not _stricter(address))
    assert classify(address.exploded) is classify(str(address))


@settings(max_examples=1000, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(
        ["::ffff:0:0/96", "::/96", "64:ff9b::/96", "::ffff:0:0:0/96", "2002::/16", "2001::/32", "64:ff9b:1::/48"]
    ),
)
def test_an_ipv4_address_in_ipv6_is_never_dialled(inner: int, prefix: str) -> None:
    """Cases 138 and 143: mapped, compatible, translated, 6to4, Teredo (whose address is inverted)."""
    network = ipaddress.IPv6Network(prefix)
    shift = {"2002::/16": 80, "2001::/32": 0}.get(prefix, 0)
    embedded = (inner ^ 0xFFFFFFFF) if prefix == "2001::/32" else inner
    address = ipaddress.IPv6Address(int(network.network_address) | embedded << shift)

    assert refusal([str(address)], loopback=False) is not None
    if address != ipaddress.IPv6Address("::1"):
        assert refusal([str(address)], loopback=True) is not None


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=20))
def test_a_text_that_is_no_address_is_refused(text: str) -> None:
    kind = classify(text)
    try:
        ipaddress.ip_address(text)
    except ValueError:
        assert kind is AddressKind.MALFORMED
