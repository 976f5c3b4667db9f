"""Texts that pilots enter, made fit to keep, and amounts in words."""

from __future__ import annotations

import re
from typing import Final

from starlane.engine.refusal import Refused
from starlane.goods import Good
from starlane.inert import inert, inert_name
from starlane.settings import MAX_NAME_CHARS, MAX_TEXT_CHARS

_MARKS: Final = re.compile("[,:()]")
"""What screens put between names and facts: in a name they would forge facts, or the words of somebody else."""
_SPOKEN_FOR: Final = frozenset({"nobody", "nobody's", "you", "yours", "your ally", "protected", "asleep"})
"""What screens say in the place of a name, or behind one."""


def without_marks(name: str) -> str:
    """The name of a board's caller with blanks for what screens put around names."""
    return _MARKS.sub(" ", name)


def spoken_for(name: str) -> bool:
    """Whether screens say this of something else than what is called so."""
    return name.casefold() in _SPOKEN_FOR


def entered(text: str) -> str:
    """A text of several words, inert. Raises Refused if there is none, or more than MAX_TEXT_CHARS.

    What is hidden or would act is written as an escape, and counts as that many characters.
    """
    line = inert(text.strip(" "))
    if not line:
        raise Refused("There is nothing in it; type at least one character.")
    if len(line) > MAX_TEXT_CHARS:
        raise Refused(f"That is {len(line):,} characters long; {MAX_TEXT_CHARS} is the most.")
    return line


def entered_name(text: str) -> str:
    """A name for a planet or an alliance. Raises Refused if there is none, or more than MAX_NAME_CHARS."""
    name = inert_name(text, MAX_TEXT_CHARS)
    if not name:
        raise Refused("There is no name in it; type at least one character.")
    if len(name) > MAX_NAME_CHARS:
        raise Refused(f"That is {len(name)} characters long; {MAX_NAME_CHARS} is the most.")
    if _MARKS.search(name) or spoken_for(name):
        raise Refused(f"{name} could be taken for something else; choose a name without commas, colons and brackets.")
    return name


def counted(amount: int, good: Good) -> str:
    """Such as `1 tool` or `1,200 credits`."""
    word = good.value[:-1] if amount == 1 and good not in {Good.ICE, Good.GRAIN} else good.value
    return f"{amount:,} {word}"
