"""What stands in an answer: the right body for a request, and the wrong ones of the table."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import msgspec

from agentbbs.protocol import arena

MAX_LEGAL: Final = 10_000
"""Moves in a position; no game of the house has nearly as many."""


class Turn(msgspec.Struct, frozen=True):
    """What of a move request counts here; whoever tries it by hand needs to send `legal` and `nonce` alone."""

    legal: list[str]
    nonce: str
    match_id: str = ""
    move_number: int = 1
    strikes: int = 0
    deadline_ms: int = 10_000

    @property
    def own_move(self) -> int:
        """The agent's own moves played, plus one, whichever seat it has."""
        return (self.move_number + 1) // 2


Body = Callable[[Turn], bytes]

HOSTILE: Final = "\x1b[2J\x1b]0;owned\x07\u202e<script>alert(1)</script><img src=x onerror=alert(1)>\r\n```\x00\x9b31m"
"""Acts on a terminal, on a page and on the order of letters, wherever it is shown as it is."""

LATIN_1: Final = "gr\u00fc\u00df".encode("latin-1")


def legal(turn: Turn, **more: Any) -> bytes:
    """The right body: the first legal move and the nonce, with what `more` adds or puts in their place."""
    return json.dumps({"move": turn.legal[0], "nonce": turn.nonce} | more).encode()


def padded(turn: Turn, size: int) -> bytes:
    """The right body in just so many bytes."""
    return legal(turn, pad="x" * (size - len(legal(turn, pad=""))))


def _without(key: str) -> Body:
    return lambda turn: json.dumps(
        {name: value for name, value in json.loads(legal(turn)).items() if name != key}
    ).encode()


def _with(**more: Any) -> Body:
    return lambda turn: legal(turn, **more)


BODIES: Final[dict[str, Body]] = {
    "/ok": legal,
    "/reason": _with(reason="the first one is as good as any"),
    "/long-reason": _with(reason="because " * 125),
    "/odd-reason": _with(reason=["because"]),
    "/hostile-reason": _with(reason=HOSTILE),
    "/more-fields": _with(protocol="other/9", confidence=0.9, thinking={"deep": [1, 2.5, None, True]}),
    "/bom": lambda turn: b"\xef\xbb\xbf" + legal(turn),
    "/large": lambda turn: padded(turn, arena.MAX_BODY_BYTES),
    "/too-large": lambda turn: padded(turn, arena.MAX_BODY_BYTES + 1),
    "/empty": lambda _: b"",
    "/not-json": lambda turn: f"I play {turn.legal[0]}.".encode(),
    "/html": lambda _: b"<!doctype html><title>Hello</title><h1>It works!</h1>",
    "/fenced": lambda turn: b"```json\n" + legal(turn) + b"\n```",
    "/prose-around": lambda turn: b"Here is my move: " + legal(turn),
    "/two-objects": lambda turn: legal(turn) + b"\n" + legal(turn),
    "/list": lambda turn: b"[" + legal(turn) + b"]",
    "/string": lambda turn: json.dumps(legal(turn).decode()).encode(),
    "/null": lambda _: b"null",
    "/single-quotes": lambda turn: legal(turn).replace(b'"', b"'"),
    "/nan": _with(confidence=float("nan")),
    "/key-twice": lambda turn: b'{"move": "?", ' + legal(turn)[1:],
    "/deep": lambda turn: legal(turn)[:-1] + b', "thinking": ' + b"[" * 5_000 + b"]" * 5_000 + b"}",
    "/not-utf8": lambda turn: legal(turn)[:-1] + b', "reason": "' + LATIN_1 + b'"}',
    "/no-move": _without("move"),
    "/move-null": _with(move=None),
    "/move-number": _with(move=3),
    "/move-list": lambda turn: legal(turn, move=turn.legal[:1]),
    "/no-nonce": _without("nonce"),
    "/nonce-number": _with(nonce=7),
    "/wrong-nonce": _with(nonce="f" * 2 * arena.NONCE_BYTES),
    "/illegal-move": _with(move="?"),
    "/move-empty": _with(move=""),
    "/move-padded": lambda turn: legal(turn, move=f" {turn.legal[0]}"),
    "/move-long": _with(move="?" * 10_000),
    "/hostile-move": _with(move=HOSTILE),
}
"""By path: those whose HTTP is as it should be, so that the body alone is the fault."""
