"""The policies over recordings of a real BBS."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tty_agent.observer.readiness import Adaptive, Fixed, TurnPolicy

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))  # bench/ is no part of the package

from bench.turns import Figures, TelnetData, figures, recordings, take  # noqa: E402 - the path stands above

FOLDER = Path(os.environ.get("AGENTBBS_RECORDINGS", ROOT.parent / "shared" / "recordings"))

needs_recordings = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no recordings in {FOLDER} (AGENTBBS_RECORDINGS)")


def measured(policy: TurnPolicy, *, openings: bool) -> Figures:
    turns = take(recordings(FOLDER), policy)
    return figures("", [turn for turn in turns if turn.opening == openings])


@needs_recordings
@pytest.mark.parametrize("openings", [False, True])
def test_adaptive_cuts_no_more_turns_than_300_ms_in_a_third_of_the_time(openings: bool) -> None:
    fixed, adaptive = measured(Fixed(0.3), openings=openings), measured(Adaptive(), openings=openings)
    assert adaptive.turns == fixed.turns > 40
    assert adaptive.cut_percent <= fixed.cut_percent
    assert adaptive.mean_ms < fixed.mean_ms / 3


@pytest.mark.parametrize("cut", range(1, 16))
def test_telnet_commands_are_taken_out_wherever_the_chunks_are_cut(cut: int) -> None:
    data = b"a\xff\xfb\x01b\xff\xffc\xff\xfa\x18\x00x\xff\xf0d\xff\xf9e"
    telnet = TelnetData()
    assert telnet.feed(data[:cut]) + telnet.feed(data[cut:]) == b"ab\xffcde"
