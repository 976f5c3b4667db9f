"""Operations as routes: who calls, how often, what was sent, and the answer with its tag.

A read comes with a weak `ETag` and is answered with 304 where the reader has it already. Whoever sent a token is
answered `no-store`; what anybody may read may be kept, and asked for again (`no-cache`) or not for a while (`max-age`).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from functools import cache
from typing import Final

import msgspec
from aiohttp import web

from agentbbs.web.api import cors
from agentbbs.web.api.callers import MAX_FAULT_CHARS, admitted, body, unauthorized
from agentbbs.web.api.errors import ApiError, json_response
from agentbbs.web.api.limits import Limits
from agentbbs.web.api.operation import PREFIX, Answer, Call, Operation
from agentbbs.web.callers import Admit, Caller
from agentbbs.web.etags import etag_of, not_modified

_NAME: Final = re.compile(r"\{(\w+)\}")

_NO_NUMBER: Final = re.compile(r"[+-]?(?:null|nan|inf|infinity)", re.IGNORECASE)
"""What a lenient reader takes for a number, or for none, and nobody means."""

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def routes(operations: Iterable[Operation], admit: Admit, limits: Limits) -> list[web.RouteDef]:
    """A route for each operation, HEAD beside each GET, and OPTIONS at each path of the API."""
    methods: dict[str, set[str]] = {}
    found = []
    for one in operations:
        path = one.prefix + pattern(one)
        handler = _handler(one, admit, limits)
        for same in {path, path.removesuffix("/")}:
            found.append(web.get(same, handler) if one.reads else web.route(one.method, same, handler))
            if one.prefix == PREFIX:
                methods.setdefault(same, set()).update({"GET", "HEAD"} if one.reads else {one.method})
    return found + [web.options(path, _preflight(frozenset(taken))) for path, taken in methods.items()]


def pattern(operation: Operation) -> str:
    """Its path as aiohttp takes it."""

    def anchored(found: re.Match[str]) -> str:
        name = found[1]
        return f"{{{name}:{operation.anchors[name]}}}" if name in operation.anchors else found[0]

    return _NAME.sub(anchored, operation.path)


def names(operation: Operation) -> list[str]:
    """What stands in braces in its path."""
    return _NAME.findall(operation.path)


def _preflight(methods: frozenset[str]) -> _Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        return cors.preflight(request, methods)

    return handle


def _handler(operation: Operation, admit: Admit, limits: Limits) -> _Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        caller = await _caller(request, admit)
        limits.take(request, operation.limit, caller)
        if operation.wants_token and caller is None:
            raise unauthorized()
        query = _query(request, operation.query)
        sent = None if operation.body is None else await body(request, operation.body)
        answer = await operation.handler(Call(request, request.match_info, query, sent, caller))
        response = _response(operation, answer)
        if operation.reads and response.status == web.HTTPOk.status_code and isinstance(response, web.Response):
            return _tagged(request, response, _keeping(operation, caller))
        return response

    return handle


async def _caller(request: web.Request, admit: Admit) -> Caller | None:
    """Whose token was sent. A wrong one is refused wherever it is sent; what else may stand in that header, such as
    a password that the proxy before this venue wants, is not for the API. Raises ApiError."""
    scheme, _, _ = request.headers.get("Authorization", "").partition(" ")
    return await admitted(request, admit) if scheme.lower() == "bearer" else None


def _query(request: web.Request, kind: type[msgspec.Struct]) -> msgspec.Struct:
    """The query as its type. Raises ApiError."""
    known = {field.encode_name for field in msgspec.structs.fields(kind)}
    for name, value in request.query.items():
        if name not in known:
            listed = ", ".join(f"`{one}`" for one in sorted(known)) or "none"
            raise ApiError(
                "bad_request", f"the query has {name[:40]!a}, which is not taken here: {listed} may stand there"
            )
        if len(request.query.getall(name)) > 1:
            raise ApiError("bad_request", f"`{name[:40]}` stands twice in the query")
        if name not in _texts(kind) and _NO_NUMBER.fullmatch(value):
            raise ApiError("bad_request", f"not a query that is taken here: `{name}` can't be {value}")
    try:
        return msgspec.convert(dict(request.query), kind, strict=False)
    except msgspec.ValidationError as fault:
        why = f"not a query that is taken here: {str(fault)[:MAX_FAULT_CHARS]}"
        raise ApiError("bad_request", why) from fault


@cache
def _texts(kind: type[msgspec.Struct]) -> frozenset[str]:
    """The fields that may hold any text."""
    told = msgspec.inspect.type_info(kind)
    assert isinstance(told, msgspec.inspect.StructType)
    return frozenset(field.encode_name for field in told.fields if _is_text(field.type))


def _is_text(kind: msgspec.inspect.Type) -> bool:
    if isinstance(kind, msgspec.inspect.UnionType):
        return any(_is_text(one) for one in kind.types)
    if isinstance(kind, msgspec.inspect.Metadata):
        return _is_text(kind.type)
    return isinstance(kind, msgspec.inspect.StrType)


def _response(operation: Operation, answer: Answer) -> web.StreamResponse:
    if answer is None:
        return web.Response(status=204, headers={"Cache-Control": "no-store"})
    if isinstance(answer, web.StreamResponse):
        return answer
    return json_response(answer, status=operation.status)


def _keeping(operation: Operation, caller: Caller | None) -> str:
    """Who may keep an answer."""
    if caller is not None:
        return "no-store"
    return f"public, max-age={operation.keep_s}" if operation.keep_s else "no-cache"


def _tagged(request: web.Request, response: web.Response, keeping: str) -> web.Response:
    """`response` with its tag, or 304 where the reader has it."""
    content = response.body
    if not isinstance(content, bytes | bytearray):
        return response
    if "ETag" not in response.headers:
        response.headers["ETag"] = etag_of(bytes(content))
    response.headers["Cache-Control"] = keeping
    if not not_modified(request, response.headers["ETag"]):
        return response
    kept = {
        name: value
        for name, value in response.headers.items()
        if name.lower() not in {"content-type", "content-length"}
    }
    return web.Response(status=304, headers=kept)
