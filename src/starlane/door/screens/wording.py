"""How screens word things: labels, numbers, lists. A label is the same word wherever its fact stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from starlane.door.styles import Line, Span, Style
from starlane.door.widths import columns_of
from starlane.goods import Good

LABEL_COLUMNS: Final = 9
"""Facts of all labels begin in this column, so that a screen reads as a table."""


def label(word: str) -> Span:
    """The word at the beginning of a line of facts, with the blanks after it."""
    return Span(Style.LABEL, word.ljust(LABEL_COLUMNS))


def labelled(word: str, *facts: str | Span) -> Line:
    """A line of facts under a label; facts are parted by commas."""
    return (label(word), *_commas(facts))


def _commas(facts: Sequence[str | Span]) -> Iterable[str | Span]:
    for index, fact in enumerate(facts):
        if index:
            yield ", "
        yield fact


def name(text: str) -> Span:
    """Of a pilot, planet, port, alliance or thornship."""
    return Span(Style.NAME, text)


def title(text: str) -> Span:
    """The head of a screen."""
    return Span(Style.TITLE, text)


def key(text: str) -> Span:
    """A key that can be pressed."""
    return Span(Style.KEY, text)


def danger(text: str) -> Span:
    """What may cost the ship."""
    return Span(Style.DANGER, text)


def gain(text: str) -> Span:
    """What was won."""
    return Span(Style.GAIN, text)


def faint(text: str) -> Span:
    """What is there to be looked up."""
    return Span(Style.FAINT, text)


def notice(text: str) -> Span:
    """What others did."""
    return Span(Style.NOTICE, text)


def told(text: str) -> Line:
    """A notice between prompts. It begins with a mark, and what of it is broken goes on under the text: no words of a
    pilot stand where the game's own lines begin."""
    return (Span(Style.LABEL, "*** "), notice(text))


def prompt(text: str) -> Span:
    """A question."""
    return Span(Style.PROMPT, text)


def column(text: str, columns: int) -> str:
    """A text in exactly so many columns of a table: cut, or filled up with blanks."""
    while columns_of(text) > columns:
        text = text[:-1]
    return text + " " * (columns - columns_of(text))


def figure(amount: int) -> str:
    """A whole number with commas: `1,234`."""
    return f"{amount:,}"


def tenths(amount: int) -> str:
    """Tenths of a credit as credits with one decimal: 94 is `9.4`."""
    return f"{amount // 10:,}.{amount % 10}"


def counted(amount: int, things: str) -> str:
    """A number of things: `1 fighter`, `2,000 credits`, `10 ice`."""
    if amount == 1:
        things = things.removesuffix("s")
    return f"{figure(amount)} {things}"


def listed(parts: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def amounts(goods: Mapping[Good, int]) -> str:
    """What there is of each good, those without any left out: `10 ice, 5 tools`; `nothing` if there is none."""
    return ", ".join(counted(amount, good.value) for good, amount in goods.items() if amount) or "nothing"
