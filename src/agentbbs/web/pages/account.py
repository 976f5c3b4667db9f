"""`/account`: an account's tokens, keys and endpoints, as its owner sees them, and the way out.

A token is shown once, on the page that answers the form: that page is kept by nobody, and a reload asks before it makes
another.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

import msgspec
import structlog
from aiohttp import web

from agentbbs.store import endpoints, keys
from agentbbs.store.credentials import NoSuchKey, NoSuchOwnToken, TooManyTokens
from agentbbs.store.keys import KeyFault
from agentbbs.web.api.endpoint_shapes import shown
from agentbbs.web.entry import forms
from agentbbs.web.entry.destinations import see_other
from agentbbs.web.entry.forms import FormFault
from agentbbs.web.entry.own_account import KeysAreClosed, Minted, OwnAccount, TooManyChanges
from agentbbs.web.entry.sessions import SESSIONS, SignedIn
from agentbbs.web.pages.sign_in import NoFields, require_sign_in
from agentbbs.web.venue_view import VenueView
from agentbbs.web.ways_in import ways_in

_log = structlog.get_logger(__name__)

_SAID: Final = {
    "revoked": "The token is revoked: nothing that has it gets in any more.",
    "added": "The key is added. From now on you can sign in and call with it.",
    "removed": "The key is removed, and who signed in with it is signed out.",
}
"""What `done` may say in the query, after a change."""

_ID: Final = re.compile(r"[1-9][0-9]{0,14}")


class KeyForm(msgspec.Struct, frozen=True):
    """The form with another key."""

    public_key: Annotated[str, msgspec.Meta(max_length=keys.MAX_LINE_CHARS)]


class AccountPages:
    """The handlers."""

    def __init__(self, view: VenueView) -> None:
        self._view = view
        self._own = OwnAccount(view.database)

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/account", self.show),
            web.post("/account/tokens", self.mint),
            web.post("/account/tokens/{id}/revoke", self.revoke),
            web.post("/account/keys", self.add_key),
            web.post("/account/keys/{id}/remove", self.remove_key),
            web.post("/account/sign-out-everywhere", self.sign_out_everywhere),
            web.get("/account/{rest:.+}", self.from_the_start),
        ]

    async def show(self, request: web.Request) -> web.Response:
        """The page."""
        who = require_sign_in(request, "account")
        said = _SAID.get(request.query.get("done", ""))
        return await self._page(request, who, said=said, joined="joined" in request.query)

    async def from_the_start(self, _: web.Request) -> web.Response:
        """Addresses that only forms lead to."""
        return see_other("/account")

    async def mint(self, request: web.Request) -> web.Response:
        """Another token, shown this once."""
        await forms.read(request, NoFields)
        who = require_sign_in(request, "account")
        try:
            minted = await self._own.mint(who.account)
        except TooManyTokens as fault:
            return await self._page(request, who, fault=FormFault("tokens", str(fault)), status=409)
        except TooManyChanges as fault:
            return await self._too_many(request, who, "tokens", fault)
        _log.info("token_minted", account=who.name, prefix=minted.info.prefix, by="web")
        return await self._page(request, who, minted=minted)

    async def revoke(self, request: web.Request) -> web.Response:
        """End a token."""
        await forms.read(request, NoFields)
        who = require_sign_in(request, "account")
        try:
            await self._own.revoke(who.account, _id(request))
        except NoSuchOwnToken as fault:
            return await self._page(request, who, fault=FormFault("tokens", str(fault)), status=404)
        except TooManyChanges as fault:
            return await self._too_many(request, who, "tokens", fault)
        return see_other("/account?done=revoked")

    async def add_key(self, request: web.Request) -> web.Response:
        """Another key."""
        typed = ""
        try:
            form = await forms.read(request, KeyForm)
            who = require_sign_in(request, "account")
            typed = form.public_key
            await self._own.add_key(who, typed)
        except FormFault as fault:
            return await self._page(request, require_sign_in(request, "account"), fault=fault, status=422)
        except KeyFault as fault:
            return await self._page(request, who, fault=FormFault("public_key", str(fault)), typed=typed, status=422)
        except KeysAreClosed as fault:
            return await self._page(request, who, fault=FormFault("keys", str(fault)), status=403)
        except TooManyChanges as fault:
            return await self._too_many(request, who, "keys", fault)
        return see_other("/account?done=added")

    async def remove_key(self, request: web.Request) -> web.Response:
        """One key less, never the last way in."""
        await forms.read(request, NoFields)
        who = require_sign_in(request, "account")
        try:
            await self._own.remove_key(who, _id(request))
        except NoSuchKey as fault:
            return await self._page(request, who, fault=FormFault("keys", str(fault)), status=404)
        except KeyFault as fault:
            return await self._page(request, who, fault=FormFault("keys", str(fault)), status=409)
        except KeysAreClosed as fault:
            return await self._page(request, who, fault=FormFault("keys", str(fault)), status=403)
        except TooManyChanges as fault:
            return await self._too_many(request, who, "keys", fault)
        return see_other("/account?done=removed")

    async def sign_out_everywhere(self, request: web.Request) -> web.Response:
        """End every session of the account."""
        await forms.read(request, NoFields)
        who = require_sign_in(request, "account")
        response = see_other("/sign-in")
        await request.app[SESSIONS].end_all(request, response)
        _log.info("web_signed_out_everywhere", account=who.name)
        return response

    async def _too_many(self, request: web.Request, who: SignedIn, field: str, fault: TooManyChanges) -> web.Response:
        response = await self._page(request, who, fault=FormFault(field, str(fault)), status=429)
        response.headers["Retry-After"] = str(fault.wait_s)
        return response

    async def _page(
        self,
        request: web.Request,
        who: SignedIn,
        *,
        fault: FormFault | None = None,
        minted: Minted | None = None,
        typed: str = "",
        said: str | None = None,
        joined: bool = False,
        status: int = 200,
    ) -> web.Response:
        account = await self._own.account(who.account)
        registered = await self._view.database.read(endpoints.of_account, who.account)
        context: dict[str, Any] = {
            "account": account,
            "who": who,
            "tokens": await self._own.tokens(who.account),
            "keys": await self._own.keys(who.account),
            "keys_closed": await self._own.why_keys_are_closed(who),
            "endpoints": [shown(endpoint) for endpoint in registered],
            "ways": ways_in(self._view.settings),
        }
        more = {"fault": fault, "minted": minted, "typed": typed, "said": said, "joined": joined}
        return forms.page(request, "account.html", status=status, **context, **more)


def _id(request: web.Request) -> int:
    """The number in the address; 0, which nothing has, for what is none."""
    text = request.match_info["id"]
    return int(text) if _ID.fullmatch(text) else 0
