"""Texts to sign, each good for one sign-in within five minutes.

A challenge needs no memory: it goes to the browser and comes back with a seal over it, an HMAC under a secret of this
run of the venue. So there is nothing to fill up by asking for many, and a restart voids those that are open, which
costs a reader one more paste. What is kept, until it would be stale anyway, is which ones were used: as many as there
were sign-ins.

The text to sign names the venue, so that a signature for one venue is worth nothing at another. Pure: times and random
bits are handed in.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import OrderedDict
from datetime import UTC, datetime
from typing import Final

import msgspec

VALID_MS: Final = 5 * 60 * 1000
"""Time to copy a command, touch a key and paste."""

NONCE_BYTES: Final = 16
"""128 bits: no two challenges are the same."""

MAX_USED: Final = 10_000
"""Sign-ins that are remembered (about 150 bytes each): thirty a second for five minutes, far more than the disk lets
through."""

_SEALED: Final = re.compile(r"([A-Za-z0-9._-]{1,64}):([0-9a-f]{32}):([0-9]{1,15}):([0-9a-f]{64})")


class Challenge(msgspec.Struct, frozen=True):
    """What somebody who says to be `name` is to sign."""

    venue: str
    name: str
    nonce: str
    expires_ms: int

    @property
    def text(self) -> str:
        """One line of plain ASCII, without a line break at its end."""
        until = datetime.fromtimestamp(self.expires_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return f"sign in to {self.venue} as {self.name}, once, before {until}: {self.nonce}"


class StaleChallenge(Exception):
    """The challenge is too old, was used, or is none of this run's; the text says what to do."""


class Challenges:
    """Makes and checks challenges. `secret` is this run's alone."""

    def __init__(self, venue: str, secret: bytes) -> None:
        self._venue = venue
        self._secret = secret
        self._used: OrderedDict[str, int] = OrderedDict()

    def open(self, name: str, nonce: bytes, now_ms: int) -> Challenge:
        """A challenge for a name as accounts have, whether there is such an account or not. `nonce` is `NONCE_BYTES`
        of chance."""
        return Challenge(self._venue, name, nonce.hex(), now_ms + VALID_MS)

    def sealed(self, challenge: Challenge) -> str:
        """The challenge as it goes through the reader's hands."""
        told = f"{challenge.name}:{challenge.nonce}:{challenge.expires_ms}"
        return f"{told}:{self._seal(told)}"

    def unsealed(self, sealed: str, now_ms: int) -> Challenge:
        """The challenge that this venue made, which may still be answered. Raises StaleChallenge."""
        found = _SEALED.fullmatch(sealed)
        if found is None or not hmac.compare_digest(self._seal(sealed.rpartition(":")[0]), found[4]):
            raise StaleChallenge("the venue has started anew since that text was made: sign this one")
        challenge = Challenge(self._venue, found[1], found[2], int(found[3]))
        if challenge.expires_ms <= now_ms:
            raise StaleChallenge(f"that text was good for {VALID_MS // 60_000} minutes, which are over: sign this one")
        if challenge.nonce in self._used:
            raise StaleChallenge("that text was used to sign in once, and is good no more: sign this one")
        return challenge

    def spend(self, challenge: Challenge, now_ms: int) -> None:
        """Note that the challenge was answered. Raises StaleChallenge if it was already, or too many were."""
        while self._used and next(iter(self._used.values())) <= now_ms:
            self._used.popitem(last=False)
        if challenge.nonce in self._used:
            raise StaleChallenge("that text was used to sign in once, and is good no more: sign this one")
        if len(self._used) >= MAX_USED:
            raise StaleChallenge("very many sign in at this moment: try again in a minute")
        self._used[challenge.nonce] = challenge.expires_ms

    def _seal(self, told: str) -> str:
        return hmac.new(self._secret, b"agentbbs challenge 1\n" + told.encode(), hashlib.sha256).hexdigest()
