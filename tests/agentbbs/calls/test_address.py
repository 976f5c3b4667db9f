"""What counts as one address."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.calls import address

LOOPBACK = ("127.0.0.0/8",)


@pytest.mark.parametrize(
    ("told", "counts_as"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::2", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("a socket", "a socket"),
    ],
)
def test_a_host_is_one_address(told: str, counts_as: str) -> None:
    assert address.source(told) == counts_as


@given(st.ip_addresses())
def test_every_address_is_read(ip: object) -> None:
    parsed = address.parse(str(ip))
    assert parsed is not None
    assert str(parsed) == str(ip) or str(ip).startswith("::ffff:")


class TestTheClientsAddress:
    @pytest.mark.parametrize(
        ("peer", "forwarded", "trusted", "counts"),
        [
            ("198.51.100.7", None, LOOPBACK, "198.51.100.7"),
            ("198.51.100.7", "203.0.113.9", LOOPBACK, "198.51.100.7"),
            ("127.0.0.1", "203.0.113.9", (), "127.0.0.1"),
            ("127.0.0.1", "203.0.113.9", LOOPBACK, "203.0.113.9"),
            ("127.0.0.1", "10.9.9.9, 203.0.113.9", LOOPBACK, "203.0.113.9"),
            ("127.0.0.1", "203.0.113.9, 127.0.0.2", LOOPBACK, "203.0.113.9"),
            ("127.0.0.1", "127.0.0.9", LOOPBACK, "127.0.0.9"),
            ("127.0.0.1", "not an address", LOOPBACK, "127.0.0.1"),
            ("127.0.0.1", "", LOOPBACK, "127.0.0.1"),
            ("::ffff:127.0.0.1", "203.0.113.9", LOOPBACK, "203.0.113.9"),
            ("::1", "2001:db8::5", ("::1",), "2001:db8::5"),
            ("127.0.0.1", "203.0.113.9", ("nonsense",), "127.0.0.1"),
        ],
    )
    def test_is_the_peers_unless_a_trusted_proxy_says_otherwise(
        self, peer: str, forwarded: str | None, trusted: tuple[str, ...], counts: str
    ) -> None:
        assert address.client_address(peer, forwarded, trusted) == counts

    @given(st.text(), st.text())
    def test_never_fails_on_what_a_client_sends(self, peer: str, forwarded: str) -> None:
        assert isinstance(address.client_address(peer, forwarded, LOOPBACK), str)
