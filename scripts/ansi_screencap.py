#!/usr/bin/env python3
"""Replay the bytes of a transcript through the terminal and write what it showed, as a GIF, a page or a picture.

    python scripts/ansi_screencap.py runtime/transcripts/agent-001.raw --gif play.gif --duration-ms 700
    python scripts/ansi_screencap.py art.ans --png art.png --rows 50

A trace (.jsonl) may be given in place of a transcript: then its decisions cut the frames. Where a part is asked
for, what came before it in its session is replayed unseen, so that the screen is right. `bbs-gym trace png`,
`gif` and `html` do the same.
"""

from __future__ import annotations

import argparse
import sys

from tty_agent.render import export
from tty_agent.render.extra import RenderFault
from tty_agent.render.replay import Shape
from tty_agent.terminal.dialect import DIALECTS
from tty_agent.trace.records import TraceFault


def main() -> int:
    """Write the files asked for; 0, or 1 after one line about what is wrong."""
    parser = _parser()
    options = parser.parse_args()
    if not (options.gif or options.html or options.png):
        parser.error("nothing to write: give --gif, --html or --png, each with a file")
    shape = Shape(columns=options.columns, rows=options.rows, dialect=options.dialect)
    part = {"start": options.start, "end": options.end}
    try:
        if options.gif:
            export.export_gif(options.transcript, options.gif, duration_ms=options.duration_ms, shape=shape, **part)
        if options.html:
            export.export_html(options.transcript, options.html, duration_ms=options.duration_ms, shape=shape, **part)
        if options.png:
            export.export_png(options.transcript, options.png, offset=options.end, shape=shape)
    except (RenderFault, TraceFault, OSError) as fault:
        sys.stderr.write(f"ansi_screencap: {fault}\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transcript", metavar="TRANSCRIPT", help="raw bytes of a terminal, or the trace of a run")
    parser.add_argument("--gif", metavar="OUT", help="an animated GIF (needs agentbbs[render])")
    parser.add_argument("--html", metavar="OUT", help="a page that steps through the frames")
    parser.add_argument("--png", metavar="OUT", help="a picture of the end (needs agentbbs[render])")
    parser.add_argument(
        "--duration-ms",
        metavar="N",
        type=_at_least_one,
        default=export.DEFAULT_DURATION_MS,
        help="how long a frame stays (default: %(default)s)",
    )
    parser.add_argument("--start", metavar="OFFSET", type=int, help="first byte of the part (default: the first)")
    parser.add_argument("--end", metavar="OFFSET", type=int, help="byte after the part (default: the last)")
    parser.add_argument("--columns", metavar="N", type=_at_least_one, help="default: as marked, or 80")
    parser.add_argument("--rows", metavar="N", type=_at_least_one, help="default: as marked, or 24")
    parser.add_argument("--dialect", choices=sorted(DIALECTS), help="default: as marked, or ansi-bbs")
    return parser


def _at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is too small: at least 1")
    return number


if __name__ == "__main__":
    sys.exit(main())
