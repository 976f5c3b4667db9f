"""The yardstick: a server that says what a venue says, and does nothing else.

`python -m bench.bare FOLDER` pairs whoever comes, plays tic-tac-toe without looking, and stores, checks, rates and
times nothing. It stands on the same libraries (aiohttp, uvloop, msgspec) and writes its frames in the same way,
so what it reaches is what this machine has for any venue on them. Not for anything but `bench/ratio.py`.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from pathlib import Path
from typing import Any, Final

import msgspec
import uvloop
from aiohttp import web

from agentbbs.servers.websocket import text_frame

LINES: Final = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
TIME_MS: Final = 15_000

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode
_ids: Final = itertools.count()


class Caller:
    """One connection."""

    def __init__(self, transport: asyncio.Transport, token: str) -> None:
        self.transport = transport
        self.token = token
        self.seat = 0
        self.game: Game | None = None

    def say(self, message: dict[str, Any]) -> None:
        self.transport.write(text_frame(_encode(message)))


class Game:
    """One match."""

    def __init__(self, players: tuple[Caller, Caller]) -> None:
        self.id = f"bare-{next(_ids)}"
        self.players = players
        self.board = ["."] * 9
        self.ply = 0
        for seat, player in enumerate(players):
            player.game, player.seat = self, seat
            named = {"player": seat, "game": "ttt", "opponent": "x", "match": self.id, "moveTimeoutMs": TIME_MS}
            player.say({"type": "hello", **named})
        self.show(None)

    def move(self, player: Caller, move: str) -> None:
        self.board[int(move)] = "XO"[player.seat]
        self.ply += 1
        self.show(move)

    def show(self, last: str | None) -> None:
        board = self.board
        won = any(board[a] != "." and board[a] == board[b] == board[c] for a, b, c in LINES)
        over = won or self.ply == 9
        seen = {
            "board": board,
            "toMove": -1 if over else self.ply % 2,
            "legal": [] if over else [str(cell) for cell in range(9) if board[cell] == "."],
        }
        for seat, player in enumerate(self.players):
            mine = not over and seat == self.ply % 2
            rest = {"yourTurn": mine, "ply": self.ply, "lastMove": last, "remainingMs": TIME_MS}
            player.say({"type": "state", "observation": seen, **rest})
        if over:
            for player in self.players:
                player.game = None
                rating = {"rating": 1500, "match": self.id, "reason": None, "termination": "normal", "rated": True}
                player.say({"type": "result", "winner": 0, "outcome": "win", **rating, "ratingBefore": 1500})


class Hall:
    """Who waits."""

    def __init__(self) -> None:
        self.waiting: list[Caller] = []

    def join(self, caller: Caller) -> None:
        caller.say({"type": "queued", "game": "ttt", "waiting": len(self.waiting) + 1})
        if self.waiting:
            Game((self.waiting.pop(), caller))
        else:
            self.waiting.append(caller)

    async def play(self, request: web.Request) -> web.StreamResponse:
        ws: web.WebSocketResponse[bool] = web.WebSocketResponse(compress=False)
        await ws.prepare(request)
        assert request.transport is not None
        caller = Caller(request.transport, request.headers["Authorization"])
        if "game" in request.query:
            self.join(caller)
        async for message in ws:
            said = _decode(message.data)
            if said["type"] == "join":
                self.join(caller)
            elif caller.game is not None:
                caller.game.move(caller, said["move"])
        if caller in self.waiting:
            self.waiting.remove(caller)
        return ws


async def serve(folder: Path) -> None:
    """Until somebody ends the process."""
    app = web.Application()
    app.router.add_get("/play", Hall().play)
    app.router.add_get("/healthz", _healthy)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=4096).start()
    host, port = runner.addresses[0][:2]
    (folder / "venue.json").write_bytes(msgspec.json.encode({"pid": os.getpid(), "game_ws": f"{host}:{port}"}))
    await asyncio.Event().wait()


async def _healthy(_: web.Request) -> web.Response:
    return web.Response(text="ok")


if __name__ == "__main__":
    uvloop.run(serve(Path(sys.argv[1])))
