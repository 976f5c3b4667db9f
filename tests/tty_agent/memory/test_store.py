"""Memory files: whole whatever happens, nobody's commit lost, damage told and left alone."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tty_agent.memory.memory import CampaignMemory, MemoryItem, MemoryUpdate, Provenance, SessionSummary
from tty_agent.memory.store import MAX_FILE_BYTES, CampaignFile, JsonFile, NotWritten, TooNew, Unreadable

BY = Provenance(run_id="run-1", agent_id="agent-001", model="small", at="2025-01-01T00:00:00.000Z")


def summary_file(path: Path) -> JsonFile[SessionSummary]:
    return JsonFile(path, SessionSummary, SessionSummary())


def test_without_a_file_nothing_is_remembered(tmp_path: Path) -> None:
    file = CampaignFile(tmp_path / "agent-001.json")
    assert file.load() == CampaignMemory()
    assert list(tmp_path.iterdir()) == []


def test_a_commit_is_on_disk_as_json_that_people_can_read(tmp_path: Path) -> None:
    file = CampaignFile(tmp_path / "deep" / "agent-001.json")
    done = file.commit(MemoryUpdate(facts=("Ore sells",)), BY)
    assert CampaignFile(file.path).load() == done.memory
    text = file.path.read_text(encoding="utf-8")
    assert '\n  "facts": [\n' in text
    assert text.endswith("}\n")
    assert file.path.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in file.path.parent.iterdir()) == ["agent-001.json", "agent-001.json.lock"]


def test_commits_build_upon_each_other(tmp_path: Path) -> None:
    for fact in ("a", "b"):
        CampaignFile(tmp_path / "m.json").commit(MemoryUpdate(facts=(fact,)), BY)
    assert CampaignFile(tmp_path / "m.json").load().facts == (MemoryItem("a", 1), MemoryItem("b", 2))


def test_no_commit_is_lost_between_writers(tmp_path: Path) -> None:
    def work(number: int) -> None:
        CampaignFile(tmp_path / "m.json").commit(MemoryUpdate(facts=(f"fact {number}",)), BY)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(24)))
    memory = CampaignFile(tmp_path / "m.json").load()
    assert {item.text for item in memory.facts} == {f"fact {n}" for n in range(24)}
    assert [one.number for one in memory.commits] == list(range(1, 25))


def test_other_values_are_files_too(tmp_path: Path) -> None:
    file = summary_file(tmp_path / "summary.json")
    file.save(SessionSummary(current_state="é at the menu"))
    assert file.load().current_state == "é at the menu"


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b'{"facts": 3}', b"\xff\xfe", b"[" * 100_000, b'{"schema_version":0}']
)
def test_a_damaged_file_is_told_and_left_alone(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "m.json"
    path.write_bytes(text)
    with pytest.raises(Unreadable, match=r"m\.json"):
        CampaignFile(path).load()
    with pytest.raises(Unreadable):
        CampaignFile(path).commit(MemoryUpdate(facts=("x",)), BY)
    assert path.read_bytes() == text


def test_a_file_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_bytes(b'{"schema_version":99}')
    with pytest.raises(TooNew, match="99"):
        CampaignFile(path).load()
    with pytest.raises(TooNew):
        CampaignFile(path).commit(MemoryUpdate(), BY)
    assert path.read_bytes() == b'{"schema_version":99}'


def test_a_file_that_can_not_be_memory(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(Unreadable, match="larger"):
        CampaignFile(path).load()
    with pytest.raises(Unreadable):
        CampaignFile(tmp_path).load()


def test_a_value_too_large_is_not_written(tmp_path: Path) -> None:
    file = summary_file(tmp_path / "m.json")
    with pytest.raises(NotWritten, match="larger"):
        file.save(SessionSummary(current_state="x" * MAX_FILE_BYTES))
    assert not file.path.exists()


@pytest.mark.parametrize("call", ["write", "replace"])
def test_a_failed_write_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    file = CampaignFile(tmp_path / "m.json")
    before = file.commit(MemoryUpdate(facts=("a",)), BY).memory

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if call == "write":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(NotWritten, match="No space"):
        file.commit(MemoryUpdate(facts=("b",)), BY)
    monkeypatch.undo()
    assert file.load() == before
    assert not file.path.with_name("m.json.tmp").exists()


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotWritten):
        CampaignFile(tmp_path / "file" / "m.json").commit(MemoryUpdate(), BY)


def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "m.json.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NotWritten, match=r"m\.json\.lock"):
        CampaignFile(tmp_path / "m.json").commit(MemoryUpdate(), BY)
    assert not (tmp_path / "elsewhere").exists()


def test_the_leftover_of_a_killed_writer_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "m.json.tmp").write_bytes(b'{"facts": [{"te' * 1_000)
    done = CampaignFile(tmp_path / "m.json").commit(MemoryUpdate(facts=("a",)), BY)
    assert CampaignFile(tmp_path / "m.json").load() == done.memory


def test_a_writer_killed_at_any_moment_leaves_a_whole_file(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import sys
        from tty_agent.memory.memory import MemoryUpdate, Provenance
        from tty_agent.memory.store import CampaignFile

        file = CampaignFile(sys.argv[1])
        for number in range(1_000_000):
            by = Provenance(run_id=str(number), agent_id="a", model="m", at="")
            file.commit(MemoryUpdate(facts=(f"{number} " + "x" * 200,)), by)
            print(number, flush=True)
        """
    )
    path = tmp_path / "m.json"
    for wanted in (1, 7, 20):
        with subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            for _ in range(wanted):
                assert writer.stdout.readline()
            writer.send_signal(signal.SIGKILL)
        memory = CampaignFile(path).load()
        assert len(memory.commits) >= wanted
