"""A venue that speaks by a script: an expected dialogue is the test.

A script is a list of steps for one connection. `ScriptedVenue` plays scripts over a real WebSocket on
loopback, one connection after another; the positions in them are made by the games' own rules. At its
end it fails if an agent said something else, or a script was not played to its end.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Self

import msgspec
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.server import Server, ServerConnection, serve

from agentbbs.games.catalog import find

PATIENCE_S = 10.0
"""How long a step waits for the agent before the test fails."""

Message = dict[str, Any]


class Says(msgspec.Struct, frozen=True):
    """The venue sends this message (a dict), or this very text."""

    message: Message | str


class Hears(msgspec.Struct, frozen=True):
    """The agent sends just this message, nulls left out."""

    message: Message


class Pings(msgspec.Struct, frozen=True):
    """The venue pings and waits for the pong."""


class Waits(msgspec.Struct, frozen=True):
    """The venue waits until the test sets this event."""

    event: Any


class Reaches(msgspec.Struct, frozen=True):
    """The venue sets this event, to tell the test how far it has come."""

    event: Any


class Closes(msgspec.Struct, frozen=True):
    """The venue closes with this code."""

    code: int = 1000


class Drops(msgspec.Struct, frozen=True):
    """The venue's machine vanishes: the TCP connection ends without a close frame."""


class Gone(msgspec.Struct, frozen=True):
    """The agent closes."""


Step = Says | Hears | Pings | Waits | Reaches | Closes | Drops | Gone


def join(game: str = "ttt", **more: Any) -> Hears:
    """The agent joins."""
    return Hears({"type": "join", "game": game, **more})


def queued(game: str = "ttt", waiting: int = 1) -> Says:
    """The venue queues it."""
    return Says({"type": "queued", "game": game, "waiting": waiting})


def hello(match: str = "m-1", *, player: int = 0, game: str = "ttt", opponent: str = "bob", **more: Any) -> Says:
    """The venue pairs it."""
    return Says(
        {
            "type": "hello",
            "player": player,
            "game": game,
            "opponent": opponent,
            "match": match,
            "moveTimeoutMs": 15000,
            **more,
        }
    )


def state(moves: str, *, player: int = 0, game: str = "ttt", over: bool = False, remaining_ms: int = 15000) -> Says:
    """The position after `moves` (divided by blanks) as `player` is shown it; `over` after a forfeit."""
    position = find(game).initial()
    for move in moves.split():
        position = position.play(move)
    seen = position.observation()
    if over:
        seen |= {"toMove": -1, "legal": []}
    return Says(
        {
            "type": "state",
            "observation": seen,
            "yourTurn": seen["toMove"] == player,
            "ply": position.ply,
            "lastMove": moves.rsplit(maxsplit=1)[-1] if moves else None,
            "remainingMs": 0 if seen["toMove"] == -1 else remaining_ms,
        }
    )


def move(move: str, ply: int) -> Hears:
    """The agent moves."""
    return Hears({"type": "move", "move": move, "ply": ply})


def result(match: str = "m-1", *, outcome: str = "win", player: int = 0, **more: Any) -> Says:
    """The result, as `player` is told it."""
    winner = {"win": player, "loss": 1 - player}.get(outcome, -1)
    rating = {"win": 1516, "loss": 1484}.get(outcome, 1500)
    return Says(
        {
            "type": "result",
            "winner": winner,
            "outcome": outcome,
            "rating": rating,
            "match": match,
            "reason": None,
            "termination": "normal",
            "rated": True,
            "ratingBefore": 1500,
            "opponentRating": 1500,
            **more,
        }
    )


def error(code: str, message: str = "so it is", **more: Any) -> Says:
    """The venue refuses something."""
    return Says({"type": "error", "code": code, "message": message, **more})


def played(
    moves: str, *, match: str = "m-1", player: int = 0, game: str = "ttt", outcome: str = "win", practice: bool = False
) -> list[Step]:
    """A whole match from the join to the result in which both play `moves`."""
    steps: list[Step] = [join(game, practice="random") if practice else join(game)]
    if not practice:
        steps.append(queued(game))
    steps.append(hello(match, player=player, game=game))
    done: list[str] = []
    for ply, token in enumerate(moves.split()):
        steps.append(state(" ".join(done), player=player, game=game))
        if ply % 2 == player:
            steps.append(move(token, ply))
        done.append(token)
    steps.append(state(moves, player=player, game=game))
    steps.append(result(match, outcome=outcome, player=player))
    return steps


def frame(step: Says) -> str:
    """What the venue sends, as text."""
    return step.message if isinstance(step.message, str) else json.dumps(step.message)


class ScriptedVenue:
    """Serves `scripts`, one a connection, on a free port of loopback. `refusals` are HTTP answers given
    first: (status, body, headers)."""

    def __init__(self, *scripts: Sequence[Step], refusals: Sequence[tuple[int, str, dict[str, str]]] = ()) -> None:
        self.requests: list[Request] = []
        self.faults: list[str] = []
        self._scripts = list(scripts)
        self._refusals = list(refusals)
        self._open = 0
        self._changed = threading.Condition()
        self._stopping = False
        self._unfinished = len(self._scripts)
        self._server: Server
        self._thread: threading.Thread

    @property
    def url(self) -> str:
        """Its address, with /play."""
        host, port = self._server.socket.getsockname()[:2]
        return f"ws://{host}:{port}/play"

    def refuse_from_now_on(self) -> None:
        """Answer every further connection with HTTP 503."""
        self._stopping = True

    def __enter__(self) -> Self:
        self._server = serve(self._serve, "127.0.0.1", 0, process_request=self._admit, ping_interval=None)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            with self._changed:
                self._changed.wait_for(lambda: self._open == 0 and not self._scripts, PATIENCE_S)
        self._server.shutdown()
        self._thread.join(PATIENCE_S)
        if kind is None:
            assert self.faults == []
            assert self._unfinished == 0, f"{self._unfinished} scripts were not played to their end"

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        self.requests.append(request)
        if self._stopping:
            return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "")
        if not self._refusals:
            return None
        status, body, headers = self._refusals.pop(0)
        response = connection.respond(HTTPStatus(status), body)
        response.headers.update(headers)
        return response

    def _serve(self, connection: ServerConnection) -> None:
        with self._changed:
            self._open += 1
            script = self._scripts.pop(0) if self._scripts else [Gone()]
        try:
            self._play(connection, script)
        finally:
            with self._changed:
                self._open -= 1
                self._changed.notify_all()

    def _play(self, connection: ServerConnection, script: Sequence[Step]) -> None:
        try:
            for number, step in enumerate(script):
                fault = _perform(connection, step)
                if fault is not None:
                    self.faults.append(f"step {number}, {step}: {fault}")
                    return
            self._unfinished -= 1
        except ConnectionClosed as closed:
            self.faults.append(f"the agent closed in the middle of its script: {closed}")


def _perform(connection: ServerConnection, step: Step) -> str | None:
    """Do one step. Returns what went wrong, if anything did."""
    match step:
        case Says():
            connection.send(frame(step))
        case Closes(code):
            connection.close(code)
        case Drops():
            connection.close_socket()
        case Hears(message):
            return _hear(connection, message)
        case Pings():
            return _fault(connection.ping().wait(PATIENCE_S), "no pong came")
        case Reaches(event):
            event.set()
        case Waits(event):
            return _fault(event.wait(PATIENCE_S), "the test did not go on")
        case _:
            return _see_gone(connection)
    return None


def _hear(connection: ServerConnection, message: Message) -> str | None:
    try:
        heard = json.loads(connection.recv(timeout=PATIENCE_S))
    except TimeoutError:
        return "the agent said nothing"
    heard = {key: value for key, value in heard.items() if value is not None}
    return None if heard == message else f"the agent said {heard}"


def _see_gone(connection: ServerConnection) -> str | None:
    try:
        heard = connection.recv(timeout=PATIENCE_S)
    except ConnectionClosed:
        return None
    except TimeoutError:
        return "the agent stays"
    return f"the agent said {heard!r}"


def _fault(well: bool, otherwise: str) -> str | None:
    return None if well else otherwise
