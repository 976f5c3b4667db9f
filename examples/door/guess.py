#!/usr/bin/env python3
"""A door in ninety lines: guess the number. It reads DOOR32.SYS, greets by name and speaks CP437 with ANSI colours.

    guess.py FOLDER      the folder that holds DOOR32.SYS (a board passes it as {drop})

A door is a program on a terminal: it reads keys from standard input, writes to standard output, keeps what it wants to
keep in the folder that it runs in, and ends when it is done or when the caller hangs up (SIGHUP).
"""

import fcntl
import random
import sys
import time
from pathlib import Path

RESET, TITLE, NAME, GOOD, DIM = "\x1b[0m", "\x1b[1;33;44m", "\x1b[1;36m", "\x1b[1;32m", "\x1b[1;30m"
HIGHEST = 100
SCORES = Path("scores.txt")
"""Lines of `tries name`, the fewest tries first."""
KEPT_SCORES = 10


def read_dropfile(folder):
    """What DOOR32.SYS says: name, minutes left, whether the caller's terminal knows ANSI, node."""
    lines = (Path(folder) / "DOOR32.SYS").read_bytes().decode("cp437").split("\r\n")
    return lines[6], int(lines[8]), lines[9] == "1", int(lines[10])


def add_score(tries, name):
    """Enter a score and return the table; callers on other nodes may do so at the same time."""
    with SCORES.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        scores = [line.rstrip("\n").split(" ", 1) for line in file if " " in line]
        scores = sorted([*scores, [str(tries), name]], key=lambda score: int(score[0]))[:KEPT_SCORES]
        file.seek(0)
        file.truncate()
        file.writelines(f"{count} {who}\n" for count, who in scores)
    return scores


def play(name, ends_at, show):
    """One round; the number of tries, or None if the time is up or the caller leaves."""
    number = random.randint(1, HIGHEST)
    low, high = 1, HIGHEST
    tries = 0
    while time.monotonic() < ends_at:
        show(f"{DIM}[{low}..{high}]{RESET} Your guess (Q quits): ", end="")
        word = sys.stdin.readline()
        if not word or word.strip().upper() == "Q":
            return None
        if not word.strip().isascii() or not word.strip().isdigit():
            show("A whole number, please.")
            continue
        guess = int(word.strip()[:6])
        tries += 1
        if guess == number:
            show(f"{GOOD}{number} it is, {name}! You took {tries} tries.{RESET}")
            return tries
        low, high = (max(low, guess + 1), high) if guess < number else (low, min(high, guess - 1))
        show("More." if guess < number else "Less.")
    show("Your time is up.")
    return None


def main():
    """A greeting, a round, the scores."""
    name, minutes, ansi, node = read_dropfile(sys.argv[1] if len(sys.argv) > 1 else ".")
    sys.stdin.reconfigure(encoding="cp437", errors="replace")
    sys.stdout.reconfigure(encoding="cp437", errors="replace")

    def show(text="", end="\n"):
        if not ansi:
            for code in (RESET, TITLE, NAME, GOOD, DIM):
                text = text.replace(code, "")
        print(text, end=end, flush=True)

    show(f"{TITLE} ░▒▓█ GUESS THE NUMBER █▓▒░ {RESET}")
    show(f"Welcome, {NAME}{name}{RESET}, on node {node}. I think of a number from 1 to {HIGHEST}.")
    tries = play(name, time.monotonic() + minutes * 60, show)
    if tries is not None:
        show("╔═ The best ═══════════════╗")
        for count, who in add_score(tries, name):
            show(f"║ {count:>4}  {who[:18]:<18} ║")
        show("╚══════════════════════════╝")
    show(f"Good-bye, {name}.")


if __name__ == "__main__":
    main()
