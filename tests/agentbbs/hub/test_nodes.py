"""The pool of nodes."""

from __future__ import annotations

from contextlib import AbstractContextManager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.hub.nodes import Nodes, NoNodeFree


def test_each_caller_gets_the_lowest_free_node() -> None:
    nodes = Nodes(3)
    with nodes.taken() as first:
        with nodes.taken() as second, nodes.taken() as third:
            assert (first, second, third) == (1, 2, 3)
            assert nodes.free == 0
            with pytest.raises(NoNodeFree), nodes.taken():
                pass
        with nodes.taken() as again:
            assert again == 2


def test_a_node_is_freed_whatever_happens() -> None:
    nodes = Nodes(1)
    with pytest.raises(KeyboardInterrupt), nodes.taken():
        raise KeyboardInterrupt
    assert nodes.free == 1


def test_a_board_without_nodes_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="at least one node"):
        Nodes(0)


@given(st.lists(st.integers(0, 5)))
def test_no_node_is_given_twice_and_the_lowest_comes_first(callers: list[int]) -> None:
    """Each number is a caller who comes, or who goes if it is there."""
    nodes = Nodes(4)
    there: dict[int, tuple[int, AbstractContextManager[int]]] = {}
    for caller in callers:
        if caller in there:
            there.pop(caller)[1].__exit__(None, None, None)
            continue
        free = set(range(1, 5)) - {node for node, _ in there.values()}
        stay = nodes.taken()
        if free:
            there[caller] = (stay.__enter__(), stay)
            assert there[caller][0] == min(free)
        else:
            with pytest.raises(NoNodeFree):
                stay.__enter__()
