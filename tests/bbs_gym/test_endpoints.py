"""Where a BBS listens."""

from __future__ import annotations

import pytest

from bbs_gym.endpoints import endpoint_at
from bbs_gym.hosts.host import Endpoint, Transport


def test_the_usual_ports() -> None:
    assert endpoint_at("telnet") == Endpoint("127.0.0.1", 2323)
    assert endpoint_at(Transport.RLOGIN) == Endpoint("127.0.0.1", 2513)
    assert endpoint_at("ssh", "bbs.example.org") == Endpoint("bbs.example.org", 2222)


def test_others() -> None:
    assert endpoint_at("telnet", "::1", {"telnet": 23, "ssh": 22}) == Endpoint("::1", 23)


def test_a_transport_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="pigeon"):
        endpoint_at("pigeon")
