"""Writing a letter; and a word to its recipient, if that is on the board."""

from __future__ import annotations

from typing import Final

from agentbbs.hub.plugins.mail.desk import FAULTS, MailDesk
from agentbbs.hub.recipients import MAX_SUGGESTED, meant
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.writing import write_and_store
from agentbbs.store import accounts, mail, names, quoting
from agentbbs.store.accounts import NoSuchAccount
from agentbbs.store.boards import MAX_BODY_CHARS, MAX_BODY_LINES, MAX_SUBJECT_CHARS
from agentbbs.store.mail import Letter

NOTICE_SUBJECT_CHARS: Final = 30
"""Of the subject in the notice: with the longest name it takes one row of 80 columns."""

_NOTHING: Final = Span("Nothing was sent.", Style.DIM)


async def write_letter(desk: MailDesk) -> Text:
    """A letter to whoever is named. What there is to say after it."""
    to = await _ask_recipient(desk)
    if to is None:
        return _NOTHING
    subject = await desk.caller.ask("Subject: ", max_chars=MAX_SUBJECT_CHARS)
    return await _compose(desk, to, subject) if subject else _NOTHING


async def answer_letter(desk: MailDesk, letter: Letter) -> Text:
    """An answer to its sender. What there is to say after it."""
    if letter.sender_id is None:
        return Span("The house takes no answer.", Style.DIM)
    sender = await desk.database.read(accounts.get, letter.sender_id)
    if sender.removed_ms is not None:
        return Span("Whoever sent this has no account any more.", Style.BAD)
    caller = desk.caller
    subject = letter.subject if letter.subject.lower().startswith("re:") else f"Re: {letter.subject}"
    initial = ""
    if await caller.yes_no("Quote the letter?", default=False):
        initial = quoting.quote(sender.name, letter.body, width=min(quoting.WIDTH, caller.columns)).rstrip("\n")
    return await _compose(desk, sender.name, subject[:MAX_SUBJECT_CHARS], initial)


async def _ask_recipient(desk: MailDesk) -> str | None:
    """The name of an account; None if the caller gave it up. The beginning of a name is enough."""
    caller = desk.caller
    while True:
        typed = await caller.ask("To: ", max_chars=names.MAX_CHARS)
        if not typed:
            return None
        try:
            return (await desk.database.read(accounts.find, typed)).name
        except NoSuchAccount:
            everybody = await desk.database.read(accounts.all_accounts)
        found = meant(typed, [account.name for account in everybody])
        if not found:
            caller.say(Span(f"Nobody here is called {typed}, or nearly so.", Style.BAD))
        elif len(found) == 1:
            if await caller.yes_no(("Do you mean ", Span(found[0], Style.NAME), "?"), default=True):
                return found[0]
        else:
            more = f" These are the first {MAX_SUGGESTED}." if len(found) == MAX_SUGGESTED else ""
            index = await caller.choose(f"Whom do you mean?{more}", [Span(name, Style.NAME) for name in found])
            if index is not None:
                return found[index]


async def _compose(desk: MailDesk, to: str, subject: str, initial: str = "") -> Text:
    async def store(body: str) -> Letter:
        return await desk.database.write(mail.send, desk.account, to, subject, body, now_ms=desk.now_ms)

    desk.doing("writing a letter")
    try:
        letter = await write_and_store(
            desk.caller,
            f"To {to}: {subject}",
            store,
            initial=initial,
            max_lines=MAX_BODY_LINES,
            max_chars=MAX_BODY_CHARS,
            faults=FAULTS,
        )
    except NoSuchAccount:
        return Span(f"{to} has no account any more.", Style.BAD)
    if letter is None:
        return _NOTHING
    _tell_recipient(desk, letter)
    return (Span("Your letter is sent to ", Style.GOOD), Span(letter.recipient, Style.NAME))


def _tell_recipient(desk: MailDesk, letter: Letter) -> None:
    """It is on the disk: say so wherever on the board the recipient is."""
    subject = letter.subject
    if len(subject) > NOTICE_SUBJECT_CHARS:
        subject = f"{subject[: NOTICE_SUBJECT_CHARS - 3]}..."
    presence = desk.visit.board.presence
    for present in presence.of_account(letter.recipient_id):
        presence.tell(
            present.node, Span("New mail from ", Style.NOTICE), Span(letter.sender, Style.NAME), f": {subject}"
        )
