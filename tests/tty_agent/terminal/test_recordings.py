"""What a real BBS sent, on the screen. Without the recordings these tests are skipped."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tty_agent.terminal.dialect import ANSI_BBS
from tty_agent.terminal.events import Reply
from tty_agent.terminal.plain import PlainText
from tty_agent.terminal.screen import Screen

ROOT = Path(os.environ.get("AGENTBBS_RECORDINGS", Path(__file__).resolve().parents[4] / "shared" / "recordings"))
RECORDINGS = sorted((ROOT / "synchronet").glob("*.jsonl"))

pytestmark = pytest.mark.skipif(not RECORDINGS, reason="no recordings: set AGENTBBS_RECORDINGS to their folder")


def received(path: Path) -> list[bytes]:
    """The chunks that came from the BBS, as they came."""
    chunks = [json.loads(line) for line in path.read_text().splitlines()]
    return [bytes.fromhex(chunk["hex"]) for chunk in chunks if chunk.get("dir") == "rx"]


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_the_chunks_as_they_came_show_what_the_whole_shows(path: Path) -> None:
    chunks = received(path)
    screen, whole, plain = Screen(), Screen(), PlainText(ANSI_BBS, 1 << 20)
    events = [event for chunk in chunks for event in screen.feed(chunk)]
    assert events == list(whole.feed(b"".join(chunks)))
    assert screen.picture() == whole.picture()
    assert screen.scrollback() == whole.scrollback()
    text = "".join(plain.feed(chunk) for chunk in chunks)
    assert "\x1b" not in text + screen.text()
    assert "[0m" not in text


def test_every_cursor_query_is_answered() -> None:
    for path in RECORDINGS:
        stream = b"".join(received(path))
        replies = [event for event in Screen().feed(stream) if isinstance(event, Reply)]
        assert sum(reply.data.endswith(b"R") for reply in replies) == stream.count(b"\x1b[6n"), path
        assert all(stream[: reply.offset][-1:] in b"nc" for reply in replies), path


def test_a_login_ends_at_the_main_menu() -> None:
    path = ROOT / "synchronet" / "telnet-alice-2.jsonl"
    if not path.exists():
        pytest.skip(f"{path.name} is not among the recordings")
    screen = Screen()
    for chunk in received(path):
        screen.feed(chunk)
    shown = [*screen.scrollback(), *screen.lines()]
    assert any("Main" in line for line in shown)
