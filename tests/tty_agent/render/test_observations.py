"""Pictures of observations on disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.tty_agent.render.picture_samples import picture_of

from tty_agent.render.observations import ObservationPictures, folder_name
from tty_agent.render.png import png_bytes


def test_the_path_is_that_of_the_specification() -> None:
    assert ObservationPictures("match-001", "agent-001").path(42) == Path(
        "runtime/observations/match-001/agent-001/step-0042.png"
    )


def test_a_picture_is_written_whole(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    pictures = ObservationPictures("run", "agent", root=tmp_path)
    path, data = pictures.write(picture_of("seen"), 1)
    assert path == tmp_path / "run" / "agent" / "step-0001.png"
    assert path.read_bytes() == data == png_bytes(picture_of("seen"))
    assert [entry.name for entry in path.parent.iterdir()] == ["step-0001.png"]


@pytest.mark.parametrize("name", ["", ".", "..", "../../etc", "a/b", "\x00", "x" * 300])
def test_a_name_cannot_leave_the_folder(name: str) -> None:
    safe = folder_name(name)
    assert safe not in {"", ".", ".."}
    assert "/" not in safe
    assert len(safe) <= 100


def test_who_asks_for_no_picture_loads_nothing() -> None:
    code = (
        "import sys; import tty_agent.render.observations, tty_agent.render.png, tty_agent.render.export; "
        "from tty_agent.render.observations import ObservationPictures; ObservationPictures('r', 'a'); "
        "print(sorted({'numpy', 'PIL', 'pyansilove'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert found.stdout.strip() == "[]"
