"""`node.dab` by hand-written bytes, and whatever else may stand in such a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bbs_gym.hosts.node_dab import (
    MAX_NODES,
    RECORD,
    BadNodeFile,
    NodeAction,
    NodeStatus,
    read_node_dab,
)

WAITING = bytes.fromhex("00 00 00 0000 0000 0000 0000 00000000")
BOB_BY_RLOGIN_IN_TW2 = bytes.fromhex("03 00 08 0200 feff 0000 0c00 00000000")
ALICE_BY_TELNET_AT_THE_MENU = bytes.fromhex("03 00 00 0100 ffff 0000 0000 00000000")
AT_THE_LOGIN = bytes.fromhex("01 00 0f 0000 ffff 0000 0000 00000000")


def test_a_record_has_fifteen_bytes() -> None:
    assert RECORD.size == len(WAITING) == 15


def test_nodes_count_from_one() -> None:
    nodes = read_node_dab(ALICE_BY_TELNET_AT_THE_MENU + WAITING + BOB_BY_RLOGIN_IN_TW2)
    assert [node.node for node in nodes] == [1, 2, 3]
    assert [node.in_use for node in nodes] == [True, False, True]


def test_a_user_in_a_door() -> None:
    (node,) = read_node_dab(BOB_BY_RLOGIN_IN_TW2)
    assert (node.status, node.action, node.user, node.way) == (
        NodeStatus.IN_USE,
        NodeAction.EXTERNAL_PROGRAM,
        2,
        "rlogin",
    )
    assert node.in_door
    assert node.doing == "in external program 12"


def test_a_user_at_the_menu() -> None:
    (node,) = read_node_dab(ALICE_BY_TELNET_AT_THE_MENU)
    assert (node.user, node.way, node.doing, node.in_door) == (1, "telnet", "at the main menu", False)


def test_who_chooses_a_door_is_in_none() -> None:
    (node,) = read_node_dab(bytes.fromhex("03 00 08 0200 feff 0000 0000 00000000"))
    assert (node.in_door, node.doing) == (False, "choosing an external program")


def test_a_caller_at_the_login_is_nobody_yet() -> None:
    (node,) = read_node_dab(AT_THE_LOGIN)
    assert (node.in_use, node.busy) == (False, True)


def test_a_record_that_is_being_written_is_left_out() -> None:
    assert len(read_node_dab(WAITING * 3 + WAITING[:14])) == 3


def test_nobody_ever_called() -> None:
    assert read_node_dab(b"") == ()


def test_some_other_file() -> None:
    with pytest.raises(BadNodeFile, match="250 nodes have 3750"):
        read_node_dab(b"x" * 15 * (MAX_NODES + 1))


@given(st.binary(max_size=15 * 40))
def test_any_bytes_are_nodes(content: bytes) -> None:
    nodes = read_node_dab(content)
    assert len(nodes) == len(content) // 15
    for node in nodes:
        assert node.doing
        assert node.busy or not node.in_use
