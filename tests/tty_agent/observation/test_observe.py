"""An observation, put together."""

from __future__ import annotations

import msgspec
from tests.tty_agent.watched import Watched

from tty_agent.observation.observation import Highlight, Observation, ReadyReason
from tty_agent.observation.observe import observation_of
from tty_agent.observer.readiness import Fixed, PromptPattern


def observed() -> Observation:
    watched = Watched(Fixed(), [PromptPattern("save", r"Save\?")])
    ready = watched.turn([(0.1, b"\x1b]0;door\x07Welcome\r\n\r\nSave? \x1b[44m[Yes]\x1b[0m No ")])
    return observation_of(
        watched.screen,
        ready,
        agent_id="agent-001",
        timestamp="2026-01-02T03:04:05.678Z",
        new_text="Save? [Yes] No",
        transcript_path="runtime/transcripts/agent-001.raw",
        transcript_byte_start=12000,
        transcript_byte_end=12750,
        bells=2,
        metadata={"transport": "telnet"},
    )


def test_it_says_what_the_screen_the_readiness_and_the_transcript_say() -> None:
    seen = observed()
    assert seen.ready_reason is seen.readiness.reason is ReadyReason.STABLE
    assert (seen.stable_ms, seen.byte_quiet_ms, seen.matched_prompt) == (350, 350, "save")
    assert (seen.cursor, seen.columns, seen.rows) == ((2, 15), 80, 24)
    assert (seen.transcript_byte_start, seen.transcript_byte_end, seen.bytes_read) == (12000, 12750, 750)
    assert (seen.bells, seen.closed, seen.metadata) == (2, None, {"transport": "telnet"})


def test_the_screen_comes_as_it_is_and_as_a_model_reads_it() -> None:
    seen = observed()
    assert seen.pretty_screen.split("\n")[2] == "Save? [Yes] No"
    assert len(seen.pretty_screen.split("\n")) == 24
    assert seen.model_text == "Welcome\n\nSave? >>[[Yes]]<< No"
    assert seen.highlighted == Highlight(2, 6, "[Yes]")


def test_a_mark_above_a_matched_prompt_is_none() -> None:
    watched = Watched(Fixed(), [PromptPattern("next", r"^Next")])
    ready = watched.turn([(0.1, b"One\r\n\x1b[44mTwo\x1b[0m\r\nThree\r\n\r\nNext one")])
    seen = observation_of(watched.screen, ready, agent_id="a", timestamp="2026-01-02T03:04:05.678Z")
    assert (seen.matched_prompt, seen.highlighted) == ("next", None)
    assert ">>[" not in seen.model_text


def test_it_survives_being_written_down() -> None:
    seen = observed()
    assert msgspec.json.decode(msgspec.json.encode(seen), type=Observation) == seen
