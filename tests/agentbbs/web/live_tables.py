"""Matches that are on, played by the test; and matches that are over, put into the log."""

from __future__ import annotations

import random

import msgspec
from tests.random_matches import play

from agentbbs.games.catalog import find
from agentbbs.hub.games.human_seat import HumanSeat
from agentbbs.play.ports import FinishedMatch
from agentbbs.store import accounts
from agentbbs.store.ledger import Ledger

from .site import NOW_MS, Site


def account(site: Site, name: str) -> int:
    """The account of that name, which is made if need be."""
    with site.database.begin() as conn:
        try:
            return accounts.find(conn, name).id
        except accounts.NoSuchAccount:
            return accounts.add(conn, name, now_ms=NOW_MS).id


class Table:
    """Two people at a match that the test plays."""

    def __init__(self, site: Site, game: str = "ttt", names: tuple[str, str] = ("ann", "bob")) -> None:
        first, second = names
        self.seats = (
            HumanSeat(account(site, first), first, lambda: None),
            HumanSeat(account(site, second), second, lambda: None),
        )
        self.id = site.runner.start(find(game), self.seats, why_unrated="a challenge")
        match = site.runner.match(self.id)
        assert match is not None
        self.match = match

    def play(self, *moves: str) -> None:
        for move in moves:
            self.seats[self.match.position.to_move].play(move)


def finished(
    site: Site, number: int, game: str = "ttt", names: tuple[str, str] = ("ada", "bob"), why: str | None = None
) -> FinishedMatch:
    """A match between two accounts that was played at random, without forfeits: the `number`-th."""
    found = play(random.Random(number), game, 0.0, strikes=(False, False), why=why)
    players = tuple(
        msgspec.structs.replace(player, account=account(site, name), name=name)
        for player, name in zip(found.players, names, strict=True)
    )
    return msgspec.structs.replace(found, id=f"019a7c1e-4b02-7d31-9c55-{number:012d}", players=players)


def store(site: Site, *matches: FinishedMatch) -> None:
    """Put matches into the log, in this order."""
    with site.database.writing_connection() as conn:
        Ledger().commit(conn, list(matches))
