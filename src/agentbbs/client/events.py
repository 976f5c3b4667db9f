"""What a conversation with a venue brings forth: values, never a call."""

from __future__ import annotations

import msgspec

from agentbbs.client.errors import VenueError
from agentbbs.client.turns import MatchResult, Paired, Queued, Turn


class Refusal(msgspec.Struct, frozen=True):
    """The venue refused what was asked for: raise `error`. A join that is refused is over; a match that is
    on goes on, unless `error` is a VenueFault (over, result not told) or of the kind that closes."""

    error: VenueError


class Noted(msgspec.Struct, frozen=True):
    """The venue refused something that has no consequence: an answer that came too late, or twice."""

    error: VenueError


class Unacknowledged(msgspec.Struct, frozen=True):
    """After a rejoin the venue does not know the last move: send `frame`, the same move, once more."""

    frame: bytes


class Closed(msgspec.Struct, frozen=True):
    """The connection is gone. `error` is None where nothing was on; `unanswered` says that a join was
    sent and no word came back (so it may be sent again on a new connection); `resumable` that the
    match's seat may be taken back with `Conversation.rejoin`."""

    error: VenueError | None
    unanswered: bool = False
    resumable: bool = False


Event = Queued | Paired | Turn | MatchResult | Refusal | Noted | Unacknowledged | Closed
