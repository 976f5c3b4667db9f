"""Stays in doors that run real programs: how bytes go, and each way a stay ends."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from tests.agentbbs.doors.playing import door_of, entered, facts_of, until

from agentbbs.calls.line import Size
from agentbbs.doors import runner as runner_module
from agentbbs.doors.ending import EndKind
from agentbbs.doors.runner import DoorRunner
from tty_agent.terminal.dialect import Encoding


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "game").mkdir()
    return tmp_path / "game"


@pytest.fixture
def runner(tmp_path: Path) -> DoorRunner:
    return DoorRunner(tmp_path / "data", home=tmp_path / "home")


def alive(process: int) -> bool:
    """Whether it runs; a zombie that nobody reaps does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


async def number(folder: Path, name: str) -> int:
    """A process number that the door writes into a file."""
    await until(lambda: (folder / name).exists() and (folder / name).read_text().endswith("\n"))
    return int((folder / name).read_text())


async def test_a_stay_from_the_dropfile_to_the_end(runner: DoorRunner, folder: Path, tmp_path: Path) -> None:
    door = door_of(folder, "read name; echo Hello $name; cat $BBS_DROP/door32.sys; read x", dropfiles=("door32.sys",))
    async with entered(runner, door, facts_of("alice", node=4)) as caller:
        caller.line.type("Bob", "enter")
        await caller.until("Hello Bob")
        await caller.until("alice")
        assert (tmp_path / "data/nodes/4/door32.sys").exists()
        assert [occupant.node for occupant in runner.occupants("game")] == [4]
        caller.line.press("enter")
        end = await caller.end()
    assert (end.kind, end.code, end.fault) == (EndKind.EXITED, 0, False)
    assert not (tmp_path / "data/nodes/4").exists()
    assert runner.occupants("game") == ()
    assert not runner.busy


async def test_last_words_come_before_the_end(runner: DoorRunner, folder: Path) -> None:
    async with entered(runner, door_of(folder, "seq 1 3000; echo THE END; exit 3")) as caller:
        end = await caller.end()
        assert "THE END" in caller.line.text
    assert (end.kind, end.code, end.fault) == (EndKind.EXITED, 3, True)


@pytest.mark.parametrize("name", ["SEGV", "ABRT", "KILL"])
async def test_a_crash_is_told(runner: DoorRunner, folder: Path, name: str) -> None:
    async with entered(runner, door_of(folder, f"kill -{name} $$")) as caller:
        end = await caller.end()
    assert (end.kind, end.code) == (EndKind.CRASHED, -signal.Signals[f"SIG{name}"])
    assert end.detail == f"it crashed (SIG{name})"
    assert end.fault


async def test_a_program_that_is_not_there_is_refused(runner: DoorRunner, folder: Path) -> None:
    async with entered(runner, door_of(folder, "no-such-game", "x")) as caller:
        end = await caller.end()
    assert end.kind is EndKind.REFUSED
    assert "no-such-game" in end.detail
    assert not runner.busy


async def test_a_hang_up_ends_every_process_of_the_group(runner: DoorRunner, folder: Path) -> None:
    script = "sleep 100 & echo $! >child; (sleep 100; true) & echo $$ >door; echo ready; wait"
    async with entered(runner, door_of(folder, script)) as caller:
        await caller.until("ready")
        processes = [await number(folder, name) for name in ("door", "child")]
        caller.line.drop()
        end = await caller.end()
    assert end.kind is EndKind.HUNG_UP
    assert "the caller hung up" in end.detail
    await until(lambda: not any(map(alive, processes)))


async def test_a_game_can_save_when_the_caller_hangs_up(runner: DoorRunner, folder: Path) -> None:
    async with entered(runner, door_of(folder, "trap 'echo saved >save; exit' HUP; echo ready; read x")) as caller:
        await caller.until("ready")
        caller.line.drop()
        await caller.end()
    assert (folder / "save").read_text() == "saved\n"


async def test_a_cancelled_stay_leaves_nothing(runner: DoorRunner, folder: Path) -> None:
    door = door_of(folder, "trap '' HUP TERM; echo $$ >door; echo ready; while :; do sleep 0.1; done")
    async with entered(runner, door) as caller:
        await caller.until("ready")
        process = await number(folder, "door")
    assert not alive(process)
    assert not runner.busy


async def test_time_is_up(runner: DoorRunner, folder: Path) -> None:
    async with entered(runner, door_of(folder, "read x", time_limit_s=0.5)) as caller:
        end = await caller.end()
    assert (end.kind, end.code, end.fault) == (EndKind.TIME_LIMIT, -signal.SIGHUP, False)
    assert end.detail == "its 0.5 s are up"


async def test_a_caller_who_types_nothing(runner: DoorRunner, folder: Path) -> None:
    async with entered(runner, door_of(folder, "while :; do echo .; sleep 0.1; done", idle_limit_s=0.5)) as caller:
        end = await caller.end()
    assert end.kind is EndKind.IDLE


async def test_a_door_that_heeds_no_signal_hangs(runner: DoorRunner, folder: Path) -> None:
    door = door_of(folder, "trap '' HUP TERM; echo $$ >door; while :; do sleep 0.1; done", time_limit_s=0.5)
    async with entered(runner, door) as caller:
        process = await number(folder, "door")
        end = await caller.end()
    assert (end.kind, end.code) == (EndKind.HUNG, -signal.SIGKILL)
    assert "had to be killed" in end.detail
    assert not alive(process)


async def test_a_stopped_door_is_found_at_its_limit(runner: DoorRunner, folder: Path) -> None:
    async with entered(runner, door_of(folder, "echo $$ >door; read x", time_limit_s=0.5)) as caller:
        os.kill(await number(folder, "door"), signal.SIGSTOP)
        end = await caller.end()
        assert end.kind is EndKind.HUNG
        assert end.detail == "it was stopped, and its 0.5 s are up"
    async with entered(runner, door_of(folder, "echo again")) as caller:
        assert (await caller.end()).kind is EndKind.EXITED


async def test_a_stopped_door_is_found_soon_after_a_key(
    runner: DoorRunner, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "LOOK_S", 0.2)
    async with entered(runner, door_of(folder, "echo $$ >door; read x")) as caller:
        process = await number(folder, "door")
        os.kill(process, signal.SIGSTOP)
        caller.line.type("hello?")
        end = await caller.end()
    assert (end.kind, end.detail) == (EndKind.HUNG, "it was stopped")
    assert not alive(process)


async def test_a_door_that_answers_no_key_hangs(
    runner: DoorRunner, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "LOOK_S", 0.1)
    door = door_of(folder, "stty -echo raw; echo ready; while :; do sleep 1; done", hang_limit_s=0.5)
    async with entered(runner, door) as caller:
        await caller.until("ready")

        def try_again() -> bool:
            caller.line.type("x")
            return not runner.busy

        await until(try_again)
        end = await caller.end()
    assert end.kind is EndKind.HUNG
    assert "no answer to" in end.detail


async def test_a_full_door_turns_callers_away(runner: DoorRunner, folder: Path) -> None:
    door = door_of(folder, "echo ready; read x", concurrent=2)
    async with (
        entered(runner, door, facts_of("alice", node=1, record=1)) as alice,
        entered(runner, door, facts_of("bob\x1b", node=2, record=2)) as bob,
    ):
        await alice.until("ready")
        await bob.until("ready")
        async with entered(runner, door, facts_of("carol", node=3, record=3)) as carol:
            end = await carol.end()
        assert (end.kind, end.fault) == (EndKind.BUSY, False)
        assert end.detail == r"it is full: alice on node 1, bob\x1b on node 2"
        bob.line.press("enter")
        await bob.end()
        async with entered(runner, door, facts_of("carol", node=3, record=3)) as carol:
            await carol.until("ready")


async def test_an_account_is_in_a_door_once(runner: DoorRunner, folder: Path) -> None:
    door = door_of(folder, "echo ready; read x", concurrent=2)
    async with entered(runner, door, facts_of(node=1)) as first:
        await first.until("ready")
        async with entered(runner, door, facts_of(node=2)) as second:
            end = await second.end()
    assert (end.kind, end.detail) == (EndKind.BUSY, "the same account is in it already, on node 1")


async def test_the_window_and_its_changes_reach_the_door(runner: DoorRunner, folder: Path) -> None:
    script = "stty size; trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done"
    async with entered(runner, door_of(folder, script), size=Size(100, 30)) as caller:
        assert "30 100" in await caller.until("ready")
        caller.line.resize(132, 43)
        await caller.until("43 132")
        assert (await caller.end()).kind is EndKind.EXITED


async def test_every_byte_passes_between_equals(runner: DoorRunner, folder: Path) -> None:
    script = "stty raw -echo; echo ready; head -c 3 | od -An -tx1; printf '\\377\\376'"
    door = door_of(folder, script, encoding=Encoding.CP437)
    async with entered(runner, door, terminal="ansi-bbs") as caller:
        await caller.until("ready")
        caller.line.feed(b"\xff\xf0\x80")
        await caller.until("ff f0 80")
        await caller.end()
        assert b"\xff\xfe" in caller.line.sent


async def test_a_cp437_door_for_a_utf_8_caller(runner: DoorRunner, folder: Path) -> None:
    script = "stty raw -echo; printf '\\311\\315\\273 ready'; head -c 1 | od -An -tx1"
    async with entered(runner, door_of(folder, script, encoding=Encoding.CP437)) as caller:
        await caller.until("╔═╗ ready")
        caller.line.type("\u00e9")
        await caller.until("82")


async def test_a_utf_8_door_for_a_cp437_caller(runner: DoorRunner, folder: Path) -> None:
    script = "stty raw -echo; printf '╔═╗ ready'; head -c 2 | od -An -tx1"
    async with entered(runner, door_of(folder, script), terminal="ansi-bbs") as caller:
        await caller.until("╔═╗ ready")
        assert b"\xc9\xcd\xbb" in caller.line.sent
        caller.line.feed(b"\x82")
        await caller.until("c3 a9")


@pytest.mark.parametrize("enter", [b"\r", b"\n", b"\r\n", b"\r\x00"])
async def test_each_enter_is_one_line(runner: DoorRunner, folder: Path, enter: bytes) -> None:
    async with entered(runner, door_of(folder, 'read a; read b; echo "<$a><$b>"')) as caller:
        caller.line.feed(b"\x00" * 1000 + b"one" + enter + b"two" + enter)
        await caller.until("<one><two>")


async def test_a_door_that_reads_nothing_holds_no_memory_and_no_caller(runner: DoorRunner, folder: Path) -> None:
    async with entered(runner, door_of(folder, "stty raw -echo; echo ready; sleep 100")) as caller:
        await caller.until("ready")
        caller.line.feed(b"x" * 1_000_000)
        await until(lambda: not caller.line._input)
        caller.line.drop()
        assert (await caller.end()).kind is EndKind.HUNG_UP


async def test_the_environment_is_built_from_nothing(
    runner: DoorRunner, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTBBS_SECRET", "hunter2")
    door = door_of(folder, "env >env", environment={"GAME": "node {node} of {login}", "TERM": "vt220"})
    async with entered(runner, door, facts_of("Alice B.", record=7)) as caller:
        await caller.end()
    lines = (folder / "env").read_text().splitlines()
    assert "AGENTBBS_SECRET" not in "".join(lines)
    assert {"USER=aliceb_7", "GAME=node 1 of aliceb_7", "TERM=vt220", "BBS_NODE=1", f"HOME={folder}"} <= set(lines)


async def test_a_link_that_a_door_left_is_not_followed(runner: DoorRunner, folder: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    node = tmp_path / "data/nodes/1"
    node.mkdir(parents=True)
    (node / "DOOR.SYS").symlink_to(victim)
    async with entered(runner, door_of(folder, "true", dropfiles=("DOOR.SYS",))) as caller:
        await caller.end()
    assert victim.read_text() == "mine"


async def test_a_folder_that_can_not_be_made_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    runner = DoorRunner(tmp_path / "data")
    async with entered(runner, door_of(folder, "true")) as caller:
        end = await caller.end()
    assert end.kind is EndKind.REFUSED
    assert "its files can't be made" in end.detail


async def test_the_terminal_comes_back_as_it_was(runner: DoorRunner, folder: Path) -> None:
    async with entered(runner, door_of(folder, "printf 'bye\\033[?25l\\033[31m\\033[?1049h'")) as caller:
        await caller.end()
        assert caller.line.text.rstrip() == "bye"
        assert caller.line.screen.dialect.encoding is Encoding.UTF_8
