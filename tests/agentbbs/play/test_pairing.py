"""Who meets whom, against a model that looks at everybody; and who moves first."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentbbs.play.pairing import WIDENS_PER_S, WINDOW, Pool, Waiting, first_mover
from agentbbs.play.ports import Standing

NOW: Final = 100.0


def entry(account: int, rating: float = 1500.0, *, since: float = NOW, key: int | None = None) -> Waiting:
    """An entry whose key is its account's number, if nothing else is said."""
    return Waiting(account if key is None else key, account, rating, since)


def pool_of(*entries: Waiting) -> Pool:
    """A pool that these joined in order."""
    pool = Pool()
    for waiting in entries:
        pool.add(waiting)
    return pool


def partner(pool: Pool, seeker: Waiting, now: float = NOW) -> int | None:
    """The key of whom the seeker meets."""
    found = pool.partner(seeker, now)
    return None if found is None else found.key


def endpoint(account: int, peers_from: float = NOW, rating: float = 1500.0, *, key: int | None = None) -> Waiting:
    """An entry that is always there, and meets others of its kind from `peers_from` on."""
    return Waiting(account if key is None else key, account, rating, NOW, peers_from)


# The rules one by one


def test_nobody_meets_nobody() -> None:
    assert partner(Pool(), entry(1)) is None


def test_two_entries_of_one_account_never_meet() -> None:
    pool = pool_of(entry(1, key=10), entry(1, key=11))
    assert partner(pool, entry(1, key=12)) is None
    assert pool.sweep(NOW + 1000) == []
    assert len(pool) == 2


def test_the_nearest_rating_is_met() -> None:
    pool = pool_of(entry(1, 1400), entry(2, 1450), entry(3, 1560), entry(4, 1700))
    assert partner(pool, entry(9, 1500)) == 2
    assert partner(pool, entry(9, 1509)) == 3
    assert partner(pool, entry(9, 1650)) == 4


def test_the_pool_stays_as_it_is_when_a_partner_is_looked_for() -> None:
    pool = pool_of(entry(1), entry(2, 1600))
    pool.partner(entry(9), NOW)
    assert sorted(waiting.key for waiting in pool) == [1, 2]


def test_a_gap_at_the_edge_of_the_window_is_within_it() -> None:
    pool = pool_of(entry(1, 1500 - WINDOW))
    assert partner(pool, entry(9, 1500)) == 1
    assert partner(pool, entry(9, 1500.001)) is None


@pytest.mark.parametrize("waited_s", [0.0, 1.0, 2.5, 10.0])
def test_the_window_widens_with_waiting(waited_s: float) -> None:
    reach = WINDOW + WIDENS_PER_S * waited_s
    pool = pool_of(entry(1, 1500 + reach, since=NOW))
    assert partner(pool, entry(9, 1500, since=NOW + waited_s), NOW + waited_s) == 1
    assert partner(pool, entry(9, 1499, since=NOW + waited_s), NOW + waited_s) is None


def test_the_window_of_whoever_waits_longer_counts_on_either_side() -> None:
    pool = pool_of(entry(1, 1800, since=NOW))
    assert partner(pool, entry(9, 1500, since=NOW - 1), NOW) == 1
    pool = pool_of(entry(1, 1800, since=NOW - 1))
    assert partner(pool, entry(9, 1500, since=NOW), NOW) == 1


def test_a_clock_that_stands_behind_the_begin_of_waiting_does_not_narrow_the_window() -> None:
    assert entry(1, since=NOW).window(NOW - 50) == WINDOW


def test_a_recent_opponent_is_avoided_while_another_waits() -> None:
    pool = pool_of(entry(1, 1500), entry(2, 1600))
    pool.met(9, 1)
    assert partner(pool, entry(9, 1500)) == 2
    assert partner(pool, entry(8, 1500)) == 1


def test_a_recent_opponent_is_met_again_when_nobody_else_waits() -> None:
    pool = pool_of(entry(1, 1500))
    pool.met(9, 1)
    assert partner(pool, entry(9, 1500)) == 1


def test_only_the_latest_opponent_is_recent_and_recent_counts_for_both() -> None:
    pool = pool_of(entry(1, 1500), entry(2, 1510))
    pool.met(9, 1)
    pool.met(9, 5)
    assert partner(pool, entry(9, 1500)) == 2, "9 is the recent opponent of 1, if not the other way round"
    pool.met(1, 5)
    assert partner(pool, entry(9, 1500)) == 1


@pytest.mark.parametrize("low", [1, 5])
def test_of_equal_distances_below_and_above_the_longer_waiting_is_met(low: int) -> None:
    pool = pool_of(entry(low, 1450, since=10), entry(3, 1550, since=5))
    assert partner(pool, entry(9, 1500)) == 3
    pool = pool_of(entry(low, 1450, since=4), entry(3, 1550, since=5))
    assert partner(pool, entry(9, 1500)) == low


@pytest.mark.parametrize("rating", [1500.0, 1450.0, 1550.0])
@pytest.mark.parametrize(("one", "other"), [(1, 2), (2, 1)])
def test_of_equal_ratings_the_longer_waiting_is_met(one: int, other: int, rating: float) -> None:
    """Everybody starts at 1500: who waits longer must not depend on who registered first."""
    pool = pool_of(entry(one, rating, since=5), entry(other, rating, since=10))
    assert partner(pool, entry(9, 1500), 20) == one


# Joining and leaving


def test_who_left_is_not_met() -> None:
    pool = pool_of(entry(1))
    assert pool.remove(1)
    assert not pool.remove(1)
    assert partner(pool, entry(9)) is None
    assert (len(pool), pool.accounts) == (0, 0)


def test_the_next_entry_of_an_account_takes_the_place_of_the_one_that_left() -> None:
    pool = pool_of(entry(1, 1500, key=10), entry(1, 1600, key=11), entry(1, 1700, key=12))
    pool.remove(11)
    assert partner(pool, entry(9, 1650)) == 10
    pool.remove(10)
    assert partner(pool, entry(9, 1650)) == 12
    assert (len(pool), pool.accounts) == (1, 1)


# Endpoints


def test_an_endpoint_meets_a_connected_agent_at_once_and_another_endpoint_in_its_time() -> None:
    pool = pool_of(endpoint(1, NOW + 60))
    assert partner(pool, entry(2)) == 1
    assert partner(pool, endpoint(3, NOW)) is None
    assert partner(pool, endpoint(3, NOW), NOW + 60) == 1
    assert partner(pool, endpoint(3, NOW + 90), NOW + 60) is None
    assert partner(pool, endpoint(3, NOW + 90), NOW + 90) == 1


def test_an_endpoint_does_not_stand_before_a_connected_agent_of_its_account() -> None:
    for entries in ([endpoint(1, NOW + 60, key=10), entry(1, key=11)], [entry(1, key=11), endpoint(1, key=10)]):
        pool = pool_of(*entries)
        assert partner(pool, endpoint(2, NOW + 60)) == 11
        assert pool.remove(11)
        assert partner(pool, endpoint(2, NOW + 60)) is None
        assert partner(pool, entry(2)) == 10
        assert pool.remove(10)
        assert (len(pool), pool.accounts, partner(pool, entry(2))) == (0, 0, None)


def test_it_is_worth_looking_again_when_two_may_meet() -> None:
    pool = pool_of(endpoint(1, NOW + 60))
    assert pool.next_meeting(NOW) is None
    pool.add(endpoint(2, NOW + 30))
    assert pool.next_meeting(NOW) == NOW + 60
    pool.add(endpoint(3, NOW + 40))
    assert pool.next_meeting(NOW) == NOW + 40
    assert pool.next_meeting(NOW + 50) == NOW + 50
    pool.add(entry(1, key=10))
    assert pool.next_meeting(NOW) == NOW
    pool.remove(10)
    assert pool.next_meeting(NOW) == NOW + 40


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 5), st.sampled_from([1400.0, 1500.0, 1700.0]), st.none() | st.integers(-20, 20)),
        max_size=12,
    ),
    st.data(),
)
def test_entries_come_and_go_in_any_order(entries: list[tuple[int, float, int | None]], data: st.DataObject) -> None:
    """After each step the pool knows whom there is to meet: of every account its oldest connected agent, or else its
    endpoint."""
    pool = Pool()
    inside: list[Waiting] = []
    for key, (account, rating, later) in enumerate(entries):
        waiting = Waiting(key, account, rating, NOW, None if later is None else NOW + later)
        pool.add(waiting)
        inside.append(waiting)
        if data.draw(st.booleans()):
            gone = data.draw(st.sampled_from(inside))
            inside.remove(gone)
            assert pool.remove(gone.key)
        heads: dict[int, Waiting] = {}
        for one in sorted(inside, key=lambda one: (one.peers_from is not None, one.key)):
            heads.setdefault(one.account, one)
        met = {other.key for other in pool._nearest(Waiting(-1, -1, 1500.0, NOW))}
        assert met == {head.key for head in heads.values()}
    while inside:
        assert pool.remove(inside.pop().key)
    assert (pool._ratings, pool._heads, pool._lines) == ([], {}, {})


class CountingPool(Pool):
    """A pool that counts the entries it looks at."""

    def __init__(self) -> None:
        super().__init__()
        self.looked = 0

    def _nearest(self, entry: Waiting) -> Iterator[Waiting]:
        for found in super()._nearest(entry):
            self.looked += 1
            yield found


def test_a_crowd_of_one_account_costs_others_nothing() -> None:
    """5,000 connections of one account and one entry out of everybody's window: two looks, not 5,001."""
    pool = CountingPool()
    for key in range(5000):
        pool.add(entry(1, 1500, key=key))
    pool.add(entry(2, 9000, key=5000))
    assert partner(pool, entry(3, 5000)) is None
    assert pool.looked == 2
    pool.looked = 0
    assert partner(pool, entry(1, 1500, key=5001)) is None
    assert pool.looked == 1
    pool.looked = 0
    assert pool.sweep(NOW) == []
    assert pool.looked == 2
    assert (len(pool), pool.accounts) == (5001, 2)


# The sweep


def test_a_sweep_pairs_those_whose_windows_have_widened() -> None:
    pool = pool_of(entry(1, 1500), entry(2, 1900))
    assert pool.sweep(NOW + 1.9) == []
    assert [(one.key, other.key) for one, other in pool.sweep(NOW + 2.0)] == [(1, 2)]
    assert (len(pool), pool.accounts) == (0, 0)


def test_the_longest_waiting_chooses_first() -> None:
    pool = pool_of(entry(1, 1500, since=30), entry(2, 1600, since=10), entry(3, 1690, since=20))
    pairs = [(one.key, other.key) for one, other in pool.sweep(40)]
    assert pairs == [(2, 3)]
    assert [waiting.key for waiting in pool] == [1]


def test_a_sweep_pairs_all_entries_of_two_accounts() -> None:
    pool = pool_of(*[entry(account, 1500, key=10 * account + n) for account in (1, 2) for n in range(3)])
    assert len(pool.sweep(NOW)) == 3
    assert len(pool) == 0


# Against a model

ratings = st.sampled_from((1400.0, 1450.0, 1500.0, 1500.5, 1550.0, 1900.0, 2600.0)) | st.floats(1000, 2000)
accounts = st.integers(1, 5)


@st.composite
def pools(draw: st.DrawFn) -> tuple[Pool, list[Waiting], dict[int, int]]:
    """A pool after joins, leavings and meetings, with what is in it by account and who met whom."""
    pool, inside, recent = Pool(), [], {}
    since = NOW
    for key in range(draw(st.integers(0, 14))):
        since += draw(st.sampled_from((0.0, 0.5, 3.0)))
        waiting = Waiting(key, draw(accounts), draw(ratings), since)
        pool.add(waiting)
        inside.append(waiting)
    for leaving in draw(st.lists(st.integers(0, 14), max_size=5)):
        assert pool.remove(leaving) is any(waiting.key == leaving for waiting in inside)
        inside = [waiting for waiting in inside if waiting.key != leaving]
    for one, other in draw(st.lists(st.tuples(accounts, accounts), max_size=4)):
        if one != other:
            pool.met(one, other)
            recent[one], recent[other] = other, one
    return pool, inside, recent


def modelled(inside: list[Waiting], recent: dict[int, int], seeker: Waiting, now: float) -> list[tuple[float, float]]:
    """Distance and begin of waiting of everybody whom the rules let the seeker meet, the best first."""
    heads: dict[int, Waiting] = {}
    for waiting in inside:
        heads.setdefault(waiting.account, waiting)
    near = [
        other
        for other in heads.values()
        if other.account != seeker.account
        and abs(other.rating - seeker.rating) <= max(seeker.window(now), other.window(now))
    ]
    fresh = [
        other
        for other in near
        if recent.get(other.account) != seeker.account and recent.get(seeker.account) != other.account
    ]
    return sorted((abs(other.rating - seeker.rating), other.since) for other in fresh or near)


@settings(deadline=None, max_examples=150)
@given(pools(), accounts, ratings, st.floats(0, 20))
def test_a_partner_is_whom_the_rules_name(
    made: tuple[Pool, list[Waiting], dict[int, int]], account: int, rating: float, waited_s: float
) -> None:
    pool, inside, recent = made
    seeker = Waiting(99, account, rating, NOW)
    found = pool.partner(seeker, NOW + waited_s)
    best = modelled(inside, recent, seeker, NOW + waited_s)
    if found is None:
        assert best == []
    else:
        assert found.account != account
        assert (abs(found.rating - rating), found.since) == best[0]


@settings(deadline=None, max_examples=150)
@given(pools(), st.floats(0, 20))
def test_a_sweep_takes_out_whom_it_pairs_and_leaves_nobody_who_could_be_paired(
    made: tuple[Pool, list[Waiting], dict[int, int]], waited_s: float
) -> None:
    pool, inside, _ = made
    now = NOW + waited_s
    paired = [waiting for pair in pool.sweep(now) for waiting in pair]
    assert len({waiting.key for waiting in paired}) == len(paired)
    left = list(pool)
    assert sorted(waiting.key for waiting in paired + left) == [waiting.key for waiting in inside]
    assert len(pool) == len(left)
    assert pool.accounts == len({waiting.account for waiting in left})
    heads = {waiting.account: waiting for waiting in reversed(left)}
    assert [waiting.key for waiting in heads.values() if pool.partner(waiting, now) is not None] == []


# Who moves first


def never() -> bool:
    raise AssertionError("a toss where none is needed")


def test_whoever_has_moved_first_less_often_moves_first() -> None:
    often, seldom = Standing(played=10, firsts=6), Standing(played=10, firsts=5)
    assert first_mover(often, seldom, never) == 1
    assert first_mover(seldom, often, never) == 0


def test_a_newcomer_is_weighed_by_first_moves_against_second_moves() -> None:
    """Four first moves of ten are fewer than none of none: the other six times it moved second."""
    assert first_mover(Standing(played=10, firsts=4), Standing(), never) == 0
    assert first_mover(Standing(), Standing(played=10, firsts=6), never) == 0


@pytest.mark.parametrize(("heads", "first"), [(True, 0), (False, 1)])
@pytest.mark.parametrize("standing", [Standing(), Standing(played=8, firsts=4), Standing(played=3, firsts=2)])
def test_only_equals_toss(standing: Standing, heads: bool, first: int) -> None:
    assert first_mover(standing, standing, lambda: heads) == first


def test_first_moves_alternate_over_a_series_of_two() -> None:
    rng = random.Random(3)
    standings = [Standing(), Standing()]
    for _ in range(100):
        first = first_mover(standings[0], standings[1], lambda: rng.random() < 0.5)
        standings = [
            Standing(played=standing.played + 1, firsts=standing.firsts + (index == first))
            for index, standing in enumerate(standings)
        ]
        assert abs(standings[0].firsts - standings[1].firsts) <= 1
    assert standings[0].firsts == standings[1].firsts == 50


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=120), st.randoms(use_true_random=False))
def test_first_moves_stay_even_for_everybody_in_any_series(pairs: list[tuple[int, int]], rng: random.Random) -> None:
    """Nobody can be more than a few first moves away from half, whoever is met."""
    standings = [Standing()] * 6
    for one, other in pairs:
        if one != other:
            first = first_mover(standings[one], standings[other], lambda: rng.random() < 0.5)
            for seat, account in enumerate((one, other)):
                before = standings[account]
                standings[account] = Standing(played=before.played + 1, firsts=before.firsts + (seat == first))
    assert all(abs(2 * standing.firsts - standing.played) <= 6 for standing in standings)
