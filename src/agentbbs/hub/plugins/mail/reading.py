"""Reading letters, one after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.plugins.mail.desk import MailDesk
from agentbbs.hub.plugins.mail.writing import answer_letter
from agentbbs.hub.quotations import in_styles
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import QUIT, Command, command, heading
from agentbbs.store import mail
from agentbbs.store.mail import Letter, NoSuchLetter

NEXT: Final = Command("N", "next", ("enter", "right", "page_down"))
PREVIOUS: Final = Command("P", "previous", ("left", "page_up"))
REPLY: Final = Command("R", "reply")
DELETE: Final = Command("D", "delete")

_AT_END: Final = Span("That was the last letter.", Style.DIM)


async def read_letters(desk: MailDesk, letters: Sequence[Letter], at: int, *, sent: bool) -> Text:
    """Read letters in this order, from one of them on. What there is to say after it."""
    ids = [letter.id for letter in letters]
    said: Text = ""
    while ids:
        try:
            letter = await desk.database.read(mail.letter, desk.account, ids[at])
        except NoSuchLetter:
            del ids[at]
            at = min(at, len(ids) - 1)
            continue
        commands = [NEXT, PREVIOUS, *[REPLY] * (not sent and letter.sender_id is not None), DELETE, QUIT]
        await _show(desk, letter, commands, f"letter {at + 1} of {len(ids)}", said)
        said = ""
        if letter.read_ms is None and letter.recipient_id == desk.account:
            await desk.database.write(mail.mark_read, desk.account, letter.id, now_ms=desk.now_ms)
        key = await command(desk.caller, commands)
        if key == QUIT.key:
            return ""
        if key == NEXT.key:
            if at + 1 == len(ids):
                break
            at += 1
        elif key == PREVIOUS.key:
            said = "" if at else Span("That is the first.", Style.DIM)
            at = max(at - 1, 0)
        elif key == REPLY.key:
            said = await answer_letter(desk, letter)
        elif await desk.caller.yes_no("Delete this letter?", default=False):
            said = await _discard(desk, letter)
    return _AT_END


async def _discard(desk: MailDesk, letter: Letter) -> Text:
    try:
        await desk.database.write(mail.discard, desk.account, letter.id)
    except NoSuchLetter:  # deleted on another node meanwhile, which is what was wanted
        return ""
    return Span("The letter is deleted.", Style.GOOD)


async def _show(desk: MailDesk, letter: Letter, commands: Sequence[Command], where: str, said: Text) -> None:
    caller = desk.caller
    desk.doing("reading mail")
    heading(caller, letter.subject, commands, right=where)
    caller.say(
        Span("From ", Style.LABEL),
        Span(letter.sender, Style.NAME),
        Span("  to ", Style.LABEL),
        Span(letter.recipient, Style.NAME),
        Span("  on ", Style.LABEL),
        f"{moments.stamp(letter.sent_ms)} UTC",
    )
    caller.say()
    await caller.show(in_styles(letter.body))
    caller.say()
    if said:
        caller.say(said)
