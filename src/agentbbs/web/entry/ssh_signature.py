"""Signatures as `ssh-keygen -Y sign` makes them: read strictly, and checked against a text.

The form is OpenSSH's PROTOCOL.sshsig: armored base64 of the magic `SSHSIG`, version 1, the public key, a namespace, a
reserved field, the name of a hash, and the signature. What is signed is not the text itself but `SSHSIG`, the
namespace, the reserved field, the hash's name and the hash of the text, so that no such signature can be taken for one
of a login or of a file. Pure and total: whatever comes in, it is a signature or a `NotASignature` that says what to do.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Final

import asyncssh
import msgspec

from agentbbs.store import keys
from agentbbs.store.keys import KeyFault, PublicKey

NAMESPACE: Final = "agentbbs"
"""What `ssh-keygen -Y sign -n` must say: a signature made for anything else does not sign in here."""

MAX_CHARS: Final = 12_000
"""A signature of a 16384-bit RSA key takes 5,700 characters; no other is nearly as long."""

_BEGIN: Final = "-----BEGIN SSH SIGNATURE-----"
_END: Final = "-----END SSH SIGNATURE-----"
_MAGIC: Final = b"SSHSIG"
_VERSION: Final = 1
_HASHES: Final = {"sha256": hashlib.sha256, "sha512": hashlib.sha512}
_RSA: Final = frozenset({"rsa-sha2-256", "rsa-sha2-512"})
"""Of the signatures of RSA keys; `ssh-rsa` signs with SHA-1 (RFC 8332, section 3)."""

_SLIPS: Final = ("\n", "\r\n", " \n")
"""What `echo` and editors put at the end of a text."""


class NotASignature(ValueError):
    """What was pasted is no signature that counts here; the text says what to do."""


class SshSignature(msgspec.Struct, frozen=True):
    """A signature that was read. `algorithm` is the signature's own, `raw` its SSH form with that name in front."""

    key: PublicKey
    namespace: str
    hash_name: str
    algorithm: str
    raw: bytes

    def covers(self, text: str) -> bool:
        """Whether the key signed just this text, in this namespace."""
        digest = _HASHES[self.hash_name](text.encode()).digest()
        fields = (self.namespace.encode(), b"", self.hash_name.encode(), digest)
        signed = _MAGIC + b"".join(len(field).to_bytes(4, "big") + field for field in fields)
        try:
            return asyncssh.import_public_key(self.key.line).verify(signed, self.raw)
        except (ValueError, OverflowError):
            return False  # a point off its curve, a number that is none: the libraries raise for some of them


def read(pasted: str) -> SshSignature:
    """The signature in what was pasted, for the namespace `agentbbs`. Raises NotASignature."""
    fields = _Fields(_unarmored(pasted))
    fields.expect_magic()
    key = _key(fields.string())
    namespace, reserved, hash_name = fields.text(), fields.string(), fields.text()
    raw = fields.string()
    fields.end()
    if namespace != NAMESPACE:
        raise NotASignature(
            f"this was signed for {namespace[:40]!a}, not for {NAMESPACE!a}: sign with `-n {NAMESPACE}`, as the "
            "command above does"
        )
    if reserved or hash_name not in _HASHES:
        raise NotASignature("this signature is of a kind that is not known here: use the command above as it stands")
    return SshSignature(key, namespace, hash_name, _algorithm(key, raw), raw)


def require(signature: SshSignature, text: str) -> None:
    """Say whether `signature` is one of `text`. Raises NotASignature, with the usual slip where it was one."""
    if signature.covers(text):
        return
    for slip in _SLIPS:
        if signature.covers(text + slip):
            raise NotASignature(
                "the text was signed with a line break at its end, which does not belong to it: use the command above "
                "as it stands, with printf and not echo"
            )
    raise NotASignature("this is a signature of some other text: sign the one above, and paste what comes out")


def _unarmored(pasted: str) -> bytes:
    """What stands between the first and the last line of the armor."""
    if "PRIVATE KEY" in pasted:
        raise NotASignature("this is a private key, which never leaves your machine: paste the signature alone")
    if len(pasted) > MAX_CHARS:
        raise NotASignature("this is too long for a signature: paste what the command prints, and nothing else")
    _, begun, rest = pasted.partition(_BEGIN)
    inner, ended, after = rest.partition(_END)
    if not begun or not ended or _BEGIN in after:
        raise NotASignature(f"paste all that the command prints, from {_BEGIN} to {_END}")
    try:
        return base64.b64decode("".join(inner.split()).encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error) as fault:
        raise _damaged() from fault


def _key(blob: bytes) -> PublicKey:
    """The key that a signature names, if it is one that accounts may have."""
    kind = _Fields(blob).text()
    if kind.startswith("sk-"):
        raise NotASignature(
            "keys on security tokens (their type begins with sk-) are not taken here: sign with another key of yours"
        )
    if "-cert-v01@" in kind:
        raise NotASignature("certificates are not taken here: sign with the key itself, `-f` and its own file")
    try:
        key = keys.parse(f"{kind} {base64.b64encode(blob).decode()}")
    except KeyFault as fault:
        raise NotASignature(str(fault)) from fault
    if key.kind != kind:  # a type with blanks in it, which hide another key
        raise _damaged()
    return key


def _algorithm(key: PublicKey, raw: bytes) -> str:
    """By what the signature was made, if that is safe and fits the key."""
    algorithm = _Fields(raw).text()
    if key.kind == "ssh-rsa":
        if algorithm == "ssh-rsa":
            raise NotASignature("this signature is made with SHA-1, which is no longer safe: use OpenSSH 8.2 or later")
        if algorithm in _RSA:
            return algorithm
    elif algorithm == key.kind:
        return algorithm
    raise _damaged()


def _damaged() -> NotASignature:
    return NotASignature("the signature is damaged: copy it again, whole, and paste it as it is")


class _Fields:
    """The length-prefixed fields of the SSH protocols (RFC 4251, section 5)."""

    def __init__(self, blob: bytes) -> None:
        self._rest = blob

    def expect_magic(self) -> None:
        head = _MAGIC + _VERSION.to_bytes(4, "big")
        if not self._rest.startswith(_MAGIC):
            raise _damaged()
        if not self._rest.startswith(head):
            raise NotASignature("this signature is of a version that is not known here: use OpenSSH's ssh-keygen")
        self._rest = self._rest[len(head) :]

    def string(self) -> bytes:
        length = int.from_bytes(self._rest[:4], "big")
        if len(self._rest) < 4 + length:
            raise _damaged()
        value, self._rest = self._rest[4 : 4 + length], self._rest[4 + length :]
        return value

    def text(self) -> str:
        try:
            return self.string().decode("ascii")
        except UnicodeDecodeError as fault:
            raise _damaged() from fault

    def end(self) -> None:
        if self._rest:
            raise _damaged()
