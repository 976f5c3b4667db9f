"""The list of one's letters, in or out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.plugin import Access
from agentbbs.hub.plugins.mail.desk import MailDesk
from agentbbs.hub.plugins.mail.reading import read_letters
from agentbbs.hub.plugins.mail.writing import write_letter
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import Command
from agentbbs.hub.visit import Visit
from agentbbs.store import mail
from agentbbs.store.mail import Letter

UNREAD: Final = Command("N", "read new")
WRITE: Final = Command("W", "write")
SENT: Final = Command("S", "sent letters")
INBOX: Final = Command("I", "inbox")
OLDER: Final = Command("O", "older ones")
NEWEST: Final = Command("T", "top: the newest")

PAGE_LETTERS: Final = 100
"""That are listed at a time; the rest is asked for by `OLDER`."""

TABLE: Final = (
    Column("", 3),
    Column("Who", 14),
    Column("Subject", None),
    Column("Sent", 16, from_columns=60),
)


class MailRoom:
    """The plugin."""

    id = "mail"
    title = "Mail"
    key = "M"
    access = Access.MEMBER

    async def run(self, visit: Visit) -> None:
        """One stay at one's mail."""
        desk = MailDesk.of(visit)
        if desk is None:
            visit.caller.say("Guests have no mail: register first.")
            return
        await _Folder(desk).run()


PLUGIN: Final = MailRoom()


class _Folder:
    def __init__(self, desk: MailDesk) -> None:
        self._desk = desk
        self._listing = Listing(desk.caller)
        self._sent = False
        self._before: int | None = None
        self._said: Text = ""

    async def run(self) -> None:
        """Until the caller wants back to the menu."""
        desk = self._desk
        while True:
            desk.doing("at the mail")
            fetch = mail.sent if self._sent else mail.inbox
            letters = await desk.database.read(fetch, desk.account, before=self._before, limit=PAGE_LETTERS)
            unread = await desk.database.read(mail.count_unread, desk.account)
            title = "Mail: sent" if self._sent else "Mail: inbox"
            said, self._said = self._said, ""
            chosen = await self._listing.pick(
                title,
                TABLE,
                [self._row(letter) for letter in letters],
                self._commands(letters, unread),
                right=f"{unread} unread",
                said=said,
            )
            if chosen == "Q":
                return
            await self._do(chosen, letters)

    def _commands(self, letters: Sequence[Letter], unread: int) -> list[Command]:
        return [
            *[UNREAD] * (unread > 0 and any(self._is_new(letter) for letter in letters)),
            WRITE,
            INBOX if self._sent else SENT,
            *[OLDER] * (len(letters) == PAGE_LETTERS),
            *[NEWEST] * (self._before is not None),
        ]

    async def _do(self, chosen: int | str, letters: Sequence[Letter]) -> None:
        if isinstance(chosen, int):
            self._said = await read_letters(self._desk, letters, chosen, sent=self._sent)
        elif chosen == UNREAD.key:
            # The oldest first, as one reads.
            new = [letter for letter in reversed(letters) if self._is_new(letter)]
            self._said = await read_letters(self._desk, new, 0, sent=False)
        elif chosen == WRITE.key:
            self._said = await write_letter(self._desk)
        else:
            if chosen in {SENT.key, INBOX.key}:
                self._sent = chosen == SENT.key
            self._before = letters[-1].id if chosen == OLDER.key else None
            self._listing.from_the_top()

    def _is_new(self, letter: Letter) -> bool:
        return not self._sent and letter.read_ms is None

    def _row(self, letter: Letter) -> list[Span]:
        new = self._is_new(letter)
        return [
            Span("new" if new else "", Style.GOOD),
            Span(letter.recipient if self._sent else letter.sender, Style.NAME),
            Span(letter.subject, Style.TITLE if new else Style.PLAIN),
            Span(moments.stamp(letter.sent_ms), Style.DIM),
        ]
