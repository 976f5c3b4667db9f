"""A whole game as it was recorded once, keys in and bytes out: two pilots, two days, and the operator.

`recorded/game.txt` has a part for each program that was started, under its command line after `=== `: all that a plain
terminal of 80x24 got, and between « and » what was pressed there, with the signs of `KEYS`. The same keys must give the
same bytes. Where they should give others from now on, or the keys themselves were changed, renew the recording, and
read what has changed before you keep it:

    python -m tests.starlane.door.test_recorded_game
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import pytest
from tests.starlane.door.callers import Caller, surroundings

RECORDING: Final = Path(__file__).with_name("recorded") / "game.txt"
KEYS: Final = {"⏎": "\r", "⌫": "\x7f"}
"""How the recording writes keys that have no character: Enter and Backspace."""
SIGNS: Final = {"\r\n": "\n", "\b": "␈"}
"""How it writes what is sent and has no character: a new line, and a step back."""
WORLD: Final = {"STARLANE_DATA": "world"}
"""Below the folder that the game is played in, so that its place is not in the recording."""


class Part(msgspec.Struct, frozen=True):
    """One program of the recording."""

    command: str
    """As it is typed, such as `starlane play --name Ada`."""
    shown: tuple[str, ...]
    """What it writes before each press, and after the last, with the signs of `SIGNS`."""
    pressed: tuple[str, ...]


def parts(recording: str) -> list[Part]:
    """The parts of a recording."""
    _, *texts = re.split(r"^=== ", recording, flags=re.MULTILINE)
    split = [text.split("\n", 1) for text in texts]
    pieces = [(command, re.split("«([^»]*)»", dialogue)) for command, dialogue in split]
    return [Part(command, tuple(piece[::2]), tuple(piece[1::2])) for command, piece in pieces]


def written(part: Part) -> str:
    """The part as the recording has it."""
    steps = "".join(f"{shown}«{pressed}»" for shown, pressed in zip(part.shown, part.pressed, strict=False))
    return f"=== {part.command}\n{steps}{part.shown[-1]}"


def played(part: Part, wait: Callable[[Caller, str], bytes]) -> Part:
    """The part as it is now: `wait` is until the program has written what the recording has before the next press."""
    program, *options = part.command.split()
    with Caller(["-m", program, *options], environment=surroundings(**WORLD)) as caller:
        shown = []
        for expected, keys in zip(part.shown, part.pressed, strict=False):
            shown.append(wait(caller, expected))
            caller.send("".join(KEYS.get(key, key) for key in keys).encode())
        status = caller.ended()
        assert status == 0, f"{part.command} ended with {status}: {caller.seen!r}"
        shown.append(caller.seen[sum(map(len, shown)) :])
    return Part(part.command, tuple(map(as_recorded, shown)), part.pressed)


def as_recorded(shown: bytes) -> str:
    """What a plain terminal got, as the recording has it. Nothing is lost: it gets no other control characters."""
    text = shown.decode("ascii")
    for sent, sign in SIGNS.items():
        text = text.replace(sent, sign)
    assert text.replace("\n", "").isprintable(), f"not plain: {text!r}"
    return text


def as_sent(text: str) -> str:
    """The same back."""
    for sent, sign in SIGNS.items():
        text = text.replace(sign, sent)
    return text


def test_the_recording_is_read_as_it_is_written() -> None:
    recording = RECORDING.read_text(encoding="utf-8")
    assert "".join(map(written, parts(recording))) == recording


def test_the_same_keys_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for part in parts(RECORDING.read_text(encoding="utf-8")):
        now = played(part, lambda caller, expected: caller.until(as_sent(expected)))
        assert written(now) == written(part)


def renew() -> None:
    """Play the keys of the recording once more, and record what comes."""
    recording = RECORDING.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        RECORDING.write_text(
            "".join(written(played(part, lambda caller, _: caller.until_quiet())) for part in parts(recording)),
            encoding="utf-8",
        )


if __name__ == "__main__":
    renew()
