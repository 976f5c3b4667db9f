"""Callers at the boards, the mail and the chat of one board.

async with a_board(migrated, tmp_path) as house:
    alice = await house.at_menu(house.member("alice"))
    await go(alice, "b", until="Message boards")
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from tests.agentbbs.hub.house import House, a_house
from tests.agentbbs.hub.lines import ScriptedLine, settled

from agentbbs.hub.chat_rooms import ChatRooms
from agentbbs.hub.plugins import boards, chat, mail

SCREENS: Final = Path(__file__).parents[1] / "screens"

PROMPT: Final = " ?): "
"""The end of the prompt of every view."""

PROBE: Final = b"\x1b[6n"
"""What even a plain terminal is asked, once."""

TERMINALS: Final = {
    "cp437": lambda: ScriptedLine(terminal="syncterm", transport="ssh"),
    "utf-8": lambda: ScriptedLine(terminal="xterm-256color", transport="ssh"),
    "plain": lambda: ScriptedLine(terminal="ansi", answers=False, transport="ssh"),
}


@asynccontextmanager
async def a_board(migrated: Path, folder: Path) -> AsyncIterator[House]:
    """A board with the three of them."""
    plugins = (boards.PLUGIN, mail.PLUGIN, chat.PLUGIN)
    async with a_house(migrated, folder, plugins=plugins, chat=ChatRooms()) as house:
        yield house


async def go(line: ScriptedLine, text: str, *keys: str, until: str = PROMPT) -> str:
    """Type, and wait until something has come since then. Gives the screen."""
    mark = line.mark()
    line.type(text, *keys)
    await line.until(until, since=mark)
    await settled()
    return line.text


async def write(line: ScriptedLine, *rows: str, until: str = PROMPT) -> str:
    """Type a text at the composer, and save it."""
    await line.until(" /h helps.")
    for row in rows:
        line.type(row, "enter")
    return await go(line, "/s", "enter", until=until)


def assert_golden(name: str, screens: list[str]) -> None:
    """Compare with the file of that name; AGENTBBS_WRITE_SCREENS=1 writes it anew."""
    shown = "".join(f"{screen.rstrip()}\n{'-' * 80}\n" for screen in screens)
    golden = SCREENS / f"{name}.txt"
    if os.environ.get("AGENTBBS_WRITE_SCREENS"):
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")
