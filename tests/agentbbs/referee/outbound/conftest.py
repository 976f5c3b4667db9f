"""A line out to servers on this machine."""

from __future__ import annotations

import functools
import ssl
from collections.abc import AsyncIterator, Iterator

import pytest
from tests.agentbbs.referee.https_peer import NAME, OPEN, Names

from agentbbs.referee import outbound as outbound_module
from agentbbs.referee.outbound import Outbound, OutboundRules
from agentbbs.referee.throwaway_ca import ThrowawayCa


@pytest.fixture(scope="package")
def tls(ca: ThrowawayCa) -> ssl.SSLContext:
    """TLS of a server that is whom the URL says."""
    return ca.server_context(NAME, "localhost", "127.0.0.1")


@pytest.fixture(scope="package", autouse=True)
def trusted_once() -> Iterator[None]:
    """The authorities of the system are read once for all tests: that takes longer than most of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outbound_module, "_trust", functools.cache(outbound_module._trust))
        yield


@pytest.fixture
def names() -> Names:
    """Where names lead to."""
    return Names()


@pytest.fixture
async def outbound(ca: ThrowawayCa, names: Names) -> AsyncIterator[Outbound]:
    """A referee that calls this machine, by whatever name."""
    async with Outbound(OutboundRules(url=OPEN, ca_file=ca.ca_file), resolver=names) as dialling:
        yield dialling
