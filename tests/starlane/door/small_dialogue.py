"""A dialogue with every kind of prompt, for callers on real terminals.

`small_dialogue.py FILE` notes its end in the file; with a number behind it, it sends so many bytes first.
"""

from __future__ import annotations

import sys
from pathlib import Path

from starlane.door.console import HungUp
from starlane.door.descriptors import Descriptors
from starlane.door.keys import Encoding
from starlane.door.paint import Painter
from starlane.door.terminal import Terminal


def _talk(console: Terminal) -> None:
    console.show(f"size {console.columns}x{console.rows}")
    while True:
        answer = console.command("Command (?=Help)? ", "TCQS")
        if answer == "T":
            console.show(f"text {console.text('Name', 20)}!")
        elif answer == "C":
            console.show(f"sure {console.confirm('Sure')}!")
        elif answer == "S":
            console.show(*(f"row {number}" for number in range(100)))
        elif answer == "Q":
            console.pause()
            return
        else:
            console.show(f"number {answer}!")


def main() -> None:
    """One caller."""
    end = Path(sys.argv[1])
    try:
        with Descriptors(0, 1) as wire:
            try:
                wire.write(b"." * int(sys.argv[2] if len(sys.argv) > 2 else "0"))
                _talk(Terminal(wire, Painter(encoding=Encoding.UTF_8, ansi=False)))
            except HungUp:
                end.write_text("hung up")
                return
        end.write_text("over")
    except BaseException as error:
        end.write_text(repr(error))
        raise


main()
