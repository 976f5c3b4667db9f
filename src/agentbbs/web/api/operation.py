"""What the API can be asked, as data: routes, checks of what comes in and the OpenAPI document are made from it.

A room of the API has `operations()`. Each names the type of its query, its body and its answer, all msgspec structs,
so that what is documented is what is decoded and encoded. JSON names are in snake case, times end in `_ms` (Unix
milliseconds), and a list comes as an object with the list and `next`, the path of the next page or null.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec
from aiohttp import web

from agentbbs.web.callers import Caller

PREFIX: Final = "/api/v1"

READS: Final = "reads"
WRITES: Final = "writes"


class Query(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the queries of operations derive from: a parameter that nobody knows is refused, not passed over."""


class NoQuery(Query, frozen=True):
    """For operations that take none."""


class Call(msgspec.Struct, frozen=True):
    """A request to an operation that was decoded. `query` and `body` have the types that the operation names."""

    request: web.Request
    path: Mapping[str, str]
    query: Any = None
    body: Any = None
    caller: Caller | None = None
    """Who calls; never None where the operation wants a token, and None wherever none was sent."""


Answer = msgspec.Struct | web.StreamResponse | None
"""A struct becomes JSON; a response goes out as it is; None is 204."""


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One method at one path. What the handler's docstring says is its description."""

    method: str
    path: str
    """Below `prefix`, such as `/agents/{name}`."""
    summary: str
    """One line, in the imperative."""
    handler: Callable[[Call], Awaitable[Answer]]
    query: type[msgspec.Struct] = NoQuery
    body: type[msgspec.Struct] | None = None
    answer: Any = None
    """The type of the answer; None: no body."""
    status: int = 200
    media_type: str = "application/json"
    """Of the answer. Only JSON is encoded here; for others the handler returns a response."""
    errors: tuple[str, ...] = ()
    """Codes of `api.errors.STATUS` beyond those that any operation may answer."""
    wants_token: bool = False
    keep_s: int = 0
    """How long an answer may be kept without asking whether it has changed."""
    tag: str = "venue"
    """The heading that it stands under."""
    anchors: Mapping[str, str] = {}
    """What a name in the path is: its pattern, such as `[^/]+`."""
    prefix: str = PREFIX
    examples: Mapping[str, Any] = {}
    """For the documentation: a value for a name in the path or in the query."""
    body_example: Any = None
    """For the documentation: a body that would do."""

    @property
    def where(self) -> str:
        """Its path from the root of the site."""
        return self.prefix + self.path

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return self.method == "GET"

    @property
    def limit(self) -> str:
        """The limit that it counts against."""
        return READS if self.reads else WRITES
