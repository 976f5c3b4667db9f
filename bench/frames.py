"""Just enough of RFC 6455 for a load generator: client frames made beforehand, and an incremental reader.

A general library spends more on a message than the venue does, and the two share the machine's cores.
What is left out on purpose: extensions (none is offered), fragmented messages (the venue sends none; one
is refused aloud) and random masking keys (they protect proxies between, and there is none on loopback).
"""

from __future__ import annotations

from typing import Final

TEXT: Final = 0x1
CLOSE: Final = 0x8
PING: Final = 0x9
PONG: Final = 0xA

_FINAL: Final = 0x80
_MASKED: Final = 0x80
_ZERO_KEY: Final = b"\0\0\0\0"
_MAX_SHORT_BYTES: Final = 125
"""The longest payload whose length fits the frame's second byte; also the longest of a control frame."""


class FrameError(Exception):
    """The bytes are no frame that the venue may send."""


def client_frame(opcode: int, payload: bytes = b"") -> bytes:
    """A whole client frame of at most 125 bytes of payload, masked with the key zero.

    Raises:
        ValueError: the payload is longer.
    """
    if len(payload) > _MAX_SHORT_BYTES:
        raise ValueError(f"{len(payload)} bytes of payload; a load frame has at most {_MAX_SHORT_BYTES}")
    return bytes((_FINAL | opcode, _MASKED | len(payload))) + _ZERO_KEY + payload


def upgrade_request(host: str, port: int, target: str, token: str) -> bytes:
    """The request that opens a WebSocket at `target`, with `token` as its bearer."""
    return (
        f"GET {target} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        f"Authorization: Bearer {token}\r\n\r\n"
    ).encode()


class FrameReader:
    """Server frames out of a byte stream that may be cut anywhere."""

    __slots__ = ("_rest",)

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Take `data`; return each frame that is now whole as (opcode, payload), in order.

        Raises:
            FrameError: a masked or fragmented frame, or one with reserved bits.
        """
        if self._rest:
            data = self._rest + data
        frames: list[tuple[int, bytes]] = []
        have, at = len(data), 0
        while have - at >= 2:
            first, length = data[at], data[at + 1]
            if first & 0xF0 != _FINAL or length & _MASKED:
                raise FrameError(f"frame head {first:#04x} {length:#04x}")
            start = at + 2
            if length > _MAX_SHORT_BYTES:
                start += 2 if length == 126 else 8
                if have < start:
                    break
                length = int.from_bytes(data[at + 2 : start], "big")
            end = start + length
            if have < end:
                break
            frames.append((first & 0x0F, data[start:end]))
            at = end
        self._rest = data[at:] if at < have else b""
        return frames
