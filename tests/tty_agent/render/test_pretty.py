"""Traces as text."""

from __future__ import annotations

from tests.tty_agent.trace_samples import a_decision, a_header, an_event, an_observation

from tty_agent.render.pretty import pretty_lines
from tty_agent.trace.records import RepairRecord, ReplyRecord, Switch


def text(*records: object, **options: object) -> str:
    return "\n".join(pretty_lines(records, **options))  # type: ignore[arg-type]


def test_a_step_shows_what_was_seen_and_done() -> None:
    shown = text(a_header(), a_decision(1), an_event(step=1, outcome="done", detail="docked", final_screen="Port"))
    assert "run run-1 · agent agent-001 · scripted script" in shown
    assert "step 1 · 2026-01-31T14:05:09.123Z · shell · stable after 400 ms · bytes 12000-12750" in shown
    assert "│ Command (?=Help)?" in shown
    assert "cursor 0,18 · prompt tw2-command" in shown
    assert "> press_key P" in shown
    assert "done: docked" in shown
    assert "│ Port\n" in shown


def test_steps_come_in_order_and_screens_keep_their_rows() -> None:
    shown = text(a_header(), a_decision(1, pretty_screen="one\n\n  three"), a_decision(2))
    assert shown.index("step 1") < shown.index("step 2")
    assert "│ one\n│\n│   three\n" in shown


def test_replies_are_shown_when_asked_for() -> None:
    reply = ReplyRecord(raw="<think>hm</think>\n{...}", text="{...}", filter="think", latency_s=1.25, input_tokens=90)
    repair = RepairRecord(error="no action object", prompt="again", reply=None, error_after="still none")
    decision = a_decision(1, reply=reply, repair=repair, action=None, error="still none", error_code="not_json")
    assert "<think>" not in text(decision)
    shown = text(decision, model_replies=True)
    assert "reply (1.25 s, 90 tokens in, filter think):\n    <think>hm</think>\n    {...}" in shown
    assert "fault: no action object" in shown
    assert "repair: none came" in shown
    assert "> no action" in shown
    assert "error (not_json): still none" in shown


def test_control_markers_come_from_the_transcript() -> None:
    def read(start: int, end: int) -> str | None:
        assert (start, end) == (12000, 12750)
        return "<ESC>[2JMenu<CR><LF>Command<CR><LF>"

    shown = text(a_decision(1), control_markers=True, read_bytes=read)
    assert "wrote:\n    <ESC>[2JMenu<CR><LF>\n    Command<CR><LF>" in shown
    assert "wrote" not in text(a_decision(1), read_bytes=read)


def test_without_the_transcript_they_come_from_the_observation() -> None:
    decision = a_decision(1, observation=an_observation(new_text="a\nb\x07"))
    assert "wrote:\n    a<LF>\n    b<BEL>" in text(decision, control_markers=True, read_bytes=lambda _start, _end: None)


def test_nothing_acts_on_the_readers_terminal() -> None:
    nasty = "\x1b[2J\u202e\x07"
    shown = text(
        a_header(run_id=nasty, run_objective=nasty),
        an_event(event=nasty, note=nasty),
        a_decision(
            1,
            pretty_screen=nasty,
            reason=nasty,
            error=nasty,
            action={"action": nasty, "arguments": {"text": nasty}},
            reply=ReplyRecord(raw=nasty, text=nasty),
            profile_switch=Switch(nasty, nasty, nasty),
            matched_prompt=nasty,
        ),
        model_replies=True,
        control_markers=True,
    )
    assert not set(shown) & set("\x1b\u202e\x07")


def test_an_event_is_told_without_the_prompt() -> None:
    shown = text(an_event("infra", kind="timeout", message="too slow", prompt="# Objective", latency_s=3.5))
    assert "infra kind=timeout message=too slow latency_s=3.5" in shown
    assert "Objective" not in shown


def test_what_was_detected_is_beside_the_cursor() -> None:
    assert "prompt tw2-command · detected shop, night" in text(a_decision(1, detected=("shop", "night")))


def test_a_switch_of_profiles() -> None:
    assert "profile bbs → tw2 by title" in text(a_decision(1, profile_switch=Switch("bbs", "tw2", "title")))
