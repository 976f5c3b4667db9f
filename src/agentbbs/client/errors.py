"""What can go wrong between an agent and a venue: a ladder of exceptions.

    VenueError
    ├── BadAddress       the URL is no WebSocket address (also a ValueError)
    ├── Unreachable      no venue answered there
    ├── Unintelligible   what answered does not speak AgentGames
    ├── VenueLost        the connection went away before what was asked for came
    └── Refused          the venue said no
        ├── Unauthorized, RateLimited, UnknownGame, NoOpponent
        └── VenueStopping, VenueFault, Superseded

    Misuse               a call that has no place now (a RuntimeError): a fault of the calling program

The policy, in one place: a fault of the venue or of the network is raised where the caller waits for the
venue's next word, and names its remedy; what an agent can do nothing about and what costs it nothing (a
message that crossed another on the wire, a repeated state, a message of a type that is not known) is not
raised. A lost match is no error: it comes as a `MatchResult`.
"""

from __future__ import annotations

from typing import ClassVar, Final

from agentbbs.client.turns import MatchResult
from agentbbs.protocol import agentgames
from agentbbs.protocol.errors import CODES, Code


class Misuse(RuntimeError):
    """The calling program asked for what has no place now, e.g. a move when it is not its turn."""


class VenueError(Exception):
    """Base of the ladder.

    `code` is one of `agentbbs.protocol.errors.Code`, or one of this client's own (`bad_address`,
    `unreachable`, `unintelligible`, `lost`) where the venue had no say; `message` says what happened,
    `remedy` what to do. `str()` gives both in one line. Text in `message` may be the venue's: make it
    inert before a terminal sees it. `match` is the id of the match that was on, or None; `played` holds
    the results that `play` had collected before.
    """

    default_code: ClassVar[str] = Code.INTERNAL
    default_remedy: ClassVar[str] = CODES[Code.INTERNAL].remedy

    def __init__(self, message: str, code: str = "", remedy: str = "", *, match: str | None = None) -> None:
        super().__init__(message, code, remedy)
        self.message = message
        self.code = code or self.default_code
        self.remedy = remedy or self.default_remedy
        self.match = match
        self.played: tuple[MatchResult, ...] = ()

    def __str__(self) -> str:
        if self.remedy in self.message:
            return self.message
        end = "" if self.message.endswith((".", "!", "?")) else "."
        return f"{self.message}{end} {self.remedy}"


class BadAddress(VenueError, ValueError):
    """The URL is not that of a venue."""

    default_code = "bad_address"
    default_remedy = "Give it like ws://127.0.0.1:8090/play or wss://example.org/play."


class Unreachable(VenueError):
    """No connection: nobody listens, the name is unknown, or what listens is no venue."""

    default_code = "unreachable"
    default_remedy = "Check the address and that the venue is up: its /healthz answers `ok`."


class Unintelligible(VenueError):
    """What came is not AgentGames, or breaks its rules."""

    default_code = "unintelligible"
    default_remedy = "Check that the URL is a venue's /play, and that this client is not older than the venue."


class VenueLost(VenueError):
    """The connection went away while a match was on (`match` is its id), or before one began (None)."""

    default_code = "lost"
    default_remedy = "Connect again."


class Refused(VenueError):
    """The venue answered with an `error`. Raised itself for the codes that have no class of their own."""

    default_code = Code.BAD_MESSAGE
    default_remedy = CODES[Code.BAD_MESSAGE].remedy


class Unauthorized(Refused):
    """There is no token, or not one that the venue knows."""

    default_code = Code.UNAUTHORIZED
    default_remedy = "Mint a token with `agentbbs mint-token NAME` and put it into AGENTBBS_TOKEN."


class RateLimited(Refused):
    """Too many tries; `key` names the limit, `seconds` says how long to wait (None if not told)."""

    default_code = Code.RATE_LIMITED
    default_remedy = "Wait before the next try."
    key: str | None = None
    seconds: int | None = None


class UnknownGame(Refused):
    """The venue has no such game; `games` are the ids that it has."""

    default_code = Code.UNKNOWN_GAME
    default_remedy = "Join with an id of the venue's list."
    games: tuple[str, ...] = ()


class NoOpponent(Refused):
    """Nobody came within the venue's queue time. The connection is still good for another join."""

    default_code = Code.NO_OPPONENT
    default_remedy = CODES[Code.NO_OPPONENT].remedy


class VenueStopping(Refused):
    """The venue shuts down and starts no new match; one that was on (`match`) is void unless it is stored."""

    default_code = Code.SERVER_SHUTDOWN
    default_remedy = CODES[Code.SERVER_SHUTDOWN].remedy


class VenueFault(Refused):
    """A fault of the venue. With `match`: the match is over and kept, its result could not be told."""

    default_code = Code.INTERNAL
    default_remedy = CODES[Code.INTERNAL].remedy


class Superseded(Refused):
    """Another connection took the seat."""

    default_code = Code.SUPERSEDED
    default_remedy = CODES[Code.SUPERSEDED].remedy


_CLASSES: Final[dict[str, type[Refused]]] = {
    kind.default_code: kind
    for kind in (Unauthorized, RateLimited, UnknownGame, NoOpponent, VenueStopping, VenueFault, Superseded)
}


def refusal(error: agentgames.Error, match: str | None = None) -> Refused:
    """The exception for the venue's `error`; of a code that this client does not know it is `Refused`."""
    kind = _CLASSES.get(error.code, Refused)
    known = error.code in CODES
    remedy = CODES[Code(error.code)].remedy if known else "This client does not know that code: a newer one may."
    message = error.message or (CODES[Code(error.code)].meaning if known else f"The venue refused: {error.code}.")
    raised = kind(message, error.code, _specific_remedy(error) or remedy, match=match)
    if isinstance(raised, RateLimited) and error.ratelimit is not None:
        raised.key, raised.seconds = error.ratelimit.key, error.ratelimit.seconds
    if isinstance(raised, UnknownGame) and error.games is not None:
        raised.games = error.games
    return raised


def _specific_remedy(error: agentgames.Error) -> str:
    """The remedy with the venue's own figures in it, where it sent any."""
    if error.games:
        return f"Join with one of: {', '.join(error.games)}."
    if error.ratelimit is not None:
        return f"Wait {error.ratelimit.seconds} s before the next try ({error.ratelimit.key})."
    return ""


def lost_match(match: str, how: str) -> VenueLost:
    """The connection went away in `match` and no result came."""
    return VenueLost(
        f"The connection to the venue was lost in match {match} ({how}).",
        remedy=f"The match is void unless `agentbbs replay {match}` shows it. Connect again for the next one.",
        match=match,
    )
