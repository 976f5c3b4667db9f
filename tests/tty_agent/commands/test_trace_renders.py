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


def test_a_dialect_that_there_is_not(run: Any, trace: Path) -> None:
    refused = run("trace", "html", trace, "--dialect", "vt52")
    assert refused.exit_code == 2
    assert "none of" in refused.stderr
