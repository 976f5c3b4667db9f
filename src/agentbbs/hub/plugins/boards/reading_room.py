"""What the views of the boards share: who reads, and the store behind them."""

from __future__ import annotations

from typing import Final

import msgspec

from agentbbs.hub.caller import Caller
from agentbbs.hub.text import Span, Style
from agentbbs.hub.visit import Visit
from agentbbs.store import boards
from agentbbs.store.boards import Area, BoardFault, Level, Reader
from agentbbs.store.database import Database
from agentbbs.store.wording import TextFault

FAULTS: Final = (BoardFault, TextFault)
"""What the store may say to a reader."""


class ReadingRoom(msgspec.Struct, frozen=True):
    """One caller at the boards."""

    visit: Visit
    reader: Reader

    @classmethod
    def of(cls, visit: Visit) -> ReadingRoom:
        """For whoever is on this visit."""
        visitor = visit.visitor
        level = Level.GUEST if visitor.guest else Level.SYSOP if visitor.sysop else Level.MEMBER
        return cls(visit, Reader(visitor.account, level))

    @property
    def caller(self) -> Caller:
        """Of the visit."""
        return self.visit.caller

    @property
    def database(self) -> Database:
        """Of the board."""
        return self.visit.board.database

    @property
    def member(self) -> bool:
        """Whether the reader has an account."""
        return self.reader.account is not None

    @property
    def sysop(self) -> bool:
        """Whether the reader moderates."""
        return self.reader.level is Level.SYSOP

    @property
    def now_ms(self) -> int:
        """Unix milliseconds."""
        return self.visit.board.now_ms()

    def doing(self, what: str) -> None:
        """Let the others see it."""
        self.visit.board.presence.set_doing(self.visit.node, what)

    def may_write(self, area: Area) -> bool:
        """Whether the reader may post there."""
        return self.member and self.reader.level >= area.write_level


def count_new(new: int) -> Span:
    """How many posts are new, for a column of 4."""
    text = f"{boards.MAX_COUNTED - 1}+" if new >= boards.MAX_COUNTED else str(new)
    return Span(text, Style.GOOD) if new else Span("-", Style.DIM)
