"""`/sign-in` and `/sign-out`: with a token in a form, or with a signature by an SSH key. No password is asked here.

What is told of a name before somebody proved to own it is the same whether there is such an account or not.
"""

from __future__ import annotations

import secrets
import shlex
import time
from datetime import UTC, datetime
from typing import Annotated, Final
from urllib.parse import urlsplit

import msgspec
import structlog
from aiohttp import web

from agentbbs.calls import address as addresses
from agentbbs.store import accounts, bans, keys, names
from agentbbs.store.accounts import Account, NoSuchAccount
from agentbbs.store.bans import Ban
from agentbbs.store.throttle import Throttle
from agentbbs.web.entry import forms, ssh_signature
from agentbbs.web.entry.challenges import NONCE_BYTES, Challenge, Challenges, StaleChallenge
from agentbbs.web.entry.destinations import after, named, see_other
from agentbbs.web.entry.forms import FormFault
from agentbbs.web.entry.own_account import now_ms
from agentbbs.web.entry.sessions import SESSIONS, SIGNED_IN, SignedIn, TooManySessions, address_of
from agentbbs.web.entry.ssh_signature import NAMESPACE, NotASignature, SshSignature
from agentbbs.web.venue_view import VenueView

MAX_TOKEN_CHARS: Final = 200
"""No token of ours is nearly as long."""

SIGNATURES: Final = 20
"""Wrong signatures that one address may try at once."""

SIGNATURE_REFILL_S: Final = 5.0
"""How soon it may try one more."""

_UNKNOWN: Final = "this token is unknown or revoked: paste it whole, or sign in with a key"
_NOT_YOURS: Final = (
    "the signature is good, but its key is not one of that account's: sign with a key that is, or give another name"
)

_log = structlog.get_logger(__name__)

Then = Annotated[str, msgspec.Meta(max_length=20)]


class TokenForm(msgspec.Struct, frozen=True):
    """The form with a token."""

    token: Annotated[str, msgspec.Meta(max_length=MAX_TOKEN_CHARS)]
    then: Then = "account"


class NameForm(msgspec.Struct, frozen=True):
    """The form that asks for a text to sign."""

    name: Annotated[str, msgspec.Meta(max_length=64)]
    then: Then = "account"


class SignatureForm(msgspec.Struct, frozen=True):
    """The form with a signature."""

    challenge: Annotated[str, msgspec.Meta(max_length=300)]
    signature: Annotated[str, msgspec.Meta(max_length=ssh_signature.MAX_CHARS)]
    then: Then = "account"


class _Refused(Exception):
    """Why the reader is not signed in; with a status for programs and browsers."""

    def __init__(self, fault: FormFault, status: int = 422, wait_s: int = 0) -> None:
        super().__init__(str(fault))
        self.fault = fault
        self.status = status
        self.wait_s = wait_s


class SignInPages:
    """The handlers."""

    def __init__(self, view: VenueView) -> None:
        self._view = view
        self._database = view.database
        self._challenges = Challenges(view.settings.public_url, secrets.token_bytes(32))
        self._signatures = Throttle(burst=SIGNATURES, refill_s=SIGNATURE_REFILL_S, clock=time.monotonic)

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/sign-in", self.show),
            web.post("/sign-in", self.by_token),
            web.get("/sign-in/{step:key|signature}", self.from_the_start),
            web.post("/sign-in/key", self.challenge),
            web.post("/sign-in/signature", self.by_key),
            web.get("/sign-out", self.from_the_start),
            web.post("/sign-out", self.sign_out),
        ]

    async def show(self, request: web.Request) -> web.Response:
        """The page, with both ways."""
        return self._page(request, named(request.query.get("then")))

    async def from_the_start(self, _: web.Request) -> web.Response:
        """Addresses that only forms lead to."""
        return see_other("/sign-in")

    async def by_token(self, request: web.Request) -> web.Response:
        """Sign in with a token."""
        then = "account"
        try:
            form = await forms.read(request, TokenForm)
            then = named(form.then)
            holder = await self._check_token(request, form.token.strip())
            return await self._sign_in(request, SignedIn(holder.account, holder.name, token_id=holder.token_id), then)
        except FormFault as fault:
            return self._page(request, then, fault=fault, status=422)
        except _Refused as refused:
            return _waiting(self._page(request, then, fault=refused.fault, status=refused.status), refused)

    async def challenge(self, request: web.Request) -> web.Response:
        """A text to sign for the name that was given, whoever that is."""
        then, typed = "account", ""
        try:
            form = await forms.read(request, NameForm)
            then, typed = named(form.then), form.name.strip()
            _require_name(typed)
        except FormFault as fault:
            return self._page(request, then, name=typed, fault=fault, status=422)
        challenge = self._challenges.open(typed, secrets.token_bytes(NONCE_BYTES), now_ms())
        return self._challenge_page(request, challenge, then)

    async def by_key(self, request: web.Request) -> web.Response:
        """Sign in with a signature."""
        try:
            form = await forms.read(request, SignatureForm)
        except FormFault as fault:
            return self._page(request, "account", fault=fault, status=422)
        then = named(form.then)
        try:
            challenge = self._challenges.unsealed(form.challenge, now_ms())
        except StaleChallenge as stale:
            return self._anew(request, form, then, str(stale))
        try:
            who = await self._holder(request, challenge, form.signature)
            self._challenges.spend(challenge, now_ms())
            return await self._sign_in(request, who, then)
        except StaleChallenge as stale:
            return self._anew(request, form, then, str(stale))
        except _Refused as refused:
            shown = self._challenge_page(
                request, challenge, then, fault=refused.fault, typed=form.signature, status=refused.status
            )
            return _waiting(shown, refused)

    async def sign_out(self, request: web.Request) -> web.Response:
        """End this session."""
        await forms.read(request, NoFields)
        response = see_other("/")
        await request.app[SESSIONS].end(request, response)
        return response

    async def _check_token(self, request: web.Request, token: str) -> SignedIn:
        try:
            holder = await self._view.check_token(token, self._address(request))
        except web.HTTPUnauthorized as refused:
            raise _Refused(FormFault("token", _UNKNOWN)) from refused
        except web.HTTPTooManyRequests as refused:
            wait_s = int(refused.headers.get("Retry-After", "1"))
            why = f"too many wrong tokens came from your address: wait {wait_s} s"
            raise _Refused(FormFault("token", why), 429, wait_s) from refused
        except web.HTTPServiceUnavailable as refused:
            raise _Refused(FormFault("", "the venue stops: come again in a minute"), 503, 60) from refused
        return SignedIn(holder.account, holder.name, token_id=holder.token_id)

    async def _holder(self, request: web.Request, challenge: Challenge, pasted: str) -> SignedIn:
        """Who signed the challenge, as the account that it names. Raises _Refused."""
        source = addresses.source(self._address(request))
        wait_s = self._signatures.take(source)
        if wait_s > 0:
            why = f"too many wrong signatures came from your address: wait {round(wait_s) + 1} s"
            raise _Refused(FormFault("signature", why), 429, round(wait_s) + 1)
        try:
            signature = ssh_signature.read(pasted)
            ssh_signature.require(signature, challenge.text)
        except NotASignature as fault:
            raise _Refused(FormFault("signature", str(fault))) from fault
        found = await self._account_of(signature, challenge.name)
        if found is None:
            _log.info("web_sign_in_refused", address=self._address(request), by="key")
            raise _Refused(FormFault("signature", _NOT_YOURS))
        self._signatures.give_back(source)
        return found

    async def _account_of(self, signature: SshSignature, name: str) -> SignedIn | None:
        """The account of that name, if the key is one of its keys: the same look-ups whether there is one or not."""
        stored = await self._database.look_up(keys.by_fingerprint, signature.key.fingerprint)
        try:
            account: Account | None = await self._database.look_up(accounts.find, name)
        except NoSuchAccount:
            account = None
        if stored is None or account is None or stored.account_id != account.id:
            return None
        return SignedIn(account.id, account.name, key_id=stored.id)

    async def _sign_in(self, request: web.Request, who: SignedIn, then: str) -> web.Response:
        """Begin the session of somebody who is proved to be that account. Raises _Refused."""
        await self._require_welcome(request, who)
        response = see_other(after(then))
        try:
            await request.app[SESSIONS].begin(request, response, who)
        except TooManySessions as fault:
            raise _Refused(FormFault("", str(fault)), 429, fault.wait_s) from fault
        by = "token" if who.key_id is None else "key"
        _log.info("web_sign_in", account=who.name, by=by, address=self._address(request))
        return response

    async def _require_welcome(self, request: web.Request, who: SignedIn) -> None:
        ban = await self._database.look_up(bans.of_account, who.account, now_ms=now_ms())
        if ban is not None:
            raise _Refused(FormFault("", banned(ban, "this account")), 403)
        ban = await self._database.look_up(bans.of_address, self._address(request), now_ms=now_ms())
        if ban is not None:
            raise _Refused(FormFault("", banned(ban, "your address")), 403)

    def _anew(self, request: web.Request, form: SignatureForm, then: str, why: str) -> web.Response:
        """Another text for the same name; a name that was tampered with begins at the start."""
        name = form.challenge.partition(":")[0]
        try:
            _require_name(name)
        except FormFault:
            return self._page(request, then, fault=FormFault("name", why), status=422)
        challenge = self._challenges.open(name, secrets.token_bytes(NONCE_BYTES), now_ms())
        return self._challenge_page(request, challenge, then, fault=FormFault("signature", why), status=422)

    def _address(self, request: web.Request) -> str:
        return address_of(request, self._view.settings.trusted_proxies)

    def _page(
        self, request: web.Request, then: str, *, name: str = "", fault: FormFault | None = None, status: int = 200
    ) -> web.Response:
        settings = self._view.settings
        return forms.page(
            request,
            "sign_in.html",
            status=status,
            then=then,
            name=name,
            fault=fault,
            signed_in=SIGNED_IN in request,
            in_the_clear=in_the_clear(settings.public_url),
            policy=self._view.registrations.policy.value,
        )

    def _challenge_page(
        self,
        request: web.Request,
        challenge: Challenge,
        then: str,
        *,
        fault: FormFault | None = None,
        typed: str = "",
        status: int = 200,
    ) -> web.Response:
        command = f"printf '%s' {shlex.quote(challenge.text)} | ssh-keygen -Y sign -n {NAMESPACE} -f ~/.ssh/id_ed25519"
        return forms.page(
            request,
            "sign_in_key.html",
            status=status,
            then=then,
            name=challenge.name,
            text=challenge.text,
            command=command,
            expires_ms=challenge.expires_ms,
            challenge=self._challenges.sealed(challenge),
            fault=fault,
            typed=typed,
        )


class NoFields(msgspec.Struct, frozen=True):
    """A form that is a button."""


def banned(ban: Ban, whom: str) -> str:
    """What the banned are told."""
    until = "for good"
    if ban.until_ms is not None:
        until = f"until {datetime.fromtimestamp(ban.until_ms / 1000, UTC).strftime('%Y-%m-%d %H:%M UTC')}"
    return f"{whom} is banned {until}: {ban.reason}"


def in_the_clear(public_url: str) -> bool:
    """Whether what is sent to this venue can be read on its way: it has no TLS, and is not on the reader's machine."""
    parts = urlsplit(public_url)
    host = parts.hostname or ""
    ip = addresses.parse(host)
    return parts.scheme != "https" and host != "localhost" and not (ip is not None and ip.is_loopback)


def require_sign_in(request: web.Request, then: str) -> SignedIn:
    """Who is signed in. Raises the answer that leads to `/sign-in`, and from there to `then` (a name of
    `destinations.AFTER`)."""
    if SIGNED_IN not in request:
        raise web.HTTPSeeOther(f"/sign-in?then={named(then)}", headers={"Cache-Control": "no-store"})
    return request[SIGNED_IN]


def _require_name(name: str) -> None:
    """Refuse what can be no account's name, before it is put into a command. Raises FormFault."""
    if not name:
        raise FormFault("name", "give the name of your account")
    try:
        names.check(name)
    except names.NameReserved:
        return  # the operator may have given it to somebody
    except names.NameFault as fault:
        raise FormFault(
            "name", "no account has a name like that: letters and digits, with single - _ or . between"
        ) from fault


def _waiting(response: web.Response, refused: _Refused) -> web.Response:
    if refused.wait_s:
        response.headers["Retry-After"] = str(refused.wait_s)
    return response
