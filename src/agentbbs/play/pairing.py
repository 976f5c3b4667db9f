"""Who meets whom, pure: a pool of those who wait for one game.

Rules, in order: two entries of one account never meet; ratings must lie within a window that widens with
waiting (the longer-waiting entry's window counts); of those, the nearest rating, but a recent opponent
only if nobody else is there; equal distances go to whoever waits longer. Who moves first: `first_mover`.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator
from heapq import nsmallest
from math import inf
from typing import Final

import msgspec

from agentbbs.play.ports import Standing

WINDOW: Final = 200.0
"""Rating points within which two entries meet at once: a 76 % favourite, still a game."""

WIDENS_PER_S: Final = 100.0
"""Rating points by which the window grows each second: a small venue pairs anybody within ten."""


class Waiting(msgspec.Struct, frozen=True):
    """One entry of the pool: `key` is unique, `since` the time (s) at which it began to wait.

    `peers_from` is None for an agent that is connected. An entry that is always there (an endpoint) meets others of
    its kind only from that time on, and connected agents at once."""

    key: int
    account: int
    rating: float
    since: float
    peers_from: float | None = None

    def window(self, now: float) -> float:
        """How far from its own rating this entry looks at time `now`."""
        return WINDOW + WIDENS_PER_S * max(0.0, now - self.since)

    def looks(self, now: float) -> bool:
        """Whether it looks for a partner at `now`. An endpoint that does not yet can only be found, by an agent."""
        return self.peers_from is None or now >= self.peers_from

    def meets(self, other: Waiting, now: float) -> bool:
        """Whether these two may meet at `now`, as far as `peers_from` goes."""
        mine, theirs = self.peers_from, other.peers_from
        return mine is None or theirs is None or now >= max(mine, theirs)


class Pool:
    """Those who wait for one game. Entries of one account stand behind each other: only the head is
    looked at, so that a crowd of one account costs others nothing. The head is the oldest connected agent, or the
    endpoint where there is none: an endpoint is always there, and would be in the way for ever."""

    def __init__(self) -> None:
        self._lines: dict[int, dict[int, Waiting]] = {}
        self._account_of: dict[int, int] = {}
        self._ratings: list[float] = []
        self._heads: dict[float, list[tuple[float, int]]] = {}
        """Rating -> (since, account) of the heads with that rating, the longest-waiting first."""
        self._recent: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._account_of)

    def __iter__(self) -> Iterator[Waiting]:
        """All entries, account by account."""
        return (entry for line in self._lines.values() for entry in line.values())

    @property
    def accounts(self) -> int:
        """How many different accounts wait; fewer than two can't pair."""
        return len(self._lines)

    def next_meeting(self, now: float) -> float | None:
        """When it is worth looking again, if nobody new comes: `now` while two connected agents, or one and an
        endpoint, wait; else when two endpoints may meet; None if fewer than two accounts wait."""
        if len(self._lines) < 2:
            return None
        heads = [_head(line).peers_from for line in self._lines.values()]
        if None in heads:
            return now
        _, second = nsmallest(2, (head for head in heads if head is not None))
        return max(now, second)

    def add(self, entry: Waiting) -> None:
        """Put `entry` behind those of its account."""
        self._account_of[entry.key] = entry.account
        line = self._lines.get(entry.account)
        if line is None:
            self._lines[entry.account] = {entry.key: entry}
            self._stand(entry)
            return
        before = _head(line)
        line[entry.key] = entry
        if (head := _head(line)) is not before:
            self._step_back(before)
            self._stand(head)

    def remove(self, key: int) -> bool:
        """Take an entry out; False if it is not there."""
        account = self._account_of.pop(key, None)
        if account is None:
            return False
        line = self._lines[account]
        head = _head(line)
        del line[key]
        if head.key == key:
            self._step_back(head)
            if line:
                self._stand(_head(line))
            else:
                del self._lines[account]
        return True

    def met(self, first: int, second: int) -> None:
        """Note that two accounts have just been paired: each is the other's recent opponent."""
        self._recent[first] = second
        self._recent[second] = first

    def partner(self, entry: Waiting, now: float) -> Waiting | None:
        """Whom `entry` (in the pool or not) should meet now; the pool stays as it is."""
        fallback: Waiting | None = None
        for other in self._nearest(entry):
            gap = abs(other.rating - entry.rating)
            if gap > max(entry.window(now), other.window(now)) or not entry.meets(other, now):
                continue
            if self._recent.get(entry.account) != other.account and self._recent.get(other.account) != entry.account:
                return other
            fallback = fallback or other
        return fallback

    def sweep(self, now: float) -> list[tuple[Waiting, Waiting]]:
        """Pair all that can be paired now, the longest-waiting first; they leave the pool. Who does not look yet is
        passed over, so that a crowd of endpoints that wait for their time costs next to nothing."""
        pairs: list[tuple[Waiting, Waiting]] = []
        while True:
            found = len(pairs)
            looking = (head for line in self._lines.values() if (head := _head(line)).looks(now))
            heads = sorted(looking, key=lambda entry: entry.since)
            for entry in heads:
                if entry.key in self._account_of and (other := self.partner(entry, now)) is not None:
                    self.remove(entry.key)
                    self.remove(other.key)
                    pairs.append((entry, other))
            if len(pairs) == found:
                return pairs

    def _stand(self, head: Waiting) -> None:
        """`head` is now the one to be met of its account."""
        heads = self._heads.get(head.rating)
        if heads is None:
            heads = self._heads[head.rating] = []
            insort(self._ratings, head.rating)
        insort(heads, (head.since, head.account))

    def _step_back(self, head: Waiting) -> None:
        """Undo `_stand`."""
        heads = self._heads[head.rating]
        heads.remove((head.since, head.account))
        if not heads:
            del self._heads[head.rating]
            del self._ratings[bisect_left(self._ratings, head.rating)]

    def _nearest(self, entry: Waiting) -> Iterator[Waiting]:
        """The heads of the other accounts by distance of rating, equal distances by waiting."""
        ratings = self._ratings
        right = bisect_left(ratings, entry.rating)
        left = right - 1
        while left >= 0 or right < len(ratings):
            below = entry.rating - ratings[left] if left >= 0 else inf
            above = ratings[right] - entry.rating if right < len(ratings) else inf
            near: list[tuple[float, int]] = []
            if below <= above:
                near += self._heads[ratings[left]]
                left -= 1
            if above <= below:
                near += self._heads[ratings[right]]
                right += 1
                near.sort()
            for _, account in near:
                if account != entry.account:
                    yield _head(self._lines[account])


def _head(line: dict[int, Waiting]) -> Waiting:
    """The one to be met of an account."""
    first = next(iter(line.values()))
    if first.peers_from is None:
        return first
    return next((entry for entry in line.values() if entry.peers_from is None), first)


def first_mover(one: Standing, other: Standing, toss: Callable[[], bool]) -> int:
    """0 if `one` moves first, else 1: the one whose first moves are fewer against its second moves; of
    equals `toss()` decides (True: `one`)."""
    balance = (2 * one.firsts - one.played) - (2 * other.firsts - other.played)
    if balance == 0:
        return 0 if toss() else 1
    return 0 if balance < 0 else 1
