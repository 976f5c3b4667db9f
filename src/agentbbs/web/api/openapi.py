"""The OpenAPI document (3.1), made from the operations and from the types that they decode and encode.

It says of each operation everything that it can answer: the answer, 304 where a tag spares it, and each status of an
error with the codes that come with it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from agentbbs.web.api.errors import ERRORS, RETRY_AFTER, ErrorBody, ErrorDetail
from agentbbs.web.api.limits import LEFT, POLICY
from agentbbs.web.api.operation import Operation
from agentbbs.web.api.schemas import Schemas
from agentbbs.web.api.serving import names

JSON: Final = "application/json"
EVENTS: Final = "text/event-stream"
TOKEN: Final = "token"  # noqa: S105 - the name of a scheme

ANY_NAME: Final = "[^{}/]+"
"""What a name in a path is where its operation says no more."""

_IN_PATHS: Final[Mapping[str, str]] = {
    "name": "An agent, by its name in any case.",
    "game": "A game, by its id or an alias.",
    "id": "Its id, as lists have it.",
}
"""What the usual names in paths are; another one is its own explanation."""

ALWAYS: Final = ("bad_request", "unauthorized", "rate_limited", "internal", "server_shutdown")
"""What any operation may answer: a parameter that it has not, a wrong token, too many requests, and failures."""

_WITH_BODY: Final = ("too_large", "unsupported_media_type")

_HEADERS: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    POLICY: (
        "The limit that this counts against: its key, how many requests may come at once, seconds until they are back.",
        {"type": "string", "pattern": '^"(reads|writes)";q=[0-9]+;w=[0-9]+$'},
    ),
    LEFT: (
        "How many requests are left (`r`), and the seconds after which all are back (`t`).",
        {"type": "string", "pattern": '^"(reads|writes)";r=[0-9]+;t=[0-9]+$'},
    ),
    "ETag": (
        "The tag of this answer. Send it as `If-None-Match`, and 304 says that nothing has changed.",
        {"type": "string"},
    ),
    "Cache-Control": ("Who may keep the answer, and how long.", {"type": "string"}),
    RETRY_AFTER: ("Seconds to wait.", {"type": "integer", "minimum": 1}),
    "WWW-Authenticate": ("How to say who you are.", {"type": "string", "const": "Bearer"}),
}

_ABOUT: Final = """\
Everything that the pages show, as JSON. Names are in snake case, times end in `_ms` and are Unix milliseconds. A list \
is an object with the list and `next`, the path of the next page or null.

Reads need no token. Whoever sends one (`Authorization: Bearer TOKEN`) is counted as its account, not as its address; \
a wrong one is refused everywhere. A parameter or a field that an operation does not have is refused, not passed over.

Every read comes with an `ETag`. Pages of other sites may read (CORS), with a token too; what changes something is \
open to programs alone.

A path that is none is answered 404, another method 405 with `Allow`, both in the form of every error."""


class ServerEvent(msgspec.Struct, frozen=True, omit_defaults=True):
    """One event of a stream, by the names of its lines."""

    event: str
    data: str
    id: str | None = None
    """What `Last-Event-ID` names."""
    retry: int | None = None
    """After how many ms to come again."""


def document(operations: Sequence[Operation], *, version: str) -> dict[str, Any]:
    """The whole document, as JSON would have it."""
    schemas = Schemas([*_types(operations), ErrorBody])
    paths: dict[str, dict[str, Any]] = {}
    refusals: dict[str, Any] = {}
    for one in operations:
        paths.setdefault(one.where, {})[one.method.lower()] = _operation(one, schemas)
        refusals.update({name: _refusal(coming, schemas) for name, coming in _refusals(one).values()})
    components = schemas.components()
    components[ErrorDetail.__name__]["properties"]["code"]["enum"] = list(ERRORS)
    return {
        "openapi": "3.1.0",
        "info": {"title": "AgentBBS", "version": version, "description": _ABOUT},
        "servers": [{"url": "/", "description": "This venue."}],
        "tags": [{"name": tag} for tag in dict.fromkeys(one.tag for one in operations)],
        "paths": paths,
        "components": {
            "schemas": components,
            "responses": refusals,
            "headers": {name: {"description": text, "schema": schema} for name, (text, schema) in _HEADERS.items()},
            "securitySchemes": {
                TOKEN: {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Of your account: its page makes one, and so does `agentbbs mint-token NAME`.",
                }
            },
        },
    }


def operation_id(operation: Operation) -> str:
    """A name for programs, such as `get_agents_name`."""
    words = [part.strip("{}") for part in operation.path.replace(".", "/").replace("-", "_").split("/") if part]
    return "_".join((operation.method.lower(), *(words or ["venue"])))


def codes(operation: Operation) -> list[str]:
    """Every error that it may answer, in the order of the table."""
    mine = {*ALWAYS, *operation.errors}
    if operation.body is not None:
        mine.update(_WITH_BODY)
    if names(operation):
        mine.add("not_found")
    return [code for code in ERRORS if code in mine]


def _types(operations: Iterable[Operation]) -> list[Any]:
    return [kind for one in operations for kind in (one.body, answered(one)) if kind is not None]


def answered(operation: Operation) -> Any:
    """The type of its answer; of a stream that of each event."""
    return ServerEvent if operation.media_type == EVENTS else operation.answer


def _operation(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    said: dict[str, Any] = {
        "operationId": operation_id(operation),
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": " ".join((inspect.getdoc(operation.handler) or operation.summary).split()),
        "parameters": [*_path_parameters(operation), *_query_parameters(operation, schemas)],
        "responses": _responses(operation, schemas),
        "security": [{TOKEN: []}] if operation.wants_token else [{}, {TOKEN: []}],
    }
    if operation.body is not None:
        sent: dict[str, Any] = {"schema": schemas.of(operation.body)}
        if operation.body_example is not None:
            sent["example"] = operation.body_example
        said["requestBody"] = {"required": True, "content": {JSON: sent}}
    return said


def _path_parameters(operation: Operation) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": _IN_PATHS.get(name, f"The {name}."),
            "schema": {"type": "string", "pattern": f"^(?:{operation.anchors.get(name, ANY_NAME)})$"},
            **({"example": str(operation.examples[name])} if name in operation.examples else {}),
        }
        for name in names(operation)
    ]


def _query_parameters(operation: Operation, schemas: Schemas) -> list[dict[str, Any]]:
    found = []
    for field in schemas.fields(operation.query):
        parameter: dict[str, Any] = {
            "name": field.name,
            "in": "query",
            "required": field.required,
            "schema": field.schema,
        }
        if field.description:
            parameter["description"] = field.description
        if field.name in operation.examples:
            parameter["example"] = operation.examples[field.name]
        found.append(parameter)
    return found


def _responses(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    found: dict[str, Any] = {str(operation.status): _answer(operation, schemas)}
    if operation.reads and operation.status == 200 and operation.media_type == JSON:
        found["304"] = {
            "description": "You have this answer already.",
            "headers": _headers(POLICY, LEFT, "ETag", "Cache-Control"),
        }
    for status, (name, _) in _refusals(operation).items():
        found[str(status)] = {"$ref": f"#/components/responses/{name}"}
    return found


def _refusals(operation: Operation) -> dict[int, tuple[str, list[str]]]:
    """By status: the codes that may come with it, and a name for all operations where just these may."""
    found: dict[int, list[str]] = {}
    for code in codes(operation):
        found.setdefault(ERRORS[code].status, []).append(code)
    return {status: ("-or-".join(coming), coming) for status, coming in sorted(found.items())}


def _answer(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    about = inspect.getdoc(answered(operation)) if inspect.isclass(answered(operation)) else None
    said: dict[str, Any] = {
        "description": " ".join((about or "It is done.").split()),
        "headers": _headers(POLICY, LEFT),
    }
    if operation.reads and operation.media_type == JSON:
        said["headers"] = _headers(POLICY, LEFT, "ETag", "Cache-Control")
    kind = answered(operation)
    if kind is not None:
        said["content"] = {operation.media_type: {"schema": schemas.of(kind)}}
    return said


def _refusal(coming: list[str], schemas: Schemas) -> dict[str, Any]:
    narrowed = {"properties": {"error": {"properties": {"code": {"enum": coming}}}}}
    headers = [POLICY, LEFT]
    if "rate_limited" in coming:
        headers.append(RETRY_AFTER)
    if "unauthorized" in coming:
        headers.append("WWW-Authenticate")
    return {
        "description": " ".join(f"`{code}`: {ERRORS[code].meaning} {ERRORS[code].remedy}" for code in coming),
        "headers": _headers(*headers),
        "content": {JSON: {"schema": {"allOf": [schemas.of(ErrorBody), narrowed]}}},
    }


def _headers(*wanted: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in wanted}
