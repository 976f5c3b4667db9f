"""Ids of matches: UUIDs of version 7 (RFC 9562, section 5.7), which begin with the time.

Ids that grow are half as dear to index as random ones, and sort by the time at which matches began.
"""

from __future__ import annotations

from typing import Final

RANDOM_BITS: Final = 74
"""What a version 7 UUID holds beside its time, version and variant."""


def match_id(unix_ms: int, noise: int) -> str:
    """The id of a match begun at `unix_ms` (48 bits), made unique by `noise` (74 random bits)."""
    value = (unix_ms & 0xFFFF_FFFF_FFFF) << 80 | 0x7 << 76 | (noise >> 62 & 0xFFF) << 64
    text = f"{value | 0b10 << 62 | noise & 0x3FFF_FFFF_FFFF_FFFF:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
