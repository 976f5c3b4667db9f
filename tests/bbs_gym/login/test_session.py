"""Sessions that log in, on a line that the test holds the other end of."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from tests.bbs_gym.login.dialogues import ALIAS, HOUSE_TELNET, PASSWORD, SYNCHRONET_TELNET, Hears, Says, Script
from tests.tty_agent.scripted_line import ScriptedLine

from bbs_gym.hosts.host import Host, HostFault, Seat
from bbs_gym.login.call import Call
from bbs_gym.login.dialogue import Dialogue, Stage
from bbs_gym.login.fault import FaultKind, LoginFault
from bbs_gym.login.prompts import ANY
from bbs_gym.login.session import BbsSession, LoginPace
from bbs_gym.nodes import NodeRecord, SeenBy
from tty_agent.transcript.marks import Sender, Sent, sidecar_of
from tty_agent.transcript.transcript import Transcript, read_marks

LIMIT_S = 10
FAST = LoginPace(stage_s=5.0, quiet_s=0.02, prompt_quiet_s=0.005)
IMPATIENT = msgspec.structs.replace(FAST, stage_s=0.1)


def telnet(line: ScriptedLine, password: str | None = PASSWORD, alias: str = ALIAS) -> Call:
    dialogue = Dialogue(ANY, name=alias, has_password=password is not None)
    return Call(transport=line, dialogue=dialogue, alias=alias, password=password)


def let_in(line: ScriptedLine) -> Call:
    return Call(transport=line, dialogue=Dialogue(ANY, name=ALIAS, stage=Stage.CHECKING), alias=ALIAS)


def session_of(call: Call, pace: LoginPace = FAST, transcript: Path | None = None, **more: object) -> BbsSession:
    settings: dict[str, object] = {"node": NodeRecord(requested=2, allocated=2), **more}
    return BbsSession(
        call,
        agent_id="agent-001",
        pace=pace,
        transcript=Transcript(transcript) if transcript else None,
        **settings,  # type: ignore[arg-type]  # what tests vary
    )


async def play(line: ScriptedLine, script: Script, cut: int) -> None:
    """The BBS's side, what it says in pieces of `cut` bytes, each let through before the next."""
    for step in script:
        if isinstance(step, Hears):
            await line.expect(step)
            continue
        for at in range(0, len(step), cut):
            line.say(step[at : at + cut])
            await asyncio.sleep(0)


@asynccontextmanager
async def opened(session: BbsSession, line: ScriptedLine, script: Script, cut: int = 4096) -> AsyncIterator[BbsSession]:
    async with asyncio.timeout(LIMIT_S), asyncio.TaskGroup() as group:
        group.create_task(play(line, script, cut))
        await session.open()
        try:
            yield session
        finally:
            await session.close()


async def fault_of(session: BbsSession, line: ScriptedLine, script: Script) -> LoginFault:
    """The fault; the line is closed and everything that was due was typed."""
    async with asyncio.timeout(LIMIT_S):
        other = asyncio.create_task(play(line, script, 4096))
        with pytest.raises(LoginFault) as raised:
            await session.open()
        await other
    assert line.closed
    assert PASSWORD not in raised.value.text
    return raised.value


@pytest.mark.parametrize("cut", [1, 7, 4096])
@pytest.mark.parametrize(("script", "node"), [(SYNCHRONET_TELNET, 3), (HOUSE_TELNET, 2)])
async def test_a_login_in_pieces(script: Script, node: int, cut: int, tmp_path: Path) -> None:
    line = ScriptedLine()
    session = session_of(telnet(line), transcript=tmp_path / "agent-001.raw", metadata={"match": "m1"})
    async with opened(session, line, script, cut):
        seen = await session.observe(0.01)
        assert session.node == NodeRecord(requested=2, allocated=2, observed=node, seen_by=SeenBy.BANNER)
        assert session.node.mismatch is (node != 2)
        assert seen.metadata == {
            "transport": "scripted",
            "match": "m1",
            "agent_id": "agent-001",
            "alias": ALIAS,
            "requested_node": 2,
            "allocated_node": 2,
            "observed_node": node,
        }
        assert "Main" in seen.model_text
    assert (tmp_path / "agent-001.raw").read_bytes() == b"".join(step for step in script if isinstance(step, Says))
    typed = [mark for mark in read_marks(tmp_path / "agent-001.raw") if isinstance(mark, Sent)]
    assert {mark.by for mark in typed} == {Sender.LOGIN}
    assert [mark.secret_bytes for mark in typed if mark.text is None] == [len(PASSWORD) + 1]
    assert PASSWORD.encode() not in sidecar_of(tmp_path / "agent-001.raw").read_bytes()


async def test_queries_are_answered_all_the_way() -> None:
    line = ScriptedLine()
    script = (Says(b"\x1b[255B\x1b[255C\x1b[6n"), Hears(b"\x1b[24;80R"), Says(b"\x0c"), *HOUSE_TELNET)
    async with opened(session_of(telnet(line)), line, script):
        pass


@pytest.mark.parametrize("script", [(), (Says(b"Are you human? "),), HOUSE_TELNET[:2], HOUSE_TELNET[:4]])
async def test_every_stage_has_a_bound(script: Script) -> None:
    line = ScriptedLine()
    fault = await fault_of(session_of(telnet(line), IMPATIENT), line, script)
    assert fault.kind is FaultKind.TIMED_OUT
    assert "0.1 s" in fault.text


async def test_all_of_it_has_a_bound() -> None:
    """A pause after the other, each answered in time."""
    line = ScriptedLine()
    pace = msgspec.structs.replace(FAST, login_s=0.2)
    pages = [step for page in range(30) for step in (Says(b"\x0c%d\r\n[Hit a key] " % page), Hears(b"\r"))]
    async with asyncio.timeout(LIMIT_S):
        other = asyncio.create_task(play(line, pages, 4096))
        with pytest.raises(LoginFault) as raised:
            await session_of(let_in(line), pace).open()
        other.cancel()
    assert raised.value.kind is FaultKind.TIMED_OUT


async def test_a_wrong_password() -> None:
    line = ScriptedLine()
    fault = await fault_of(session_of(telnet(line)), line, (*HOUSE_TELNET[:4], Says(b"\r\nInvalid Logon\r\nLogin: ")))
    assert fault.kind is FaultKind.WRONG_PASSWORD


async def test_an_unknown_name_is_told_no_password() -> None:
    line = ScriptedLine()
    fault = await fault_of(session_of(telnet(line)), line, (*HOUSE_TELNET[:2], Says(b"\r\nUnknown user\r\nLogin: ")))
    assert fault.kind is FaultKind.UNKNOWN_USER
    assert not line.typed


async def test_a_line_that_is_lost() -> None:
    line = ScriptedLine()
    line.say(HOUSE_TELNET[0])
    line.hang_up()
    with pytest.raises(LoginFault) as raised:
        await session_of(telnet(line)).open()
    assert raised.value.kind is FaultKind.LOST


async def test_nobody_there() -> None:
    with pytest.raises(LoginFault) as raised:
        await session_of(telnet(ScriptedLine(refuses=True))).open()
    assert raised.value.kind is FaultKind.UNREACHABLE


@pytest.mark.parametrize("alias", ["zoë\u4e2d", "a\x1b[2J", "a\rb"])
async def test_a_name_that_cannot_be_typed(alias: str) -> None:
    line = ScriptedLine()
    fault = await fault_of(session_of(telnet(line, alias=alias)), line, HOUSE_TELNET[:1])
    assert fault.kind is FaultKind.UNTYPABLE
    assert not line.typed


async def test_a_login_that_is_cancelled_leaves_nothing_open(tmp_path: Path) -> None:
    line = ScriptedLine()
    opening = asyncio.create_task(session_of(telnet(line), transcript=tmp_path / "a.raw").open())
    line.say(HOUSE_TELNET[0])
    await line.expect(b"alice\r")
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert line.closed
    Transcript(tmp_path / "a.raw").close()  # nobody holds it


class Books:
    """A host that knows who is on which node, or does not."""

    kind = "synchronet"

    def __init__(self, seats: Sequence[Seat] | None) -> None:
        self._seats = seats

    async def nodes(self) -> tuple[Seat, ...]:
        if self._seats is None:
            raise HostFault("node.dab can't be read: check the folder")
        return tuple(self._seats)


@pytest.mark.parametrize(
    ("seats", "node"),
    [
        ([Seat(node=1, alias="bob"), Seat(node=4, alias="Alice")], 4),
        ([Seat(node=1, alias="alice"), Seat(node=2, alias="alice")], None),
        ([], None),
        (None, None),
    ],
)
async def test_a_node_that_no_screen_shows_is_asked_of_the_host(seats: list[Seat] | None, node: int | None) -> None:
    line, books = ScriptedLine(), Books(seats)
    host: Host = books  # type: ignore[assignment]  # the rest of a host is not asked
    async with opened(session_of(let_in(line), host=host), line, (Says(b"Main menu: "),)) as session:
        assert session.node.observed == node
        assert session.node.seen_by == (SeenBy.HOST if node else None)


async def test_logging_off_at_the_main_menu() -> None:
    line = ScriptedLine()
    async with opened(session_of(let_in(line)), line, (Says(b"Main menu: "), Hears(b"qy"))) as session:
        line.inbox.feed(b"")
        going = asyncio.create_task(session.log_off())
        await asyncio.sleep(0)
        line.hang_up()
        await going
        await session.log_off()
    assert line.closed


async def test_logging_off_elsewhere_is_hanging_up() -> None:
    line = ScriptedLine()
    async with opened(session_of(let_in(line)), line, (Says(b"Main menu: "),)) as session:
        line.say(b"\x0cCommand (?=Help)? ")
        await session.observe(0.01)
        await session.log_off()
        assert not line.typed
    assert line.closed
