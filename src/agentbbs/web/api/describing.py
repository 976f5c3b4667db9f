"""`/openapi.json`: the API describes itself, this operation included."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final

import msgspec
from aiohttp import web

from agentbbs import __version__
from agentbbs.web.api.openapi import JSON, document
from agentbbs.web.api.operation import Call, Operation

KEEP_S: Final = 300
"""It changes with the program; a client that is made from it asks once."""


class Description(msgspec.Struct, frozen=True):
    """An OpenAPI document, version 3.1."""

    openapi: str
    info: dict[str, Any]
    paths: dict[str, Any]
    components: dict[str, Any]


class DescribingApi:
    """The document of `operations`, made when it is first asked for."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        own = Operation(
            method="GET",
            path="/openapi.json",
            summary="Get this document",
            handler=self._show,
            answer=Description,
            keep_s=KEEP_S,
            tag="venue",
        )
        self.all = (*operations, own)
        """What is served: the operations, and the one that describes them."""

    @cached_property
    def document(self) -> dict[str, Any]:
        """As JSON would have it. Making it takes some 100 ms the first time: ask for it in a thread."""
        return document(self.all, version=__version__)

    @cached_property
    def _encoded(self) -> bytes:
        return msgspec.json.encode(self.document)

    async def _show(self, _: Call) -> web.Response:
        """OpenAPI 3.1, made from the types that the operations decode and encode. It refers to nothing elsewhere."""
        content = await asyncio.to_thread(lambda: self._encoded)
        return web.Response(body=content, content_type=JSON, headers={"X-Content-Type-Options": "nosniff"})
