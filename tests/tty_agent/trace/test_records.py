"""A trace as text: one record a line, every field of a decision, and faults that name the place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tty_agent.trace_samples import a_decision, a_header, an_event, an_observation

from tty_agent.trace.records import DamagedTrace, DecisionRecord, Header, NotATrace, decode_line, read_trace
from tty_agent.trace.writer import encode_line

SPECIFIED = {
    "match_id",
    "agent_id",
    "node",
    "step",
    "raw_bytes_path",
    "transcript_byte_start",
    "transcript_byte_end",
    "pretty_screen",
    "model_text",
    "matched_prompt",
    "ready_reason",
    "prompt",
    "action",
    "timestamp",
}


def written(path: Path, *records: object, tail: bytes = b"") -> Path:
    path.write_bytes(b"".join(encode_line(record) for record in records) + tail)  # type: ignore[arg-type]
    return path


def test_a_decision_has_every_field_of_the_specification() -> None:
    line = json.loads(encode_line(a_decision(1)))
    assert line.keys() >= SPECIFIED
    assert line["action"] == {"action": "press_key", "arguments": {"key": "P"}}
    assert line["type"] == "decision"


def test_what_was_seen_comes_back_whole() -> None:
    assert a_decision(1).seen() == an_observation()


@pytest.mark.parametrize("record", [a_header(seeds={"order": 7}), a_decision(1), an_event(outcome="done")])
def test_a_record_comes_back_as_it_was(record: object) -> None:
    line = encode_line(record)  # type: ignore[arg-type]
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert decode_line(line) == record


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=40))
@settings(max_examples=60, deadline=None)
def test_any_text_makes_one_line(text: str) -> None:
    back = decode_line(encode_line(a_decision(1, prompt=text)))
    assert isinstance(back, DecisionRecord)
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert back.prompt == whole


def test_fields_of_later_versions_are_ignored() -> None:
    line = encode_line(a_header()).replace(b'"run_id"', b'"mood":"good","run_id"')
    assert decode_line(line) == a_header()


def test_a_version_that_is_too_new_is_refused() -> None:
    with pytest.raises(ValueError, match="schema version 999"):
        decode_line(encode_line(a_header(schema_version=999)))


@pytest.mark.parametrize("line", [b"", b"{", b"[" * 100_000, b"{}", b'{"type":"verdict"}', b"\x00" * 30, b'"\xff"'])
def test_what_is_no_record_is_a_value_error_in_one_line(line: bytes) -> None:
    with pytest.raises(ValueError) as fault:
        decode_line(line)
    assert "\n" not in str(fault.value)


def test_a_trace_reads_to_its_last_whole_line(tmp_path: Path) -> None:
    records = [a_header(), a_decision(1), an_event(), a_decision(2)]
    path = written(tmp_path / "run.jsonl", *records, tail=encode_line(a_decision(3))[:-1])
    assert list(read_trace(path)) == records


@pytest.mark.parametrize(
    ("content", "fault"),
    [(b"", "no whole line"), (b'{"type":"hea', "no whole line"), (b"hello\n", "malformed"), (b"{}\n", "missing")],
)
def test_what_is_no_trace_says_so(tmp_path: Path, content: bytes, fault: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(NotATrace, match=f"{fault}.*give the .jsonl file of a run"):
        list(read_trace(path))


def test_a_trace_begins_with_its_header(tmp_path: Path) -> None:
    with pytest.raises(NotATrace, match="first line is no header"):
        list(read_trace(written(tmp_path / "run.jsonl", a_decision(1))))


def test_damage_is_named_by_its_place(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl", a_header(), tail=b"oops\n" + encode_line(a_decision(1)))
    reading = read_trace(path)
    assert isinstance(next(reading), Header)
    with pytest.raises(DamagedTrace) as fault:
        next(reading)
    assert fault.value.offset == len(encode_line(a_header()))
