"""A visit held together from outside."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agentbbs.hub.lines import ScriptedLine, called

from agentbbs.calls.line import LineGone, Size
from agentbbs.hub.caller import Caller
from agentbbs.hub.stay import Stay, VisitCut

SOON_S = 5


async def test_a_visit_that_ends_by_itself_is_let_be() -> None:
    stay = Stay(ScriptedLine(), grace_s=0)
    async with stay.held():
        pass
    stay.end("too late")
    assert stay.why == "too late"


async def test_a_visit_that_never_looks_at_its_line_ends_soon_after_it() -> None:
    line = ScriptedLine()
    stay = Stay(line, grace_s=0.01)
    caller = stay.caller = Caller(stay.line)

    async def deaf() -> None:
        async with asyncio.timeout(SOON_S), stay.held():
            await caller.key(0)  # the caller reads ahead from now on
            line.drop()
            await asyncio.Event().wait()

    with pytest.raises(VisitCut):
        await deaf()


async def test_a_time_out_of_something_else_is_not_taken_for_a_cut() -> None:
    with pytest.raises(TimeoutError):
        async with Stay(ScriptedLine()).held():
            raise TimeoutError


async def test_a_visit_that_was_ended_has_time_to_put_things_in_order() -> None:
    line = ScriptedLine()
    stay = Stay(line)
    stay.caller = Caller(stay.line)
    async with stay.held():
        stay.end("Out.")
        with pytest.raises(LineGone):
            await stay.caller.key()
        await asyncio.sleep(0)
    assert "Out." in line.text


@pytest.mark.parametrize("terminal", ["ansi-bbs", "xterm"])
async def test_the_reason_of_an_end_is_shown_and_can_do_nothing(terminal: str) -> None:
    line = ScriptedLine(terminal=terminal)
    caller = await called(line)
    stay = Stay(line)
    stay.caller = caller
    mark = line.mark()
    stay.end("é \x1b[2J\nnext")
    assert b"\x1b[2J" not in line.sent[mark:]
    assert "é \\x1b[2J\nnext" in line.text
    assert line.hung_up


async def test_a_notice_before_there_is_a_terminal_is_dropped() -> None:
    stay = Stay(ScriptedLine())
    stay.tell("nobody hears it")


async def test_the_line_is_the_line_that_it_watches() -> None:
    line = ScriptedLine(transport="ssh", address="192.0.2.7")
    watched = Stay(line).line
    assert (watched.transport, watched.address, watched.private) == ("ssh", "192.0.2.7", True)
    assert (watched.terminal, watched.size, watched.size_known) == (line.terminal, line.size, True)
    sizes: list[Size] = []
    watched.on_resize(sizes.append)
    line.resize(100, 30)
    assert sizes == [line.size]
    line.type("x")
    assert await watched.read() == b"x"
    watched.write(b"hello")
    await watched.drain()
    assert "hello" in line.text
    watched.hang_up()
    assert line.hung_up
    with pytest.raises(LineGone):
        await watched.drain()


@given(
    why=st.text(alphabet=st.characters(codec=None), max_size=60), terminal=st.sampled_from(["ansi-bbs", "xterm", ""])
)
def test_no_reason_controls_a_terminal(why: str, terminal: str) -> None:
    async def end() -> bytes:
        line = ScriptedLine(terminal=terminal, answers=bool(terminal))
        stay = Stay(line)
        stay.caller = await called(line)
        mark = line.mark()
        stay.end(why)
        stay.caller.close()
        return bytes(line.sent[mark:])

    sent = asyncio.run(end()).removeprefix(b"\x1b[0m")
    allowed = {0x0A, 0x0D}
    assert not [byte for byte in sent if (byte < 0x20 and byte not in allowed) or byte == 0x7F]
    assert sent.count(b"\n") == 2 + why.count("\n")
