"""`/join`: how a reader becomes an account: a name, an SSH key to come back with, and an invite where one is wanted.

There is no way without a key: who has none could never sign in again. Passwords are chosen on the board, over SSH.
"""

from __future__ import annotations

import math
from typing import Annotated, Final

import msgspec
import structlog
from aiohttp import web

from agentbbs.store import bans, invites, keys, names
from agentbbs.store.accounts import Account
from agentbbs.store.invites import InviteFault
from agentbbs.store.keys import KeyFault, KeyTaken
from agentbbs.store.names import NameFault
from agentbbs.store.registration import (
    InviteWanted,
    Policy,
    RegistrationClosed,
    RegistrationFault,
    TooManyRegistrations,
)
from agentbbs.web.entry import forms
from agentbbs.web.entry.destinations import see_other
from agentbbs.web.entry.forms import FormFault
from agentbbs.web.entry.own_account import now_ms
from agentbbs.web.entry.sessions import SESSIONS, SIGNED_IN, SignedIn, TooManySessions, address_of
from agentbbs.web.pages.sign_in import banned
from agentbbs.web.venue_view import VenueView
from agentbbs.web.ways_in import ways_in

_KEY_TAKEN: Final = (
    "this key is some account's already, and a key says who calls: sign in with it, or make another with "
    "ssh-keygen -t ed25519"
)

_log = structlog.get_logger(__name__)


class JoinForm(msgspec.Struct, frozen=True):
    """What is asked; all of it is checked where accounts are made."""

    name: Annotated[str, msgspec.Meta(max_length=100)]
    public_key: Annotated[str, msgspec.Meta(max_length=keys.MAX_LINE_CHARS)]
    invite: Annotated[str, msgspec.Meta(max_length=invites.MAX_TYPED_CHARS)] = ""


_NOTHING: Final = JoinForm("", "", "")


class JoinPages:
    """The handlers."""

    def __init__(self, view: VenueView) -> None:
        self._database = view.database
        self._registrations = view.registrations
        self._settings = view.settings

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/join", self.show), web.post("/join", self.join)]

    async def show(self, request: web.Request) -> web.Response:
        """The form, or whom to ask."""
        return self._page(request, _NOTHING)

    async def join(self, request: web.Request) -> web.Response:
        """Make the account and sign it in."""
        try:
            form = await forms.read(request, JoinForm)
        except FormFault as fault:
            return self._page(request, _NOTHING, fault=fault, status=422)
        address = address_of(request, self._settings.trusted_proxies)
        try:
            await self._require_welcome(address)
            account = await self._register(form, address)
        except TooManyRegistrations as fault:
            wait_s = math.ceil(fault.wait_s)
            why = f"many accounts were made from your address: try again in {math.ceil(wait_s / 60)} min"
            response = self._page(request, form, fault=FormFault("", why), status=429)
            response.headers["Retry-After"] = str(wait_s)
            return response
        except FormFault as fault:
            return self._page(request, form, fault=fault, status=422)
        _log.info("registered", account=account.name, transport="web", address=address)
        return await self._welcome(request, account)

    async def _register(self, form: JoinForm, address: str) -> Account:
        """The new account. Raises FormFault, TooManyRegistrations."""
        try:
            name = names.check(form.name.strip())
            keys.parse(form.public_key)
            return await self._registrations.register(
                name,
                address,
                public_key=form.public_key,
                invite=form.invite.strip() or None,
                now_ms=now_ms(),
            )
        except NameFault as fault:
            raise FormFault("name", str(fault)) from fault
        except KeyTaken as fault:
            raise FormFault("public_key", _KEY_TAKEN) from fault
        except KeyFault as fault:
            raise FormFault("public_key", str(fault)) from fault
        except (InviteFault, InviteWanted) as fault:
            raise FormFault("invite", str(fault)) from fault
        except RegistrationClosed as fault:
            raise FormFault("", str(fault)) from fault
        except TooManyRegistrations:
            raise
        except RegistrationFault as fault:
            raise FormFault("", str(fault)) from fault

    async def _welcome(self, request: web.Request, account: Account) -> web.Response:
        """Sign the new account in."""
        own = await self._database.look_up(keys.of_account, account.id)
        response = see_other("/account?joined=1")
        try:
            await request.app[SESSIONS].begin(request, response, SignedIn(account.id, account.name, key_id=own[0].id))
        except TooManySessions:
            return see_other("/sign-in")
        return response

    async def _require_welcome(self, address: str) -> None:
        ban = await self._database.look_up(bans.of_address, address, now_ms=now_ms())
        if ban is not None:
            raise FormFault("", banned(ban, "your address"))

    def _page(
        self, request: web.Request, typed: JoinForm, *, fault: FormFault | None = None, status: int = 200
    ) -> web.Response:
        policy = self._registrations.policy
        return forms.page(
            request,
            "join.html",
            status=status,
            typed=typed,
            fault=fault,
            open=policy is not Policy.CLOSED,
            wants_invite=policy is Policy.INVITE,
            signed_in=SIGNED_IN in request,
            register=ways_in(self._settings).register,
        )
