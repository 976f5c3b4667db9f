"""How fast the screen is: `python bench/terminal.py`.

The same streams go through our screen and through pyte, in turns, so that whatever else the machine does meets
both: MB/s of whole streams, the cost of "feed 200 bytes, read the text of the screen" (what an agent's turn is
made of), and the memory of one screen. Prints the medians and their ratios. pyte raises on some streams: that is
said in its place. Recordings of a real BBS are used where `AGENTBBS_RECORDINGS` or `../shared/recordings` has them.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, Final

import msgspec
import pyte

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Dialect, Encoding
from tty_agent.terminal.screen import Screen

STREAM_BYTES: Final = 200_000
PIECE_BYTES: Final = 200
"""A small answer of a BBS: a prompt, a few lines."""
CHUNK_BYTES: Final = 4096
"""Of a whole stream, as a socket gives it."""
SCREENS: Final = 50

Feed = Callable[[bytes], object]
Read = Callable[[], str]


class Figure(msgspec.Struct):
    """One line of the table."""

    name: str
    unit: str
    ours: float
    pyte: float | None
    """None if it raised, `fault` then says what."""
    ratio: float | None
    """How many times better ours is."""
    fault: str = ""


def art(seed: int = 1) -> bytes:
    """Screens as ANSI artists draw them: short runs of blocks between colours, cursor jumps over what is black."""
    chance = random.Random(seed)
    blocks = bytes((0xB0, 0xB1, 0xB2, 0xDB, 0xDC, 0xDD, 0xDE, 0xDF, 0x20, 0xFE, 0xC4, 0xBA))
    drawn = bytearray()
    while len(drawn) < STREAM_BYTES:
        drawn += b"\x1b[0m\x1b[2J\x1b[H"
        for row in range(23):
            column = 0
            while column < 78:
                run = min(chance.choice((1, 1, 1, 2, 2, 3, 4, 6, 10, 20)), 78 - column)
                kind = chance.random()
                if kind < 0.15:
                    drawn += b"\x1b[%dC" % run
                else:
                    if kind < 0.8:
                        drawn += b"\x1b[%d;%d;%dm" % (
                            chance.randrange(2), 30 + chance.randrange(8), 40 + chance.randrange(8)
                        )  # fmt: skip
                    drawn += bytes(chance.choices(blocks, k=1)) * run
                column += run
            drawn += b"\r\n" if row % 3 else b"\x1b[%d;1H" % (row + 2)
    return bytes(drawn)


def full_screen(seed: int = 2) -> bytes:
    """What a monitor such as htop writes: every few rows anew, in place, with colours, bars and box characters."""
    chance = random.Random(seed)
    written = bytearray(b"\x1b[?1049h\x1b[?25l\x1b[22;0;0t\x1b(B\x1b[m")
    words = ("python3", "/usr/sbin/sshd", "bash", "─┤ système ├─", "postgres: writer", "kworker/0:1", "S", "R")
    while len(written) < STREAM_BYTES:
        for row in sorted(chance.sample(range(1, 25), 12)):
            written += b"\x1b[%d;%dH" % (row, chance.choice((1, 1, 10, 34)))
            for _ in range(chance.randrange(2, 6)):
                colour = chance.choice(("32", "1;36", "0", "7", "38;5;208", "39;49"))
                written += f"\x1b[{colour}m{chance.randrange(100_000):>7} {chance.choice(words)}\x1b(B\x1b[m".encode()
            written += chance.choice((b"\x1b[K", b"\x1b[4X", b"", b"\x1b[K"))
    return bytes(written)


def log(seed: int = 3) -> bytes:
    """Scrolling text: lines of a log, some in colour."""
    chance = random.Random(seed)
    words = ("the", "server", "took", "a", "request", "and", "wrote", "an", "answer", "within", "its", "time")
    written = bytearray()
    while len(written) < STREAM_BYTES:
        line = f"12:00:{chance.randrange(60):02} {' '.join(chance.choices(words, k=chance.randrange(3, 14)))}"
        written += (f"\x1b[3{chance.randrange(8)}m{line}\x1b[m" if chance.random() < 0.3 else line).encode() + b"\r\n"
    return bytes(written)


def recordings() -> bytes | None:
    """What a real BBS sent, if it is there."""
    root = Path(os.environ.get("AGENTBBS_RECORDINGS", Path(__file__).resolve().parents[2] / "shared" / "recordings"))
    received = bytearray()
    for path in sorted(root.glob("**/*.jsonl")):
        for line in path.read_text().splitlines():
            chunk = json.loads(line)
            if chunk.get("dir") == "rx":
                received += bytes.fromhex(chunk["hex"])
    return bytes(received) or None


def our_screen(dialect: Dialect) -> tuple[Feed, Read]:
    """The screen of this repository."""
    screen = Screen(80, 24, dialect)
    return screen.feed, screen.text


def pyte_screen(dialect: Dialect) -> tuple[Feed, Read]:
    """pyte, with the bytes decoded as the dialect says."""
    screen = pyte.Screen(80, 24)  # its screen with a history is three times slower
    stream = pyte.Stream(screen)
    encoding = "cp437" if dialect.encoding is Encoding.CP437 else "utf-8"
    return (
        lambda data: stream.feed(data.decode(encoding, "replace")),
        lambda: "\n".join(line.rstrip() for line in screen.display),
    )


def stream_seconds(make: Callable[[Dialect], tuple[Feed, Read]], dialect: Dialect, data: bytes) -> float:
    """One stream from start to end."""
    feed, _ = make(dialect)
    pieces = [data[at : at + CHUNK_BYTES] for at in range(0, len(data), CHUNK_BYTES)]
    gc.collect()
    started = time.process_time()
    for piece in pieces:
        feed(piece)
    return time.process_time() - started


def turn_seconds(make: Callable[[Dialect], tuple[Feed, Read]], dialect: Dialect, data: bytes) -> float:
    """One piece fed and the text read, on average."""
    feed, read = make(dialect)
    pieces = [data[at : at + PIECE_BYTES] for at in range(0, min(len(data), 40_000), PIECE_BYTES)]
    gc.collect()
    started = time.process_time()
    for piece in pieces:
        feed(piece)
        read()
    return (time.process_time() - started) / len(pieces)


def kib_of_a_screen(make: Callable[[Dialect], tuple[Feed, Read]]) -> float:
    """A screen full of art, without what is shared by all of them."""
    page = art()[:6000]
    kept: list[Any] = [make(ANSI_BBS)]
    kept[0][0](page)
    gc.collect()
    tracemalloc.start()
    for _ in range(SCREENS):
        made = make(ANSI_BBS)
        made[0](page)
        kept.append(made)
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return used / SCREENS / 1024


def compare(
    name: str, unit: str, measure: Callable[[Callable[[Dialect], tuple[Feed, Read]]], float],
    rounds: int, *, size: float | None = None,
) -> Figure:  # fmt: skip
    """Both in turns; with `size` the figures are `size` a second, else the seconds in µs or what was measured."""
    ours: list[float] = []
    theirs: list[float] = []
    fault = ""
    for _ in range(rounds):
        ours.append(measure(our_screen))
        if not fault:
            try:
                theirs.append(measure(pyte_screen))
            except Exception as error:  # whatever it raises is the finding
                fault = f"pyte raised {type(error).__name__}: {error}"
    mine, its = median(ours), None if fault else median(theirs)
    ratio = None if its is None else its / mine
    if size is not None:
        mine, its = size / mine, None if its is None else size / its
    elif unit == "µs":
        mine, its = mine * 1e6, None if its is None else its * 1e6
    return Figure(name, unit, mine, its, ratio, fault)


def figures(rounds: int) -> list[Figure]:
    """All of them."""
    streams: list[tuple[str, Dialect, bytes | None]] = [
        ("BBS art, CP437", ANSI_BBS, art()),
        ("BBS recordings", ANSI_BBS, recordings()),
        ("full screen, UTF-8", XTERM, full_screen()),
        ("scrolling text", XTERM, log()),
    ]
    found: list[Figure] = []
    for name, dialect, data in streams:
        if data is None:
            continue
        found.append(
            compare(
                name, "MB/s", lambda make, d=dialect, b=data: stream_seconds(make, d, b),  # type: ignore[misc]
                rounds, size=len(data) / 1e6,
            )
        )  # fmt: skip
    for name, dialect, data in streams:
        if data is not None:
            found.append(
                compare(
                    f"feed 200 bytes, read: {name}", "µs",
                    lambda make, d=dialect, b=data: turn_seconds(make, d, b), rounds,  # type: ignore[misc]
                )
            )  # fmt: skip
    found.append(compare("a new screen", "µs", _making, rounds))
    found.append(compare("memory of a screen", "KiB", kib_of_a_screen, 1))
    return found


def _making(make: Callable[[Dialect], tuple[Feed, Read]]) -> float:
    started = time.process_time()
    for _ in range(SCREENS):
        make(ANSI_BBS)
    return (time.process_time() - started) / SCREENS


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python bench/terminal.py", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="turns of each (5)")
    parser.add_argument("--json", action="store_true", help="the figures as one JSON list")
    options = parser.parse_args()
    found = figures(options.rounds)
    if options.json:
        print(msgspec.json.encode(found).decode())
        return 0
    print(f"{'':44} {'ours':>9} {'pyte':>9} {'times':>7}")
    for figure in found:
        its = "-" if figure.pyte is None else f"{figure.pyte:.2f}"
        ratio = "-" if figure.ratio is None else f"{figure.ratio:.1f}"
        print(f"{figure.name + ', ' + figure.unit:44} {figure.ours:9.2f} {its:>9} {ratio:>7}  {figure.fault}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
