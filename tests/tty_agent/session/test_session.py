"""A session against a program that the test plays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import structlog.testing
from tests.tty_agent.scripted_line import ScriptedLine

from tty_agent.actions.action import ActionName, Hangup, PressKey, SubmitLine, TypeText, Wait
from tty_agent.actions.errors import NotTaken, Refused
from tty_agent.actions.policy import ActionPolicy
from tty_agent.observation.observation import ReadyReason
from tty_agent.observer.readiness import Fixed, PromptPattern
from tty_agent.session.session import MAX_TURN_BYTES, PIECE_BYTES, TerminalSession
from tty_agent.terminal.dialect import XTERM
from tty_agent.transcript.marks import Closed, Opened, Resized, Sender, Sent
from tty_agent.transcript.transcript import Transcript, TranscriptBusy, TranscriptFailed, read_marks
from tty_agent.transports.transport import CannotConnect, EndKind

SOON_S = 10.0
"""What a busy machine may take for what is there at once on a quiet one."""

QUICK = Fixed(quiet_s=0.03, blank_s=0.03)


@pytest.fixture
def line() -> ScriptedLine:
    return ScriptedLine()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent-001.raw"


@pytest.fixture
async def session(line: ScriptedLine, path: Path) -> AsyncIterator[TerminalSession]:
    async with TerminalSession(
        line,
        agent_id="agent-001",
        transcript=Transcript(path),
        policy=QUICK,
        prompts=(PromptPattern("command", r"Command \(\?=Help\)\? $"),),
        metadata={"requested_node": 1},
    ) as session:
        yield session


async def test_a_turn(session: TerminalSession, line: ScriptedLine, path: Path) -> None:
    line.say(b"Sector 1\r\n\x07Command (?=Help)? ")
    seen = await session.observe_turn()
    assert seen.ready_reason is ReadyReason.STABLE
    assert seen.pretty_screen.splitlines()[:2] == ["Sector 1", "Command (?=Help)?"]
    assert seen.new_text == "Sector 1\nCommand (?=Help)? "
    assert (seen.cursor, seen.bells, seen.matched_prompt) == ((1, 18), 1, "command")
    assert (seen.transcript_byte_start, seen.transcript_byte_end, seen.bytes_read) == (0, 29, 29)
    assert seen.metadata == {"transport": "scripted", "requested_node": 1}
    assert seen.transcript_path == str(path)
    assert seen.closed is None

    await session.act(PressKey("d"))
    await line.expect(b"d")
    line.say(b"d\r\nDisplay")
    seen = await session.observe_turn()
    assert (seen.transcript_byte_start, seen.transcript_byte_end) == (29, 39)
    assert (seen.new_text, seen.bells) == ("d\nDisplay", 0)


async def test_queries_are_answered_at_their_place_in_the_stream(session: TerminalSession, line: ScriptedLine) -> None:
    """As Synchronet asks at login: the size, then what three bytes of UTF-8 did to the cursor."""
    for byte in b"\x1b[s\x1b[255B\x1b[255C\x1b[6n\x1b[u\r\xef\xbb\xbf\x1b[6n":
        line.say(bytes((byte,)))
    await line.expect(b"\x1b[24;80R\x1b[1;4R")


async def test_answers_are_marked_where_the_query_ended(
    session: TerminalSession, line: ScriptedLine, path: Path
) -> None:
    line.say(b"ab\x1b[6ncd\x1b[6nef")
    await line.expect(b"\x1b[1;3R\x1b[1;5R")
    await session.act(PressKey("x"))
    sent = [(mark.by, mark.offset, mark.text) for mark in read_marks(path) if isinstance(mark, Sent)]
    assert sent == [
        (Sender.TERMINAL, 6, "\x1b[1;3R"),
        (Sender.TERMINAL, 12, "\x1b[1;5R"),
        (Sender.AGENT, 14, "x"),
    ]


async def test_received_bytes_are_in_the_transcript_before_anything_else(
    session: TerminalSession, line: ScriptedLine, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def feed(data: bytes) -> tuple[()]:
        assert path.read_bytes() == data
        raise ZeroDivisionError("a fault of ours")

    class Broken:
        def __getattr__(self, name: str) -> object:
            return feed if name == "feed" else getattr(screen, name)

    screen = session.screen
    monkeypatch.setattr(session, "_screen", Broken())
    line.say(b"kept")
    with pytest.raises(ZeroDivisionError):
        await session.observe_turn()
    assert path.read_bytes() == b"kept"  # noqa: ASYNC240 - a small local file
    assert line.closed
    assert session.end is not None
    assert session.end.kind is EndKind.LOST


async def test_a_reconnect_appends(path: Path) -> None:
    """Case 129."""
    for said, start in ((b"first", 0), (b"second", 5)):
        line = ScriptedLine()
        async with TerminalSession(line, agent_id="a", transcript=Transcript(path), policy=QUICK) as session:
            line.say(said)
            seen = await session.observe_turn()
            assert (seen.transcript_byte_start, seen.transcript_byte_end) == (start, start + len(said))
    assert path.read_bytes() == b"firstsecond"  # noqa: ASYNC240 - a small local file
    assert [type(mark) for mark in read_marks(path) if isinstance(mark, Opened | Closed)] == [Opened, Closed] * 2


async def test_two_sessions_cannot_share_a_transcript(session: TerminalSession, path: Path) -> None:
    with pytest.raises(TranscriptBusy):
        Transcript(path)


async def test_a_secret_is_kept_by_its_length(session: TerminalSession, line: ScriptedLine, path: Path) -> None:
    await session.write(b"hunter2\r", secret=True)
    await session.write(b"alice\r")
    await line.expect(b"hunter2\ralice\r")
    secret, name = (mark for mark in read_marks(path) if isinstance(mark, Sent))
    assert (secret.by, secret.text, secret.secret_bytes) == (Sender.LOGIN, None, 8)
    assert (name.by, name.text, name.secret_bytes) == (Sender.LOGIN, "alice\r", None)


async def test_the_end_is_an_observation(session: TerminalSession, line: ScriptedLine, path: Path) -> None:
    line.say(b"Bye")
    line.hang_up(EndKind.EXITED, 3)
    seen = await session.observe_turn()
    assert (seen.ready_reason, seen.closed, seen.new_text) == (ReadyReason.CLOSED, "the program ended", "Bye")
    assert session.end is not None
    assert (session.end.kind, session.end.code) == (EndKind.EXITED, 3)
    again = await session.observe_turn()
    assert (again.ready_reason, again.bytes_read) == (ReadyReason.CLOSED, 0)
    await session.act(PressKey("x"))
    assert line.typed == b""
    last = list(read_marks(path))[-1]
    assert isinstance(last, Closed)
    assert (last.kind, last.code, last.offset) == ("exited", 3, 3)


async def test_hangup(session: TerminalSession, line: ScriptedLine) -> None:
    await session.act(Hangup())
    assert session.end is not None
    assert session.end.kind is EndKind.HUNG_UP
    assert (await session.observe_turn()).ready_reason is ReadyReason.CLOSED


async def test_the_end_wakes_who_waits(session: TerminalSession, line: ScriptedLine) -> None:
    waiting = asyncio.create_task(session.observe_turn(policy=Fixed(quiet_s=60, blank_s=60, timeout_s=60)))
    await asyncio.sleep(0)
    line.hang_up(EndKind.LOST)
    async with asyncio.timeout(5):
        assert (await waiting).ready_reason is ReadyReason.CLOSED


async def test_keys_are_pressed_at_a_pace_while_reading_goes_on(session: TerminalSession, line: ScriptedLine) -> None:
    """Case 122: a program that polls, and takes one key a look."""
    policy = ActionPolicy(pace_ms=20)
    loop = asyncio.get_running_loop()
    began = loop.time()
    typing = asyncio.create_task(session.act(TypeText("      "), policy))
    received: list[bytes] = []
    while len(received) < 6:
        await line.expect(b" ")
        received.append(b" ")
        line.say(b".")
    await typing
    assert loop.time() - began >= 5 * 0.02
    seen = await session.observe_turn()
    assert seen.new_text.strip() == "......"


async def test_two_writers_do_not_mix(session: TerminalSession, line: ScriptedLine) -> None:
    typing = asyncio.create_task(session.act(TypeText("abc"), ActionPolicy(pace_ms=5)))
    await asyncio.sleep(0)
    await session.act(SubmitLine("def"))
    await typing
    await line.expect(b"abcdef\r")


async def test_the_policy_refuses(session: TerminalSession, line: ScriptedLine) -> None:
    with pytest.raises(Refused):
        await session.act(TypeText("x"), ActionPolicy(allowed=(ActionName.PRESS_KEY,)))
    with pytest.raises(Refused):
        await session.act(TypeText("\u2603"))
    assert line.typed == b""


async def test_cursor_keys_follow_the_program(line: ScriptedLine) -> None:
    async with TerminalSession(line, agent_id="a", dialect=XTERM, policy=QUICK) as session:
        await session.act(PressKey("up"))
        line.say(b"\x1b[?1hx")
        await session.observe_turn()
        await session.act(PressKey("up"))
        await line.expect(b"\x1b[A\x1bOA")


@pytest.mark.parametrize("threshold_s", [0.1, 0.3])
async def test_thresholds_are_kept_to_within_50_ms(
    session: TerminalSession, line: ScriptedLine, threshold_s: float
) -> None:
    loop = asyncio.get_running_loop()
    line.say(b"text")
    began = loop.time()
    seen = await session.observe_turn(policy=Fixed(quiet_s=threshold_s))
    took = loop.time() - began
    assert seen.ready_reason is ReadyReason.STABLE
    assert threshold_s <= took + 0.005
    assert took < threshold_s + 0.05


async def test_a_hard_limit_for_one_turn(session: TerminalSession, line: ScriptedLine) -> None:
    async def chatter() -> None:
        for number in range(10_000):
            line.say(b"\x1b[%d;1H%d" % (number % 20 + 1, number))
            await asyncio.sleep(0.002)

    noise = asyncio.create_task(chatter())
    seen = await session.observe_turn(timeout_s=0.2)
    noise.cancel()
    assert seen.ready_reason is ReadyReason.TIMEOUT
    assert 200 <= seen.readiness.waited_ms <= 250
    assert (await session.observe_turn()).ready_reason is ReadyReason.STABLE


async def test_what_a_run_has_left_bounds_a_wait(session: TerminalSession, line: ScriptedLine) -> None:
    line.say(b"idle")
    await session.observe_turn()
    await session.act(Wait(30.0))
    seen = await session.observe_turn(left_s=0.2)
    assert 200 <= seen.readiness.waited_ms <= 250
    assert (seen.ready_reason, seen.readiness.timeout_ms) == (ReadyReason.STABLE, 200)


async def test_wait_waits_for_something_to_come(session: TerminalSession, line: ScriptedLine) -> None:
    line.say(b"one moment")
    await session.observe_turn()
    await session.act(Wait(30.0))
    waiting = asyncio.create_task(session.observe_turn())
    done, _ = await asyncio.wait({waiting}, timeout=0.15)  # five times the quiet time
    assert not done
    line.say(b" ... done")
    async with asyncio.timeout(5):
        assert (await waiting).new_text == " ... done"


async def test_wait_ends_when_nothing_comes(session: TerminalSession, line: ScriptedLine) -> None:
    line.say(b"idle")
    await session.observe_turn()
    await session.act(Wait(0.2))
    seen = await session.observe_turn()
    assert 200 <= seen.readiness.waited_ms <= 250
    assert seen.ready_reason is ReadyReason.STABLE
    assert (await session.observe_turn()).readiness.waited_ms < 150


async def test_the_low_level_read_takes_its_time(session: TerminalSession, line: ScriptedLine) -> None:
    loop = asyncio.get_running_loop()
    line.say(b"a")
    began = loop.time()
    reading = asyncio.create_task(session.observe(0.2))
    await asyncio.sleep(0)
    line.say(b"b")
    seen = await reading
    assert 0.195 <= loop.time() - began < 0.25
    assert seen.new_text == "ab"
    line.hang_up()
    async with asyncio.timeout(5):
        assert (await session.observe(60)).ready_reason is ReadyReason.CLOSED


async def test_one_reader_at_a_time(session: TerminalSession, line: ScriptedLine) -> None:
    first = asyncio.create_task(session.observe_turn())
    await asyncio.sleep(0)
    with pytest.raises(RuntimeError, match="one reader"):
        await session.observe_turn()
    await first


async def test_a_reader_may_give_up(session: TerminalSession, line: ScriptedLine) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await session.observe_turn(policy=Fixed(quiet_s=60, blank_s=60, timeout_s=60))
    line.say(b"later")
    assert (await session.observe_turn()).new_text == "later"


async def test_a_program_that_asks_and_does_not_read_does_not_stop_the_screen(
    session: TerminalSession, line: ScriptedLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tty_agent.session.session.REPLY_WAIT_S", 0.01)
    line.clog()
    line.say(b"\x1b[6n" * 50 + b"still shown")
    seen = await session.observe_turn()
    assert "still shown" in seen.pretty_screen
    assert line.typed == b""
    line.unclog()
    line.say(b"\x1b[6n")
    await line.expect(b"\x1b[1;12R")


async def test_a_stall_is_told_once(
    session: TerminalSession, line: ScriptedLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tty_agent.session.session.REPLY_WAIT_S", 0.01)
    line.clog()
    with structlog.testing.capture_logs() as told:
        for _ in range(50):
            line.say(b"\x1b[6n" * 50)
            await asyncio.sleep(0)
        line.say(b"shown")
        async with asyncio.timeout(SOON_S):  # a turn would be over as soon as the busy machine pauses
            while "shown" not in (await session.observe(0.01)).pretty_screen:
                pass
    assert [event["event"] for event in told] == ["no_answer"]


async def test_a_program_that_does_not_read_is_typed_no_more(
    session: TerminalSession, line: ScriptedLine, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tty_agent.session.session.TYPING_WAIT_S", 0.02)
    line.clog()
    with pytest.raises(NotTaken, match="0 of 6 bytes went out"):
        await session.act(SubmitLine("hello"))
    with pytest.raises(NotTaken):
        await session.write(b"login\r")
    assert [mark for mark in read_marks(path) if isinstance(mark, Sent)] == []
    line.say(b"still shown")
    assert "still shown" in (await session.observe_turn()).pretty_screen
    line.unclog()
    await session.act(PressKey("x"))
    await line.expect(b"x")


async def test_typing_ends_with_what_the_run_has_left(session: TerminalSession, line: ScriptedLine) -> None:
    with pytest.raises(NotTaken) as fault:
        await session.act(TypeText("abcdef"), ActionPolicy(pace_ms=60_000), left_s=0.02)
    assert (fault.value.sent_bytes, fault.value.total_bytes) == (1, 6)
    await line.expect(b"a")
    line.clog()
    with pytest.raises(NotTaken):
        await session.act(PressKey("x"), left_s=-1.0)


async def test_timers_are_kept_while_much_is_shown(line: ScriptedLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A screen that takes long for each piece: the loop has its turn between any two of them."""
    monkeypatch.setattr("tty_agent.session.session.FEED_S", 0.0001)
    async with TerminalSession(line, agent_id="a", policy=QUICK) as session:
        line.say(b"x" * 4 * PIECE_BYTES)
        offsets = set()
        async with asyncio.timeout(5):
            while session.position < 4 * PIECE_BYTES:
                await asyncio.sleep(0)
                offsets.add(session.position)
        assert len(offsets) > 2
        assert (await session.observe_turn()).bytes_read == 4 * PIECE_BYTES


async def test_a_flood_between_turns_is_bounded(session: TerminalSession, line: ScriptedLine) -> None:
    for _ in range(40):
        line.say(b"x" * 16384)
    line.say(b"the end")
    read = 0
    async with asyncio.timeout(20):
        while True:  # one turn, unless the machine is busy with something else meanwhile
            seen = await session.observe_turn()
            read += seen.bytes_read
            assert len(session._turn_bytes) <= 2 * MAX_TURN_BYTES
            if seen.new_text.endswith("the end"):
                break
    assert read == 40 * 16384 + 7


async def test_resize(session: TerminalSession, line: ScriptedLine, path: Path) -> None:
    await session.resize(132, 37)
    await session.resize(1, 1)
    assert line.sizes == [(80, 24), (132, 37), (20, 5)]
    assert [(m.columns, m.rows) for m in read_marks(path) if isinstance(m, Resized)] == [(132, 37), (20, 5)]


async def test_what_cannot_connect_leaves_nothing_open(path: Path) -> None:
    line = ScriptedLine(refuses=True)
    with pytest.raises(CannotConnect):
        await TerminalSession(line, agent_id="a", transcript=Transcript(path)).open()
    assert line.closed
    Transcript(path).close()


async def test_a_session_that_is_not_open_says_so(line: ScriptedLine) -> None:
    session = TerminalSession(line, agent_id="a")
    with pytest.raises(RuntimeError, match="open"):
        await session.observe_turn()
    await session.close()
    await session.close()


FAULTS: list[Callable[[TerminalSession, ScriptedLine], object]] = [
    lambda session, line: line.say(b"x"),
    lambda session, line: session.act(PressKey("x")),
    lambda session, line: session.resize(100, 30),
]


@pytest.mark.parametrize("cause", FAULTS, ids=["received", "typed", "resized"])
async def test_a_full_disk_ends_the_session(
    cause: Callable[[TerminalSession, ScriptedLine], object],
    line: ScriptedLine,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(_transcript: Transcript, _descriptor: int, _data: bytes) -> None:
        raise TranscriptFailed("No space left on device")

    async with TerminalSession(line, agent_id="a", transcript=Transcript(path), policy=QUICK) as session:
        monkeypatch.setattr(Transcript, "_write", full)
        outcome = cause(session, line)
        if asyncio.iscoroutine(outcome):
            with pytest.raises(TranscriptFailed):
                await outcome
        for _ in range(2):
            with pytest.raises(TranscriptFailed, match="No space"):
                await session.observe_turn()
        with pytest.raises(TranscriptFailed, match="No space"):
            await session.act(PressKey("x"))
        assert line.closed
        assert session.end is not None
        assert session.end.kind is EndKind.LOST


async def test_many_sessions_at_once_are_ready_in_time() -> None:
    """No turn boundary late, with a hundred sessions on one loop. `bench/gym.py` does it with five hundred."""
    lines = [ScriptedLine() for _ in range(100)]
    sessions = [
        TerminalSession(line, agent_id=f"agent-{n:03}", policy=Fixed(quiet_s=0.5)) for n, line in enumerate(lines)
    ]
    loop = asyncio.get_running_loop()

    async def turn(session: TerminalSession, line: ScriptedLine) -> float:
        line.say(b"Command (?=Help)? ")
        began = loop.time()
        seen = await session.observe_turn()
        assert seen.ready_reason is ReadyReason.STABLE
        return loop.time() - began

    try:
        for session in sessions:
            await session.open()
        took = await asyncio.gather(*(turn(session, line) for session, line in zip(sessions, lines, strict=True)))
    finally:
        for session in sessions:
            await session.close()
    assert min(took) >= 0.495
    assert max(took) < 1.0  # a benchmark measures the rest
