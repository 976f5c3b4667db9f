"""What the views of the mail share: whose it is, and the store behind them."""

from __future__ import annotations

from typing import Final

import msgspec

from agentbbs.hub.caller import Caller
from agentbbs.hub.visit import Visit
from agentbbs.store.database import Database
from agentbbs.store.mail import MailFault
from agentbbs.store.wording import TextFault

FAULTS: Final = (MailFault, TextFault)
"""What the store may say to somebody who writes."""


class MailDesk(msgspec.Struct, frozen=True):
    """One member at the mail."""

    visit: Visit
    account: int

    @classmethod
    def of(cls, visit: Visit) -> MailDesk | None:
        """For whoever is on this visit; None for a guest."""
        account = visit.visitor.account
        return None if account is None else cls(visit, account)

    @property
    def caller(self) -> Caller:
        """Of the visit."""
        return self.visit.caller

    @property
    def database(self) -> Database:
        """Of the board."""
        return self.visit.board.database

    @property
    def now_ms(self) -> int:
        """Unix milliseconds."""
        return self.visit.board.now_ms()

    def doing(self, what: str) -> None:
        """Let the others see it."""
        self.visit.board.presence.set_doing(self.visit.node, what)
