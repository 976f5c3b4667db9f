"""Executables that behave as a provider's program does, written in Python for one test."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

_RECORD = """
import json, os, pathlib, signal, sys, time
HERE = pathlib.Path(__file__).parent
ARGS, STDIN, CWD = sys.argv[1:], sys.stdin.read(), os.getcwd()
CALLS = HERE / "calls.jsonl"
CALL = len(CALLS.read_text().splitlines()) if CALLS.exists() else 0  # how many came before
FILES = {name: open(name, encoding="utf-8", errors="replace").read()
         for arg in ARGS for name in [arg.split("=")[-1]] if os.path.isfile(name)}
with CALLS.open("a") as calls:
    calls.write(json.dumps({"args": ARGS, "stdin": STDIN, "cwd": CWD, "files": FILES,
                            "left_in_cwd": os.listdir(CWD)}) + "\\n")
def option(name):
    return ARGS[ARGS.index(name) + 1] if name in ARGS else None
"""


class FakeProgram:
    """A program and what it was called with."""

    def __init__(self, folder: Path, body: str) -> None:
        """`body` is Python. It knows ARGS, STDIN, CWD, HERE (its folder), CALL (from 0) and `option(name)`."""
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "program"
        self.path.write_text(f"#!{sys.executable}\n{_RECORD}\n{dedent(body)}")
        self.path.chmod(0o755)

    @property
    def command(self) -> tuple[str, ...]:
        """How to start it."""
        return (str(self.path),)

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls so far: `args`, `stdin`, `cwd`, `files` (those among the arguments), `left_in_cwd`."""
        recorded = self.path.with_name("calls.jsonl")
        return [json.loads(line) for line in recorded.read_text().splitlines()] if recorded.exists() else []


def after(call: dict[str, Any], option: str) -> str:
    """The argument behind an option."""
    args: list[str] = call["args"]
    return args[args.index(option) + 1]
