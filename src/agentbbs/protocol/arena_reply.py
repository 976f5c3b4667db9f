"""Rules on what an endpoint sent back: a reply, or a strike with its row. Whatever the bytes are, nothing is raised.

JSON is that of RFC 8259, in UTF-8, one object; a byte order mark before it is overlooked (section 8.1 allows that), and
a key that stands twice in one object is refused, since nobody knows which one was meant. What a strike says in `detail`
never quotes the answer: it is shown to whoever registers a URL, and that may be somebody else's.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from agentbbs.protocol.arena import MAX_BODY_BYTES, MAX_REASON_CHARS, Reply
from agentbbs.protocol.strikes import StrikeRow

OK: Final = 200
REDIRECTS: Final = range(300, 400)

MAX_DEPTH: Final = 64
"""Objects and lists inside of each other. A reply needs one; a fixed limit rules alike wherever it is called from, and
the parser's own would not."""

MAX_OFFERED_CHARS: Final = 64
"""Of a move that was offered: enough to see what it was."""


class Answer(msgspec.Struct, frozen=True):
    """An HTTP answer as the referee took it: `body` is decoded, and at most one byte longer than the cap. `location`:
    whether it had that header, wherever that led."""

    status: int
    body: bytes
    location: bool = False


class Strike(msgspec.Struct, frozen=True):
    """What was wrong: the row, what of it in a few words, the move that was offered and the reason given with it."""

    row: StrikeRow
    detail: str
    offered: str | None = None
    reason: str | None = None


class _Refused(ValueError):
    """JSON for some parser, but not for this one; the text says why."""


def judge(answer: Answer, *, nonce: str, legal: Sequence[str]) -> Reply | Strike:
    """The ruling on an answer to the request with that nonce and those legal moves (in the arena's notation). The first
    row that fits, in the order redirect, status, too_large, not_json, no_move, nonce, illegal_move. Never raises."""
    if answer.status != OK:
        row = StrikeRow.REDIRECT if answer.status in REDIRECTS else StrikeRow.STATUS
        return Strike(row, f"status {answer.status}")
    if len(answer.body) > MAX_BODY_BYTES:
        return Strike(StrikeRow.TOO_LARGE, f"more than {MAX_BODY_BYTES} bytes")
    found = _object(answer.body)
    return found if isinstance(found, Strike) else _rule(found, nonce, legal)


def _rule(found: dict[str, Any], nonce: str, legal: Sequence[str]) -> Reply | Strike:
    reason = _reason(found.get("reason"))
    move = found.get("move")
    if not isinstance(move, str):
        why = "`move` is missing" if "move" not in found else f"`move` is {_kind(move)}, not a string"
        return Strike(StrikeRow.NO_MOVE, why, reason=reason)
    offered = _clean(move)[:MAX_OFFERED_CHARS]
    if found.get("nonce") != nonce:
        why = "`nonce` is missing" if "nonce" not in found else "`nonce` is not the one of this request"
        return Strike(StrikeRow.NONCE, why, offered, reason)
    if move not in legal:
        return Strike(StrikeRow.ILLEGAL_MOVE, "the move is not in `legal`", offered, reason)
    return Reply(move, nonce, reason)


def _object(body: bytes) -> dict[str, Any] | Strike:
    try:
        text = body.removeprefix(codecs.BOM_UTF8).decode()
        if _depth(text) > MAX_DEPTH:
            return Strike(StrikeRow.NOT_JSON, f"nested more than {MAX_DEPTH} deep")
        found = _decoder.decode(text)
    except UnicodeDecodeError as fault:
        return Strike(StrikeRow.NOT_JSON, f"not UTF-8 at byte {fault.start}")
    except _Refused as fault:
        return Strike(StrikeRow.NOT_JSON, str(fault))
    except json.JSONDecodeError as fault:
        return Strike(StrikeRow.NOT_JSON, f"not JSON at character {fault.pos}: {fault.msg}")
    if not isinstance(found, dict):
        return Strike(StrikeRow.NOT_JSON, f"{_kind(found)}, not an object")
    return found


def _depth(text: str) -> int:
    """How deep brackets stand inside of each other; for what is not JSON, at least what a parser would meet."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return 0
    depth = deepest = 0
    for token in _BRACKETS.findall(text):
        if token in _OPENING:
            depth += 1
            deepest = max(deepest, depth)
        elif token[0] != '"':
            depth -= 1
    return deepest


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Refused("a key stands twice in one object")
        found[key] = value
    return found


def _no_constant(name: str) -> None:
    raise _Refused(f"{name} is no JSON")


_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)
"""A string, to be skipped whole, or a bracket."""
_OPENING: Final = frozenset("[{")

_decoder: Final = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=len, parse_float=len, parse_constant=_no_constant
)
"""Numbers mean nothing here: their length stands for them, so that none is too large."""


def _reason(value: object) -> str | None:
    """Cut; one that is no string is ignored, and so is an empty one."""
    return (_clean(value)[:MAX_REASON_CHARS] or None) if isinstance(value, str) else None


def _clean(text: str) -> str:
    """Without lone surrogates, which JSON can hold and no file can."""
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text


def _kind(value: object) -> str:
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), "a number")
