"""A log that anything may have happened in, and what careers should say of it, counted the plain way."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec
from tests.agentbbs.store.making import finished

from agentbbs.play.ports import FinishedMatch, Player, Ply, Settled, Strike
from agentbbs.protocol.agentgames import Termination
from agentbbs.store.accounts import REMOVED_NAME
from agentbbs.store.careers import LOST_BY, Career, FaultCount, HeadToHead, RatingMark
from agentbbs.store.database import Database
from agentbbs.store.ledger import Ledger

GAMES: Final = ("c4", "ttt")
_TRANSPORTS: Final = ("ssh", "websocket", "webhook")
_KINDS: Final = ("illegal_move", "timeout", "nonce")
_FORFEITS: Final = (Termination.ILLEGAL_MOVE, Termination.TIMEOUT, Termination.STRIKES)


class Logged(NamedTuple):
    """A match with its place in the log and what its commit did."""

    seq: int
    match: FinishedMatch
    settled: Settled


def play(database: Database, matches: Sequence[FinishedMatch], *, after: int = 0) -> list[Logged]:
    """Store `matches`, the first of which gets the place after `after`."""
    if not matches:
        return []
    with database.writing_connection() as conn:
        settled = Ledger().commit(conn, matches)
    return [Logged(after + number, *both) for number, both in enumerate(zip(matches, settled, strict=True), 1)]


def some_matches(rng: random.Random, ids: Sequence[int], count: int) -> list[FinishedMatch]:
    """That many matches of these accounts, house bots and accounts against themselves, with strikes and forfeits."""
    return [_match(rng, ids, number) for number in range(count)]


def _match(rng: random.Random, ids: Sequence[int], number: int) -> FinishedMatch:
    one: int | None = ids[min(int(rng.expovariate(0.8)), len(ids) - 1)]
    other: int | None = rng.choice(ids)
    if rng.random() < 0.1:
        one, other = (one, None) if rng.random() < 0.5 else (None, other)
    if rng.random() < 0.02:
        one = other = None
    rated = one is not None and other is not None and one != other and rng.random() < 0.8
    termination = rng.choice((*Termination, *(Termination.NORMAL for _ in range(10))))
    winner = -1 if termination is Termination.SERVER else rng.choice((-1, 0, 1))
    plies = tuple(Ply(str(move), 5, _strikes(rng), '"strikes":[{"kind"}]') for move in range(rng.randrange(4)))
    match = finished(
        one,
        other,
        winner,
        game=rng.choice(GAMES),
        why=None if rated else "practice",
        termination=termination,
        unplayed=_strikes(rng),
    )
    ended = match.ended_ms + number * 1000 - rng.choice((0, 5000))
    players = (_seated(rng, match.players[0]), _seated(rng, match.players[1]))
    return msgspec.structs.replace(match, plies=plies, players=players, ended_ms=ended)


def _seated(rng: random.Random, player: Player) -> Player:
    return msgspec.structs.replace(player, transport=rng.choice(_TRANSPORTS))


def _strikes(rng: random.Random) -> tuple[Strike, ...]:
    if rng.random() < 0.7:
        return ()
    return tuple(Strike(rng.choice(_KINDS), 7, 'a "strikes":[{ b') for _ in range(rng.randrange(3)))


class Expected:
    """The answers of `careers.py` about a log, each counted from all of it."""

    def __init__(self, log: Sequence[Logged], names: dict[int, str], removed: set[int]) -> None:
        self._names = {account: REMOVED_NAME if account in removed else name for account, name in names.items()}
        self._owned: dict[tuple[int | None, str | None], list[tuple[Logged, int]]] = defaultdict(list)
        for logged in log:
            one, other = (player.account for player in logged.match.players)
            for seat, account in enumerate((one, other) if one != other else (one,)):
                self._owned[account, logged.match.game].append((logged, seat))
                self._owned[account, None].append((logged, seat))

    def _own(self, account: int, game: str | None = None) -> list[tuple[Logged, int]]:
        """The account's matches and its seat in each; seat 0 if it sat in both."""
        return self._owned[account, game]

    def careers(self, account: int) -> tuple[Career, ...]:
        found = []
        for game in GAMES:
            own = self._own(account, game)
            if own:
                (newest, seat), (oldest, _) = own[-1], own[0]
                transport = newest.match.players[seat].transport
                found.append(Career(game, len(own), transport, oldest.match.ended_ms, newest.match.ended_ms))
        return tuple(sorted(found, key=lambda career: (-career.last_ms, career.game)))

    def ratings(self, account: int, game: str, most: int) -> tuple[RatingMark, ...]:
        every = [
            RatingMark(nth, logged.seq, _rating(logged, seat))
            for nth, (logged, seat) in enumerate(self._own(account, game), 1)
        ]
        stride = 1
        while True:
            marks = [mark for mark in every if mark.nth % stride == 0 or mark.nth in {1, len(every)}]
            if len(marks) <= most:
                return tuple(marks)
            stride *= 2

    def trend(self, account: int, game: str, last: int) -> tuple[float, ...]:
        return tuple(_rating(logged, seat) for logged, seat in self._own(account, game)[-last:])

    def transports(self, game: str) -> dict[int, str]:
        found = {account: self._own(account, game)[-1:] for account in self._names}
        return {account: own[0][0].match.players[own[0][1]].transport for account, own in found.items() if own}

    def opponents(self, account: int, game: str) -> list[HeadToHead]:
        results: dict[int, list[int]] = defaultdict(list)
        newest: dict[int, Logged] = {}
        for logged, seat in self._own(account, game):
            opponent = logged.match.players[1 - seat].account
            if logged.match.rated and opponent is not None:
                winner = logged.match.winner
                results[opponent].append(0 if winner < 0 else 1 if winner == seat else -1)
                newest[opponent] = logged
        order = sorted(results, key=lambda opponent: (len(results[opponent]), newest[opponent].seq), reverse=True)
        return [
            HeadToHead(
                self._names[opponent],
                results[opponent].count(1),
                results[opponent].count(0),
                results[opponent].count(-1),
                newest[opponent].match.ended_ms,
            )
            for opponent in order
        ]

    def faults(self, account: int, game: str) -> tuple[FaultCount, ...]:
        counts: Counter[str] = Counter()
        for logged, _ in self._own(account, game):
            match = logged.match
            for seat, player in enumerate(match.players):
                if player.account == account:
                    counts.update(_faults(match, seat))
        return tuple(FaultCount(*item) for item in sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def seqs(self, account: int, game: str | None, before: int | None, limit: int) -> list[int]:
        own = [logged.seq for logged, _ in self._own(account, game) if before is None or logged.seq < before]
        return own[::-1][:limit]


def _rating(logged: Logged, seat: int) -> float:
    standing = logged.settled.after[seat]
    assert standing is not None
    return standing.rating


def _faults(match: FinishedMatch, seat: int) -> list[str]:
    kinds = [strike.kind for ply in match.plies[seat::2] for strike in ply.strikes]
    lost = match.winner == 1 - seat
    at_the_end = lost if match.termination in _FORFEITS and match.winner >= 0 else len(match.plies) % 2 == seat
    if at_the_end:
        kinds += [strike.kind for strike in match.unplayed]
    if lost and match.termination not in {Termination.NORMAL, Termination.SERVER}:
        kinds.append(LOST_BY + match.termination)
    return kinds
