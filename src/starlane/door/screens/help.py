"""The keys of the command prompt, and the pages of the help."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from starlane.door.pages import basics, commerce, conflict
from starlane.door.screens.wording import key, title
from starlane.door.styles import Line, Span, Style
from starlane.settings import Settings


class Subject(msgspec.Struct, frozen=True):
    """A page of the help."""

    title: str
    text: Callable[[Settings], str]
    """Paragraphs parted by empty lines, items that begin with two blanks or a number, and rows that continue either:
    with no blank, or with three or more after an item. On a terminal of 80 columns it fills 22 rows at most."""


SUBJECTS: Final[Mapping[str, Subject]] = {
    "start": Subject("How to play", basics.start),
    "prompts": Subject("Prompts and keys", basics.prompts),
    "flight": Subject("Flying", basics.flight),
    "trade": Subject("Trading", commerce.trade),
    "haggling": Subject("Haggling", commerce.haggling),
    "yard": Subject("Yard and bank", commerce.yard),
    "planets": Subject("Planets", commerce.planets),
    "fights": Subject("Fighting, and losing a ship", conflict.fights),
    "pickets": Subject("Pickets and tolls", conflict.pickets),
    "thorn": Subject("The Thorn", conflict.thorn),
    "alliances": Subject("Alliances and bounties", conflict.alliances),
    "computer": Subject("The computer", basics.computer),
    "words": Subject("Mail, radio, news", basics.words),
    "score": Subject("Rankings and score", basics.score),
}
"""In the order of the list that the pilot chooses from."""

_KEYS: Final = (
    (("D", "display the sector (or Enter)"), ("C", "computer: path, ports, rankings, log")),
    (("M", "move, or type a sector's number"), ("R", "radio: mail, broadcast")),
    (("P", "port: dock and trade"), ("N", "news")),
    (("Y", "yard and bank (at Haven)"), ("I", "your ship")),
    (("L", "land on a planet"), ("T", "team: alliances")),
    (("S", "scan the next sectors"), ("B", "bounties")),
    (("J", "jettison cargo"), ("W", "waive the newcomer's protection")),
    (("A", "attack"), ("H", "help, by subject")),
    (("F", "fighters: deploy or take back"), ("Q", "quit: leave the game")),
)
_NUMBERED: Final = re.compile(r"\d+\. ")
_ITEM: Final = re.compile(r"(  \S.*?  +|  - |\d+\. )(\S.*)")
_COLUMN: Final = 38
"""Two columns of keys fit into 80."""


def command_keys() -> list[Line]:
    """What can be pressed at the command prompt."""
    lines: list[Line] = [title("Commands: one key each")]
    for (left, meaning), (right, other) in _KEYS:
        lines.append((key(left), f"  {meaning:<{_COLUMN - 3}} ", key(right), f"  {other}"))
    lines.append("Flying, docking, landing and attacking take one turn each; nothing else does.")
    return lines


def subject_list() -> list[Line]:
    """The subjects, numbered."""
    lines: list[Line] = [title("Help")]
    for number, subject in enumerate(SUBJECTS.values(), 1):
        lines.append((key(f"{number:>3}"), f"  {subject.title}"))
    return lines


def subject_screen(subject: str, settings: Settings) -> list[Line]:
    """The page of a subject, a key of SUBJECTS."""
    page = SUBJECTS[subject]
    return [title(page.title), *map(_item, _joined(page.text(settings)))]


def _joined(text: str) -> list[str]:
    """Paragraphs and items, each in one, for the terminal breaks them at its own width."""
    whole: list[str] = []
    for row in text.splitlines():
        if whole and _continues(whole[-1], row):
            whole[-1] += f" {row.strip()}"
        else:
            whole.append(row)
    return whole


def _continues(before: str, row: str) -> bool:
    if not before or not row:
        return False
    return row.startswith("   ") or not (before.startswith(" ") or row.startswith(" ") or _NUMBERED.match(row))


def _item(text: str) -> Line:
    """What stands before the text of an item is its label."""
    match = _ITEM.fullmatch(text)
    return (Span(Style.LABEL, match[1]), match[2]) if match else text
