"""A Connect 4 agent for Agent Arena in one file, with nothing but Python: it thinks ahead, and it never strikes.

    python agent.py --port 8080            # for `agentbbs check-agent http://127.0.0.1:8080/`
    python agent.py --port 8443 --cert cert.pem --key key.pem

The search is negamax with alpha-beta pruning, deepened until the time is up. A board is two integers, one bit a cell:
bit `7 * column + row` with row 0 at the bottom, and a seventh, empty row on top, so that no line runs round the edge.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import ssl
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COLUMNS = "abcdefg"
ROWS = 6
CENTRE_FIRST = (3, 2, 4, 1, 5, 0, 6)
WIN = 1000
THINK_S = 2.0
SHARE_OF_DEADLINE = 0.4
NODES_A_LOOK = 2048


class OutOfTime(Exception):
    """The deadline passed in the middle of a search."""


def four(discs: int) -> bool:
    """Whether these cells hold four in a line."""
    for step in (1, 6, 7, 8):  # up, down to the right, right, up to the right
        pairs = discs & (discs >> step)
        if pairs & (pairs >> (2 * step)):
            return True
    return False


def value_of(mine: int, theirs: int) -> int:
    """How much better the centre is held by the player to move."""
    centre, beside = 0x3F << 21, 0x3F << 14 | 0x3F << 28
    return (
        2 * (mine & centre).bit_count()
        - 2 * (theirs & centre).bit_count()
        + (mine & beside).bit_count()
        - (theirs & beside).bit_count()
    )


class Search:
    """One search from one position, until `deadline` (monotonic seconds)."""

    def __init__(self, mine: int, theirs: int, deadline: float) -> None:
        self.mine, self.theirs, self.deadline = mine, theirs, deadline
        self.nodes = 0
        self.known: dict[tuple[int, int, int], int] = {}

    def best(self, legal: list[int]) -> int:
        """The column to play."""
        order = [column for column in CENTRE_FIRST if column in legal]
        best = order[0]
        empty = 42 - (self.mine | self.theirs).bit_count()
        try:
            for depth in range(1, empty + 1):
                values = self.root(order, depth)
                order.sort(key=lambda column: -values[column])  # stable: the centre first among equals
                best = order[0]
                if abs(values[best]) > WIN // 2:
                    break
        except OutOfTime:
            pass
        return best

    def root(self, order: list[int], depth: int) -> dict[int, int]:
        values, alpha = {}, -WIN
        for column in order:
            after = self.mine | drop(self.mine | self.theirs, column)
            values[column] = WIN - 1 if four(after) else -self.negamax(self.theirs, after, depth - 1, -WIN, -alpha)
            alpha = max(alpha, values[column])
        return values

    def negamax(self, mine: int, theirs: int, depth: int, alpha: int, beta: int) -> int:
        """The value for the player with the discs `mine`, who is to move and has not lost."""
        self.nodes += 1
        if self.nodes % NODES_A_LOOK == 0 and time.monotonic() > self.deadline:
            raise OutOfTime
        taken = mine | theirs
        moves = [drop(taken, column) for column in CENTRE_FIRST if not taken >> (7 * column + ROWS - 1) & 1]
        if not moves:
            return 0
        if any(four(mine | move) for move in moves):
            return WIN - taken.bit_count()
        threats = [move for move in moves if four(theirs | move)]
        if len(threats) > 1:
            return taken.bit_count() + 1 - WIN
        if depth <= 0 and not threats:
            return value_of(mine, theirs)
        return self.best_of(threats or moves, mine, theirs, depth, alpha, beta)

    def best_of(self, moves: list[int], mine: int, theirs: int, depth: int, alpha: int, beta: int) -> int:
        """The value of the best of these moves, or one of at least `beta`."""
        key = (mine, theirs, depth)
        if key in self.known:
            return self.known[key]
        best = -WIN
        for move in moves:
            best = max(best, -self.negamax(theirs, mine | move, depth - 1, -beta, -max(alpha, best)))
            if best >= beta:
                return best
        if best > alpha:  # exact: neither cut off nor below the window
            self.known[key] = best
        return best


def drop(taken: int, column: int) -> int:
    """The cell into which a disc falls, as one bit."""
    low = 1 << 7 * column
    return (taken + low) & ~taken & (0x3F << 7 * column)


def discs(board: str, mark: str) -> int:
    """The cells with that mark, from the fenced block that the referee sends."""
    rows = [line.strip() for line in board.splitlines()[1 : 1 + ROWS]]
    return sum(
        1 << (7 * column + ROWS - 1 - row)
        for row, line in enumerate(rows)
        for column, cell in enumerate(line)
        if cell == mark
    )


def choose(turn: dict) -> str:
    """One of `turn["legal"]`."""
    legal = turn["legal"]
    if turn["game"] != "connect4" or len(legal) == 1:
        return legal[len(legal) // 2]
    you = turn["you"]
    mine, theirs = discs(turn["board"], you), discs(turn["board"], "O" if you == "X" else "X")
    think_s = min(THINK_S, SHARE_OF_DEADLINE * turn["deadline_ms"] / 1000)
    search = Search(mine, theirs, time.monotonic() + think_s)
    return COLUMNS[search.best([COLUMNS.index(move) for move in legal])]


class Play(BaseHTTPRequestHandler):
    """Answers the referee."""

    protocol_version = "HTTP/1.1"  # keeps connections open

    def do_POST(self) -> None:
        try:
            turn = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answer = {"move": choose(turn), "nonce": turn["nonce"]}
            self.answer(200, answer)
        except (KeyError, TypeError, ValueError) as fault:
            self.answer(400, {"error": f"not a move request: {fault}"})

    def answer(self, status: int, value: dict) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Say nothing: the referee keeps the record."""


def main() -> None:
    options = argparse.ArgumentParser(description="A Connect 4 agent for Agent Arena.")
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=8080)
    options.add_argument("--cert", help="certificate chain (PEM); without one it serves plain HTTP")
    options.add_argument("--key", help="the certificate's key (PEM)")
    chosen = options.parse_args()
    server = ThreadingHTTPServer((chosen.host, chosen.port), Play)
    if chosen.cert:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(chosen.cert, chosen.key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(f"listening on port {server.server_address[1]}", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main()
