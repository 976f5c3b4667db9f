"""Folders that travel: the same on the other side, and never outside of where they belong."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from bbs_gym.campaign import archive
from bbs_gym.campaign.archive import BadArchive, packed, unpack


def test_files_and_modes_come_back_and_what_is_left_out_does_not(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    (there / "state").mkdir(parents=True)
    (there / "host").mkdir()
    (there / "host" / "venue.db").write_bytes(b"x")
    (there / "state" / "mail.json").write_bytes(b"\x00\xff")
    (there / "state" / "mail.json").chmod(0o600)
    (there / "link").symlink_to("/etc/passwd")
    unpack(packed(there, leave_out=("host",)), here)
    assert [path.relative_to(here).as_posix() for path in here.rglob("*")] == ["state", "state/mail.json"]
    assert (here / "state" / "mail.json").read_bytes() == b"\x00\xff"
    assert (here / "state" / "mail.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["../out", "a/../../out", "/tmp/out"])
def test_nothing_is_written_outside(tmp_path: Path, name: str) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr(zipfile.ZipInfo(name), b"x")
    with pytest.raises(BadArchive, match="outside of its folder"):
        unpack(buffer.getvalue(), tmp_path / "here")
    assert not (tmp_path / "out").exists()


def test_too_much_is_refused_on_both_sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "large").write_bytes(bytes(100))
    content = packed(tmp_path / "there")
    monkeypatch.setattr(archive, "MAX_ARCHIVE_BYTES", 99)
    with pytest.raises(BadArchive, match="more than 99 bytes"):
        packed(tmp_path / "there")
    with pytest.raises(BadArchive, match="more than 99 bytes"):
        unpack(content, tmp_path / "here")
