"""Where a venue is and who calls: the URL and the token, checked before anything is dialled."""

from __future__ import annotations

import os
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec

from agentbbs.client.errors import BadAddress, Unauthorized

TOKEN_VARIABLE: Final = "AGENTBBS_TOKEN"  # noqa: S105 - the name of the variable, no secret
"""The environment variable that holds the token where none is given."""

_SCHEMES: Final = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}
_PATH: Final = "/play"


class Address(msgspec.Struct, frozen=True):
    """A checked URL (`ws` or `wss`, path `…/play`, no token in it) and the token."""

    url: str
    token: str

    def __repr__(self) -> str:
        return f"Address({self.url!r})"


def address(url: str, token: str | None = None, *, environ: dict[str, str] | None = None) -> Address:
    """The address of `url`, given with or without `/play`, as ws, wss, http or https.

    The token is `token`, else the one in the URL's query (which is taken out of it: a URL ends up in
    logs), else AGENTBBS_TOKEN. A `game` in the query is dropped, the join names it. Raises BadAddress,
    and Unauthorized where there is no token or one that no venue has made.
    """
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as fault:
        raise BadAddress(f"The address {_shown(url)} is no URL: {fault}.") from fault
    if parts.scheme not in _SCHEMES or not host:
        raise BadAddress(f"The address {_shown(url)} is no ws:// or wss:// URL.")
    if "@" in parts.netloc:
        raise BadAddress(f"The address of {host} holds a user name: a venue takes a token.")
    path = parts.path.rstrip("/")
    query = parse_qsl(parts.query, keep_blank_values=True)
    kept = urlencode([pair for pair in query if pair[0] not in ("token", "game")])
    plain = urlunsplit((_SCHEMES[parts.scheme], parts.netloc, path if path.endswith(_PATH) else path + _PATH, kept, ""))
    found = token or dict(query).get("token") or (os.environ if environ is None else environ).get(TOKEN_VARIABLE, "")
    return Address(plain, _checked(found.strip()))


def _checked(token: str) -> str:
    if not token:
        raise Unauthorized("No token was given.")
    if not (token.isascii() and token.isprintable() and " " not in token):
        raise Unauthorized("What was given as the token is none: it holds blanks or characters outside ASCII.")
    return token


def _shown(url: str) -> str:
    """The URL for a message, without a query that may hold a token."""
    return repr(url.split("?", 1)[0])
