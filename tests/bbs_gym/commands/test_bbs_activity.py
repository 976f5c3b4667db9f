"""`run-activity`, `run-routed` and `observe-turn`, at a BBS and at any terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.bbs_gym.commands.bbs_app import Shell, shell
from tests.bbs_gym.fake_bbs import fake_bbs
from tests.bbs_gym.login.dialogues import HOUSE_TELNET, HOUSE_WAY_IN, Hears, Says, Script

__all__ = ["shell"]

PLAY: Script = (
    *HOUSE_WAY_IN,
    Hears(b"W"),
    Says(b"\x0cWho's online\r\nNumber or key (P R Q ?): "),
)


def replies(folder: Path, *actions: str) -> Path:
    """A script of the model's."""
    path = folder / "replies.jsonl"
    path.write_text("".join(f"{action}\n" for action in actions))
    return path


PRESS_W = '{"action": "press_key", "arguments": {"key": "W"}}'


@pytest.mark.parametrize("command", [("run-activity",), ("run-routed", "--route-set", "bbs-auto")])
def test_a_run_at_a_bbs(shell: Shell, command: tuple[str, ...]) -> None:
    script = replies(shell.folder, PRESS_W)
    with fake_bbs(PLAY, rlogin=True) as board:
        done, _ = shell(
            *command,
            *("--transport", "rlogin", "--agent-id", "agent-001", "--port", board.port, "--node", 2, "--kind", "house"),
            *("--model", f"scripted:{script}", "--run-id", "r1", "--max-ticks", 1, "--json"),
        )
    assert json.loads(done)["steps"] == 1
    assert bytes(board.heard[0]) == b"\rW"
    folder = shell.folder / "runtime" / "runs" / "r1"
    trace = (folder / "agent-001.jsonl").read_text()
    told = json.loads(trace.splitlines()[0])["config"]["terminal"]
    assert (told["transport"], told["port"], told["alias"], told["node"]) == ("rlogin", board.port, "alice", 2)
    assert '"observed_node":2' in trace
    assert (folder / "agent-001.raw").exists()


def test_the_model_of_the_registry(shell: Shell) -> None:
    script = replies(shell.folder, PRESS_W)
    shell.agents(
        {
            "agent_id": "agent-001",
            "alias": "alice",
            "password_file": "alice.password",
            "model": {"provider": "scripted", "replies_file": str(script)},
        }
    )
    with fake_bbs(PLAY, rlogin=True) as board:
        done, _ = shell("run-activity", "--transport", "rlogin", "--port", board.port, "--max-ticks", 1, "--json")
    assert json.loads(done)["steps"] == 1


def test_the_profiles_of_the_gym(shell: Shell) -> None:
    with fake_bbs(HOUSE_WAY_IN, rlogin=True) as board:
        prompt, _ = shell(
            *("run-activity", "--activity", "bbs-main-menu", "--transport", "rlogin", "--port", board.port),
            *("--model", f"scripted:{replies(shell.folder, PRESS_W)}", "--dry-run"),
        )
    assert "Main menu:" in prompt
    _, error = shell("run-activity", "--activity", "tw2-gam", "--transport", "rlogin", code=2)
    assert "--activity: there is no profile 'tw2-gam': did you mean tw2-game" in error


def test_a_turn_at_a_bbs(shell: Shell) -> None:
    with fake_bbs(HOUSE_TELNET) as board:
        screen, note = shell("observe-turn", "--transport", "telnet", "--port", board.port)
    assert screen.rstrip().endswith("Main menu:")
    assert "cursor at row" in note


def test_a_login_that_fails_is_no_run(shell: Shell) -> None:
    with fake_bbs((Says(b"\x07Invalid Logon\r\n\r\nPassword: "),), rlogin=True) as board:
        _, error = shell(
            *("run-activity", "--transport", "rlogin", "--port", board.port, "--run-id", "r1"),
            *("--model", f"scripted:{replies(shell.folder, PRESS_W)}"),
            code=1,
        )
    assert error.startswith("error: the BBS does not take the password of alice")
    assert not (shell.folder / "runtime" / "runs" / "r1" / "agent-001.jsonl").exists()


def test_any_terminal_as_before(shell: Shell) -> None:
    screen, _ = shell("observe-turn", "--target", "pty:printf hello")
    assert "hello" in screen
    done, _ = shell(
        *("run-activity", "--target", "pty:cat", "--activity", "shell", "--max-ticks", 1, "--json"),
        *("--model", f"scripted:{replies(shell.folder, PRESS_W)}"),
    )
    assert json.loads(done)["steps"] == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "say where to"),
        (("--target", "pty:cat", "--transport", "rlogin"), "say where to"),
        (("--target", "pty:cat", "--node", "1"), "--node: it means nothing to a target"),
        (("--target", "pty:cat", "--registry", "x.json"), "--registry: it means nothing to a target"),
        (("--transport", "rlogin", "--user", "bob"), "--user: it means nothing to a BBS"),
        (("--transport", "rlogin", "--password-env", "X"), "--password-env: it means nothing to a BBS"),
        (("--transport", "rlogin", "--dialect", "xterm"), "--dialect: it means nothing to a BBS"),
        (("--transport", "rlogin", "--turn", "never"), "--turn: 'never' is none of fixed, adaptive"),
    ],
)
def test_options_that_contradict_each_other(shell: Shell, arguments: tuple[str, ...], told: str) -> None:
    assert told in shell("observe-turn", *arguments, code=2)[1]
