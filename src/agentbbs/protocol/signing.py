"""Signed requests, as Standard Webhooks (specification 1.0.0) has them: three headers over the exact bytes of a body.

What is signed is `ID.TIMESTAMP.BODY`; ID is unique, TIMESTAMP whole Unix seconds. `webhook-signature` holds one or more
signatures, separated by a space, so that a secret can be rotated: `v1,BASE64` is HMAC-SHA256, `v1a,BASE64` is ed25519.
Keys have a prefix and are base64: `whsec_` a shared secret, `whsk_` the seed of a private key, `whpk_` a public key.
Pure: whoever signs brings time and randomness.

The sender calls `sign` anew for each attempt. The receiver keeps one `Verifier`, and gives it the body before a parser
has had it: one that was decoded and encoded again is another body.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

ID: Final = "webhook-id"
TIMESTAMP: Final = "webhook-timestamp"
SIGNATURE: Final = "webhook-signature"

SHARED: Final = "whsec_"
PRIVATE: Final = "whsk_"
PUBLIC: Final = "whpk_"

SECRET_BYTES: Final = 32
"""Of a new secret; the specification asks for 24 to 64, and the seed of an ed25519 key has 32."""

MIN_SECRET_BYTES: Final = 24
MAX_SECRET_BYTES: Final = 64

MAX_AGE_S: Final = 300
"""An older request may be a recording."""

MAX_AHEAD_S: Final = 30
"""How much the clock of the sender may be ahead."""

SEEN_IDS: Final = 65_536
"""Ids that a verifier remembers (150 bytes each): 200 requests a second for MAX_AGE_S; only good ones count."""

MAX_SIGNATURES: Final = 8
"""Looked at in one header: two while a secret is rotated."""

_HASH: Final = "sha256"
_ID: Final = re.compile(r"[!-\-/-~]{1,256}")
"""Printable ASCII without a dot: with one, two different requests could be signed by the same text."""
_SECONDS: Final = re.compile(r"0|[1-9][0-9]{0,13}")


class Scheme(StrEnum):
    """Who can make a signature: whoever can check it (HMAC), or the venue alone (ED25519)."""

    HMAC = "hmac"
    ED25519 = "ed25519"


class WrongKey(ValueError):
    """A key that can't be used; the text says why and holds none of it."""


class BadSignature(ValueError):
    """The request is not from the venue, or not from now: answer 401."""


class MissingHeader(BadSignature):
    """One of the three headers is not there, or makes no sense."""


class TooOld(BadSignature):
    """The timestamp is more than MAX_AGE_S ago."""


class FromTheFuture(BadSignature):
    """The timestamp is more than MAX_AHEAD_S ahead."""


class WrongSignature(BadSignature):
    """No signature fits any of the keys."""


class Replayed(BadSignature):
    """A request with that id was taken before."""


class Signer(msgspec.Struct, frozen=True):
    """One key that signs: `whsec_…` for HMAC, `whsk_…` for ed25519. Raises WrongKey."""

    scheme: Scheme
    secret: str

    def __post_init__(self) -> None:
        public_form(self.scheme, self.secret)

    def __repr__(self) -> str:
        """Without the secret: such values end up in logs."""
        return f"<Signer {self.scheme.value}>"

    def signature(self, signed: bytes) -> str:
        """The signature with its version."""
        if self.scheme is Scheme.HMAC:
            return f"v1,{_base64(hmac.digest(_shared(self.secret), signed, _HASH))}"
        return f"v1a,{_base64(_private(self.secret).sign(signed))}"


def new_secret(scheme: Scheme, random_bytes: bytes) -> str:
    """A secret of `SECRET_BYTES` random bytes. Raises WrongKey for another number of them."""
    if len(random_bytes) != SECRET_BYTES:
        raise WrongKey(f"a secret is made of {SECRET_BYTES} random bytes, not {len(random_bytes)}")
    return (SHARED if scheme is Scheme.HMAC else PRIVATE) + _base64(random_bytes)


def public_form(scheme: Scheme, secret: str) -> str:
    """What the agent needs to verify: the public key for ed25519, the secret itself for HMAC. Raises WrongKey."""
    if scheme is Scheme.HMAC:
        _shared(secret)
        return secret
    return PUBLIC + _base64(_private(secret).public_key().public_bytes_raw())


def sign(signers: Sequence[Signer], message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The three headers of a request with exactly this body; none without a signer. `message_id` is new for each
    attempt: 1 to 256 printable ASCII characters, none of them a dot; `timestamp` is Unix seconds. Raises ValueError for
    others."""
    if not signers:
        return {}
    if _ID.fullmatch(message_id) is None or _SECONDS.fullmatch(str(timestamp)) is None:
        raise ValueError(f"not to be signed: the id {message_id[:40]!a} at {timestamp}")
    signed = _signed(message_id, str(timestamp), body)
    return {
        ID: message_id,
        TIMESTAMP: str(timestamp),
        SIGNATURE: " ".join(signer.signature(signed) for signer in signers),
    }


class Verifier:
    """Checks requests with any of some keys (`whsec_…` or `whpk_…`), and takes each id once.

    A signature is tried with the keys of its own version alone. Not for use in several threads at once.
    """

    def __init__(self, keys: Sequence[str], *, max_age_s: float = MAX_AGE_S, max_ahead_s: float = MAX_AHEAD_S) -> None:
        """Raises WrongKey."""
        if not keys:
            raise WrongKey("no key to verify with: give the one that was shown when the endpoint was registered")
        self._shared = [_shared(key) for key in keys if key.startswith(SHARED)]
        self._public = [_public(key) for key in keys if not key.startswith(SHARED)]
        self._max_age_s = max_age_s
        self._max_ahead_s = max_ahead_s
        self._seen: OrderedDict[str, None] = OrderedDict()

    def verify(self, headers: Mapping[str, str], body: bytes, now: float) -> str:
        """The id of a request that is right and new; `now` in Unix seconds, `body` the bytes as they came. Raises
        BadSignature. An id counts as taken once its signature was right."""
        message_id, timestamp, signatures = _three(headers)
        age_s = now - int(timestamp)
        if age_s > self._max_age_s:
            raise TooOld(f"signed {age_s:.0f} s ago, more than {self._max_age_s:g} s")
        if -age_s > self._max_ahead_s:
            raise FromTheFuture(f"signed {-age_s:.0f} s from now, more than {self._max_ahead_s:g} s: set the clock")
        signed = _signed(message_id, timestamp, body)
        if not any(self._fits(one, signed) for one in signatures.split(" ")[:MAX_SIGNATURES]):
            raise WrongSignature("no signature fits: check the key, and verify the bytes of the body as they came")
        if message_id in self._seen:
            raise Replayed("a request with that id was taken before")
        self._seen[message_id] = None
        if len(self._seen) > SEEN_IDS:
            self._seen.popitem(last=False)
        return message_id

    def _fits(self, signature: str, signed: bytes) -> bool:
        version, _, text = signature.partition(",")
        try:
            found = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            return False
        if version == "v1":
            return any(hmac.compare_digest(hmac.digest(key, signed, _HASH), found) for key in self._shared)
        return version == "v1a" and any(_is_signed(key, found, signed) for key in self._public)


def _three(headers: Mapping[str, str]) -> tuple[str, str, str]:
    """The id, the timestamp and the signatures. Raises MissingHeader."""
    by_name = {name.lower(): value.strip() for name, value in headers.items()}
    try:
        message_id, timestamp, signatures = by_name[ID], by_name[TIMESTAMP], by_name[SIGNATURE]
    except KeyError as fault:
        raise MissingHeader(f"the header {fault.args[0]} is missing") from None
    if _ID.fullmatch(message_id) is None:
        raise MissingHeader(f"{ID} is no id: printable ASCII without a dot")
    if _SECONDS.fullmatch(timestamp) is None:
        raise MissingHeader(f"{TIMESTAMP} is no number of seconds")
    return message_id, timestamp, signatures


def _is_signed(key: Ed25519PublicKey, signature: bytes, signed: bytes) -> bool:
    try:
        key.verify(signature, signed)
    except InvalidSignature:
        return False
    return True


def _signed(message_id: str, timestamp: str, body: bytes) -> bytes:
    return f"{message_id}.{timestamp}.".encode() + body


def _shared(secret: str) -> bytes:
    key = _decoded(secret, SHARED)
    if not MIN_SECRET_BYTES <= len(key) <= MAX_SECRET_BYTES:
        raise WrongKey(f"a {SHARED} secret holds {MIN_SECRET_BYTES} to {MAX_SECRET_BYTES} bytes, not {len(key)}")
    return key


def _private(secret: str) -> Ed25519PrivateKey:
    """Of the seed; some tools write the public key behind it, which must then be its own."""
    held = _decoded(secret, PRIVATE)
    seed, public = held[:SECRET_BYTES], held[SECRET_BYTES:]
    if len(seed) != SECRET_BYTES:
        raise WrongKey(f"a {PRIVATE} key holds {SECRET_BYTES} bytes, not {len(seed)}")
    key = Ed25519PrivateKey.from_private_bytes(seed)
    if public not in {b"", key.public_key().public_bytes_raw()}:
        raise WrongKey(f"what follows the {SECRET_BYTES} bytes of the {PRIVATE} key is not its public key")
    return key


def _public(key: str) -> Ed25519PublicKey:
    try:
        return Ed25519PublicKey.from_public_bytes(_decoded(key, PUBLIC))
    except ValueError as fault:
        raise WrongKey(f"a {PUBLIC} key holds {SECRET_BYTES} bytes") from fault


def _decoded(key: str, prefix: str) -> bytes:
    if not key.startswith(prefix):
        raise WrongKey(f"the key should begin with {prefix}")
    try:
        return base64.b64decode(key[len(prefix) :], validate=True)
    except (binascii.Error, ValueError) as fault:
        raise WrongKey(f"what follows {prefix} should be base64") from fault


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
