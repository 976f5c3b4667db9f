"""Where renders go: not over the recording, and whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tty_agent.render.extra import RenderFault
from tty_agent.render.output_file import belonging_to, draft_of


@pytest.fixture
def run(tmp_path: Path) -> tuple[Path, ...]:
    files = belonging_to(tmp_path / "run.jsonl", tmp_path / "run.raw")
    (tmp_path / "run.jsonl").write_text("trace")
    (tmp_path / "run.raw").write_text("bytes")
    return files


@pytest.mark.parametrize(
    "name", ["run.jsonl", "run.raw", "run.jsonl.index", "run.raw.sent.jsonl", "x/../run.raw", "link"]
)
def test_a_recording_is_not_written_over(tmp_path: Path, run: tuple[Path, ...], name: str) -> None:
    (tmp_path / "x").mkdir()
    os.link(tmp_path / "run.raw", tmp_path / "link")
    with pytest.raises(RenderFault, match="name another file with --out"), draft_of(tmp_path / name, sparing=run):
        pass
    assert (tmp_path / "run.raw").read_text() == "bytes"


def test_what_fails_leaves_the_file_before_it(tmp_path: Path, run: tuple[Path, ...]) -> None:
    out = tmp_path / "out.gif"
    with draft_of(out, sparing=run) as draft:
        draft.write_text("one")
        assert not out.exists()
    assert out.read_text() == "one"
    with pytest.raises(UnicodeEncodeError), draft_of(out, sparing=run) as draft:
        draft.write_text("tw\ud800")
    assert out.read_text() == "one"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.gif", "run.jsonl", "run.raw"]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path, run: tuple[Path, ...]) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"), draft_of(tmp_path / "nowhere" / "out.png", sparing=run):
        pass


def test_what_is_no_file_is_written_to_as_it_is(run: tuple[Path, ...]) -> None:
    with draft_of(Path(os.devnull), sparing=run) as draft:
        assert draft == Path(os.devnull)
