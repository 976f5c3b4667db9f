"""Hosts by their kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from bbs_gym.hosts.catalog import make_host
from bbs_gym.hosts.host import HostFault
from bbs_gym.hosts.house import HouseHost
from bbs_gym.hosts.settings import HostSettings


def test_the_house_is_the_default_and_begins_nothing_by_itself(tmp_path: Path) -> None:
    host = make_host(HostSettings(), tmp_path)
    assert isinstance(host, HouseHost)
    assert (host.kind, host.private) == ("house", True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("kind", "remedy"), [("hause", "did you mean house?"), ("\x1b", "there are house and")])
def test_another_kind_is_refused_with_what_there_is(tmp_path: Path, kind: str, remedy: str) -> None:
    with pytest.raises(HostFault) as fault:
        make_host(HostSettings(kind=kind), tmp_path)
    assert remedy in str(fault.value)
    assert "\x1b" not in str(fault.value)
