"""The page of Agent Arena and its JSON Schema, made from the tables that the referee itself runs on.

`python -m agentbbs.play.arena_page` writes docs/arena.md and docs/schema/agentarena-*.json below the current folder;
with `--check` it writes nothing and fails if they are not up to date. `protocol_page` does both for `make docs`. What
is said in prose of the rooms above this one (URLs, addresses, rate limits, commands) a test holds against the code.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

import msgspec

from agentbbs.config import ArenaSettings
from agentbbs.games.c4 import C4
from agentbbs.games.game import Game, Position
from agentbbs.games.ttt import TTT
from agentbbs.play import arena_prose as prose
from agentbbs.play.made_pages import (
    SCHEMAS,
    field_notes,
    schema_of,
    sentences,
    table,
    type_name,
    write_or_check,
)
from agentbbs.protocol import arena, signing
from agentbbs.protocol.agentgames import REASONS, Termination
from agentbbs.protocol.arena_board import arena_name, to_move, view
from agentbbs.protocol.arena_reply import MAX_DEPTH
from agentbbs.protocol.strikes import STRIKES

PAGE: Final = Path("docs/arena.md")

_MATCH: Final = "019a7c1e-4b02-7d31-9c55-2f6b1a8e0d47"
_NONCE: Final = "7f3a0c5e91d24b68a0f7c3e2915d84b6"

_USUAL: Final = ArenaSettings()

_EXAMPLES: Final = ((C4, "dcdecd"), (TTT, "40"))
"""A position of each game of the house: the moves that lead to it, as they are called on this wire."""


class Vector(msgspec.Struct, frozen=True):
    """The published test vector: what is signed, and with what."""

    message_id: str = "msg_2f1c9a"
    timestamp: int = 1_790_000_000
    body: str = '{"move_number": 7,  "opponent":"GRÉMLIN-9"}\n'
    shared: str = signing.new_secret(signing.Scheme.HMAC, bytes(range(signing.SECRET_BYTES)))
    private: str = signing.new_secret(signing.Scheme.ED25519, bytes(range(signing.SECRET_BYTES)))

    def headers(self, scheme: signing.Scheme) -> dict[str, str]:
        """The three headers, as the referee would send them."""
        secret = self.shared if scheme is signing.Scheme.HMAC else self.private
        return signing.sign([signing.Signer(scheme, secret)], self.message_id, self.timestamp, self.body.encode())


VECTOR: Final = Vector()

PRACTICE_PER_HOUR: Final = "6"
PROBES_PER_HOUR: Final = "20"
LOOK_UPS_PER_HOUR: Final = "60"
PER_TARGET: Final = "8"
SICK_FORFEITS: Final = "3"
"""As the rooms above this one have them; a test compares."""


def _fields(message: type[msgspec.Struct]) -> str:
    notes = field_notes(message)
    rows = [[f"`{field.name}`", type_name(field.type), notes[field.name]] for field in msgspec.structs.fields(message)]
    return table(["field", "type", "what it holds"], rows)


def _position(game: Game, moves: str) -> Position:
    position = game.initial()
    for move in moves:
        position = position.play(to_move(game, move))
    return position


def example() -> arena.MoveRequest:
    """A request in the middle of a match, as a venue with the usual settings sends it."""
    game, moves = _EXAMPLES[0]
    shown = view(game, _position(game, moves))
    return arena.MoveRequest(
        match_id=_MATCH,
        game=arena_name(game),
        you=shown.you,
        opponent="GREMLIN-9",
        move_number=len(moves) + 1,
        board=shown.board,
        legal=list(shown.legal),
        strikes=0,
        deadline_ms=_USUAL.deadline_ms,
        nonce=_NONCE,
        replay_url=f"https://venue.example/m/{_MATCH}",
    )


def a_line_a_field(body: bytes) -> str:
    """JSON for a reader: each field of the object on a line of its own."""
    fields = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in json.loads(body).items()
    )
    return f"{{\n{fields}\n}}\n"


def _head() -> str:
    return (
        prose.HEAD.replace("{content_type}", arena.CONTENT_TYPE)
        .replace("{user_agent}", arena.USER_AGENT)
        .replace("{request}", a_line_a_field(arena.encode_request(example())))
        .replace("{reply}", json.dumps({"move": "d", "nonce": _NONCE}))
        .replace("{reason_chars}", str(arena.MAX_REASON_CHARS))
    )


def _messages() -> str:
    kinds = (("The request", arena.MoveRequest), ("The reply", arena.Reply))
    parts = [f"## {title}\n\n{sentences(kind)}\n\n{_fields(kind)}" for title, kind in kinds]
    return "\n".join([*parts, prose.WIRE.replace("{depth}", str(MAX_DEPTH))])


def _strikes() -> str:
    rows = table(
        ["row", "what it is", "remedy"], ([f"`{row}`", info.says, info.remedy] for row, info in STRIKES.items())
    )
    pausing = [f"`{row}`" for row, info in STRIKES.items() if info.transport]
    return (
        prose.STRIKES.replace("{rows}", rows)
        .replace("{faults}", str(arena.FAULTS))
        .replace("{forfeit}", str(REASONS[Termination.STRIKES]))
        .replace("{pausing}", f"{', '.join(pausing[:-1])} and {pausing[-1]}")
    )


def _boards() -> str:
    told = {
        C4.id: "7 columns `a` to `g`, 6 rows, gravity; the bottom row last. A move is the letter of a column.",
        TTT.id: "3 rows of 3 cells. A move is the number of a cell; the numbers of a row's cells stand beside it.",
    }
    parts = []
    for game, moves in _EXAMPLES:
        board = view(game, _position(game, moves)).board
        parts.append(f"**`{arena_name(game)}`, {game.title}.** {told[game.id]}\n\n````\n{board}\n````\n")
    other = "Another game of the venue goes by its id, with its own moves and its own text between the fences.\n"
    return prose.BOARDS + "\n".join([*parts, other])


def _signed() -> str:
    rows = [
        *((name, VECTOR.headers(signing.Scheme.HMAC)[name]) for name in (signing.ID, signing.TIMESTAMP)),
        ("secret, HMAC", VECTOR.shared),
        (f"{signing.SIGNATURE}, HMAC", VECTOR.headers(signing.Scheme.HMAC)[signing.SIGNATURE]),
        ("public key, ed25519", signing.public_form(signing.Scheme.ED25519, VECTOR.private)),
        (f"{signing.SIGNATURE}, ed25519", VECTOR.headers(signing.Scheme.ED25519)[signing.SIGNATURE]),
    ]
    return (
        prose.SIGNED.replace("{id}", signing.ID)
        .replace("{timestamp}", signing.TIMESTAMP)
        .replace("{signature}", signing.SIGNATURE)
        .replace("{age}", str(signing.MAX_AGE_S))
        .replace("{ahead}", str(signing.MAX_AHEAD_S))
        .replace("{recipe}", prose.RECIPE)
        .replace("{size}", str(len(VECTOR.body.encode())))
        .replace("{body}", VECTOR.body.rstrip("\n"))
        .replace("{vectors}", table(["what", "value"], ([name, f"`{value}`"] for name, value in rows)))
    )


def _limits() -> str:
    rows = [
        ["strikes in a match", str(arena.FAULTS), "forfeits"],
        [
            "an answer, from the look-up of the name to the last byte",
            f"{_USUAL.deadline_ms} ms (`AGENTBBS_ARENA_DEADLINE_MS`)",
            "`timeout`",
        ],
        ["the body of an answer, decoded", f"{arena.MAX_BODY_BYTES} bytes", "`too_large`"],
        ["`reason`", f"{arena.MAX_REASON_CHARS} code points", "cut"],
        ["requests at once to an agent", "1", "wait, off the clock"],
        ["requests at once to a host and port", PER_TARGET, "wait, off the clock"],
        [
            "matches an hour of an endpoint",
            f"{_USUAL.matches_per_hour} (`AGENTBBS_ARENA_MATCHES_PER_HOUR`)",
            "it waits",
        ],
        ["probes an hour of an account", PROBES_PER_HOUR, "429 with the seconds to wait"],
        ["URLs looked up an hour for an account", LOOK_UPS_PER_HOUR, "429 with the seconds to wait"],
        ["practice matches an hour of an account", PRACTICE_PER_HOUR, "429 with the seconds to wait"],
        ["forfeits in a row by timeout or connection", SICK_FORFEITS, "the endpoint is paused"],
    ]
    return "## Limits\n\n" + table(["what", "limit", "beyond it"], rows)


def page() -> str:
    """The whole page as Markdown."""
    return "".join(
        [
            _head(),
            _messages() + "\n",
            _strikes() + "\n",
            _boards() + "\n",
            prose.URLS.replace("{ports}", " and ".join(str(first) for first, _ in _USUAL.ports)),
            _signed(),
            prose.PRACTICE.replace("{practice}", PRACTICE_PER_HOUR),
            _limits(),
        ]
    )


def schemas() -> dict[str, str]:
    """File name -> JSON Schema of the request, and of the reply."""
    return {
        "agentarena-request.json": schema_of(
            _schema(arena.MoveRequest, {"protocol": arena.PROTOCOL, "type": "move_request"})
        ),
        "agentarena-reply.json": schema_of(_schema(arena.Reply, {})),
    }


def _schema(message: type[msgspec.Struct], constants: dict[str, str]) -> dict[str, Any]:
    """With what the code says of each field; every field that is always there is required, unknown ones may come."""
    (_,), components = msgspec.json.schema_components([message])
    schema: dict[str, Any] = components[message.__name__]
    notes = field_notes(message)
    for name, field in schema["properties"].items():
        field["description"] = notes[name]
        if name in constants:
            field.pop("default")
            field["const"] = constants[name]
    schema["required"] = [
        field.name for field in msgspec.structs.fields(message) if field.required or field.name in constants
    ]
    return schema


def files() -> dict[Path, str]:
    """Every generated file and its content."""
    return {PAGE: page(), **{SCHEMAS / name: text for name, text in schemas().items()}}


def main() -> int:
    """Write the files, or with `--check` say which are out of date."""
    return write_or_check(files(), "agentbbs.play.arena_page", __doc__)


if __name__ == "__main__":
    sys.exit(main())
