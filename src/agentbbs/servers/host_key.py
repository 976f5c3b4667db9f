"""The key by which callers know the venue: ed25519, made once, in the data folder, for its owner's eyes only.

It is written whole under another name and then linked to its own: a crash leaves either no key or a good
one, and of two processes that start at once the second takes the first's.
"""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path
from typing import Final

import asyncssh

HOST_KEY_FILE: Final = "ssh_host_ed25519_key"
"""In the data folder. Named as OpenSSH names its own."""

HOST_KEY_ALGORITHM: Final = "ssh-ed25519"
"""RFC 8709. Every client of the last ten years takes it."""

_MODE: Final = 0o600
_MAX_KEY_BYTES: Final = 64 * 1024
"""An ed25519 key takes 400; anything larger is another file."""


class HostKeyFault(Exception):
    """Why there is no host key, as one line that names the file and the remedy."""


def host_key(folder: Path) -> asyncssh.SSHKey:
    """The host key of the venue with the data folder `folder`, made if there is none. Raises HostKeyFault."""
    path = folder / HOST_KEY_FILE
    try:
        if not os.path.lexists(path):
            _make(path)
        return _load(path)
    except OSError as fault:
        raise HostKeyFault(
            f"the SSH host key {path} can't be used ({fault.strerror}): it must belong to the user that runs the venue"
        ) from fault


def _make(path: Path) -> None:
    key = asyncssh.generate_private_key(HOST_KEY_ALGORITHM, comment="agentbbs")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, _MODE)
    try:
        with os.fdopen(file, "wb") as opened:
            opened.write(key.export_private_key())
            opened.flush()
            os.fsync(opened.fileno())
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            return
    finally:
        draft.unlink()
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _load(path: Path) -> asyncssh.SSHKey:
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        raise HostKeyFault(f"the SSH host key {path} is no file: move it away, and the venue makes a key")
    if stat.S_IMODE(about.st_mode) & 0o077:
        raise HostKeyFault(
            f"the SSH host key {path} is open to others (mode {stat.S_IMODE(about.st_mode):04o}): "
            f"run `chmod 600 {path}`, or move it away if somebody may have read it"
        )
    try:
        with path.open("rb") as file:
            key = asyncssh.import_private_key(file.read(_MAX_KEY_BYTES), passphrase="")
    except asyncssh.KeyEncryptionError as fault:
        raise HostKeyFault(f"the SSH host key {path} has a passphrase: take it off with `ssh-keygen -p`") from fault
    except (asyncssh.KeyImportError, UnicodeDecodeError) as fault:
        raise HostKeyFault(
            f"the SSH host key {path} is damaged: put the backup back, or move it away and the venue makes "
            "another (callers are then warned once that the host has changed)"
        ) from fault
    if key.get_algorithm() != HOST_KEY_ALGORITHM:
        raise HostKeyFault(
            f"the SSH host key {path} is of the type {key.get_algorithm()}: put one of {HOST_KEY_ALGORITHM} there, "
            "or move it away and the venue makes one"
        )
    return key
