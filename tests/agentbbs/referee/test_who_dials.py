"""Who dials out: endpoints are called from one place, where addresses are looked at, and never around it (case 157)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import agentbbs

SOURCE: Final = Path(agentbbs.__file__).parent

MODULES: Final = frozenset({"urllib.request", "http.client", "requests", "httpx", "urllib3", "asyncssh.connect"})
"""Modules that are HTTP clients."""

CALLS: Final = frozenset(
    {
        "ClientSession",
        "TCPConnector",
        "open_connection",
        "create_connection",
        "open_unix_connection",
        "create_datagram_endpoint",
        "sock_connect",
        "urlopen",
        "HTTPConnection",
        "HTTPSConnection",
        "aiohttp.request",
        "asyncssh.connect",
        "websockets.connect",
        "socket.connect",
    }
)
"""Names that dial, or make what dials; with a dot, only behind that name."""

ALLOWED: Final = {
    "referee/outbound.py": "calls endpoints",
    "referee/connector.py": "its connections, each address of which it looks at",
    "client/connection.py": "an agent that calls a venue, on an agent's machine",
    "commands/running.py": "asks the venue of this data folder, or one that its user names",
    "commands/watch.py": "watches a venue that its user names",
    "commands/ssh_carrier.py": "calls a venue by SSH for its user",
}
"""Everything else that dials is for whoever typed the address himself, with the rights that he has anyway."""


def dialling(tree: ast.AST) -> Iterator[str]:
    """What in a module could dial."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            found = [node.module or "", *(f"{node.module}.{name.name}" for name in node.names)]
            yield from (name for name in found if name in MODULES or name in CALLS)
            yield from (name.name for name in node.names if name.name in CALLS)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
            before = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
            if node.attr in CALLS or f"{before}.{node.attr}" in CALLS | MODULES:
                yield f"{before}.{node.attr}"


def test_only_these_modules_dial() -> None:
    found = {
        str(path.relative_to(SOURCE)): what
        for path in sorted(SOURCE.rglob("*.py"))
        if (what := sorted(set(dialling(_uncommented(path)))))
    }
    assert {path: what for path, what in found.items() if path not in ALLOWED} == {}
    assert sorted(found) == sorted(ALLOWED), "a module that no longer dials is no longer allowed to"


def _uncommented(path: Path) -> ast.AST:
    """The module, without what it imports for type checkers alone."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    return tree


@pytest.mark.parametrize(
    "text",
    [
        "import urllib.request",
        "from urllib import request",
        "from urllib.request import urlopen",
        "import http.client as plain",
        "def late():\n    import httpx",
        "from aiohttp import ClientSession as Mine",
        "import aiohttp\naiohttp.ClientSession()",
        "import asyncio\nasyncio.open_connection('a', 1)",
        "from asyncio import open_connection",
        "loop.create_connection(f)",
        "loop.sock_connect(s, a)",
        "self._loop.create_connection(f)",
        "import socket\nsocket.create_connection(('a', 1))",
        "import socket\nsocket.socket.connect(one, where)",
        "self.socket.connect(where)",
        "import asyncssh\nasyncssh.connect('a')",
    ],
)
def test_it_would_be_found(text: str) -> None:
    assert list(dialling(ast.parse(text)))


@pytest.mark.parametrize(
    "text", ["database.connect()", "import sqlite3\nsqlite3.connect(':memory:')", "self.requests", "import socket"]
)
def test_what_does_not_dial(text: str) -> None:
    assert not list(dialling(ast.parse(text)))
