"""Bodies: as much as counts and no more, whatever they are packed in and however they are cut."""

from __future__ import annotations

import gzip
import random
import zlib
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentbbs.protocol.arena import MAX_BODY_BYTES
from agentbbs.referee.body import MAX_PACKED_BYTES, take
from agentbbs.referee.failures import BrokenBody


class Pieces:
    """A stream of pieces; `left` are those that nobody took."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self.left = list(pieces)

    async def readany(self) -> bytes:
        return self.left.pop(0) if self.left else b""


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "identity": bytes,
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    " GZIP ": gzip.compress,
    "deflate": zlib.compress,
    "Deflate": raw_deflate,
}


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize("encoding", PACKED)
@pytest.mark.parametrize(
    "size", [0, 1, 300, MAX_BODY_BYTES - 1, MAX_BODY_BYTES, MAX_BODY_BYTES + 1, 3 * MAX_BODY_BYTES]
)
async def test_a_body_is_taken_up_to_one_byte_over_the_cap(encoding: str, size: int) -> None:
    """Case 150: 16,384 bytes are whole, of 16,385 there is one too many."""
    body = b"x" * size
    packed = PACKED[encoding](body)

    for step in (len(packed) or 1, 1000, 7):
        taken = await take(Pieces(cut(packed, step)), encoding)
        assert taken == body[: MAX_BODY_BYTES + 1]


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400), st.sampled_from(sorted(PACKED)), st.integers(1, 50))
async def test_a_body_is_the_same_in_whatever_pieces(body: bytes, encoding: str, step: int) -> None:
    assert await take(Pieces(cut(PACKED[encoding](body), step)), encoding) == body


async def test_incompressible_bytes_up_to_the_cap_are_taken() -> None:
    body = random.Random(7).randbytes(MAX_BODY_BYTES)

    for encoding, pack in PACKED.items():
        assert await take(Pieces(cut(pack(body), 4096)), encoding) == body


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_a_bomb_is_unpacked_to_the_cap_and_left(encoding: str) -> None:
    """Case 150: what would be 16 MiB."""
    stream = Pieces(cut(PACKED[encoding](bytes(16 * 1024 * 1024)), 512))

    assert len(await take(stream, encoding)) == MAX_BODY_BYTES + 1
    assert len(stream.left) > 10, "nobody read on"


async def test_bytes_that_unpack_to_nothing_come_to_an_end() -> None:
    empty_block = b"\x00\x00\x00\xff\xff"
    for encoding, start in (
        ("deflate", b"\x78\x9c"),
        ("deflate", b"\x00\x00\x00\xff\xff"),
        ("gzip", gzip.compress(b"")[:10]),
    ):
        stream = Pieces([start, *([empty_block * 100] * 1000)])
        with pytest.raises(BrokenBody, match="longer packed"):
            await take(stream, encoding)
        assert len(stream.left) > 1000 - MAX_PACKED_BYTES / 500 - 2


async def test_empty_members_come_to_an_end() -> None:
    stream = Pieces([gzip.compress(b"") * 1000] * 100)
    with pytest.raises(BrokenBody, match="longer packed"):
        await take(stream, "gzip")


async def test_gzip_may_have_several_members() -> None:
    packed = gzip.compress(b'{"move":') + gzip.compress(b"") + gzip.compress(b'"a"}')
    for step in (1, 5, len(packed)):
        assert await take(Pieces(cut(packed, step)), "gzip") == b'{"move":"a"}'


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "Deflate"])
async def test_a_packed_body_that_breaks_off_is_no_body(encoding: str) -> None:
    packed = PACKED[encoding](b'{"move": "a", "nonce": "0123456789"}')
    for end in range(1, len(packed)):
        with pytest.raises(BrokenBody):
            await take(Pieces([packed[:end]]), encoding)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_a_body_that_is_not_packed_at_all_is_no_body(encoding: str) -> None:
    with pytest.raises(BrokenBody, match="not what its Content-Encoding says"):
        await take(Pieces([b'{"move": "a"}']), encoding)


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "gzip, deflate", "compress", "nonsense"])
async def test_an_encoding_that_nobody_asked_for_is_no_body(encoding: str) -> None:
    stream = Pieces([b"{}"])
    with pytest.raises(BrokenBody, match="not asked for"):
        await take(stream, encoding)
    assert stream.left


async def test_an_endless_body_is_left() -> None:
    stream = Pieces([b"x" * 1000] * 1000)

    assert len(await take(stream, "")) == MAX_BODY_BYTES + 1
    assert len(stream.left) == 1000 - 17
