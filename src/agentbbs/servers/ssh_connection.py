"""What asyncssh does on one connection that is done otherwise here, by overriding what it calls by public names.

It takes any key type and SHA-1 signatures, remembers no key, reads configuration files that are not there,
sends an empty packet before each, and bounds neither the environment nor what it holds back while keys are
exchanged. Why it is done here and not asked of options: docs/decisions/0014-ssh-within-bounds.md.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
from typing import Final

import asyncssh
from asyncssh.constants import MSG_IGNORE, MSG_KEX_LAST, MSG_KEXINIT, MSG_NEWKEYS
from asyncssh.packet import SSHPacketLogger

from agentbbs.servers.bounded import MAX_UNREAD_BYTES, BoundedPipe

KEY_TYPES: Final = frozenset(
    (b"ssh-ed25519", b"ecdsa-sha2-nistp256", b"ecdsa-sha2-nistp384", b"ecdsa-sha2-nistp521", b"ssh-rsa")
)
"""The keys that an account can have (`store.keys`). A client that offers another is told to try its next."""

SIGNATURES: Final = (KEY_TYPES - {b"ssh-rsa"}) | {b"rsa-sha2-256", b"rsa-sha2-512"}
"""How such a key may sign: not with SHA-1, as `ssh-rsa` does (RFC 8332)."""

MAX_VARIABLES: Final = 64
"""Environment variables, which asyncssh keeps and nothing here reads. OpenSSH sends some fifteen, all `LC_*`."""

HELD_PACKET_BYTES: Final = 128
"""What a packet that is held back takes beside its contents, about: some are empty."""


class SshConnection(asyncssh.SSHServerConnection):
    """The SSH of one caller. The transport belongs to `pipe`."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, options: asyncssh.SSHServerConnectionOptions, pipe: BoundedPipe
    ) -> None:
        super().__init__(loop, options)
        self.pipe = pipe
        self.fingerprint: str | None = None
        """Of the key that the caller proved to have, as `ssh-keygen -l` shows it."""
        self.public_key: str | None = None
        """That key, as it stands in a `.pub` file: `ssh-ed25519 AAAA…`."""
        self.session_channel: asyncssh.SSHServerChannel[bytes] | None = None
        self._keys_change = False
        self._held_back_bytes = 0

    def data_received(self, data: bytes, datatype: int | None = None) -> None:
        """As asyncssh's; a client that sends variables without end is cut off."""
        super().data_received(data, datatype)
        channel = self.session_channel
        if channel is not None and len(channel.get_environment_bytes()) > MAX_VARIABLES:
            self.pipe.cut("it sends environment variables without end")

    async def reload_config(self) -> None:
        """Nothing: there are no configuration files to look into again for each user, in a thread."""

    async def validate_public_key(self, username: str, key_data: bytes, msg: bytes, signature: bytes) -> bool:
        """Whether the key is taken, and if there is a signature, proved: only then is its fingerprint kept."""
        if _first_string(key_data) not in KEY_TYPES or (msg and _first_string(signature) not in SIGNATURES):
            return False
        valid = await super().validate_public_key(username, key_data, msg, signature)
        if valid and msg:
            digest = base64.b64encode(hashlib.sha256(key_data).digest()).rstrip(b"=")
            self.fingerprint = f"SHA256:{digest.decode()}"
            self.public_key = f"{_first_string(key_data).decode('ascii')} {base64.b64encode(key_data).decode()}"
        return valid

    def send_packet(self, pkttype: int, *args: bytes, handler: SSHPacketLogger | None = None) -> None:
        """As asyncssh's, without the empty packet before each (it is of use only to ciphers in CBC mode, and
        doubles the work); and what is held back while keys are exchanged is bounded."""
        if pkttype == MSG_IGNORE:
            return
        if pkttype == MSG_KEXINIT:
            self._keys_change, self._held_back_bytes = True, 0
        elif pkttype == MSG_NEWKEYS:
            self._keys_change = False
        elif self._keys_change and pkttype > MSG_KEX_LAST:
            self._held_back_bytes += HELD_PACKET_BYTES + sum(map(len, args))
            if self._held_back_bytes > MAX_UNREAD_BYTES:
                self.pipe.cut("it leaves an exchange of keys unfinished")
                return
        super().send_packet(pkttype, *args, handler=handler)


def _first_string(data: bytes) -> bytes:
    """The first field of an SSH structure, its type (RFC 4251, section 5)."""
    return data[4 : 4 + int.from_bytes(data[:4], "big")]
