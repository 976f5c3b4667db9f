"""The pool of nodes: who gets which, who waits, and what is given back."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bbs_gym.nodes import Lease, NodePool, NoNodeFree

LIMIT_S = 5


class TestLeases:
    def test_are_of_the_lowest_free_node(self) -> None:
        pool = NodePool(range(1, 5))
        leases = [pool.lease() for _ in range(4)]
        assert [lease.node for lease in leases] == [1, 2, 3, 4]
        leases[2].release()
        leases[0].release()
        assert [pool.lease().node, pool.lease().node] == [1, 3]

    def test_of_a_node_that_is_named(self) -> None:
        pool = NodePool(range(1, 4))
        with pool.lease(2) as lease:
            assert (lease.node, pool.free) == (2, (1, 3))
            with pytest.raises(NoNodeFree, match="node 2 is in use"):
                pool.lease(2)
            assert pool.lease().node == 1
        assert pool.free == (2, 3)

    def test_end_once(self) -> None:
        pool = NodePool([7])
        lease = pool.lease()
        lease.release()
        lease.release()
        assert (pool.free, lease.held) == ((7,), False)

    def test_need_a_free_node(self) -> None:
        pool = NodePool(range(1, 3))
        _ = pool.lease(), pool.lease()
        with pytest.raises(NoNodeFree, match="all 2 nodes"):
            pool.lease()

    @pytest.mark.parametrize(("nodes", "told"), [(range(1, 9), "1 to 8"), ((1, 3), "1, 3"), ((5,), "5")])
    def test_need_a_node_of_the_pool(self, nodes: tuple[int, ...], told: str) -> None:
        with pytest.raises(NoNodeFree, match=f"no node 9 .* {told}"):
            NodePool(nodes).lease(9)

    @pytest.mark.parametrize("nodes", [(), (0, 1), (-1,)])
    def test_need_a_pool(self, nodes: tuple[int, ...]) -> None:
        with pytest.raises(ValueError, match="at least one node"):
            NodePool(nodes)

    @given(st.lists(st.one_of(st.none(), st.integers(1, 4), st.integers(-4, -1)), max_size=30))
    def test_never_share_a_node(self, steps: list[int | None]) -> None:
        """None and a number take a lease, a number below 0 gives one back."""
        pool, held = NodePool(range(1, 5)), list[Lease]()
        for step in steps:
            if step is not None and step < 0:
                if held:
                    held.pop(step % len(held)).release()
            elif step in pool.free or (step is None and pool.free):
                lowest = pool.free[0]
                lease = pool.lease(step)
                assert lease.node == (lowest if step is None else step)
                held.append(lease)
            nodes = [lease.node for lease in held]
            assert sorted([*nodes, *pool.free]) == [1, 2, 3, 4]


class TestWaiting:
    async def test_is_over_at_once_where_a_node_is_free(self) -> None:
        assert (await NodePool([1]).wait()).node == 1

    async def test_is_in_the_order_of_arrival(self) -> None:
        pool = NodePool(range(1, 3))
        first, second = pool.lease(), pool.lease()
        wanted = (None, 1, None, 2)
        waiting = [asyncio.create_task(pool.wait(node, timeout_s=LIMIT_S)) for node in wanted]
        await asyncio.sleep(0)
        got: list[int] = []
        second.release()  # node 2: whoever came first takes any
        got.append((await waiting[0]).node)
        first.release()  # node 1: who wants that one, though a later one would take it too
        got.append((await waiting[1]).node)
        (await waiting[1]).release()
        got.append((await waiting[2]).node)
        (await waiting[0]).release()
        got.append((await waiting[3]).node)
        assert got == [2, 1, 1, 2]
        assert pool.free == ()

    async def test_has_a_bound(self) -> None:
        pool = NodePool([1])
        lease = pool.lease()
        with pytest.raises(NoNodeFree, match=r"node 1 became free within 0\.01 s"):
            await pool.wait(1, timeout_s=0.01)
        with pytest.raises(NoNodeFree, match="no node became free"):
            await pool.wait(timeout_s=0.01)
        lease.release()
        assert pool.free == (1,)

    async def test_for_no_node_of_the_pool_is_refused_at_once(self) -> None:
        with pytest.raises(NoNodeFree, match="there is no node 5"):
            await NodePool([1]).wait(5)

    async def test_that_is_cancelled_leaves_the_node_to_others(self) -> None:
        pool = NodePool([1])
        lease = pool.lease()
        waiting = asyncio.create_task(pool.wait(timeout_s=LIMIT_S))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        lease.release()
        assert pool.free == (1,)

    async def test_that_is_cancelled_in_the_moment_of_its_lease_gives_it_back(self) -> None:
        pool = NodePool([1])
        lease = pool.lease()
        waiting = asyncio.create_task(pool.wait(timeout_s=LIMIT_S))
        await asyncio.sleep(0)
        lease.release()
        waiting.cancel()
        await asyncio.wait({waiting})
        assert waiting.cancelled()
        assert pool.free == (1,)
