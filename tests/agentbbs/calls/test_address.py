"""What counts as one address."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.calls import address


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
