"""A terminal program for a small model: one clean menu, one key a choice, a log of the keys that it got.

    python menu_program.py LOG

Every key is written to LOG as it is read. `r` shows the news, and any key goes back; `q` says good-bye and ends.
"""

from __future__ import annotations

import sys
import termios
import tty
from pathlib import Path

CLEAR = "\x1b[2J\x1b[H"
MENU = "MAIN MENU\r\n\r\n  r  Read the news\r\n  q  Quit\r\n\r\nYour choice: "
NEWS = "THE NEWS\r\n\r\n  A small model pressed a key.\r\n\r\nPress q to go back: "
FAREWELL = "Good-bye.\r\n"


def main() -> None:
    """Serve the menu until somebody quits."""
    log = Path(sys.argv[1])
    before = termios.tcgetattr(sys.stdin)
    tty.setraw(sys.stdin)
    try:
        screen = MENU
        while True:
            sys.stdout.write(CLEAR + screen)
            sys.stdout.flush()
            key = sys.stdin.read(1)
            with log.open("a") as keys:
                keys.write(key)
            if screen is MENU and key == "q":
                break
            screen = NEWS if screen is MENU and key == "r" else MENU
        sys.stdout.write(CLEAR + FAREWELL)
        sys.stdout.flush()
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


if __name__ == "__main__":
    main()
