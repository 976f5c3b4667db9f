"""Operations as routes: decode, check, call, encode."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

import msgspec
from aiohttp import web

from agentbbs.web.api.callers import Admit, admitted, body
from agentbbs.web.api.errors import ApiError, json_response
from agentbbs.web.api.operation import PREFIX, Answer, Call, Operation

_NAME: Final = re.compile(r"\{(\w+)\}")


def routes(operations: Iterable[Operation], admit: Admit) -> list[web.RouteDef]:
    """A route for each operation."""
    return [web.route(one.method, PREFIX + pattern(one), _handler(one, admit)) for one in operations]


def pattern(operation: Operation) -> str:
    """Its path as aiohttp takes it."""

    def anchored(found: re.Match[str]) -> str:
        name = found[1]
        return f"{{{name}:{operation.anchors[name]}}}" if name in operation.anchors else found[0]

    return _NAME.sub(anchored, operation.path)


def _handler(operation: Operation, admit: Admit) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def handle(request: web.Request) -> web.StreamResponse:
        caller = await admitted(request, admit) if operation.wants_token else None
        query = _query(request, operation.query)
        sent = None if operation.body is None else await body(request, operation.body)
        answer = await operation.handler(Call(request, request.match_info, query, sent, caller))
        return _response(operation, answer)

    return handle


def _query(request: web.Request, kind: type[msgspec.Struct]) -> msgspec.Struct:
    """The query as its type. Raises ApiError."""
    repeated = sorted({name for name in request.query if len(request.query.getall(name)) > 1})
    if repeated:
        raise ApiError("bad_request", f"`{repeated[0][:40]}` stands twice in the query")
    try:
        return msgspec.convert(dict(request.query), kind, strict=False)
    except msgspec.ValidationError as fault:
        raise ApiError("bad_request", f"not a query that is taken here: {fault}") from fault


def _response(operation: Operation, answer: Answer) -> web.StreamResponse:
    if answer is None:
        return web.Response(status=204)
    if isinstance(answer, web.StreamResponse):
        return answer
    return json_response(answer, status=operation.status)
