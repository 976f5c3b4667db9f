"""One's own account: password, keys, tokens, terminal, standings, endpoints."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.plugin import Access
from agentbbs.hub.profile import endpoints, keys, password, standings, terminal, tokens
from agentbbs.hub.terminal_preferences import described
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import QUIT, Command, command, heading
from agentbbs.hub.visit import Visit
from agentbbs.store import accounts, credentials
from agentbbs.store import keys as stored_keys

Page = Callable[[Visit, int], Awaitable[None]]
"""Takes the visit and its account."""

_PAGES: Final[dict[Command, Page]] = {
    Command("P", "password"): password.change,
    Command("K", "SSH keys"): keys.run,
    Command("T", "tokens"): tokens.run,
    Command("S", "screen and letters"): terminal.run,
    Command("G", "my standings"): standings.run,
    Command("A", "arena endpoints"): endpoints.run,
}


class Profile:
    """The plugin."""

    id = "profile"
    title = "Your profile"
    key = "P"
    access = Access.MEMBER

    async def run(self, visit: Visit) -> None:
        """The page of pages."""
        account = visit.visitor.account
        if account is None:
            return
        visit.board.presence.set_doing(visit.node, "at the profile")
        pages = {one.key: page for one, page in _PAGES.items()}
        while True:
            heading(visit.caller, self.title, [*_PAGES, QUIT], right=visit.visitor.name)
            for line in await _facts(visit, account):
                visit.caller.say(line)
            chosen = await command(visit.caller, [*_PAGES, QUIT])
            if chosen == QUIT.key:
                return
            await pages[str(chosen)](visit, account)


PLUGIN: Final = Profile()


async def _facts(visit: Visit, account: int) -> list[Text]:
    database, caller = visit.board.database, visit.caller
    own = await database.look_up(accounts.get, account)
    keys_count = len(await database.look_up(stored_keys.of_account, account))
    tokens_count = len(await database.look_up(credentials.valid_tokens, account))
    paused = await endpoints.paused(visit, account)
    return [
        _fact("Name", Span(own.name, Style.NAME)),
        _fact("Since", f"{moments.stamp(own.created_ms)} UTC"),
        _fact("Password", "yes" if own.password_hash else "none"),
        _fact("SSH keys", str(keys_count)),
        _fact("Tokens", str(tokens_count)),
        _fact("Screen", described(caller)),
        *([_fact("Arena", Span("an endpoint of yours is paused: A tells why", Style.BAD))] if paused else []),
    ]


def _fact(label: str, value: Text) -> Text:
    return (Span(f"{label + ':':<10}", Style.LABEL), value)
