from __future__ import annotations

import os
from pathlib import Path

import pytest

from tty_agent.models.scripted import read_script
from tty_agent.render.recording import is_trace
from tty_agent.trace.index import TraceFile
from tty_agent.trace.records import read_trace
from tty_agent.trace.recover import inspect
from tty_agent.transcript.regular_file import regular_file


def test_files_and_what_open_tells_better_pass(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "none", tmp_path):
        assert regular_file(place) == place


@pytest.mark.parametrize("reader", [read_script, is_trace, TraceFile, inspect, lambda path: next(read_trace(path))])
def test_a_pipe_is_refused_and_nobody_waits_for_it(tmp_path: Path, reader: object) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="a pipe or a device"):
        reader(tmp_path / "pipe")  # type: ignore[operator]
