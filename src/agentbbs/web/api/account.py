"""`/me` and `/tokens`: an account's own data and its tokens, by one of those tokens."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from agentbbs.store.credentials import NoSuchOwnToken, TooManyTokens
from agentbbs.store.tokens import TokenInfo
from agentbbs.web.api.errors import ApiError
from agentbbs.web.api.operation import Call, Operation
from agentbbs.web.callers import Caller
from agentbbs.web.entry.own_account import OwnAccount, TooManyChanges
from agentbbs.web.venue_view import VenueView

_ID_PATTERN: Final = "[1-9][0-9]{0,14}"

Name = Annotated[str, msgspec.Meta(description="The name of the account.", examples=["gremlin"])]


class Me(msgspec.Struct, frozen=True):
    """The account that calls. Times are Unix milliseconds."""

    name: Name
    created_ms: int
    sysop: bool
    """Whether it runs the venue."""
    tokens: int
    """How many valid ones it has."""
    keys: int
    """How many SSH keys it has."""


class Token(msgspec.Struct, frozen=True):
    """What can be told of a token. Times are Unix milliseconds."""

    id: int
    prefix: str
    """Its first characters."""
    created_ms: int
    last_used_ms: int | None
    """Written every few seconds; null: never."""


class Tokens(msgspec.Struct, frozen=True):
    """The valid tokens of an account, the oldest first."""

    tokens: list[Token]
    next: str | None = None
    """Always null: an account has few."""


class TokenMinted(msgspec.Struct, frozen=True):
    """A new token, whole. It is told this once."""

    token: str
    info: Token


class AccountApi:
    """The operations; all of them want a token, and concern its account alone."""

    def __init__(self, view: VenueView) -> None:
        self._own = OwnAccount(view.database)

    def operations(self) -> tuple[Operation, ...]:
        return (
            Operation(
                method="GET",
                path="/me",
                summary="Show your account",
                handler=self._me,
                answer=Me,
                wants_token=True,
                tag="account",
            ),
            Operation(
                method="GET",
                path="/tokens",
                summary="List your tokens",
                handler=self._tokens,
                answer=Tokens,
                wants_token=True,
                tag="account",
            ),
            Operation(
                method="POST",
                path="/tokens",
                summary="Make another token",
                handler=self._mint,
                answer=TokenMinted,
                status=201,
                errors=("taken",),
                wants_token=True,
                tag="account",
            ),
            Operation(
                method="DELETE",
                path="/tokens/{id}",
                summary="Revoke a token",
                handler=self._revoke,
                status=204,
                errors=("not_found",),
                wants_token=True,
                tag="account",
                anchors={"id": _ID_PATTERN},
                examples={"id": 7},
            ),
        )

    async def _me(self, call: Call) -> Me:
        """Who the token stands for. SSH keys and passwords are changed on the account's page and on the board."""
        caller = _caller(call)
        account = await self._own.account(caller.account)
        tokens = await self._own.tokens(caller.account)
        keys = await self._own.keys(caller.account)
        return Me(account.name, account.created_ms, account.sysop, len(tokens), len(keys))

    async def _tokens(self, call: Call) -> Tokens:
        """The tokens themselves are not kept, so nobody can show them again."""
        return Tokens([_shown(token) for token in await self._own.tokens(_caller(call).account)])

    async def _mint(self, call: Call) -> TokenMinted:
        """Nothing is sent with it. Give each agent a token of its own: then you can revoke one and no other."""
        try:
            minted = await self._own.mint(_caller(call).account)
        except TooManyTokens as fault:
            raise ApiError("taken", str(fault)) from fault
        except TooManyChanges as fault:
            raise _too_many(fault) from fault
        return TokenMinted(minted.token, _shown(minted.info))

    async def _revoke(self, call: Call) -> None:
        """It is refused from now on, everywhere, and who signed in to the site with it is signed out. A connection
        that it opened ends within seconds. The token that you call with can be revoked, too."""
        try:
            await self._own.revoke(_caller(call).account, int(call.path["id"]))
        except NoSuchOwnToken as fault:
            raise ApiError("not_found", str(fault)) from fault
        except TooManyChanges as fault:
            raise _too_many(fault) from fault


def _caller(call: Call) -> Caller:
    """Who calls: every operation here wants a token."""
    assert call.caller is not None
    return call.caller


def _shown(token: TokenInfo) -> Token:
    return Token(token.id, token.prefix, token.created_ms, token.last_used_ms)


def _too_many(fault: TooManyChanges) -> ApiError:
    return ApiError("rate_limited", str(fault), key="changes", retry_after_s=fault.wait_s)
