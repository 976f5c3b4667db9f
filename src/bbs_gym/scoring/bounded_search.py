"""Regular expressions of a match's checks, looked for in what agents wrote: for so long and no longer.

Some expressions take longer than anybody lives on a text that an agent is free to choose. Those that can't, since
nothing in them repeats or branches, are looked for at once; the others in a process of their own, which is ended when
its time is over.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

import msgspec

MAX_PATTERN_CHARS: Final = 300
"""An expression that somebody can still read."""

MAX_TEXT_CHARS: Final = 20_000
"""Of one text; what follows is not looked at. Posts are shorter."""

SEARCH_S: Final = 3.0
"""For one expression on all its texts, the start of the process included: a hundred times what it takes."""

_STRAIGHT: Final = re.compile(r"(?:[^\\*+?{|(]|\\[^0-9])*", re.DOTALL)
"""No repetition, no branch, no group: time in proportion to the text."""

_PROGRAM: Final = (
    "import json,re,sys\n"
    "asked=json.load(sys.stdin)\n"
    "pattern=re.compile(asked['pattern'])\n"
    "json.dump([pattern.search(text) is not None for text in asked['texts']],sys.stdout)\n"
)


class PatternFault(ValueError):
    """The expression can't be used; the text says why and what to do."""


class SlowPattern(PatternFault):
    """The expression took longer than `SEARCH_S`: nothing is known of its texts."""


def check_pattern(pattern: str) -> None:
    """Raises PatternFault for what is no expression, or too long a one."""
    if len(pattern) > MAX_PATTERN_CHARS:
        raise PatternFault(f"an expression has {len(pattern)} characters: write one of {MAX_PATTERN_CHARS} at most")
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as fault:
        raise PatternFault(f"{pattern!r} is no regular expression: {fault}") from fault


def found_in(pattern: str, texts: Sequence[str]) -> tuple[bool, ...]:
    """For each text, whether the expression is found anywhere in it. Raises PatternFault, SlowPattern."""
    check_pattern(pattern)
    bounded = [text[:MAX_TEXT_CHARS] for text in texts]
    if not bounded or _STRAIGHT.fullmatch(pattern):
        compiled = re.compile(pattern)
        return tuple(compiled.search(text) is not None for text in bounded)
    return _apart(pattern, bounded)


def _apart(pattern: str, texts: Sequence[str]) -> tuple[bool, ...]:
    asked = msgspec.json.encode({"pattern": pattern, "texts": [_utf8(text) for text in texts]})
    try:
        done = subprocess.run(  # noqa: S603 - our own program in our own interpreter; the texts are its input
            [sys.executable, "-I", "-S", "-c", _PROGRAM], input=asked, capture_output=True, timeout=SEARCH_S, check=True
        )
    except subprocess.TimeoutExpired as fault:
        raise SlowPattern(
            f"{pattern!r} takes more than {SEARCH_S:g} s: write it without a repetition inside of another, as in (a+)+"
        ) from fault
    except subprocess.CalledProcessError as fault:
        raise PatternFault(f"{pattern!r} can't be looked for: {fault.returncode}") from fault
    return tuple(msgspec.json.decode(done.stdout, type=list[bool]))


def _utf8(text: str) -> str:
    """Without lone surrogates, which have no place in JSON."""
    return text.encode("utf-8", "replace").decode()
