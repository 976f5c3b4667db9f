"""The scripts for people, as programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.tty_agent.render.picture_samples import DOOR, LOGIN, stored_session
from tests.tty_agent.render.test_recording import stored_trace

SCRIPTS = Path(__file__).resolve().parents[3] / "scripts"


def script(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPTS / name, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.fixture
def run(tmp_path: Path) -> Path:
    door = stored_session(tmp_path / "run.raw")
    stored_trace(tmp_path / "run.jsonl", door, door + len(DOOR), start=len(LOGIN))
    return tmp_path / "run.jsonl"


def test_trace_pretty(run: Path) -> None:
    shown = script("trace_pretty.py", run, "--model-replies", "--control-markers")
    assert shown.returncode == 0, shown.stderr
    assert "> press_key P" in shown.stdout
    assert "<ESC>[44m" in shown.stdout
    assert "reply: none came" in shown.stdout


def test_ansi_screencap(run: Path, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    gif, page, png = tmp_path / "o.gif", tmp_path / "o.html", tmp_path / "o.png"
    made = script(
        "ansi_screencap.py", run.with_suffix(".raw"), "--gif", gif, "--html", page, "--png", png, "--duration-ms", 300,
        "--start", len(LOGIN), "--columns", 60,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    with image.open(gif) as animation:
        assert (animation.info["duration"], animation.width) == (300, 480)
    assert "Sector 1" in page.read_text("utf-8")
    assert png.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["trace_pretty.py", "ansi_screencap.py"])
def test_help_has_an_example(name: str) -> None:
    helped = script(name, "--help")
    assert helped.returncode == 0
    assert f"python scripts/{name} runtime/" in helped.stdout


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("trace_pretty.py", ["missing.jsonl"]),
        ("ansi_screencap.py", ["missing.raw", "--html", "out.html"]),
        ("ansi_screencap.py", [__file__, "--html", "out.html", "--end", "99999999"]),
    ],
)
def test_an_error_is_one_line(name: str, arguments: list[str], tmp_path: Path) -> None:
    failed = script(name, *arguments)
    assert failed.returncode == 1
    assert failed.stderr.count("\n") == 1
    assert failed.stderr.startswith(name.removesuffix(".py") + ": ")
    assert failed.stdout == ""
