"""A session between a scripted wire and a scripted desk, on a clock that the test moves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.agentbbs.play.scripted import Booth
from tests.agentbbs.play.virtual_time import VirtualTimeLoop


@pytest.fixture
def loop() -> Iterator[VirtualTimeLoop]:
    """A loop that does not run yet; at its end no callback of it may have failed."""
    loop = VirtualTimeLoop()
    yield loop
    loop.close()
    assert loop.faults == []


@pytest.fixture
def booth(loop: VirtualTimeLoop) -> Booth:
    """A session that has just been opened."""
    return Booth(loop)
