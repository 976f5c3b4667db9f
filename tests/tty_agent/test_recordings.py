"""Every recording of a real BBS, replayed to the real transports: transcript and screen must be those of its bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.tty_agent.replay_server import Chunk, chunks, recorded, recordings, replaying

from tty_agent.observation.observation import ReadyReason
from tty_agent.observer.readiness import Fixed
from tty_agent.session.session import TerminalSession
from tty_agent.terminal.screen import Screen
from tty_agent.transcript.marks import Received, Sender, Sent
from tty_agent.transcript.transcript import Transcript, read_marks
from tty_agent.transports.rlogin import Rlogin
from tty_agent.transports.rlogin_handshake import Acknowledgement
from tty_agent.transports.telnet import Telnet
from tty_agent.transports.telnet_options import TelnetOptions
from tty_agent.transports.transport import EndKind, Transport

LIMIT_S = 30
RECORDINGS = [pytest.param(path, id=path.stem) for path in recordings()] or [
    pytest.param(None, marks=pytest.mark.skip(reason="no recordings: AGENTBBS_RECORDINGS names no folder that has any"))
]


def received(conversation: Sequence[Chunk]) -> list[tuple[float, bytes]]:
    return [(chunk.t, chunk.data) for chunk in conversation if chunk.dir == "rx"]


def in_two(pieces: list[tuple[float, bytes]]) -> list[tuple[float, bytes]]:
    """Each chunk in its first byte and the rest, so that what the BBS sent together comes apart."""
    return [(at, part) for at, data in pieces for part in (data[:1], data[1:]) if part]


def is_telnet(path: Path) -> bool:
    return any(chunk.dir == "rx" and b"\xff\xfd" in chunk.data for chunk in chunks(path))


def terminal_bytes(path: Path, wire: bytes) -> bytes:
    """What of the wire is the terminal's, by the pure cores, in one piece."""
    if is_telnet(path):
        return TelnetOptions("ansi-bbs", 80, 24).receive(wire)[0]
    return Acknowledgement().receive(wire)


def transport(path: Path, port: int) -> Transport:
    if is_telnet(path):
        return Telnet("127.0.0.1", port)
    return Rlogin("127.0.0.1", port, user="alice", password="secret-Pa55")


async def replayed(path: Path, pieces: list[tuple[float, bytes]], kept: Path, pace: float = 0.0) -> None:
    """Play it, and hold transcript and screen against the bytes."""
    expected = terminal_bytes(path, b"".join(data for _, data in pieces))
    screen = Screen(80, 24)
    replies = [event for event in screen.feed(expected) if hasattr(event, "data")]
    async with replaying(pieces, pace) as server:
        session = TerminalSession(transport(path, server.port), agent_id="alice", transcript=Transcript(kept))
        async with session, asyncio.timeout(LIMIT_S):
            while (await session.observe_turn(policy=Fixed(timeout_s=LIMIT_S, quiet_s=LIMIT_S))).closed is None:
                pass
            assert session.end is not None
            assert session.end.kind is EndKind.EOF
            assert session.screen.picture() == screen.picture()
    assert kept.read_bytes() == expected  # noqa: ASYNC240 - a small local file
    answers = [mark for mark in read_marks(kept) if isinstance(mark, Sent) and mark.by is Sender.TERMINAL]
    assert [(mark.offset, mark.text) for mark in answers] == [
        (reply.offset, reply.data.decode("latin-1")) for reply in replies
    ]
    heard = bytes(server.heard)
    for reply in replies:  # in order, among what else went out
        found = heard.find(reply.data)
        assert found >= 0, f"{reply} was never sent"
        heard = heard[found + len(reply.data) :]


@pytest.mark.parametrize("path", RECORDINGS)
async def test_at_full_speed(path: Path, tmp_path: Path) -> None:
    await replayed(path, received(chunks(path)), tmp_path / "a.raw")


@pytest.mark.parametrize("path", RECORDINGS)
async def test_cut_at_every_chunk_edge(path: Path, tmp_path: Path) -> None:
    await replayed(path, in_two(received(chunks(path))), tmp_path / "a.raw")


@pytest.mark.slow
@pytest.mark.parametrize("path", RECORDINGS)
async def test_at_a_tenth_of_its_pace(path: Path, tmp_path: Path) -> None:
    """The pauses of the recording, ten times as short, so that chunks arrive one by one."""
    await replayed(path, received(chunks(path)), tmp_path / "a.raw", pace=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["telnet-alice-2", "rlogin-fast"])
async def test_at_its_own_pace(name: str, tmp_path: Path) -> None:
    """The times of the marks are those of the recording."""
    pieces = received(chunks(recorded(name)))
    await replayed(recorded(name), pieces, tmp_path / "a.raw", pace=1.0)
    times = [mark.t for mark in read_marks(tmp_path / "a.raw") if isinstance(mark, Received)]
    assert times[-1] - times[0] == pytest.approx(pieces[-1][0] - pieces[0][0], abs=0.5)


async def test_byte_by_byte(tmp_path: Path) -> None:
    path = recorded("telnet-latecpr")
    pieces = [(at, bytes((byte,))) for at, data in received(chunks(path)) for byte in data]
    await replayed(path, pieces, tmp_path / "a.raw")


async def test_a_turn_of_a_login(tmp_path: Path) -> None:
    """The prompt is seen, and the size and charset queries are answered as the real client did."""
    path = recorded("telnet-alice-2")
    pieces = received(chunks(path))
    prompt = next(n for n, (_, data) in enumerate(pieces) if b"Login:" in data)
    async with replaying([(0.0, data) for _, data in pieces[: prompt + 1]]) as server:
        session = TerminalSession(
            Telnet("127.0.0.1", server.port), agent_id="alice", transcript=Transcript(tmp_path / "a")
        )
        async with session:
            seen = await session.observe_turn()
            assert seen.ready_reason in (ReadyReason.STABLE, ReadyReason.CLOSED)
            assert "Login:" in seen.pretty_screen
    assert b"\x1b[24;80R" in server.heard
