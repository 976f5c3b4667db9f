"""What a venue says of itself in its data folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentbbs.venue_folder import State, write_state
from bbs_gym.hosts.host import Endpoint
from bbs_gym.hosts.venue_state import STATE_FILE, read_venue_state


def test_it_is_read_as_the_venue_writes_it(tmp_path: Path) -> None:
    write_state(tmp_path, State(7, "0.0.0.0:8090", ssh="[::]:2222", telnet="board.lan:2323", rlogin=None, nodes=40))
    state = read_venue_state(tmp_path)
    assert state is not None
    assert (state.pid, state.nodes) == (7, 40)
    assert state.endpoint("game_ws") == Endpoint("127.0.0.1", 8090)
    assert state.endpoint("ssh") == Endpoint("::1", 2222)
    assert state.endpoint("telnet") == Endpoint("board.lan", 2323)
    assert state.endpoint("rlogin") is None


@pytest.mark.parametrize("content", [None, b"", b'{"pid": 7, "game_ws": "127.0', b"[]"])
def test_no_file_or_half_of_one_is_no_venue(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / STATE_FILE).write_bytes(content)
    assert read_venue_state(tmp_path) is None
