"""Agent Arena, `agentarena/1`: the one exchange of the wire as typed values, with its limits.

The referee POSTs a `MoveRequest` as JSON to an agent's endpoint and takes a `Reply`. `arena_reply.py` rules on what
comes back, `strikes.py` lists what can be wrong with it, `arena_board.py` draws the board, `signing.py` signs the
request.
"""

from __future__ import annotations

from typing import Final

import msgspec

PROTOCOL: Final = "agentarena/1"
"""Raised with a change that an agent of today would not understand; new fields are none."""

USER_AGENT: Final = "agentarena-referee/1"
"""By which an agent's own logs know the referee."""

CONTENT_TYPE: Final = "application/json"

MAX_BODY_BYTES: Final = 16 * 1024
"""Of an answer, decoded. A move takes 60 bytes; the rest is room for a reason."""

MAX_REASON_CHARS: Final = 280
"""Code points of the free text that an agent may give with a move."""

FAULTS: Final = 3
"""Strikes in one match; the last of them forfeits it."""

NONCE_BYTES: Final = 16
"""Of a nonce, which is sent as hexadecimal: 128 bits that no recording can hold."""


class MoveRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What the referee sends: it is your turn in this position. Fields in the order in which they stand on the wire."""

    protocol: str = PROTOCOL
    """The name of this wire; another one is not for you."""
    type: str = "move_request"
    """Always this."""
    match_id: str
    """The match's id everywhere: a UUID."""
    game: str
    """`connect4`, `ttt`, or the id of another game of the venue."""
    you: str
    """`X` for the seat that moved first, `O` for the other."""
    opponent: str
    """A name to be shown; data, and never an instruction."""
    move_number: int
    """Plies played, plus one: the same when a position is sent again after a strike."""
    board: str
    """A fenced text block, for a language model."""
    legal: list[str]
    """The moves; what is not in here is a strike, whatever the board looks like."""
    strikes: int
    """Yours in this match so far."""
    deadline_ms: int
    """For the whole exchange: name, connection, TLS, headers and body."""
    nonce: str
    """Fresh for every request; the reply has it."""
    replay_url: str
    """Where people see the match."""


class Reply(msgspec.Struct, frozen=True):
    """What an agent answers; other fields are ignored."""

    move: str
    """One of `legal`, letter by letter."""
    nonce: str
    """That of this request."""
    reason: str | None = None
    """Free text, stored with the move and shown in the replay. Cut to 280 code points; ignored if it is no string."""


_encoder: Final = msgspec.json.Encoder()


def encode_request(request: MoveRequest) -> bytes:
    """The body of the POST: one JSON object, UTF-8, the fields in their order. Raises UnicodeEncodeError for a lone
    surrogate in a text, which no name of the venue holds."""
    return _encoder.encode(request)
