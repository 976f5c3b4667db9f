"""The cage: what a door sees from inside, and what it can't do. With real bubblewrap where it runs."""

from __future__ import annotations

import asyncio
import signal
import socket
from pathlib import Path

import pytest
from tests.agentbbs.doors.playing import door_of, entered, facts_of, needs_cage, until

from agentbbs.doors import cage
from agentbbs.doors.config import Door, Limits, Share
from agentbbs.doors.ending import EndKind
from agentbbs.doors.runner import DoorRunner
from tty_agent.terminal.dialect import Encoding


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "game").mkdir()
    return tmp_path / "game"


@pytest.fixture
def runner(tmp_path: Path) -> DoorRunner:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "agentbbs.db").write_text("secret")
    return DoorRunner(tmp_path / "data", home=tmp_path / "home")


def caged(folder: Path, script: str, **more: object) -> Door:
    return door_of(folder, script, trusted=False, **more)


async def answer(runner: DoorRunner, folder: Path, script: str, **more: object) -> str:
    """What a caged script writes to `answer` in its folder."""
    async with entered(runner, caged(folder, f"{{ {script}; }} >answer 2>&1", **more)) as caller:
        end = await caller.end()
    assert end.kind is EndKind.EXITED, end
    return (folder / "answer").read_text()


@needs_cage
async def test_it_sees_its_folder_and_its_dropfiles(runner: DoorRunner, folder: Path) -> None:
    (folder / "world").write_text("here")
    said = await answer(runner, folder, "pwd; cat world; cat $BBS_DROP/DOOR.SYS", dropfiles=("DOOR.SYS",))
    assert said.startswith("/door\nhere")
    assert "alice" in said


@needs_cage
async def test_it_sees_neither_data_nor_home_nor_secrets(runner: DoorRunner, folder: Path, tmp_path: Path) -> None:
    said = await answer(
        runner,
        folder,
        f"ls /; ls {tmp_path}; ls {Path.home()}; cat /etc/shadow; ls /etc; env; cat /etc/passwd",
        environment={"GAME": "{login}"},
    )
    assert said.count("No such file or directory") == 3
    for secret in ("agentbbs.db", "shadow\n", "AGENTBBS", "root:"):
        assert secret not in said
    assert "GAME=alice_7" in said
    assert "caller:x:1000" in said


@needs_cage
async def test_the_system_is_read_only_and_its_own_folder_is_not(runner: DoorRunner, folder: Path) -> None:
    said = await answer(runner, folder, "touch /usr/x /etc/passwd; touch mine /tmp/mine /drop/mine && echo wrote")
    assert said.count("Read-only file system") == 2
    assert "wrote" in said


@needs_cage
async def test_there_is_no_network(runner: DoorRunner, folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        said = await answer(runner, folder, f"echo hi >/dev/tcp/127.0.0.1/{port} || echo unreachable")
        assert "unreachable" in said
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()


@needs_cage
async def test_it_sees_its_own_processes_only(runner: DoorRunner, folder: Path) -> None:
    said = await answer(runner, folder, "id -u; ls /proc | grep -c '^[0-9]'")
    uid, count = said.split()
    assert uid == "1000"
    assert int(count) < 10


@needs_cage
async def test_limits_hold(runner: DoorRunner, folder: Path) -> None:
    limits = Limits(cpu_s=7, memory_mib=300, processes=9, open_files=33, file_mib=1)
    script = "for what in -t -v -u -n -c; do ulimit $what; done; head -c 2000000 /dev/zero >big; stat -c %s big"
    said = await answer(runner, folder, script, limits=limits)
    assert said.split()[:5] == ["7", "307200", "9", "33", "0"]
    assert said.split()[-1] == "1048576"


@needs_cage
async def test_a_loop_without_end_stops(runner: DoorRunner, folder: Path) -> None:
    async with entered(runner, caged(folder, "while :; do :; done", limits=Limits(cpu_s=1))) as caller:
        end = await caller.end()
    assert (end.kind, end.code, end.detail) == (EndKind.CRASHED, -signal.SIGXCPU, "it crashed (SIGXCPU)")


@needs_cage
async def test_a_crash_inside_is_told(runner: DoorRunner, folder: Path) -> None:
    async with entered(runner, caged(folder, "kill -SEGV $$")) as caller:
        end = await caller.end()
    assert (end.kind, end.code, end.detail) == (EndKind.CRASHED, -signal.SIGSEGV, "it crashed (SIGSEGV)")


@needs_cage
async def test_a_command_that_is_not_inside_is_told(runner: DoorRunner, folder: Path) -> None:
    async with entered(runner, door_of(folder, "no-such-game", "x", trusted=False)) as caller:
        end = await caller.end()
    assert (end.kind, end.code, end.fault) == (EndKind.EXITED, 127, True)
    assert "not found" in end.detail


@needs_cage
async def test_a_game_can_save_on_a_hang_up_and_nothing_outlives_it(runner: DoorRunner, folder: Path) -> None:
    script = (
        "trap 'echo saved >save; exit' HUP; trap '' INT; "
        "setsid bash -c 'trap \"\" HUP TERM; while :; do date +%s%N >ticks; sleep 0.05; done' & "
        "echo ready; while :; do sleep 0.1; done"
    )
    async with entered(runner, caged(folder, script)) as caller:
        await caller.until("ready")
        await until((folder / "ticks").exists)
        caller.line.drop()
        end = await caller.end()
    assert end.kind is EndKind.HUNG_UP
    assert (folder / "save").read_text() == "saved\n"
    last = (folder / "ticks").read_text()
    await asyncio.sleep(0.2)  # four ticks of what would still run
    assert (folder / "ticks").read_text() == last


@needs_cage
async def test_ctrl_c_reaches_the_door_and_not_the_cage(runner: DoorRunner, folder: Path) -> None:
    async with entered(runner, caged(folder, "trap 'echo caught' INT; echo ready; read x; read y; echo bye")) as caller:
        await caller.until("ready")
        caller.line.press("ctrl-c")
        await caller.until("caught")
        caller.line.press("enter", "enter")
        assert (await caller.end()).kind is EndKind.EXITED


@needs_cage
async def test_a_stopped_door_in_the_cage_hangs(runner: DoorRunner, folder: Path) -> None:
    async with entered(runner, caged(folder, "kill -STOP $$", time_limit_s=0.5)) as caller:
        end = await caller.end()
    assert end.kind is EndKind.HUNG
    assert "it was stopped" in end.detail


@needs_cage
async def test_a_door_that_heeds_no_signal_is_killed_with_its_cage(runner: DoorRunner, folder: Path) -> None:
    script = "trap '' HUP TERM; while :; do date +%s%N >ticks; sleep 0.05; done"
    async with entered(runner, caged(folder, script, time_limit_s=0.5)) as caller:
        end = await caller.end()
    assert (end.kind, end.code) == (EndKind.HUNG, -signal.SIGKILL)
    last = (folder / "ticks").read_text()
    await asyncio.sleep(0.2)  # four ticks of what would still run
    assert (folder / "ticks").read_text() == last


@needs_cage
async def test_what_is_shared_is_seen(runner: DoorRunner, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "level").write_text("one\n")
    shares = {"readable": (Share(tmp_path / "state", "/opt/r"),), "writable": (Share(tmp_path / "state", "/var/w"),)}
    said = await answer(runner, folder, "cat /opt/r/level; touch /opt/r/x; echo two >/var/w/level", **shares)
    assert said.startswith("one\n")
    assert "Read-only" in said
    assert (tmp_path / "state" / "level").read_text() == "two\n"


async def test_a_door_that_would_show_the_data_folder_is_refused(tmp_path: Path, runner: DoorRunner) -> None:
    for door in (caged(tmp_path, "true"), caged(tmp_path / "data", "true")):
        async with entered(runner, door) as caller:
            end = await caller.end()
        assert end.kind is EndKind.REFUSED
        assert "would show it the venue's data folder" in end.detail


async def test_without_bubblewrap_a_door_is_refused_unless_trusted(
    runner: DoorRunner, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cage, "PATH", str(folder))
    async with entered(runner, caged(folder, "true")) as caller:
        end = await caller.end()
    assert (end.kind, end.fault) == (EndKind.REFUSED, True)
    assert "bubblewrap is missing: install it" in end.detail
    assert "trusted = true" in end.detail
    monkeypatch.undo()
    async with entered(runner, door_of(folder, "true")) as caller:
        assert (await caller.end()).kind is EndKind.EXITED


async def test_a_bubblewrap_that_can_not_run_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions' >&2\nexit 1\n")
    (folder / "bwrap").chmod(0o755)
    monkeypatch.setattr(cage, "PATH", f"{folder}:/usr/bin:/bin")
    assert "bwrap: No permissions" in (await cage.refusal() or "")


def stay(tmp_path: Path, **more: object) -> cage.Stay:
    fields = {"drop": tmp_path, "node": 3, "record": 7, "handle": "alice", "caller": Encoding.UTF_8} | more
    return cage.Stay(**fields)  # type: ignore[arg-type]  # values of several types


def test_a_data_folder_within_the_system_is_covered(tmp_path: Path) -> None:
    words = cage.caged_command(caged(tmp_path, "true"), stay(tmp_path), tmp_path, [Path("/usr/local/bbs"), tmp_path])
    assert words[words.index("/usr/local/bbs") - 1] == "--tmpfs"
    assert "--unshare-all" in words
    assert "--die-with-parent" in words


@pytest.mark.parametrize(
    ("more", "term"),
    [
        ({}, "xterm-256color"),
        ({"terminal": "tmux-256color"}, "tmux-256color"),
        ({"terminal": "../../evil"}, "xterm-256color"),
        ({"caller": Encoding.CP437, "terminal": "syncterm"}, "pcansi"),
        ({"ansi": False}, "dumb"),
    ],
)
def test_the_terminal_is_one_that_terminfo_knows(tmp_path: Path, more: dict[str, object], term: str) -> None:
    assert cage.environment_of(caged(tmp_path, "true"), stay(tmp_path, **more))["TERM"] == term


@pytest.mark.parametrize(
    ("handle", "login"),
    [("alice", "alice_7"), ("Agent-001", "agent001_7"), ("-rf /", "rf_7"), ("42", "u42_7"), ("\u0418\u0432", "u_7")],
)
def test_a_login_is_plain_and_nobody_elses(handle: str, login: str) -> None:
    assert cage.login_of(handle, 7) == login


def test_placeholders_are_filled(tmp_path: Path) -> None:
    door = door_of(tmp_path, "game", "{drop}/DOOR.SYS", "{directory}", "-n{node}", "{user}", "{login}", trusted=False)
    assert cage.command_of(door, stay(tmp_path)) == ("game", "/drop/DOOR.SYS", "/door", "-n3", "7", "alice_7")
    assert facts_of().record == 7
