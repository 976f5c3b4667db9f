"""What a judge is asked: a rubric, from a TOML or JSON file."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

MAX_RUBRIC_BYTES: Final = 256 * 1024
"""A page of criteria has a few thousand characters."""

MAX_SCALE: Final = 100


class RubricFault(ValueError):
    """A file that is no rubric; the text names the file and the field."""


class Ask(StrEnum):
    """How a judge is asked."""

    MARK = "mark"
    """Each participant by itself, for a mark."""
    PAIR = "pair"
    """Each pair, which of the two did better; in both orders."""
    BOTH = "both"


class Source(StrEnum):
    """What a judge is shown of a participant."""

    POSTS = "posts"
    LETTERS = "letters"
    CHAT = "chat"
    """What it typed while its profile was one of chat."""


class Rubric(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One question to a judge."""

    name: str
    text: str
    """The criteria, in the words that the judge reads."""
    ask: Ask = Ask.MARK
    scale: int = 5
    """Marks are whole numbers from 0 to this; in results they are divided by it."""
    sources: tuple[Source, ...] = tuple(Source)
    role: str = ""
    """What the participants had to be or do, if the judge needs it: a persona, a policy."""

    def __post_init__(self) -> None:
        if not self.name.strip() or not self.name.isprintable():
            raise ValueError("`name` is printable text")
        if not self.text.strip():
            raise ValueError("`text` has the criteria")
        if not 1 <= self.scale <= MAX_SCALE:
            raise ValueError(f"`scale` is 1 to {MAX_SCALE}")
        if not self.sources:
            raise ValueError("`sources` names one at least")


def read_rubric(path: Path) -> Rubric:
    """The rubric of a TOML or (by its name) JSON file. Raises RubricFault, OSError."""
    with path.open("rb") as file:
        content = file.read(MAX_RUBRIC_BYTES + 1)
    if len(content) > MAX_RUBRIC_BYTES:
        raise RubricFault(f"{path.name} is longer than {MAX_RUBRIC_BYTES} bytes: is it the right file?")
    try:
        text = content.decode("utf-8")
        value = msgspec.json.decode(text) if path.suffix == ".json" else tomllib.loads(text)
        return msgspec.convert(value, Rubric)
    except (msgspec.MsgspecError, tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise RubricFault(f"{path.name} is no rubric: {fault}") from fault
