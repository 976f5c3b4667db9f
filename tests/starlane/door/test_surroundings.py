"""What the environment says of a terminal."""

from __future__ import annotations

import pytest

from starlane.door.keys import Encoding
from starlane.door.surroundings import speaks_ansi, spoken_encoding


@pytest.mark.parametrize(
    ("environment", "tty", "ansi"),
    [
        ({"TERM": "xterm"}, True, True),
        ({"TERM": "pcansi"}, True, True),
        ({"TERM": "dumb"}, True, False),
        ({"TERM": ""}, True, False),
        ({}, True, False),
        ({"TERM": "xterm"}, False, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, True, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True, True),
    ],
)
def test_colours(environment: dict[str, str], tty: bool, ansi: bool) -> None:
    assert speaks_ansi(environment, tty=tty) is ansi


@pytest.mark.parametrize(
    ("environment", "board", "encoding"),
    [
        ({"LANG": "C.UTF-8"}, True, Encoding.UTF_8),
        ({"LANG": "de_DE.utf8@euro"}, True, Encoding.UTF_8),
        ({"LANG": "C"}, True, Encoding.CP437),
        ({}, True, Encoding.CP437),
        ({"LC_ALL": "C", "LANG": "C.UTF-8"}, True, Encoding.CP437),
        ({"LC_ALL": "", "LANG": "C.UTF-8"}, True, Encoding.UTF_8),
        ({"LANG": "C"}, False, Encoding.UTF_8),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, True, Encoding.CP437),
        ({}, False, Encoding.UTF_8),
        ({"LANG": "en_US.CP437"}, False, Encoding.CP437),
    ],
)
def test_encoding(environment: dict[str, str], board: bool, encoding: Encoding) -> None:
    assert spoken_encoding(environment, board=board) is encoding
