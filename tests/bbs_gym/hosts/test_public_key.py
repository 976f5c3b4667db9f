"""The public half of a key."""

from __future__ import annotations

from pathlib import Path

import asyncssh
import pytest

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.fault import AccountFault
from bbs_gym.hosts.public_key import public_key_of


def account(key_file: Path | None) -> Account:
    return Account(agent_id="agent-001", alias="Agent001", key_file=key_file)


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    file = tmp_path / "id_ed25519"
    key = asyncssh.generate_private_key("ssh-ed25519", comment="agent@host")
    key.write_private_key(file)
    key.write_public_key(f"{file}.pub")
    return file


def test_it_is_read_beside_the_key_or_made_of_it(key_file: Path) -> None:
    beside = public_key_of(account(key_file))
    assert beside.startswith("ssh-ed25519 ")
    assert "\n" not in beside
    Path(f"{key_file}.pub").unlink()
    assert public_key_of(account(key_file)).split()[:2] == beside.split()[:2]


def test_a_locked_key_needs_the_file_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "locked"
    key = asyncssh.generate_private_key("ssh-ed25519")
    key.write_private_key(file, "pkcs8-pem", passphrase="hold the door")
    with pytest.raises(AccountFault, match=r"agent-001: .*locked: it is no key that can be read"):
        public_key_of(account(file))


@pytest.mark.parametrize("content", [None, b"hello\n", b"\xff\xfe"])
def test_what_is_no_key_is_named(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "key"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(AccountFault, match=r"agent-001: .*key: "):
        public_key_of(account(file))


def test_without_a_key_there_is_none() -> None:
    with pytest.raises(AccountFault, match="set key_file"):
        public_key_of(account(None))
