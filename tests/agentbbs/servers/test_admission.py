"""Places at the door, without a door."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from agentbbs.servers.admission import Admission, Place, source


class TestAPlace:
    def test_is_kept_until_its_holder_leaves(self) -> None:
        door = Admission[str](total=2, each=2)
        assert [door.arrive(name, "a") for name in ("ann", "bob", "cid")] == [Place.IN, Place.IN, Place.WAITING]
        assert door.leave("bob") == "cid"
        assert door.leave("bob") is None
        assert door.leave("ann") is None

    def test_is_not_taken_by_one_address_for_all(self) -> None:
        door = Admission[str](total=4, each=1)
        assert door.arrive("ann", "a") is Place.IN
        assert door.arrive("ann 2", "a") is Place.WAITING
        assert door.arrive("bob", "b") is Place.IN

    def test_goes_round_by_address(self) -> None:
        door = Admission[str](total=1, each=1)
        door.arrive("first", "x")
        for name in ("a1", "a2", "a3", "b1"):
            door.arrive(name, name[0])
        order, holder = [], "first"
        while (following := door.leave(holder)) is not None:
            order.append(following)
            holder = following
        assert order == ["a1", "b1", "a2", "a3"]

    def test_who_waits_may_give_up(self) -> None:
        door = Admission[str](total=1, each=1)
        for name in ("ann", "bob", "cid"):
            door.arrive(name, "a")
        assert door.leave("bob") is None
        assert door.leave("ann") == "cid"

    def test_the_wait_is_bounded_for_each_address_and_in_total(self) -> None:
        door = Admission[int](total=1, each=1, waiting=3, waiting_each=2)
        assert [door.arrive(n, "a") for n in range(4)] == [Place.IN, Place.WAITING, Place.WAITING, Place.REFUSED]
        assert [door.arrive(n, "b") for n in (4, 5)] == [Place.WAITING, Place.REFUSED]
        assert door.leave(5) is None


class TheDoor(RuleBasedStateMachine):
    """Whatever comes and goes: the limits hold, and nobody waits for a place that is free."""

    TOTAL, EACH = 5, 2
    callers: Bundle[int] = Bundle("callers")

    def __init__(self) -> None:
        super().__init__()
        self.door = Admission[int](total=self.TOTAL, each=self.EACH, waiting=6, waiting_each=3)
        self.address: dict[int, str] = {}
        self.inside: set[int] = set()
        self.waiting: set[int] = set()

    @rule(target=callers, address=st.sampled_from("abcd"))
    def arrive(self, address: str) -> int:
        caller = len(self.address)
        self.address[caller] = address
        place = self.door.arrive(caller, address)
        if place is Place.IN:
            self.inside.add(caller)
        elif place is Place.WAITING:
            self.waiting.add(caller)
        return caller

    @rule(caller=callers)
    def leave(self, caller: int) -> None:
        self.inside.discard(caller)
        self.waiting.discard(caller)
        following = self.door.leave(caller)
        if following is not None:
            assert following in self.waiting
            self.waiting.remove(following)
            self.inside.add(following)

    @invariant()
    def limits_hold(self) -> None:
        assert len(self.inside) <= self.TOTAL
        for address in "abcd":
            assert sum(self.address[caller] == address for caller in self.inside) <= self.EACH

    @invariant()
    def nobody_waits_for_a_free_place(self) -> None:
        if len(self.inside) < self.TOTAL:
            for caller in self.waiting:
                mine = self.address[caller]
                assert sum(self.address[other] == mine for other in self.inside) == self.EACH


TestTheDoor = TheDoor.TestCase


@pytest.mark.parametrize(
    ("address", "counts_as"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::9", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_what_counts_as_one_address(address: str, counts_as: str) -> None:
    assert source(address) == counts_as
