"""Endpoints in the pool: they meet agents at once and each other in their time, and a crowd of them costs nothing."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agentbbs.play.test_pairing import CountingPool

from agentbbs.play.pairing import Pool, Waiting

NOW: Final = 100.0


def agent(account: int, rating: float = 1500.0, *, since: float = NOW, key: int | None = None) -> Waiting:
    """A connected agent, whose key is its account's number if nothing else is said."""
    return Waiting(account if key is None else key, account, rating, since)


def endpoint(
    account: int, peers_from: float, *, rating: float = 1500.0, since: float = NOW, key: int | None = None
) -> Waiting:
    """An endpoint that meets others of its kind from `peers_from` on."""
    return Waiting(account if key is None else key, account, rating, since, peers_from)


def pool_of(*entries: Waiting) -> Pool:
    pool = Pool()
    for waiting in entries:
        pool.add(waiting)
    return pool


def keys(pairs: list[tuple[Waiting, Waiting]]) -> list[set[int]]:
    return [{one.key, other.key} for one, other in pairs]


# Who meets whom


@pytest.mark.parametrize(("now", "meet"), [(119.9, False), (120.0, True), (500.0, True)])
def test_two_endpoints_meet_from_the_later_of_their_times_on(now: float, meet: bool) -> None:
    entries = (endpoint(1, 110.0), endpoint(2, 120.0))
    assert entries[0].meets(entries[1], now) is entries[1].meets(entries[0], now) is meet
    assert keys(pool_of(*entries).sweep(now)) == ([{1, 2}] if meet else [])
    assert (pool_of(entries[0]).partner(entries[1], now) is not None) is meet


def test_an_agent_meets_an_endpoint_whose_time_has_not_come() -> None:
    pool = pool_of(endpoint(1, 9999.0))
    found = pool.partner(agent(2), NOW)
    assert found is not None
    assert found.key == 1
    pool.add(agent(2))
    assert keys(pool.sweep(NOW)) == [{1, 2}]


def test_an_agent_looks_for_the_nearest_rating_among_endpoints_too() -> None:
    pool = pool_of(endpoint(1, 9999.0, rating=1400), endpoint(2, 9999.0, rating=1520), agent(3, 1600))
    found = pool.partner(agent(9), NOW)
    assert found is not None
    assert found.key == 2


def test_an_endpoint_never_meets_an_agent_of_its_own_account() -> None:
    pool = pool_of(endpoint(1, 0.0, key=10), agent(1, key=11))
    assert pool.partner(agent(1, key=12), NOW + 999) is None
    assert pool.partner(endpoint(1, 0.0, key=13), NOW + 999) is None
    assert pool.sweep(NOW + 999) == []


# An account with an endpoint and connections


def test_a_connected_agent_stands_before_the_endpoint_of_its_account() -> None:
    pool = pool_of(endpoint(1, 0.0, key=10), agent(1, key=11), agent(1, key=12))
    for key in (11, 12, 10):
        found = pool.partner(agent(9), NOW)
        assert found is not None
        assert found.key == key
        assert pool.remove(key)
    assert (len(pool), pool.accounts) == (0, 0)


def test_an_agent_is_paired_though_an_endpoint_of_its_account_waits_for_its_time() -> None:
    """The endpoint is always there: behind it, the agent would wait in vain."""
    pool = pool_of(endpoint(1, 9999.0, key=10), endpoint(2, 9999.0, key=20), agent(1, key=11))
    assert pool.next_meeting(NOW) == NOW
    assert keys(pool.sweep(NOW)) == [{11, 20}]
    assert pool.next_meeting(NOW) is None


# When it is worth looking again


def test_nobody_looks_before_two_endpoints_may_meet() -> None:
    assert pool_of().next_meeting(NOW) is None
    assert pool_of(endpoint(1, 0.0)).next_meeting(NOW) is None
    assert pool_of(endpoint(1, 0.0, key=1), endpoint(1, 0.0, key=2)).next_meeting(NOW) is None
    assert pool_of(endpoint(1, 0.0), endpoint(2, 300.0), endpoint(3, 200.0)).next_meeting(NOW) == 200.0
    assert pool_of(endpoint(1, 0.0), endpoint(2, 50.0)).next_meeting(NOW) == NOW
    assert pool_of(endpoint(1, 900.0), endpoint(2, 900.0), agent(3)).next_meeting(NOW) == NOW


@pytest.mark.parametrize("due", [0, 2])
@pytest.mark.parametrize("agents", [0, 1])
def test_a_crowd_that_waits_for_its_time_is_not_looked_through(due: int, agents: int) -> None:
    """1,000 endpoints: who has a time to wait for looks at nobody; each of the others, at the crowd once at most."""
    pool = CountingPool()
    for account in range(1000):
        pool.add(endpoint(account, NOW - 1 if account < due else NOW + 1 + account, rating=1300 + account % 400))
    for number in range(agents):
        pool.add(agent(5000 + number, 9000.0))
    pairs = pool.sweep(NOW)
    assert len(pairs) == due // 2
    assert pool.looked <= 1000 * (due + 2 * agents)


# Against a model

times = st.sampled_from((0.0, NOW, NOW + 1, NOW + 5, NOW + 60))
entries = st.builds(
    Waiting,
    key=st.just(0),
    account=st.integers(1, 6),
    rating=st.sampled_from((1400.0, 1500.0, 1550.0, 1900.0)),
    since=st.sampled_from((NOW - 20, NOW - 2, NOW)),
    peers_from=st.none() | times,
)


@st.composite
def crowds(draw: st.DrawFn) -> list[Waiting]:
    """Entries with keys of their own, of which some have left again."""
    made = draw(st.lists(entries, max_size=14))
    return [
        Waiting(key, one.account, one.rating, one.since, one.peers_from)
        for key, one in enumerate(made)
        if not draw(st.sampled_from((False, False, False, True)))
    ]


def may_meet(one: Waiting, other: Waiting, now: float) -> bool:
    """By the rules, without the pool."""
    kinds = {one.peers_from is None, other.peers_from is None}
    in_time = True in kinds or now >= max(one.peers_from or 0.0, other.peers_from or 0.0)
    gap = abs(one.rating - other.rating)
    return one.account != other.account and in_time and gap <= max(one.window(now), other.window(now))


def heads(waiting: list[Waiting]) -> list[Waiting]:
    """Of each account the oldest that is connected, else the oldest."""
    found: dict[int, Waiting] = {}
    for one in sorted(waiting, key=lambda entry: (entry.peers_from is not None, entry.key)):
        found.setdefault(one.account, one)
    return list(found.values())


@settings(deadline=None, max_examples=200)
@given(crowds(), st.floats(0, 70))
def test_a_sweep_pairs_only_who_may_meet_and_leaves_nobody_who_may(waiting: list[Waiting], waited_s: float) -> None:
    now = NOW + waited_s
    pool = pool_of(*waiting)
    pairs = pool.sweep(now)
    assert all(may_meet(one, other, now) for one, other in pairs)
    paired = [entry.key for pair in pairs for entry in pair]
    left = list(pool)
    assert sorted(paired + [entry.key for entry in left]) == [entry.key for entry in waiting]
    ready = heads(left)
    assert [(one.key, other.key) for one in ready for other in ready if may_meet(one, other, now)] == []


@settings(deadline=None, max_examples=200)
@given(crowds(), st.floats(0, 1))
def test_nobody_who_may_meet_is_missed_until_the_next_look(waiting: list[Waiting], part: float) -> None:
    """At any moment before `next_meeting` a sweep finds nothing."""
    pool = pool_of(*waiting)
    pool.sweep(NOW)
    next_look = pool.next_meeting(NOW)
    end = NOW + 200 if next_look is None else next_look
    before = NOW + part * (end - NOW)
    if next_look is None or before < next_look:
        assert pool.sweep(before) == []


@settings(deadline=None, max_examples=150)
@given(crowds(), entries, st.floats(0, 20))
def test_a_partner_is_a_head_that_may_be_met_and_the_nearest(
    waiting: list[Waiting], seeker: Waiting, waited_s: float
) -> None:
    now = NOW + waited_s
    seeker = Waiting(99, seeker.account, seeker.rating, seeker.since, seeker.peers_from)
    found = pool_of(*waiting).partner(seeker, now)
    best = sorted((abs(one.rating - seeker.rating), one.since) for one in heads(waiting) if may_meet(one, seeker, now))
    taken = [] if found is None else [(abs(found.rating - seeker.rating), found.since)]
    assert taken == best[:1]
