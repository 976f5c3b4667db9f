"""`/api`: the OpenAPI document as a page to read, every operation with a command to paste; `/api/types`: its types."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from aiohttp import web
from markupsafe import Markup

from agentbbs.web import headers
from agentbbs.web.api import openapi
from agentbbs.web.api.describing import DescribingApi
from agentbbs.web.api.errors import ERRORS
from agentbbs.web.api.limits import of_venue
from agentbbs.web.api.operation import Operation
from agentbbs.web.api.schema_words import Word, words
from agentbbs.web.etags import not_modified, page_etag, tagged, unchanged
from agentbbs.web.frame import render
from agentbbs.web.prose import inline
from agentbbs.web.venue_view import WebSettings


class FieldLine(msgspec.Struct, frozen=True):
    """A parameter, or a field of a type."""

    name: str
    words: list[Word]
    required: bool
    about: Markup
    default: str | None
    where: str = ""
    """`path` or `query`, of a parameter."""


class OperationCard(msgspec.Struct, frozen=True):
    """One operation as the page has it."""

    id: str
    method: str
    path: str
    summary: str
    about: Markup
    wants_token: bool
    parameters: list[FieldLine]
    body: list[FieldLine]
    status: int
    answer: list[Word] | None
    media_type: str
    codes: list[str]
    curl: str


class TypeCard(msgspec.Struct, frozen=True):
    """One type as the page has it."""

    name: str
    about: Markup
    fields: list[FieldLine]
    words: list[Word]
    """What it is, if it has no fields."""


class ApiPages:
    """The handlers. What they show is made once, when it is first asked for."""

    def __init__(self, settings: WebSettings, described: DescribingApi) -> None:
        self._settings = settings
        self._described = described

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api", self.show), web.get("/api/types", self.types)]

    async def show(self, request: web.Request) -> web.Response:
        """The operations, by what they are about."""
        etag = page_etag(request)
        if not_modified(request, etag):
            return unchanged(headers.PAGE, etag)
        return render(
            request,
            "api.html",
            headers=tagged(headers.PAGE, etag),
            tags=await asyncio.to_thread(lambda: self._tags),
            base=self._settings.public_url.rstrip("/"),
            limits=of_venue(self._settings),
            errors=[(code, one.status, inline(one.meaning), inline(one.remedy)) for code, one in ERRORS.items()],
        )

    async def types(self, request: web.Request) -> web.Response:
        """What is sent and answered."""
        etag = page_etag(request)
        if not_modified(request, etag):
            return unchanged(headers.PAGE, etag)
        types = await asyncio.to_thread(lambda: self._types)
        return render(request, "api_types.html", headers=tagged(headers.PAGE, etag), types=types)

    @cached_property
    def _tags(self) -> dict[str, list[OperationCard]]:
        found: dict[str, list[OperationCard]] = {}
        for one in self._described.all:
            found.setdefault(one.tag, []).append(self._card(one))
        return found

    @cached_property
    def _types(self) -> list[TypeCard]:
        return [
            TypeCard(name, inline(_line(schema.get("description", ""))), _fields(schema), words(schema))
            for name, schema in sorted(self._described.document["components"]["schemas"].items())
        ]

    def _card(self, operation: Operation) -> OperationCard:
        document = self._described.document
        told = document["paths"][operation.where][operation.method.lower()]
        content = told["responses"][str(operation.status)].get("content", {})
        body: list[FieldLine] = []
        if "requestBody" in told:
            ((_, sent),) = told["requestBody"]["content"].items()
            name = sent["schema"]["$ref"].rpartition("/")[2]
            body = _fields(document["components"]["schemas"][name])
        return OperationCard(
            id=told["operationId"],
            method=operation.method,
            path=operation.where,
            summary=operation.summary,
            about=inline(told["description"]),
            wants_token=operation.wants_token,
            parameters=[_parameter(one) for one in told["parameters"]],
            body=body,
            status=operation.status,
            answer=next((words(one["schema"]) for one in content.values()), None),
            media_type=operation.media_type,
            codes=openapi.codes(operation),
            curl=curl(operation, self._settings.public_url.rstrip("/")),
        )


def curl(operation: Operation, base: str) -> str:
    """A command that asks for the operation, with `TOKEN` where one is wanted."""
    path, query = operation.where, {}
    for name, value in operation.examples.items():
        if f"{{{name}}}" in path:
            path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
        else:
            query[name] = value
    path = path.replace("{", "").replace("}", "")
    parts = ["curl"]
    if operation.media_type == "text/event-stream":
        parts.append("-N")
    if operation.method != "GET":
        parts += ["-X", operation.method]
    if operation.wants_token:
        parts += ["-H", shlex.quote("Authorization: Bearer TOKEN")]
    if operation.body_example is not None:
        parts += ["-H", shlex.quote("Content-Type: application/json")]
        parts += ["-d", shlex.quote(json.dumps(operation.body_example, ensure_ascii=False))]
    return " ".join((*parts, shlex.quote(f"{base}{path}" + (f"?{urlencode(query)}" if query else ""))))


def _parameter(told: Mapping[str, Any]) -> FieldLine:
    return FieldLine(
        name=told["name"],
        words=words(told["schema"]),
        required=told["required"],
        about=inline(_line(told.get("description", ""))),
        default=_default(told["schema"]),
        where=told["in"],
    )


def _fields(schema: Mapping[str, Any]) -> list[FieldLine]:
    required: Iterable[str] = schema.get("required", ())
    return [
        FieldLine(
            name=name,
            words=words(told),
            required=name in required,
            about=inline(_line(told.get("description", ""))),
            default=_default(told),
        )
        for name, told in schema.get("properties", {}).items()
    ]


def _default(schema: Mapping[str, Any]) -> str | None:
    value = schema.get("default")
    return None if value is None else json.dumps(value)


def _line(text: str) -> str:
    return " ".join(text.split())
