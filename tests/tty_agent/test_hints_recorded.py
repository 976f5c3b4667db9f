"""Hints upon recordings of a real BBS: each prompt at which the caller typed is found, and old ones are not live."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tty_agent.terminal_turns import turn

from tty_agent.hints import ObservationHints, extract
from tty_agent.input_mode import InputMode
from tty_agent.terminal.dialect import ANSI_BBS
from tty_agent.terminal.plain import PlainText
from tty_agent.terminal.screen import Screen

ROOT = Path(__file__).resolve().parents[2]
RECORDINGS = Path(os.environ.get("AGENTBBS_RECORDINGS", ROOT / "../shared/recordings")) / "synchronet"

TELNET_COMMAND = re.compile(rb"\xff(?:[\xfb-\xfe].|\xfa.*?\xff\xf0|[\xf0-\xf9])", re.DOTALL)

KINDS = {
    r"\[Hit a key\]": InputMode.PAGER,
    r"Password:": InputMode.PASSWORD,
    r"Login:": InputMode.LINE,
    r"Command \(\?=Help\)\?": InputMode.HOTKEY,
    r"Computer command \(\?=help\)\?": InputMode.HOTKEY,
    r".*\? \[(?:Yes|No)\] (?:Yes|No)": InputMode.YES_NO,
    r".*\(Y/N\)(?: \[N\])?\?": InputMode.YES_NO,
    r"Which, Quit or \[\d\]:": InputMode.NUMERIC,
    r"Your offer\?": InputMode.LINE,
}
"""Prompts of that BBS, and what they want: known here and nowhere in the rules."""


def turns(path: Path) -> Iterator[ObservationHints]:
    """The hints at each moment at which the caller typed something."""
    screen, plain = Screen(80, 24, ANSI_BBS), PlainText(ANSI_BBS, 8_000)
    written = ""
    previous = None
    for line in path.read_text(encoding="ascii").splitlines():
        chunk = json.loads(line)
        data = bytes.fromhex(chunk["hex"])
        if chunk["dir"] == "rx":
            data = TELNET_COMMAND.sub(b"", data)
            screen.feed(data)
            written += plain.feed(data)
        elif not data.startswith((b"\xff", b"\x1b[", b"\0")):
            seen = turn("|", written, pretty_screen=screen.text(), cursor=screen.cursor)
            yield extract(seen, previous=previous)
            written, previous = "", seen


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason=f"no recordings in {RECORDINGS}; AGENTBBS_RECORDINGS names them")
def test_every_prompt_of_the_recordings() -> None:
    found: dict[str, set[InputMode]] = {}
    for path in sorted(RECORDINGS.glob("*.jsonl")):
        for hints in turns(path):
            for pattern in KINDS:
                if re.fullmatch(pattern, hints.active_prompt):
                    found.setdefault(pattern, set()).add(hints.input_mode)
            assert hints.active_prompt not in {stale.text for stale in hints.stale_prompts}
    assert found.keys() >= KINDS.keys() - {r"Your offer\?"}
    assert found == {pattern: {KINDS[pattern]} for pattern in found}
