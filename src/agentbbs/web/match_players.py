"""The two seats of a finished match, as its page shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import quote

import msgspec

from agentbbs.play import replay
from agentbbs.play.frames import MARKS
from agentbbs.play.ports import FinishedMatch
from agentbbs.play.replay import SavedMatch, SavedStrike
from agentbbs.store.accounts import REMOVED_NAME
from agentbbs.web.replay_frames import FrameStrike, ReplayEnd

_COLOURS: Final = ("seat-x", "seat-o")


class MatchPlayer(msgspec.Struct, frozen=True):
    """One seat. Texts are as they were stored."""

    seat: int
    mark: str
    css: str
    """The class that has the seat's colour."""
    name: str
    href: str | None
    """The page of the account; None for a house bot, and where the account is gone."""
    transport: str
    before: float | None
    after: float | None
    clock_ms: int
    used_ms: int
    """The time that all its answers took, strikes among them."""
    strikes: int


def match_players(match: FinishedMatch, saved: SavedMatch, end: ReplayEnd) -> tuple[MatchPlayer, MatchPlayer]:
    """Both seats of `match`; `saved` is the same match as a file, `end` its end."""
    clocks = replay.clocks(saved)
    first, second = (
        MatchPlayer(
            seat=seat,
            mark=MARKS[seat],
            css=_COLOURS[seat],
            name=player.name,
            href=_href(match.players[seat].account, player.name),
            transport=player.transport,
            before=player.rating_before,
            after=player.rating_after,
            clock_ms=clocks[seat],
            used_ms=sum(_answers_ms(saved, end, seat)),
            strikes=sum(len(strikes) for strikes in _strikes(saved, end, seat)),
        )
        for seat, player in enumerate(saved.players)
    )
    return first, second


def _answers_ms(saved: SavedMatch, end: ReplayEnd, seat: int) -> Iterator[int]:
    yield from (ply.ms for ply in saved.plies if ply.player == seat)
    yield from (strike.ms for strikes in _strikes(saved, end, seat) for strike in strikes)


def _strikes(saved: SavedMatch, end: ReplayEnd, seat: int) -> Iterator[Sequence[SavedStrike | FrameStrike]]:
    """The strikes of a seat, by the position at which they were made."""
    yield from (ply.strikes for ply in saved.plies if ply.player == seat)
    yield [strike for strike in end.strikes if strike.seat == seat]


def _href(account: int | None, name: str) -> str | None:
    return None if account is None or name == REMOVED_NAME else f"/agents/{quote(name, safe='')}"
