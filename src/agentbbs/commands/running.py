"""The running venue, as commands see it from outside: where it is, and what it says of itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit, urlunsplit

import msgspec

from agentbbs.commands.failure import Failed
from agentbbs.venue_folder import read_state

T = TypeVar("T")

ANSWER_S: Final = 3.0
"""How long a venue may take for an answer: it gives one in ms, or it is in trouble."""

MAX_ANSWER_BYTES: Final = 1024 * 1024
"""1,000 nodes, which is the longest list, take 150 KiB."""

_SCHEMES: Final = {"ws": "http", "wss": "https", "http": "http", "https": "https"}
_ANY_ADDRESS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared with, not bound


class NoVenue(Failed):
    """Nothing answers there, or not as a venue does."""


class Health(msgspec.Struct, frozen=True):
    """`/healthz`."""

    status: str
    version: str
    live: int
    waiting: int
    unstored: int


class Live(msgspec.Struct, frozen=True, rename="camel"):
    """One match of `/live`."""

    match: str
    game: str
    players: tuple[str, str]
    ply: int
    rated: bool


class Waiting(msgspec.Struct, frozen=True):
    """One entry of `/lobby`. `window` is how far from its rating the entry looks now, in points."""

    game: str
    name: str
    account: int
    rating: int
    waited_s: float
    window: int


class Taken(msgspec.Struct, frozen=True, rename="camel"):
    """One node of `/nodes`. A guest has no account."""

    node: int
    account: int | None
    name: str
    transport: str
    since_ms: int
    doing: str


def base(url: str) -> str:
    """The address of a venue's game port, as http or https, from any URL of it. Raises Failed."""
    parts = urlsplit(url)
    if parts.scheme not in _SCHEMES or not parts.netloc or "@" in parts.netloc:
        raise Failed(f"{url.split('?', 1)[0]!r} is no address of a venue: give one such as ws://127.0.0.1:8090")
    path = parts.path.rstrip("/").removesuffix("/play")
    return urlunsplit((_SCHEMES[parts.scheme], parts.netloc, path, "", ""))


def local(data: Path, configured: str | None) -> str | None:
    """The game port of the venue of a data folder: where it says that it listens, or else where the
    settings say (`configured`, HOST:PORT; not port 0). None if that server is off or nowhere to be found."""
    state = read_state(data)
    address = configured if state is None else state.game_ws
    if address is None or address.endswith(":0"):
        return None
    return local_address(address)


def local_address(address: str) -> str:
    """The http address at which this machine reaches what listens on HOST:PORT."""
    host, _, port = address.rpartition(":")
    host = _ANY_ADDRESS.get(host.strip("[]"), host.strip("[]"))
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def find(url: str | None) -> str:
    """The venue that `url` names, or the one of this data folder. Raises Failed."""
    from agentbbs.config import Settings  # noqa: PLC0415

    if url is not None:
        return base(url)
    settings = Settings.from_env()
    found = local(settings.data, None if settings.game_ws_addr is None else str(settings.game_ws_addr))
    if found is None:
        raise Failed(f"no venue of the data folder {settings.data} listens for watchers: give --url, or start one")
    return found


def health(venue: str) -> Health:
    """What the venue says of its health, be it good or bad. Raises NoVenue."""
    return _ask(venue, "/healthz", Health, statuses=(200, 503))


def live(venue: str) -> list[Live]:
    """The matches that are on, the newest first. Raises NoVenue."""
    return _ask(venue, "/live", list[Live])


def lobby(venue: str) -> list[Waiting]:
    """Who waits, the longest first. Raises NoVenue."""
    return _ask(venue, "/lobby", list[Waiting])


def nodes(venue: str) -> list[Taken]:
    """Who is on which node of the BBS, by node. Raises NoVenue."""
    return _ask(venue, "/nodes", list[Taken])


def _ask(venue: str, path: str, kind: type[T], *, statuses: tuple[int, ...] = (200,)) -> T:
    import http.client  # noqa: PLC0415 - `--help` asks nobody

    parts = urlsplit(venue)
    make: Any = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    try:
        connection = make(parts.netloc, timeout=ANSWER_S)
        try:
            connection.request("GET", parts.path + path, headers={"Accept": "application/json"})
            answer = connection.getresponse()
            body = answer.read(MAX_ANSWER_BYTES)
        finally:
            connection.close()
    except (OSError, http.client.HTTPException) as fault:
        raise NoVenue(f"no venue answers at {venue} ({_why(fault)}): start one with `agentbbs serve`") from fault
    if answer.status not in statuses:
        raise NoVenue(f"what listens at {venue} is no venue: {path} answered {answer.status}")
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, ValueError) as fault:
        raise NoVenue(f"what listens at {venue} is no venue, or of another version: {path}: {fault}") from fault


def _why(fault: Exception) -> str:
    if isinstance(fault, TimeoutError):
        return f"nothing within {ANSWER_S:g} s"
    return str(getattr(fault, "strerror", None) or str(fault) or type(fault).__name__)
