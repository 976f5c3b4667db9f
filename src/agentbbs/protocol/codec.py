"""Bytes to messages and back, strictly: what does not decode is refused with a sentence that names the fault.

msgspec checks types and finds most faults, but of duplicate keys it takes the last, and it raises
RecursionError on nesting without end. Both are closed here. Duplicates are found by counting: a JSON
object has no more keys than its text has colons, so a text with just as many colons as the message has
fields holds each key once. Only a text with more colons (unknown fields, nulls, a colon in a string) pays
for a second decoder that sees every key.
"""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from agentbbs.protocol.agentgames import CLIENT_MESSAGES, ClientMessage, Join, Move, Ping, Resign, ServerMessage

MAX_FAULT_CHARS: Final = 200
"""How long the description of a fault may be: it may quote what the client sent, which may be an essay."""


class Malformed(ValueError):
    """A message that is none: its text says what is wrong with it, for the `message` of `bad_message`."""

    def __init__(self, fault: str) -> None:
        cut = (
            fault
            if len(fault) <= MAX_FAULT_CHARS
            else f"{fault[: MAX_FAULT_CHARS // 2]}…{fault[-MAX_FAULT_CHARS // 3 :]}"
        )
        super().__init__(cut)


_TYPES: Final = ", ".join(str(kind.__struct_config__.tag) for kind in CLIENT_MESSAGES)
_decoder: Final = msgspec.json.Decoder(Join | Move | Resign | Ping)
_encoder: Final = msgspec.json.Encoder()


def encode(message: ServerMessage | ClientMessage) -> bytes:
    """One compact JSON object, UTF-8, without a line end."""
    return _encoder.encode(message)


def raw(value: object) -> msgspec.Raw:
    """`value` encoded once, to be put into several messages."""
    return msgspec.Raw(_encoder.encode(value))


def decode(data: bytes) -> ClientMessage:
    """The client's message in `data` (UTF-8 JSON, one object). Raises Malformed."""
    try:
        message: ClientMessage = _decoder.decode(data)
        if data.count(b":") != _fields(message):
            _PAIRS.decode(data.decode())
    except Malformed:
        raise
    except msgspec.ValidationError as fault:
        raise Malformed(_explain(str(fault))) from fault
    except UnicodeDecodeError as fault:
        raise Malformed(f"not UTF-8 at byte {fault.start}") from fault
    except RecursionError as fault:
        raise Malformed("nested too deeply") from fault
    except (msgspec.DecodeError, ValueError) as fault:  # ValueError: what the second decoder finds
        raise Malformed(f"not one JSON object: {fault}") from fault
    return message


def _fields(message: ClientMessage) -> int:
    """How many fields a message certainly had in its text: those that are no default (None, False), and its
    type."""
    if type(message) is Move:  # nearly every message is one
        return 2 if message.ply is None else 3
    return 1 + sum(value is not None and value is not False for value in msgspec.structs.astuple(message))


def _explain(fault: str) -> str:
    """msgspec's sentence, with the known types where the type is at fault."""
    if "`type`" in fault or "$.type" in fault or "Expected `object`" in fault:
        return f"{fault}; `type` is one of: {_TYPES}"
    return fault


def _unique(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise Malformed(f"the key {key[:40]!r} stands twice in one object")
        seen.add(key)


_PAIRS: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_int=str, parse_float=str)
