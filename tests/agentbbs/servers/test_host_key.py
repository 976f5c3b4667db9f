"""The host key on disk, checked with `ssh-keygen` where it is installed."""

from __future__ import annotations

import shutil
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asyncssh
import pytest

from agentbbs.servers.host_key import HOST_KEY_FILE, HostKeyFault, host_key


class TestTheFirstStart:
    def test_makes_an_ed25519_key_for_its_owner_alone(self, tmp_path: Path) -> None:
        key = host_key(tmp_path)
        assert key.get_algorithm() == "ssh-ed25519"
        assert stat.S_IMODE((tmp_path / HOST_KEY_FILE).stat().st_mode) == 0o600
        assert [path.name for path in tmp_path.iterdir()] == [HOST_KEY_FILE]

    @pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
    def test_writes_what_openssh_reads(self, tmp_path: Path) -> None:
        key = host_key(tmp_path)
        shown = subprocess.check_output(["ssh-keygen", "-lf", str(tmp_path / HOST_KEY_FILE)], text=True)
        assert key.get_fingerprint() in shown

    def test_of_several_at_once_makes_one_key(self, tmp_path: Path) -> None:
        with ThreadPoolExecutor(8) as pool:
            keys = list(pool.map(host_key, [tmp_path] * 24))
        assert len({key.get_fingerprint() for key in keys}) == 1
        assert len(list(tmp_path.iterdir())) == 1

    def test_leaves_nothing_behind_when_the_key_can_not_be_written(self, tmp_path: Path) -> None:
        with pytest.raises(HostKeyFault, match=HOST_KEY_FILE):
            host_key(tmp_path / "missing")


class TestALaterStart:
    def test_takes_the_same_key(self, tmp_path: Path) -> None:
        assert host_key(tmp_path).get_fingerprint() == host_key(tmp_path).get_fingerprint()

    def test_takes_a_key_that_only_its_owner_may_read(self, tmp_path: Path) -> None:
        made = host_key(tmp_path)
        (tmp_path / HOST_KEY_FILE).chmod(0o400)
        assert host_key(tmp_path) == made

    @pytest.mark.parametrize("mode", [0o644, 0o640, 0o620, 0o602, 0o777])
    def test_refuses_one_that_others_can_touch(self, tmp_path: Path, mode: int) -> None:
        host_key(tmp_path)
        path = tmp_path / HOST_KEY_FILE
        path.chmod(mode)
        with pytest.raises(HostKeyFault) as fault:
            host_key(tmp_path)
        assert f"chmod 600 {path}" in str(fault.value)
        assert f"{mode:04o}" in str(fault.value)

    @pytest.mark.parametrize(
        "content", [b"", b"\xff\xfe", b"ssh-ed25519 AAAA", b"-----BEGIN OPENSSH PRIVATE KEY-----\n"]
    )
    def test_refuses_one_that_is_damaged_and_leaves_it(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / HOST_KEY_FILE
        path.touch(0o600)
        path.write_bytes(content)
        with pytest.raises(HostKeyFault, match="damaged") as fault:
            host_key(tmp_path)
        assert str(path) in str(fault.value)
        assert path.read_bytes() == content

    def test_refuses_a_key_cut_anywhere(self, tmp_path: Path) -> None:
        host_key(tmp_path)
        path = tmp_path / HOST_KEY_FILE
        whole = path.read_bytes()
        for size in range(0, len(whole) - 40, 7):
            path.write_bytes(whole[:size])
            with pytest.raises(HostKeyFault, match="damaged"):
                host_key(tmp_path)

    @pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
    def test_refuses_one_with_a_passphrase(self, tmp_path: Path) -> None:
        host_key(tmp_path)
        path = tmp_path / HOST_KEY_FILE
        subprocess.check_call(["ssh-keygen", "-q", "-p", "-P", "", "-N", "a secret", "-f", str(path)])
        with pytest.raises(HostKeyFault, match="ssh-keygen -p"):
            host_key(tmp_path)

    def test_refuses_one_of_another_type(self, tmp_path: Path) -> None:
        path = tmp_path / HOST_KEY_FILE
        path.touch(0o600)
        path.write_bytes(asyncssh.generate_private_key("ecdsa-sha2-nistp256").export_private_key())
        with pytest.raises(HostKeyFault, match="ecdsa-sha2-nistp256"):
            host_key(tmp_path)

    def test_refuses_a_folder_and_a_dangling_link(self, tmp_path: Path) -> None:
        (tmp_path / "a" / HOST_KEY_FILE).mkdir(parents=True)
        (tmp_path / "b").mkdir()
        (tmp_path / "b" / HOST_KEY_FILE).symlink_to(tmp_path / "nowhere")
        for folder in ("a", "b"):
            with pytest.raises(HostKeyFault, match=HOST_KEY_FILE):
                host_key(tmp_path / folder)
