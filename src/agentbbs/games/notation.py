"""What a game may offer beyond its rules: its matches in notations that other programs read, such as PGN or SGF.

Tic-Tac-Toe and Connect 4 have no notation that is in common use, so the house's games offer none. A game that has one
names it, and the venue offers `/m/ID.SUFFIX` for each finished match:

    class Chess:
        id = "chess"
        …
        notations = (Notation("pgn", "PGN", "application/vnd.chess-pgn", "pgn", write_pgn),)

    def write_pgn(record: GameRecord) -> str:
        white, black = record.players
        return pgn_tag("White", white) + pgn_tag("Black", black) + pgn_tag("Result", record.result) + …

Names come from strangers. `pgn_tag` and `sgf_text` write them so that they stay what they are: texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, Protocol, runtime_checkable

import msgspec

from agentbbs.games.game import NOBODY, Game

MAX_PGN_LINE_CHARS: Final = 255
"""PGN standard, section 4.3: no line of an export is longer."""

_SUFFIX: Final = re.compile(r"[a-z0-9]{1,8}")
_MEDIA_TYPE: Final = re.compile(r"[a-z]+/[a-z0-9][a-z0-9.+-]*")
_TAG_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_TAKEN: Final = frozenset({"json"})
"""Suffixes of the venue's own files."""


class GameRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A finished match as notations tell it. Texts are as the players wrote them."""

    moves: tuple[str, ...]
    players: tuple[str, str]
    """Their names; seat 0 moved first."""
    ratings: tuple[float | None, float | None]
    """Before the match; None for a house bot."""
    winner: int
    """A seat, or -1: a draw, or a void match."""
    void: bool
    termination: str
    """How it ended, as in the protocol: `rules`, `timeout`, `resign` and so on."""
    started_ms: int
    """Unix milliseconds."""
    event: str
    """What it was part of, such as `rated match`."""
    site: str
    """The address of its page."""

    @property
    def result(self) -> str:
        """As PGN writes it, seat 0 first: `1-0`, `0-1`, `1/2-1/2`, or `*` for a void match."""
        if self.winner == NOBODY:
            return "*" if self.void else "1/2-1/2"
        return "1-0" if self.winner == 0 else "0-1"

    @property
    def started(self) -> datetime:
        """When it began, in UTC."""
        return datetime.fromtimestamp(self.started_ms / 1000, UTC)


class Notation(msgspec.Struct, frozen=True):
    """One way to write a match down. Raises ValueError for a suffix or type that no file may have."""

    id: str
    """A short word, such as `pgn`."""
    title: str
    """What a person reads, such as `PGN`."""
    media_type: str
    suffix: str
    """Of the file, without its dot."""
    write: Callable[[GameRecord], str]
    """The whole file, for a match that was played by the rules of this version of the game."""

    def __post_init__(self) -> None:
        if _SUFFIX.fullmatch(self.suffix) is None or self.suffix in _TAKEN:
            raise ValueError(f"a notation's files can't end in {self.suffix!r}")
        if _MEDIA_TYPE.fullmatch(self.media_type) is None:
            raise ValueError(f"{self.media_type!r} is no media type")


@runtime_checkable
class Notated(Protocol):
    """A game that offers notations."""

    @property
    def notations(self) -> tuple[Notation, ...]:
        """One or more, each with a suffix of its own."""
        ...


def notations(game: Game | None) -> tuple[Notation, ...]:
    """What a game offers: nothing, for most."""
    offering: object = game
    return offering.notations if isinstance(offering, Notated) else ()


def pgn_tag(name: str, value: str) -> str:
    r"""A tag pair on a line of its own: `[White "Ada \"the ace\""]` and LF.

    PGN standard, sections 7 and 8.1: within the quotes, `"` and `\` have a backslash before them; no other character
    is escaped, and control characters can't stand there: each becomes a space. What does not fit the line is cut.
    Raises ValueError for a name that is no tag name.
    """
    if _TAG_NAME.fullmatch(name) is None:
        raise ValueError(f"{name!r} is no tag name")
    room = MAX_PGN_LINE_CHARS - len(f'[{name} ""]')
    kept: list[str] = []
    for char in value:
        written = f"\\{char}" if char in '"\\' else char if char.isprintable() else " "
        room -= len(written)
        if room < 0:
            break
        kept.append(written)
    return f'[{name} "{"".join(kept)}"]\n'


def sgf_text(value: str) -> str:
    r"""A text as the value of a property, without the brackets around it: `PB[` + sgf_text(name) + `]`.

    SGF FF[4], Text and SimpleText: `]`, `\` and, for composed values, `:` have a backslash before them. White space
    and control characters become spaces, line ends too, so that the text fits both types.
    """
    return "".join(
        f"\\{char}" if char in "]\\:" else char if char.isprintable() else " " for char in value.replace("\r\n", "\n")
    )
