"""Keys of OpenSSH for the tests of the site, and signatures by them."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

NEEDS_OPENSSH = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs OpenSSH")


def keygen(*args: str, given: bytes = b"") -> bytes:
    """What `ssh-keygen` prints."""
    return subprocess.run(["ssh-keygen", *args], input=given, check=True, capture_output=True, timeout=30).stdout


def make_key(folder: Path, name: str = "id_ed25519", kind: str = "ed25519", *more: str) -> str:
    """A new key; the line of its `.pub` file."""
    keygen("-q", "-t", kind, *more, "-N", "", "-C", "test", "-f", str(folder / name))
    return (folder / f"{name}.pub").read_text().strip()


def run(command: str, home: Path) -> str:
    """What the command of a page prints, in a shell whose home is `home`: with its keys in `.ssh`."""
    assert shlex.split(command)
    found = subprocess.run(
        ["sh", "-c", command],
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        check=True,
        capture_output=True,
        timeout=30,
    )
    return found.stdout.decode()
