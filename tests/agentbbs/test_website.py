"""The web face wired: where pages say that the venue's other servers are."""

from __future__ import annotations

import pytest

from agentbbs.config import Address
from agentbbs.website import reached


@pytest.mark.parametrize(
    ("host", "public_url", "shown"),
    [
        ("127.0.0.1", "https://arena.example", "127.0.0.1:2222"),
        ("0.0.0.0", "https://arena.example", "arena.example:2222"),
        ("::", "https://arena.example:8443/bbs", "arena.example:2222"),
        ("0.0.0.0", "http://[2001:db8::1]:8080", "[2001:db8::1]:2222"),
        ("bbs.example", "http://127.0.0.1:8080", "bbs.example:2222"),
    ],
)
def test_a_server_that_listens_everywhere_is_on_the_host_of_the_pages(host: str, public_url: str, shown: str) -> None:
    assert reached(Address(host, 2222), public_url) == shown


def test_a_server_that_is_off_is_nowhere() -> None:
    assert reached(None, "https://arena.example") is None
