"""`verify-replay`."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.random_matches import play, save

from agentbbs.play import replay

SAVED = save(play(random.Random(3), "ttt", 0.0, strikes=(False, False), why=None))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "match.json"


def test_a_good_file_verifies(run: Any, file: Path) -> None:
    file.write_bytes(replay.encode(SAVED))
    verified = run("verify-replay", file)
    assert verified.exit_code == 0
    assert verified.stdout == ""
    assert verified.stderr == f"{SAVED.match}: verified, ttt, ada against bob, {len(SAVED.plies)} plies\n"


def test_it_reads_stdin(run: Any) -> None:
    assert run("verify-replay", "-", input=replay.encode(SAVED)).exit_code == 0


def test_each_fault_is_a_line_on_stdout(run: Any, file: Path) -> None:
    plies = (msgspec.structs.replace(SAVED.plies[0], move="\x1b[2J", ply=1), *SAVED.plies[1:])
    file.write_bytes(replay.encode(msgspec.structs.replace(SAVED, plies=plies)))
    refused = run("verify-replay", file)
    assert refused.exit_code == 1
    assert "\x1b" not in refused.output
    assert len(refused.stdout.splitlines()) == 3
    assert refused.stderr == f"{SAVED.match}: 3 faults\n"


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b"[" * 10_000])
def test_what_is_no_saved_match_is_an_error(run: Any, file: Path, content: bytes) -> None:
    file.write_bytes(content)
    refused = run("verify-replay", file)
    assert refused.exit_code == 1
    assert refused.stdout == ""
    assert refused.stderr.startswith(f"error: {file}: ")
    assert refused.stderr.count("\n") == 1


def test_a_file_that_is_not_there_is_named(run: Any, file: Path) -> None:
    refused = run("verify-replay", file)
    assert refused.exit_code == 1
    assert str(file) in refused.stderr


def test_a_folder_is_no_file(run: Any, tmp_path: Path) -> None:
    refused = run("verify-replay", tmp_path)
    assert refused.exit_code == 1
    assert refused.stderr.count("\n") == 1
