"""Output filters: what a model wrote, less what it wrote to itself.

`reasoning`, the default, takes out blocks in tags such as `<think>`: closed ones, one that is cut off by the end of
the reply, and the beginning of a reply that starts inside of a block and has the closing tag only. `gemma4` takes out
thought channels (`<|channel>thought` to `<channel|>`) and the markers of final ones, then does the same. `none` changes
nothing.

Tags inside of a JSON object that stands outside of reasoning are text that the model wants to type, and stay. A filter
applied to its own result changes nothing, and takes time in proportion to the reply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from tty_agent.actions.reply_objects import MAX_FAILURES, FoundObject, object_at

DEFAULT_FILTER: Final = "reasoning"

_MAX_PASSES: Final = 8
"""What is left of odd replies may read as a block again; so often is the filter applied, one pass does for nearly
all."""

_TAGS: Final = "think|thinking|thought|reasoning|analysis"
_THOUGHTS: Final = "thoughts?|think|thinking|reasoning|analysis"
_ANSWERS: Final = "final|answer|response"


class _Markers(msgspec.Struct, frozen=True):
    """How one family marks its blocks. None of the patterns matches a line end inside of a marker: pieces are joined
    by one, and make no new marker."""

    outside: re.Pattern[str]
    """The groups `object` (a `{` that may begin a JSON object), `opens`, `closes`, `answers` (what follows is the
    answer) and `noise`."""
    ends: re.Pattern[str]
    """What ends a block: `closes` and `answers`."""


def _markers(opens: str, closes: str, answers: str = "(?!)", noise: str = "(?!)") -> _Markers:
    ends = f"(?P<closes>{closes})|(?P<answers>{answers})"
    return _Markers(
        outside=re.compile(rf'(?P<object>\{{[ \t\r\n]*")|(?P<opens>{opens})|{ends}|(?P<noise>{noise})', re.IGNORECASE),
        ends=re.compile(ends, re.IGNORECASE),
    )


_REASONING: Final = _markers(
    opens=rf"<(?:{_TAGS})(?:[ \t][^<>\r\n]{{0,200}})?>",
    closes=rf"</(?:{_TAGS})[ \t]?>",
)

_CHANNELS: Final = _markers(
    opens=rf"<\|channel\|?>[ \t]*(?:{_THOUGHTS})\b",
    closes=rf"<channel\|>|<\|channel\|>(?![ \t]*(?:{_THOUGHTS}|{_ANSWERS})\b)",
    answers=rf"<\|channel\|?>[ \t]*(?:{_ANSWERS})\b",
    noise=(
        r"<\|channel>|<\|message\|?>|<\|(?:start|turn)\|?>[ \t]*(?:model|assistant)\b"
        r"|<\|end\|>|<turn\|>|<end_of_turn>"
    ),
)
r"""`<|channel>` is the marker as trained, `<|channel|>` what some servers make of it: with a name it begins a channel,
without one it ends it."""


class _Reader:
    """One pass over one reply."""

    def __init__(self, text: str, markers: _Markers) -> None:
        self._text = text
        self._markers = markers
        self._tail = _tail(text, markers)
        self._kept: list[str] = []
        self._began = 0
        """Where the piece outside of blocks begins that is not yet kept or dropped."""
        self._place = 0
        self._in_block = False
        self._in_answer = False
        self._saw_block = False
        self._failures = 0

    def outside(self) -> str:
        """The reply less its blocks and markers."""
        while self._step():
            pass
        return "\n".join(piece for piece in self._kept if piece)

    def _step(self) -> bool:
        pattern = self._markers.ends if self._in_block else self._markers.outside
        found = pattern.search(self._text, self._place)
        if found is None:
            if not self._in_block:
                self._keep(len(self._text))
            return False
        if found.lastgroup == "object":
            self._place = self._beyond_object(found.start())
            return True
        if self._in_block:
            self._in_block = False
        elif found.lastgroup != "closes" or self._closes_nothing(found.start()):
            self._keep(found.start())
        self._in_block = found.lastgroup == "opens"
        self._in_answer = found.lastgroup == "answers" or (self._in_answer and found.lastgroup == "noise")
        self._saw_block = self._saw_block or found.lastgroup != "noise"
        self._began = self._place = found.end()
        return True

    def _closes_nothing(self, start: int) -> bool:
        """A closing marker outside of blocks ends the answer, or stands idle at the end of the reply. Any other ends
        a block whose beginning is not in the reply."""
        return self._in_answer or (self._saw_block and start >= self._tail)

    def _keep(self, end: int) -> None:
        self._kept.append(self._text[self._began : end].strip("\n"))

    def _beyond_object(self, start: int) -> int:
        """Behind the JSON object, or as far as it is one: what stands there in strings is no marker."""
        if self._failures >= MAX_FAILURES:
            return start + 1
        there = object_at(self._text, start)
        if isinstance(there, FoundObject):
            return there.end
        self._failures += MAX_FAILURES if there.too_deep else 1  # and each brace inside is as deep: none is tried
        return there.at


def _tail(text: str, markers: _Markers) -> int:
    """Where nothing but closing markers and white space follows."""
    tail = len(text)
    for found in reversed(list(markers.ends.finditer(text))):
        if found["closes"] is None or text[found.end() : tail].strip():
            break
        tail = found.start()
    return tail


def _less(text: str, *families: _Markers) -> str:
    for _ in range(_MAX_PASSES):
        before = text
        for markers in families:
            text = _Reader(text, markers).outside().strip()
        if text == before:
            break
    return text


FILTERS: Final[Mapping[str, Callable[[str], str]]] = MappingProxyType(
    {
        "none": lambda text: text,
        "reasoning": lambda text: _less(text, _REASONING),
        "gemma4": lambda text: _less(text, _CHANNELS, _REASONING),
    }
)
"""By name, as settings and traces write them."""

_FAMILIES: Final = ((re.compile(r"gemma[-_ ]?4(?!\d|b\b)", re.IGNORECASE), "gemma4"),)
"""By what the model id holds; `gemma-4b` is a size."""


def filter_for(model_id: str | None) -> str:
    """The name of the filter for a model, by its family; DEFAULT_FILTER where that is not known."""
    for pattern, name in _FAMILIES:
        if model_id and pattern.search(model_id):
            return name
    return DEFAULT_FILTER


def filtered(text: str, name: str) -> str:
    """`text` through the filter called `name`. Raises ValueError, which lists the names, if there is none."""
    if name not in FILTERS:
        raise ValueError(f"there is no response filter {name!r}; known: {', '.join(FILTERS)}")
    return FILTERS[name](text)
