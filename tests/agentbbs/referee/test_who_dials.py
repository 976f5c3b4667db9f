"""Case 157: a guard at one place of four guards nothing. Only the places of this list dial or hold an HTTP client."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import agentbbs

SOURCE: Final = Path(agentbbs.__file__).parent

REFEREE: Final = {"referee/outbound.py", "referee/connector.py", "referee/failures.py", "referee/resolving.py"}
"""The one that calls what strangers chose, and its parts."""

PLAYER: Final = "client/"
"""The client calls the venue that its user names."""

COMMANDS: Final = {
    "commands/running.py": "asks the operator's own venue how it is",
    "commands/ssh_carrier.py": "plays at the venue that the user names",
    "commands/watch.py": "watches at the venue that the user names",
}
"""Programs of the command line; none of them runs in a venue."""

CLIENTS: Final = frozenset(
    [
        "aiohttp",
        "anthropic",
        "ftplib",
        "http.client",
        "httpcore",
        "httpx",
        "imaplib",
        "nntplib",
        "openai",
        "paramiko",
        "poplib",
        "requests",
        "smtplib",
        "telnetlib",
        "urllib.request",
        "urllib3",
        "websocket",
        "websockets",
        "xmlrpc.client",
        "yarl",
    ]
)
"""Libraries that dial."""

SERVING: Final = {
    "aiohttp": {"web", "hdrs", "multipart", "HttpVersion11", "WSMsgType", "WSCloseCode", "WSMessage"},
    "aiohttp.typedefs": {"Handler", "Middleware"},
    "aiohttp.web": None,
}
"""What of them only serves; None: all of it."""

DIALLING: Final = frozenset(
    [
        "create_connection",
        "create_datagram_endpoint",
        "create_unix_connection",
        "connect_ex",
        "getaddrinfo",
        "open_connection",
        "open_unix_connection",
        "sendto",
        "sock_connect",
        "sock_sendto",
        "ClientSession",
        "TCPConnector",
    ]
)
"""Functions that dial or look a name up, by whatever they are called on."""

HARMLESS: Final = {
    "commands/start_checks.py": {"getaddrinfo"},  # finds out where a server of the venue would listen
    "referee/faults/handshakes.py": {"connect"},  # fills the queue of a port that it made itself
}
"""One call each, in modules that are held to the rest."""


def faults(source: str) -> Iterator[str]:
    """What in a module dials or could."""
    tree = ast.parse(source)
    modules = {name.partition(".")[0] for node in ast.walk(tree) for name in _imported(node)}
    for node in ast.walk(tree):
        yield from (name for name in _imported(node) if _is_client(name) and not _serves(node, name))
        if isinstance(node, ast.Attribute) and node.attr in DIALLING:
            yield node.attr
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names if alias.name in DIALLING)
        if isinstance(node, ast.Call):
            yield from _calls(node, modules)


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names if f"{node.module}.{alias.name}" in CLIENTS)


def _is_client(name: str) -> bool:
    return any(name == client or name.startswith(f"{client}.") for client in CLIENTS)


def _serves(node: ast.AST, name: str) -> bool:
    if not isinstance(node, ast.ImportFrom) or name not in SERVING:
        return False
    allowed = SERVING[name]
    return allowed is None or all(alias.name in allowed for alias in node.names)


def _calls(node: ast.Call, modules: set[str]) -> Iterator[str]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in {"import_module", "__import__"}:
        yield from (str(at.value) for at in node.args if isinstance(at, ast.Constant) and _is_client(str(at.value)))
    if name == "connect" and isinstance(node.func, ast.Attribute):
        on = node.func.value
        asyncssh = isinstance(on, ast.Name) and on.id == "asyncssh"
        if asyncssh or (node.args and "socket" in modules):  # a database is connected to without an address
            yield "connect"


def _modules() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8")


def test_only_the_listed_places_dial() -> None:
    found = {
        name: sorted(set(faults(source)) - HARMLESS.get(name, set()))
        for name, source in _modules()
        if name not in REFEREE and name not in COMMANDS and not name.startswith(PLAYER)
    }

    assert {name: what for name, what in found.items() if what} == {}


def test_the_list_holds_nobody_who_need_not_be_on_it() -> None:
    modules = dict(_modules())

    for name in {*REFEREE, *COMMANDS, *HARMLESS}:
        assert set(faults(modules[name])), f"{name} dials no more: take it off the list"


def test_nobody_but_the_referees_own_part_makes_connections() -> None:
    """`referee/outbound.py` is the only caller of `connector.py`, so that no second way out has other rules."""
    users = {name for name, source in _modules() if "agentbbs.referee.connector" in source}

    assert users == {"referee/outbound.py"}


@pytest.mark.parametrize(
    "source",
    [
        "import aiohttp",
        "import aiohttp.client",
        "from aiohttp import ClientSession",
        "from aiohttp import web, ClientSession",
        "from aiohttp.client import ClientSession",
        "def later():\n    import httpx",
        "import urllib.request",
        "from urllib import request",
        "from urllib.request import urlopen",
        "from http import client",
        "import http.client as quiet",
        "import importlib\nimportlib.import_module('requests')",
        "__import__('aiohttp')",
        "import asyncio\nasyncio.open_connection('x', 1)",
        "from asyncio import open_connection",
        "async def f(loop):\n    await loop.create_connection(object, 'x', 1)",
        "dial = loop.sock_connect",
        "import socket\nsocket.create_connection(('x', 1))",
        "import socket\nsocket.socket().connect(('x', 1))",
        "import socket\nsocket.socket().connect_ex(('x', 1))",
        "import socket\nsocket.getaddrinfo('x', 1)",
        "import asyncssh\nasyncssh.connect('x')",
        "from websockets.asyncio.client import connect",
    ],
)
def test_what_dials_is_found(source: str) -> None:
    assert list(faults(source))


@pytest.mark.parametrize(
    "source",
    [
        "from aiohttp import web",
        "from aiohttp import WSMsgType, web",
        "import asyncio\nasyncio.start_server(print, 'x', 1)",
        "from http import HTTPStatus",
        "from urllib.parse import urlsplit",
        "import sqlite3\nsqlite3.connect('x')",
        "import socket\nwith database.connect() as conn: pass",
        "import asyncssh\nasyncssh.listen('x')",
    ],
)
def test_what_serves_is_not(source: str) -> None:
    assert not list(faults(source))
