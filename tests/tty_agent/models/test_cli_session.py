from __future__ import annotations

from pathlib import Path

import pytest

from tty_agent.models.cli_session import CliSession, load_session, save_session, sha256_of
from tty_agent.models.model import Usage

SESSION = CliSession(
    session_id="s-1",
    provider="codex",
    model="m",
    system_sha256=sha256_of("contract"),
    totals=Usage(input_tokens=10, output_tokens=2),
)


def test_a_session_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "session.json"
    save_session(file, SESSION)
    assert load_session(file, provider="codex", model="m") == (SESSION, None)


def test_saving_leaves_no_other_file(tmp_path: Path) -> None:
    file = tmp_path / "session.json"
    save_session(file, SESSION)
    save_session(file, SESSION)
    assert list(tmp_path.iterdir()) == [file]


def test_a_failed_save_leaves_the_old_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "session.json"
    save_session(file, SESSION)

    def fail(_: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        save_session(file, CliSession(session_id="s-2", provider="codex", model="m", system_sha256=""))
    assert load_session(file, provider="codex", model="m") == (SESSION, None)


def test_no_file_is_no_session(tmp_path: Path) -> None:
    assert load_session(tmp_path / "none", provider="codex", model="m") == (None, None)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"session_id": 3}', b"\xff"])
def test_a_damaged_file_is_noted_and_not_used(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "session.json"
    file.write_bytes(content)
    session, note = load_session(file, provider="codex", model="m")
    assert session is None
    assert note is not None
    assert "a new session begins" in note


@pytest.mark.parametrize(("provider", "model"), [("claude", "m"), ("codex", "other")])
def test_the_session_of_another_model_is_not_used(tmp_path: Path, provider: str, model: str) -> None:
    file = tmp_path / "session.json"
    save_session(file, SESSION)
    session, note = load_session(file, provider=provider, model=model)
    assert (session, note) == (None, "the session file is of codex m: a new session begins")
