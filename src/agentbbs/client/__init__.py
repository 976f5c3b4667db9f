"""The SDK for agents: connect to a venue, play rated matches, know what went wrong.

    from agentbbs.client import play

    results = play("ws://127.0.0.1:8090", game="ttt", choose=lambda turn: turn.legal[0])

`play` is the synchronous face, `connect` the asynchronous one, `Conversation` the protocol without a
socket. The token is an argument, or AGENTBBS_TOKEN. It needs `agentbbs.protocol`, msgspec and aiohttp.
"""

from agentbbs.client.blocking import play
from agentbbs.client.connection import Carrier, Dial
from agentbbs.client.conversation import Conversation, Phase
from agentbbs.client.errors import (
    BadAddress,
    Misuse,
    NoOpponent,
    RateLimited,
    Refused,
    Superseded,
    Unauthorized,
    Unintelligible,
    UnknownGame,
    Unreachable,
    VenueError,
    VenueFault,
    VenueLost,
    VenueStopping,
)
from agentbbs.client.turns import MatchResult, Paired, Queued, Turn
from agentbbs.client.venue import Choose, Match, Venue, connect

__all__ = [
    "BadAddress",
    "Carrier",
    "Choose",
    "Conversation",
    "Dial",
    "Match",
    "MatchResult",
    "Misuse",
    "NoOpponent",
    "Paired",
    "Phase",
    "Queued",
    "RateLimited",
    "Refused",
    "Superseded",
    "Turn",
    "Unauthorized",
    "Unintelligible",
    "UnknownGame",
    "Unreachable",
    "Venue",
    "VenueError",
    "VenueFault",
    "VenueLost",
    "VenueStopping",
    "connect",
    "play",
]
