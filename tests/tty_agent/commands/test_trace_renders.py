"""`trace pretty|png|gif|html|cast` of a run that was just played."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(shutil.which("sh") is None, reason="there is no shell")


@pytest.fixture
def trace(run: Any, script: Any, tmp_path: Path) -> Path:
    """A run of two steps at a shell."""
    options = ("--activity", "shell", "--run-id", "r1", "--quiet-ms", 100, "--quiet")
    assert run("run-activity", "--target", "pty:sh -i", "--model", script(), *options).exit_code == 0
    return tmp_path / "runtime/runs/r1/agent-001.jsonl"


def test_pretty(run: Any, trace: Path) -> None:
    plain = run("trace", "pretty", trace)
    assert plain.exit_code == 0
    assert "out-42" in plain.stdout
    assert '"arguments"' not in plain.stdout
    full = run("trace", "pretty", trace, "--model-replies", "--control-markers").stdout
    assert '"arguments"' in full
    assert len(full) > len(plain.stdout)


@pytest.mark.parametrize(("kind", "magic"), [("png", b"\x89PNG"), ("gif", b"GIF89a")])
def test_pictures(run: Any, trace: Path, kind: str, magic: bytes) -> None:
    pytest.importorskip("numpy")
    pytest.importorskip("PIL")
    made = run("trace", kind, trace)
    assert made.exit_code == 0, made.stderr
    assert made.stdout == f"{trace.with_suffix('.' + kind)}\n"
    assert trace.with_suffix(f".{kind}").read_bytes().startswith(magic)


def test_a_picture_of_a_step(run: Any, trace: Path) -> None:
    pytest.importorskip("numpy")
    assert run("trace", "png", trace, "--step", 2, "-o", trace.parent / "two.png").exit_code == 0
    assert (trace.parent / "two.png").exists()
    refused = run("trace", "png", trace, "--step", 9)
    assert refused.exit_code == 1
    assert "no step 9" in refused.stderr


def test_a_page(run: Any, trace: Path) -> None:
    assert run("trace", "html", trace).exit_code == 0
    assert "out-42" in trace.with_suffix(".html").read_text()


@pytest.mark.parametrize("version", [2, 3])
def test_a_cast(run: Any, trace: Path, version: int) -> None:
    assert run("trace", "cast", trace, "--format", version).exit_code == 0
    first, *events = trace.with_suffix(".cast").read_text().splitlines()
    assert json.loads(first)["version"] == version
    assert any(json.loads(event)[1] == "m" for event in events)


def test_plain_text_is_no_recording_unless_it_is_said_to_be(run: Any, tmp_path: Path) -> None:
    poem = tmp_path / "README.md"
    poem.write_text("# Roses\n\nétoile\n")
    refused = run("trace", "html", poem)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "README.md is plain text, no trace and no transcript" in refused.stderr
    assert not poem.with_suffix(".html").exists()
    assert run("trace", "html", poem, "--dialect", "xterm").exit_code == 0


@pytest.mark.parametrize("art", [b"\xdc\xdb\xdf", b"\x1b[31mred"])
def test_art_that_no_run_recorded(run: Any, tmp_path: Path, art: bytes) -> None:
    (tmp_path / "art.ans").write_bytes(art)
    assert run("trace", "html", "art.ans").exit_code == 0


@pytest.mark.parametrize(("kind", "name"), [("png", "x.jpg"), ("gif", "x.png")])
def test_a_name_of_another_kind_of_picture(run: Any, trace: Path, kind: str, name: str) -> None:
    refused = run("trace", kind, trace, "-o", name)
    assert refused.exit_code == 2
    assert f"{name} is written as .{kind}: name it so" in refused.stderr


def test_a_dialect_that_there_is_not(run: Any, trace: Path) -> None:
    refused = run("trace", "html", trace, "--dialect", "vt52")
    assert refused.exit_code == 2
    assert "none of" in refused.stderr
