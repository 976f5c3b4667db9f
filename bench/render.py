"""What renders cost: a PNG, a GIF and a recording of 80x24 screens, on one core.

    python bench/render.py [--json FILE]

The screens are art in the 16 colours of a BBS, made from a fixed seed, a few rows changed from one to the next, as
a door does. Times are CPU times, medians of the rounds.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from tty_agent.render.cast import Shot, cast_lines
from tty_agent.render.gif import gif_bytes
from tty_agent.render.html import pre
from tty_agent.render.png import png_bytes
from tty_agent.terminal import style
from tty_agent.terminal.picture import Picture

COLUMNS: Final = 80
ROWS: Final = 24
FRAMES: Final = 65
"""A short play of a door."""
CHANGED_ROWS: Final = 4
"""Of one frame to the next."""
ROUNDS: Final = 7
PNG_AIM_MS: Final = 10.0

_CHARACTERS: Final = " abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789░▒▓█▄▌▐▀─│┌┐└┘═║╔╗╚╝"

_WORDS: Final = (
    "sector", "port", "ore", "fuel", "trade", "warp", "planet", "ship", "holds", "credits",
    "the", "of", "to", "you", "have", "and", "left", "turns",
)  # fmt: skip


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Medians over the rounds; a frame is 80x24 cells."""

    png_ms: float
    png_kb: float
    png_text_ms: float
    """Of a screen of plain text."""
    png_text_kb: float
    gif_ms: float
    """All frames."""
    gif_kb: float
    gif_frames: int
    cast_ms: float
    """A frame."""
    cast_kb: float
    html_ms: float
    """A frame."""
    html_kb: float


def measure(rounds: int = ROUNDS) -> Figures:
    """All figures; takes some seconds."""
    frames = art(FRAMES)
    text = prose()
    png_bytes(frames[0])  # imports and glyphs are paid once
    png_s, png = _median(rounds, lambda: [len(png_bytes(picture)) for picture in frames])
    text_s, text_png = _median(rounds, lambda: [len(png_bytes(text)) for _ in range(FRAMES)])
    gif_s, gif = _median(rounds, lambda: [len(gif_bytes(frames, 100))])
    shots = [Shot(100 * number, picture) for number, picture in enumerate(frames)]
    cast_s, cast = _median(rounds, lambda: [len(line.encode()) for line in cast_lines(shots)])
    html_s, html = _median(rounds, lambda: [len(pre(picture).encode()) for picture in frames])
    return Figures(
        png_ms=png_s * 1000 / FRAMES,
        png_kb=sum(png) / FRAMES / 1000,
        png_text_ms=text_s * 1000 / FRAMES,
        png_text_kb=text_png[0] / 1000,
        gif_ms=gif_s * 1000,
        gif_kb=gif[0] / 1000,
        gif_frames=FRAMES,
        cast_ms=cast_s * 1000 / FRAMES,
        cast_kb=sum(cast) / FRAMES / 1000,
        html_ms=html_s * 1000 / FRAMES,
        html_kb=sum(html) / FRAMES / 1000,
    )


def art(count: int) -> list[Picture]:
    """Screens of coloured runs, each but for some rows as the one before."""
    chance = random.Random(1)
    rows = [_art_row(chance) for _ in range(ROWS)]
    pictures = []
    for _ in range(count):
        for row in chance.sample(range(ROWS), CHANGED_ROWS):
            rows[row] = _art_row(chance)
        characters, attributes = zip(*rows, strict=True)
        pictures.append(Picture(COLUMNS, ROWS, characters, attributes, (ROWS - 1, 10)))
    return pictures


def prose() -> Picture:
    """Text in one colour, three quarters of the screen."""
    chance = random.Random(2)
    rows = [" ".join(chance.choice(_WORDS) for _ in range(12))[:60].ljust(COLUMNS) for _ in range(ROWS)]
    return Picture(COLUMNS, ROWS, tuple(map(tuple, rows)), ((style.PLAIN,) * COLUMNS,) * ROWS, (0, 0))


def _art_row(chance: random.Random) -> tuple[tuple[str, ...], tuple[int, ...]]:
    cells: list[str] = []
    looks: list[int] = []
    while len(cells) < COLUMNS:
        look = style.pack(chance.randrange(8), chance.randrange(8), chance.choice((0, style.BOLD)))
        length = chance.randrange(1, 12)
        same = chance.choice(_CHARACTERS)
        cells += [same if chance.random() < 0.5 else chance.choice(_CHARACTERS) for _ in range(length)]
        looks += [look] * length
    return tuple(cells[:COLUMNS]), tuple(looks[:COLUMNS])


def _median(rounds: int, work: Callable[[], list[int]]) -> tuple[float, list[int]]:
    """CPU seconds of a round, and the sizes in bytes that it made. Nothing here waits, so what else the machine does
    is best left out."""
    seconds = []
    sizes: list[int] = []
    for _ in range(rounds):
        start = time.process_time()
        sizes = work()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds), sizes


def table(figures: Figures) -> str:
    """The figures as text."""
    verdict = "met" if figures.png_ms < PNG_AIM_MS else "missed"
    return "\n".join(
        (
            f"PNG of art       {figures.png_ms:7.2f} ms   {figures.png_kb:7.1f} kB   a frame of {COLUMNS}x{ROWS}",
            f"PNG of text      {figures.png_text_ms:7.2f} ms   {figures.png_text_kb:7.1f} kB   a frame",
            f"GIF              {figures.gif_ms:7.0f} ms   {figures.gif_kb:7.1f} kB   {figures.gif_frames} frames",
            f"asciicast        {figures.cast_ms:7.2f} ms   {figures.cast_kb:7.1f} kB   a frame",
            f"HTML             {figures.html_ms:7.2f} ms   {figures.html_kb:7.1f} kB   a frame",
            f"aim: a PNG under {PNG_AIM_MS:g} ms: {verdict}",
        )
    )


def main() -> None:
    """Print the table, and write the figures if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures there too")
    parser.add_argument("--rounds", metavar="N", type=int, default=ROUNDS, help="default: %(default)s")
    options = parser.parse_args()
    figures = measure(options.rounds)
    print(table(figures))
    if options.json:
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(figures)) + b"\n")


if __name__ == "__main__":
    main()
