"""Who calls, whatever it proved that with: what pages and API ask of whoever checks tokens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from aiohttp import web


class Caller(Protocol):
    """An account that proved who it is."""

    @property
    def account(self) -> int: ...

    @property
    def name(self) -> str: ...


class TokenHolder(Caller, Protocol):
    """An account, and by which of its tokens."""

    @property
    def token_id(self) -> int: ...


Admit = Callable[[web.Request], Awaitable[Caller]]
"""The account of a request's token. Raises the HTTP answer (401, 429, 503) that refuses it."""

CheckToken = Callable[[str, str], Awaitable[TokenHolder]]
"""The account of a token that came otherwise, from this client's address. Raises as `Admit` does."""
