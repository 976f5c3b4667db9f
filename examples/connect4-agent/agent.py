"""A Connect 4 agent for Agent Arena in one file, with nothing but Python: it thinks ahead, and it never strikes.

    python agent.py --port 8080            # for `agentbbs check-agent http://127.0.0.1:8080/`
    python agent.py --port 8443 --cert cert.pem --key key.pem

A set of cells is an integer, one bit a cell: bit `7 * column + row`, row 0 at the bottom. The seventh row of each
column stays empty, so that no line runs from the top of one column into the next. The search is negamax with alpha-beta
pruning and a transposition table, one ply deeper each time until the time is up. Moves that lose at once are never
looked at. What it values where it stops are the cells that would complete a four: those in odd rows are worth more to
the player who moved first, who gets them when all else is filled, those in even rows to the other.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import ssl
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COLUMNS = "abcdefg"
ROWS = 6
CELLS = 42
HEIGHT = ROWS + 1
CENTRE_FIRST = (3, 2, 4, 1, 5, 0, 6)

BOTTOM = sum(1 << HEIGHT * column for column in range(7))
BOARD = BOTTOM * ((1 << ROWS) - 1)
SPARE_ROW = BOTTOM << ROWS
ODD_ROWS = BOTTOM * 0b010101
EVEN_ROWS = BOTTOM * 0b101010
COLUMN = [((1 << ROWS) - 1) << HEIGHT * column for column in range(7)]
MIDDLE, INNER = COLUMN[3], COLUMN[2] | COLUMN[4]

WIN = 1000  # less the discs on the board: the quickest win is worth most
DECIDED = WIN // 2
ENDING = 64  # a cell that the other side has to give away in the end
AT_LEAST, EXACT, AT_MOST = 1, 0, -1  # what a stored value says of the true one

MAX_BODY_BYTES = 64 * 1024  # of a request; a position takes less than 1 KiB
MAX_STORED = 400_000  # positions, about 100 MB
MAX_ANSWERS = 1000  # kept to answer a repeated question in the same way
NODES_A_LOOK = 256  # at the clock
THINK_S = 2.0
SHARE_OF_DEADLINE = 0.4  # the rest is for the way, and for a machine that does other things too


class OutOfTime(Exception):
    """The deadline passed in the middle of a search."""


def playable(taken: int) -> int:
    """The cells into which a disc can fall."""
    return (taken + BOTTOM) & BOARD


def winning(discs: int, taken: int) -> int:
    """The empty cells that would complete a four of `discs`, whether or not a disc can fall there yet."""
    cells = discs << 1 & discs << 2 & discs << 3
    for step in (HEIGHT - 1, HEIGHT, HEIGHT + 1):
        low, high = discs << step, discs >> step
        cells |= low & discs << 2 * step & (discs << 3 * step | high)
        cells |= high & discs >> 2 * step & (discs >> 3 * step | low)
    return cells & BOARD & ~taken


def not_losing(free: int, threats: int) -> int:
    """Those of the `free` cells after which the other side can't take one of its `threats`; 0 if there is none."""
    forced = free & threats
    if forced & (forced - 1):
        return 0  # two at once
    return (forced or free) & ~(threats >> 1)


class Search:
    """One search from one position, until `deadline` on `clock`."""

    def __init__(self, mine: int, theirs: int, deadline: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.mine, self.theirs, self.deadline, self.clock = mine, theirs, deadline, clock
        self.nodes = 0
        self.stored: dict[tuple[int, int], tuple[int, int, int, int]] = {}  # -> depth, value, what it says, cell

    def best(self) -> int:
        """The column to play."""
        taken = self.mine | self.theirs
        free = playable(taken)
        wins = free & winning(self.mine, taken)
        threats = winning(self.theirs, taken)
        safe = not_losing(free, threats)
        cells = in_order(wins or safe or free & threats or free, 0)
        if not wins and safe and len(cells) > 1:
            with contextlib.suppress(OutOfTime):
                self.deepen(cells, CELLS - taken.bit_count())
        return (cells[0].bit_length() - 1) // HEIGHT

    def deepen(self, cells: list[int], empty: int) -> None:
        """Keep the best cell in front, whenever the time is up."""
        for depth in range(1, empty + 1):
            alpha = -WIN
            for cell in list(cells):
                value = -self.negamax(self.theirs, self.mine | cell, depth - 1, -WIN, -alpha)
                if value > alpha:
                    alpha = value
                    cells.remove(cell)
                    cells.insert(0, cell)
            if abs(alpha) > DECIDED:
                break

    def negamax(self, mine: int, theirs: int, depth: int, alpha: int, beta: int) -> int:
        """What the position is worth to the player with the discs `mine`, who is to move and can't win at once; outside
        of `alpha` to `beta` a bound of that."""
        self.nodes += 1
        if self.nodes % NODES_A_LOOK == 0 and self.clock() > self.deadline:
            raise OutOfTime
        taken = mine | theirs
        discs = taken.bit_count()
        threats = winning(theirs, taken)
        cells = not_losing(playable(taken), threats)
        if discs == CELLS:
            return 0
        if not cells:
            return discs + 1 - WIN
        if discs >= CELLS - 2:
            return 0
        if cells & threats:
            depth += 1  # the one move that blocks costs no depth
        elif depth <= 0:
            return worth(mine, theirs, threats)
        known = self.stored.get((mine, theirs))
        if known and known[0] >= depth and settles(known, alpha, beta):
            return known[1]
        return self.best_of(cells, known[3] if known else 0, (mine, theirs), depth, alpha, beta)

    def best_of(self, cells: int, first: int, key: tuple[int, int], depth: int, alpha: int, beta: int) -> int:
        """What the best of `cells` is worth, the one that was best before first."""
        mine, theirs = key
        best, best_cell, low = -WIN, 0, alpha
        for cell in in_order(cells, first):
            value = -self.negamax(theirs, mine | cell, depth - 1, -low - 1 if best_cell else -beta, -low)
            if best_cell and low < value < beta:  # better than those before: by how much?
                value = -self.negamax(theirs, mine | cell, depth - 1, -beta, -value)
            if value > best:
                best, best_cell, low = value, cell, max(low, value)
                if low >= beta:
                    break
        if len(self.stored) < MAX_STORED or key in self.stored:
            says = AT_LEAST if best >= beta else AT_MOST if best <= alpha else EXACT
            self.stored[key] = depth, best, says, best_cell
        return best


def settles(known: tuple[int, int, int, int], alpha: int, beta: int) -> bool:
    """Whether a stored value answers a search between `alpha` and `beta`."""
    _, value, says, _ = known
    return says == EXACT or (value >= beta if says == AT_LEAST else value <= alpha)


def in_order(cells: int, first: int) -> list[int]:
    """Each of `cells` by itself: `first`, then the middle outwards."""
    rest = [cell for column in CENTRE_FIRST if (cell := cells & COLUMN[column] & ~first)]
    return [first, *rest] if first else rest


def worth(mine: int, theirs: int, threats: int) -> int:
    """How well the player to move stands: cells that would complete a four, who gets them in the end, and discs near
    the middle."""
    taken = mine | theirs
    chances = winning(mine, taken)
    second = taken.bit_count() % 2
    ending = who_gets_them(threats, chances) if second else who_gets_them(chances, threats)
    return (
        (-ending if second else ending)
        + 8 * (chances.bit_count() - threats.bit_count())
        + 6 * ((mine & MIDDLE).bit_count() - (theirs & MIDDLE).bit_count())
        + 3 * ((mine & INNER).bit_count() - (theirs & INNER).bit_count())
    )


def who_gets_them(first: int, second: int) -> int:
    """When all else is filled, the player who moved first has to give away even rows, and gets the odd ones; a fight
    over one odd cell turns that round. `first` and `second` are the cells that would complete a four of theirs; only
    the lowest in a column counts. Positive: good for the first player."""
    cells = first | second
    lowest = cells & ~((cells | SPARE_ROW) - BOTTOM)
    first, second = first & lowest, second & lowest
    odd = (first & ODD_ROWS).bit_count() - (second & ODD_ROWS).bit_count()
    if odd > 0:
        return ENDING
    if first & ODD_ROWS == 0 and second & EVEN_ROWS:
        return -ENDING
    return 0


def cells_of(board: str, mark: str) -> int:
    """The cells with that mark, from the fenced block that the referee sends. Raises ValueError."""
    rows = [line[1:] for line in board.split("\n")[1 : 1 + ROWS]]
    if [len(row) for row in rows] != [len(COLUMNS)] * ROWS:
        raise ValueError("this is no board of Connect 4")
    return sum(
        1 << HEIGHT * column + ROWS - 1 - row
        for row, line in enumerate(rows)
        for column, cell in enumerate(line)
        if cell == mark
    )


def choose(turn: dict, clock: Callable[[], float] = time.monotonic) -> str:
    """One of `turn["legal"]`."""
    deadline = clock() + min(THINK_S, SHARE_OF_DEADLINE * turn["deadline_ms"] / 1000)
    legal = turn["legal"]
    found = None
    if turn["game"] == "connect4" and len(legal) > 1:
        try:
            x, o = cells_of(turn["board"], "X"), cells_of(turn["board"], "O")
            mine, theirs = (x, o) if turn["you"] == "X" else (o, x)
            found = COLUMNS[Search(mine, theirs, deadline, clock).best()]
        except (ValueError, IndexError) as fault:
            print(f"board not understood: {fault}", file=sys.stderr, flush=True)
    # the board is there to be read; `legal` is what counts
    return found if found in legal else legal[len(legal) // 2]


class Answers:
    """The moves of this agent, so that the same question gets the same move. For use in several threads."""

    def __init__(self) -> None:
        self.moves: dict[tuple[str, int], str] = {}
        self.lock = threading.Lock()

    def move(self, turn: dict) -> str:
        """As `choose`."""
        asked = (str(turn["match_id"])[:100], int(turn["move_number"]))
        move = self.moves.get(asked)
        if move not in turn["legal"]:
            move = choose(turn)
            with self.lock:
                self.moves[asked] = move
                if len(self.moves) > MAX_ANSWERS:
                    del self.moves[next(iter(self.moves))]
        return move


def body_length(header: str | None) -> int:
    """Bytes to read. Raises ValueError."""
    if header is None or not header.isdecimal() or int(header) > MAX_BODY_BYTES:
        raise ValueError(f"its content-length should be a number up to {MAX_BODY_BYTES}")
    return int(header)


class Play(BaseHTTPRequestHandler):
    """Answers the referee."""

    protocol_version = "HTTP/1.1"  # keeps connections open
    disable_nagle_algorithm = True
    timeout = 75  # seconds that a connection may be silent; the TLS handshake is in them
    answers = Answers()

    def do_POST(self) -> None:
        try:
            turn = json.loads(self.rfile.read(body_length(self.headers["content-length"])))
            answer = {"move": self.answers.move(turn), "nonce": turn["nonce"]}
        except (KeyError, TypeError, ValueError, IndexError, RecursionError) as fault:
            self.close_connection = True  # whatever follows is not read as a request
            self.answer(400, {"error": f"not a move request: {fault}"})
        else:
            self.answer(200, answer)

    def answer(self, status: int, value: dict) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Say nothing: the referee keeps the record."""


class Server(ThreadingHTTPServer):
    """One thread a connection."""

    def handle_error(self, *_: object) -> None:
        """A line about whoever hung up or speaks no TLS, in place of a traceback."""
        fault = sys.exc_info()[1]
        print(f"connection lost: {type(fault).__name__}: {fault}", file=sys.stderr, flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description="A Connect 4 agent for Agent Arena.")
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=8080, help="0: any free one")
    options.add_argument("--cert", help="certificate chain (PEM); without one it serves plain HTTP")
    options.add_argument("--key", help="the certificate's key (PEM)")
    chosen = options.parse_args()
    server = Server((chosen.host, chosen.port), Play)
    if chosen.cert:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(chosen.cert, chosen.key)
        # not while accepting: who never shakes hands would keep all others out
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(f"listening on port {server.server_address[1]}", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main()
