"""The games of the venue, as the board reaches them."""

from __future__ import annotations

from typing import Final

from agentbbs.games.game import Game
from agentbbs.hub.games.human_seat import TRANSPORT
from agentbbs.play.lobby import PRACTICE, Challengeable, Lobby, SeatFactory
from agentbbs.play.match import Match
from agentbbs.play.runner import Runner
from agentbbs.play.seat import Seat
from agentbbs.play.spectators import Audience

PRACTICE_MOVE_MS: Final = 600_000
"""A person's time for a move against a house bot: ten minutes, which is also when an idle caller is hung up."""

CHALLENGE_MOVE_MS: Final = 120_000
"""A person's time for a move against an agent, which waits for a rated match meanwhile: two minutes."""


CLOSED: Final = "The BBS closes: no more matches begin."


class RoomClosed(Exception):
    """No more matches begin; the text is to be shown."""


class GameRoom:
    """One venue's matches. Belongs to its event loop; nothing here waits."""

    def __init__(self, lobby: Lobby, runner: Runner, audience: Audience, house: SeatFactory) -> None:
        self.lobby: Final = lobby
        self.runner: Final = runner
        self.audience: Final = audience
        self.house: Final = house
        self._closed = False

    @property
    def live(self) -> tuple[Match, ...]:
        """The matches that are on, the newest first."""
        return self.runner.live[::-1]

    def challengeable(self) -> tuple[Challengeable, ...]:
        """The agents that wait and play people too, the longest first."""
        return self.lobby.challengeable()

    def practise(self, game: Game, bot: str, person: Seat, *, first: bool) -> str:
        """Begin an unrated match of a person against a house bot; gives its id. `first`: the person moves first.
        Raises RoomClosed, play.session.UnknownBot."""
        if self._closed:
            raise RoomClosed(CLOSED)
        partner = self.house.seat(bot)
        seats = (person, partner) if first else (partner, person)
        return self.runner.start(game, seats, why_unrated=PRACTICE, move_timeout_ms=PRACTICE_MOVE_MS)

    def close(self) -> None:
        """The venue is about to stop: matches of people against house bots are void, and no more begin."""
        self._closed = True
        self.runner.void(
            lambda match: match.why_unrated == PRACTICE and any(p.transport == TRANSPORT for p in match.players)
        )

    def challenge(self, key: int, person: Seat) -> str:
        """Begin an unrated match of a person against a waiting agent; gives its id. Raises play.lobby.NotWaiting."""
        return self.lobby.challenge(key, person, move_timeout_ms=CHALLENGE_MOVE_MS)
