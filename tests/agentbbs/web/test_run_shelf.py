"""Runs as they are read from a folder: whole ones, half-written ones, damaged ones, and what only looks like one."""

from __future__ import annotations

import json
import os
import re
import resource
import time
from pathlib import Path

import pytest
from tests.tty_agent.trace_samples import a_header

from agentbbs.web.gym import places, recordings
from agentbbs.web.gym.kept import Kept
from agentbbs.web.gym.moments import moment_ms
from agentbbs.web.gym.recordings import NoRecording
from agentbbs.web.gym.screens import BACKS, FRONTS, LEAST_CONTRAST, contrast
from agentbbs.web.gym.shapes import GymRun, RunKind
from agentbbs.web.gym.shelf import Missing, Shelf
from agentbbs.web.static_files import FOLDER
from tty_agent.trace.writer import encode_line

from . import run_samples as samples

STARTED_MS = 1_769_868_309_123


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


def the_run(root: Path) -> GymRun:
    """The only one."""
    (run,) = Shelf(root).runs(limit=10).runs
    return run


def test_a_run_of_one_agent_tells_its_model_its_end_and_what_it_used(root: Path) -> None:
    samples.single(root)
    run = the_run(root)
    (agent,) = run.agents
    assert (run.run_id, run.kind, run.finished, run.ended) == ("first", RunKind.RUN, True, "hangup")
    assert (run.started_ms, run.finished_ms) == (STARTED_MS, STARTED_MS)
    assert (agent.agent_id, agent.model, agent.provider) == ("ann", "qwen3", "openai")
    assert (agent.usage.decisions, agent.usage.tokens, agent.usage.cost_usd) == (3, 330, 0.003)
    assert (agent.parts[0].steps, agent.parts[0].has_transcript) == (3, True)
    assert agent.parts[0].budget == {"decision_ticks": 50.0}
    assert run.notes == ()


def test_a_match_tells_what_its_manifest_its_events_and_its_score_say(root: Path) -> None:
    samples.match(root)
    run = the_run(root)
    ann, bob = run.agents
    assert (run.kind, run.name, run.game, run.seed, run.rounds) == (RunKind.MATCH, "duel", "starlane", 7, 3)
    assert (run.scheduler, run.order, run.host, run.limits) == ("parallel_barrier", "rotate", "house", {"rounds": 3.0})
    assert (ann.alias, ann.stop_reason, ann.objective) == ("Ann", "rounds", "Win, ann.")
    assert ann.score is not None
    assert ann.score.skill is not None
    assert (ann.score.skill.score, ann.score.skill.rank) == (5267.0, 1)
    assert bob.infra_suspect == "slow"
    assert run.usage.tokens == 660
    assert run.notes == ()


def test_tokens_that_no_provider_told_of_are_not_none_at_all(root: Path) -> None:
    silent = {"calls": 3, "uncounted_calls": 3, "unpriced_calls": 3}
    end = samples.the_end(3)
    end.data["spent"] = {**end.data["spent"], **silent}
    path = samples.trace(root / "first" / "ann.jsonl", ended=False)
    path.write_bytes(path.read_bytes() + encode_line(end))
    usage = the_run(root).usage
    assert (usage.decisions, usage.tokens, usage.cost_usd, usage.calls) == (3, None, None, 3)


def test_the_newest_run_comes_first_and_a_page_goes_on_behind_another(root: Path) -> None:
    for day in (3, 1, 2):
        samples.single(root, f"run-{day}", timestamp=f"2026-02-0{day}T00:00:00.000Z")
    shelf = Shelf(root)
    first = shelf.runs(limit=2)
    assert [run.run_id for run in first.runs] == ["run-3", "run-2"]
    assert (first.more, first.total) == (True, 3)
    rest = shelf.runs(limit=2, after="run-2")
    assert [run.run_id for run in rest.runs] == ["run-1"]
    assert not rest.more
    with pytest.raises(Missing):
        shelf.runs(limit=2, after="run-9")


def test_the_matches_of_a_campaign_are_runs_with_its_name_and_its_summary_has_ranges(root: Path) -> None:
    samples.campaign(root)
    samples.single(root)
    shelf = Shelf(root)
    assert {run.run_id: run.campaign for run in shelf.runs(limit=9).runs} == {
        "spring-00001-duel": "spring",
        "first": None,
    }
    assert [run.turn for run in shelf.runs(limit=9, campaign="spring").runs] == ["duel"]
    summary, notes = shelf.campaign("spring")
    assert summary is not None
    assert notes == ()
    assert summary.scores.by_model[0].skill["starlane"].low == 4900.0
    assert shelf.campaign("autumn") == (None, ())
    assert shelf.run("spring-00001-duel").game == "starlane"


def test_a_campaigns_own_folder_can_be_the_folder_of_runs(root: Path) -> None:
    shelf = Shelf(samples.campaign(root))
    assert [run.run_id for run in shelf.runs(limit=9).runs] == ["spring-00001-duel"]
    with pytest.raises(Missing):
        shelf.run("matches")


def test_what_comes_into_a_folder_is_seen(root: Path) -> None:
    shelf = Shelf(root)
    assert shelf.runs(limit=9).total == 0
    folder = samples.match(root, scored=False, ended=False)
    run = shelf.run("duel-1")
    assert (run.finished, run.agents[0].score) == (False, None)
    samples.put(folder / "score.json", samples.score("duel-1"))
    (folder / "match.jsonl").write_text("".join(json.dumps(one) + "\n" for one in samples.events("duel-1")))
    run = shelf.run("duel-1")
    assert run.finished
    assert run.agents[0].score is not None


def test_a_run_that_was_killed_reads_to_its_last_whole_line(root: Path) -> None:
    next_line = encode_line(samples.decision(4))
    folder = samples.single(root, ended=False, torn=next_line[:100])
    shelf = Shelf(root)
    run = shelf.run("first")
    assert (run.finished, run.ended, run.agents[0].stop_reason) == (False, "", "")
    assert run.usage.decisions == 3
    assert any("never finished" in note for note in run.notes)
    with (folder / "ann.jsonl").open("ab") as trace:  # it was still being written
        trace.write(next_line[100:])
    assert shelf.decisions("first", "ann", limit=9)[1] == 4


def test_a_damaged_decision_is_told_and_those_around_it_are_read(root: Path) -> None:
    path = samples.single(root) / "ann.jsonl"
    lines = path.read_bytes().split(b"\n")
    lines[2] = b'{"type":"decision","step":"two"}'.ljust(len(lines[2]))
    path.write_bytes(b"\n".join(lines))
    shelf = Shelf(root)
    found, steps = shelf.decisions("first", "ann", limit=9)
    assert [(line.step, line.damaged) for line in found] == [(1, False), (2, True), (3, False)]
    assert shelf.decision("first", "ann", 2).line.damaged
    assert shelf.decision("first", "ann", 3).steps == steps == 3
    assert shelf.screen("first", "ann", 2) is None
    assert [step for step, _ in shelf.courses(shelf.run("first"))["ann"]] == [1, 3]


@pytest.mark.parametrize("name", ["manifest.json", "score.json", "match.jsonl", "campaign-match.json", "ann.jsonl"])
@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"participants": 7, "data": [], "schema_version": 9}', b"\xff\xfe\n", b"[" * 100_000 + b"\n"],
)
def test_no_file_can_be_so_damaged_that_the_run_is_not_shown(root: Path, name: str, content: bytes) -> None:
    folder = samples.match(root)
    (folder / "ann.jsonl.index").unlink()
    (folder / name).write_bytes(content)
    shelf = Shelf(root)
    run = shelf.run("duel-1")
    assert run.agent("bob") is not None
    shelf.happenings("duel-1")
    shelf.courses(run)
    if name != "ann.jsonl":
        assert shelf.decisions("duel-1", "ann", limit=1)[1] == 3


def test_another_schema_version_is_read_as_far_as_it_goes_and_said(root: Path) -> None:
    folder = samples.match(root)
    samples.put(folder / "score.json", samples.score("duel-1") | {"schema_version": 2})
    samples.put(folder / "manifest.json", samples.manifest("duel-1") | {"schema_version": 3})
    run = the_run(root)
    assert run.agents[0].score is not None
    assert sum("schema version" in note for note in run.notes) == 2


def test_a_trace_of_a_newer_version_is_refused_with_both_numbers(root: Path) -> None:
    folder = samples.match(root)
    (folder / "ann.jsonl").write_bytes(encode_line(a_header(schema_version=2)))
    (folder / "ann.jsonl.index").unlink()
    run = the_run(root)
    assert any("schema version 2" in note and "1" in note for note in run.notes)
    assert str(root) not in "".join(run.notes)


def test_a_match_that_was_gone_on_with_has_a_part_for_each_time(root: Path) -> None:
    folder = samples.match(root)
    samples.trace(folder / "resumed-1" / "ann.jsonl", [samples.decision(1)])
    shelf = Shelf(root)
    run = shelf.run("duel-1")
    ann, bob = run.agents
    assert [(part.part, part.steps) for part in ann.parts] == [(0, 3), (1, 1)]
    assert len(bob.parts) == 1
    assert shelf.decisions("duel-1", "ann", 1, limit=9)[1] == 1
    assert [(step, used.tokens) for step, used in shelf.courses(run)["ann"]] == [(1, 110), (2, 220), (3, 330), (4, 440)]
    with pytest.raises(Missing):
        shelf.decisions("duel-1", "bob", 1, limit=9)


@pytest.mark.parametrize(
    "name",
    ["..", ".", "", "/etc", "a/b", ".hidden", "a" * 101, "x\n", "x\0", "é", "first/", "..%2f", "first/../first"],
)
def test_an_address_is_no_path(root: Path, name: str) -> None:
    samples.single(root)
    samples.single(root.parent, "outside")
    shelf = Shelf(root)
    for ask in (
        lambda: shelf.run(name),
        lambda: shelf.decisions("first", name, limit=1),
        lambda: shelf.decision("first", name, 1),
        lambda: shelf.cast("first", name),
        lambda: shelf.happenings(name),
    ):
        with pytest.raises(Missing):
            ask()


def test_no_link_leads_out_of_the_folder(root: Path) -> None:
    outside = samples.match(root.parent, "outside")
    (root / "linked").symlink_to(outside)
    shelf = Shelf(root)
    assert shelf.runs(limit=9).total == 0
    with pytest.raises(Missing):
        shelf.run("linked")
    inside = samples.single(root, "inside")
    for name in ("score.json", "manifest.json", "match.jsonl", "bob.jsonl", "bob.raw"):
        (inside / name).symlink_to(outside / name)
    (inside / "resumed-1").symlink_to(outside)
    run = shelf.run("inside")
    assert [agent.agent_id for agent in run.agents] == ["ann"]
    assert (run.kind, run.name, len(run.agents[0].parts)) == (RunKind.RUN, "", 1)
    for part in (0, 1):
        with pytest.raises(Missing):
            shelf.decisions("inside", "bob", part, limit=1)


def test_a_pipe_holds_nobody_up(root: Path) -> None:
    folder = samples.single(root)
    for name in ("score.json", "manifest.json", "match.jsonl", "bob.jsonl"):
        os.mkfifo(folder / name)
    (folder / "ann.jsonl.index").unlink()
    os.mkfifo(folder / "ann.jsonl.index")
    run = the_run(root)
    assert any("delete it" in note for note in run.notes)


def test_a_transcript_is_the_one_beside_the_trace_whatever_the_trace_names(root: Path) -> None:
    secret = root.parent / "secret.raw"
    secret.write_bytes(b"secret")
    folder = samples.single(root, raw_bytes_path=str(secret))
    assert b"secret" not in Shelf(root).cast("first", "ann").content
    (folder / "ann.raw").unlink()
    with pytest.raises(NoRecording, match="no transcript"):
        Shelf(root).cast("first", "ann")
    (folder / "ann.raw").symlink_to(secret)
    with pytest.raises(NoRecording, match="no transcript"):
        Shelf(root).cast("first", "ann")


def test_a_transcript_that_looks_like_a_trace_is_still_a_transcript(root: Path) -> None:
    folder = samples.single(root)
    secret = root.parent / "secret.raw"
    secret.write_bytes(b"secret")
    (folder / "ann.raw").write_bytes(encode_line(a_header(raw_bytes_path=str(secret))))
    content = Shelf(root).cast("first", "ann").content
    assert b'"type"' in content.replace(b"\\", b"")
    assert b'data": "secret' not in content


def test_a_recording_is_asciicast_2_with_a_marker_for_each_decision(root: Path) -> None:
    samples.single(root)
    cast = Shelf(root).cast("first", "ann")
    header, *events = [json.loads(line) for line in cast.content.splitlines()]
    assert (header["version"], header["width"], header["height"]) == (2, 80, 24)
    assert [event[2] for event in events if event[1] == "m"] == [f"{step} press_key P" for step in (1, 2, 3)]
    assert "Sector 1" in "".join(event[2] for event in events if event[1] == "o")
    assert (cast.cut, cast.thinned) == (False, False)


def test_a_recording_has_a_bounded_size(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = samples.single(root)
    monkeypatch.setattr(recordings, "MAX_CAST_BYTES", 600)
    cast = Shelf(root).cast("first", "ann")
    assert cast.cut
    assert all(json.loads(line) for line in cast.content.splitlines())
    assert len(cast.content) <= 600
    monkeypatch.setattr(recordings, "MAX_TRANSCRIPT_BYTES", 10)
    (folder / "ann.raw").touch()
    os.utime(folder / "ann.raw")
    with pytest.raises(NoRecording, match="too long"):
        Shelf(root).cast("first", "ann")


def test_a_window_that_no_terminal_has_is_damage(root: Path) -> None:
    folder = samples.single(root)
    marks = folder / "ann.raw.sent.jsonl"
    marks.write_text(marks.read_text().replace('"columns":80,', '"columns":2000000000,'))
    assert json.loads(Shelf(root).cast("first", "ann").content.splitlines()[0])["width"] == 80


def test_a_screen_has_the_colours_of_the_transcript_where_both_show_the_same(root: Path) -> None:
    samples.single(root, decisions=[samples.decision(1), samples.decision(2, pretty_screen="another")])
    shelf = Shelf(root)
    rows = shelf.screen("first", "ann", 1)
    assert rows is not None
    assert [(piece.text, piece.front, piece.back) for piece in rows[0]] == [("Sector 1", 11, 0)]
    assert rows[1][0].plain
    assert shelf.screen("first", "ann", 2) is None


def test_every_pair_of_colours_can_be_read_and_the_stylesheet_has_the_same(root: Path) -> None:
    sheet = (FOLDER / "site.css").read_text()
    assert tuple(re.findall(r"\.vga \.f\d+ \{ color: (#\w{6}); \}", sheet)) == FRONTS
    assert tuple(re.findall(r"\.vga \.b\d+ \{ background: (#\w{6}); \}", sheet)) == BACKS
    shown = "".join(f"\x1b[{30 + front};{40 + back}mx" for front in range(8) for back in range(8)).encode()
    folder = root / "colours"
    text = "x" * 64 + "\n" * 23
    decision = samples.decision(1, pretty_screen=text, transcript_byte_end=len(shown))
    samples.trace(folder / "ann.jsonl", [decision])
    samples.transcript(folder / "ann.raw", shown=shown)
    rows = Shelf(root).screen("colours", "ann", 1)
    assert rows is not None
    assert len(rows[0]) > 30
    for piece in rows[0]:
        assert contrast(FRONTS[piece.front], BACKS[piece.back]) >= LEAST_CONTRAST


def test_the_ends_of_a_list_of_decisions(root: Path) -> None:
    samples.single(root)
    shelf = Shelf(root)
    assert [line.step for line in shelf.decisions("first", "ann", after=1, limit=1)[0]] == [2]
    assert shelf.decisions("first", "ann", after=3, limit=9) == ((), 3)
    assert shelf.decisions("first", "ann", after=10**9, limit=9) == ((), 3)
    for step in (0, 4, 10**9):
        with pytest.raises(Missing, match="it made 3"):
            shelf.decision("first", "ann", step)


def test_the_events_of_a_match_are_its_turning_points_or_all(root: Path) -> None:
    samples.match(root)
    shelf = Shelf(root)
    points, more = shelf.happenings("duel-1")
    assert [one.seq for one in points] == [1, 2, 5, 6, 7]
    assert not more
    first, more = shelf.happenings("duel-1", every=True, limit=3)
    assert [one.event for one in first] == ["match_started", "participant_ready", "round_started"]
    assert more
    assert first[2].says == "order: ann, bob"
    assert shelf.happenings("duel-1", every=True, after=6)[0][0].says == "stopped by: rounds; rounds: 3"


def test_a_folder_that_is_not_there_is_an_os_error_and_one_of_no_run_is_none(root: Path) -> None:
    (root / "notes").mkdir()
    (root / "notes" / "replies.jsonl").write_text('{"action": "wait"}\n')
    (root / "empty").mkdir()
    assert Shelf(root).runs(limit=9).total == 0
    with pytest.raises(OSError, match="nowhere"):
        Shelf(root / "nowhere").runs(limit=9)


def test_what_is_kept_goes_with_its_files_and_with_its_weight() -> None:
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name

    kept = Kept[str](6, len)
    assert kept.get("a", 1, lambda: make("four")) == "four"
    assert kept.get("a", 1, lambda: make("never")) == "four"
    assert kept.get("a", 2, lambda: make("news")) == "news"
    kept.get("b", 1, lambda: make("three"))
    kept.get("a", 2, lambda: make("again"))
    assert made == ["four", "news", "three", "again"]


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-01-31T14:05:09.123Z", STARTED_MS),
        ("2026-01-31T14:05:09.123", STARTED_MS),
        ("2026-01-31T15:05:09.123+01:00", STARTED_MS),
        ("", None),
        ("yesterday", None),
        ("0001-01-01T00:00:00+23:59", None),
        ("9999-12-31T23:59:59-23:59", None),
        ("1969-12-31T23:59:59Z", None),
    ],
)
def test_a_time_is_one_that_a_page_can_show(text: str, at: int | None) -> None:
    assert moment_ms(text) == at


def test_a_file_that_is_larger_than_any_such_file_is_not_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    samples.match(root)
    monkeypatch.setattr(places, "MAX_JSON_BYTES", 100)
    assert any("longer than 100 bytes" in note for note in the_run(root).notes)


@pytest.mark.slow
def test_a_trace_of_100000_decisions_opens_at_once_and_takes_no_memory(root: Path) -> None:
    path = samples.trace(root / "long" / "ann.jsonl", ended=False)
    (path.parent / "ann.jsonl.index").unlink()
    line = encode_line(samples.decision(7))
    before, after = line.split(b'"step":7,')
    with path.open("ab") as file:
        file.writelines(b'%b"step":%d,%b' % (before, step, after) for step in range(4, 100_001))
    Shelf(root).run("long")  # leaves an index behind, as the writer of a trace does
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    shelf = Shelf(root)
    run = shelf.run("long")
    assert shelf.decisions("long", "ann", after=99_950, limit=50)[1] == 100_000
    assert shelf.decision("long", "ann", 77_777).line.step == 77_777
    shelf.courses(run)
    assert time.perf_counter() - began < 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - held < 64 * 1024
