"""What all screens have in common: labels, facts, numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final


class Unreadable(Exception):
    """A screen is not what it should be; the text names it and what is missing."""


_LABEL_COLUMNS: Final = 9


def number(text: str) -> int:
    """A whole number with commas."""
    return int(text.replace(",", ""))


def facts_of(lines: Sequence[str]) -> dict[str, list[str]]:
    """The facts of a screen by their labels; a label may come more than once."""
    facts: dict[str, list[str]] = {}
    for line in lines:
        facts.setdefault(line[:_LABEL_COLUMNS].rstrip(), []).append(line[_LABEL_COLUMNS:])
    return facts


def last_screen(lines: Sequence[str], head: re.Pattern[str], name: str) -> list[str]:
    """The last part of `lines` that begins with a line like `head`. Raises Unreadable if there is none."""
    for place in range(len(lines) - 1, -1, -1):
        if head.fullmatch(lines[place]):
            return list(lines[place:])
    raise Unreadable(f"the {name} screen: no line begins it")


def matched(pattern: re.Pattern[str], text: str, what: str) -> re.Match[str]:
    """`text` matched as a whole. Raises Unreadable, which says `what` it should be."""
    found = pattern.fullmatch(text)
    if found is None:
        raise Unreadable(f"{what}: {text!r}")
    return found


def fact(facts: dict[str, list[str]], label: str, screen: str) -> str:
    """The first fact under a label. Raises Unreadable if there is none."""
    if label not in facts:
        raise Unreadable(f"the {screen} screen: no line {label}")
    return facts[label][0]


def numbers(text: str, count: int) -> list[int]:
    """The numbers in a text. Raises Unreadable if there are not so many."""
    found = [number(each) for each in re.findall(r"\d[\d,]*(?<!,)", text)]
    if len(found) != count:
        raise Unreadable(f"a line with {count} numbers: {text!r}")
    return found
