"""The JSON objects in a model's reply, among whatever else it wrote.

Prose, code fences and objects may alternate. Each `{` that could begin an object is tried once, and reading goes on
where it failed or ended, so the work is in proportion to the length of the reply. What fails is kept with the reason,
in words for a model: it is the answer if nothing better is found.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import msgspec

from tty_agent.actions.errors import Fault, NotAnAction, quote

MAX_REPLY_CHARS: Final = 262_144
"""A reply beyond this is refused unread: no action is near to it, and a model that loops writes without end."""

MAX_FAILURES: Final = 1_000
"""How many objects may be broken: each attempt that fails costs time in proportion to the reply."""

MAX_OBJECTS: Final = 32
"""How many objects are kept, the last ones: an action is one of the last, the others are only told of."""

_MAX_BROKEN: Final = 8
"""How many pieces that failed are kept, the last ones: one of them gives the error."""

_MAX_LINE_ENDS_TRIED: Final = 8
"""How many broken objects with line ends inside of strings are read once more, for it may cost time in proportion to
the reply."""

_MAX_INT_DIGITS: Final = 20
"""Longer integers become floats: nothing here counts that far, and reading digits takes more than linear time."""

_START: Final = re.compile(r'\{[ \t\r\n]*(["}])?')
_WHITE: Final = " \t\r\n"
_NO_KEY: Final = "no key"
_TOO_DEEP: Final = "nested too deeply"

_SEEN_CHARS: Final = 16
"""How much after a failure is looked at for its cause: the longest of the mistakes that are known."""


class JsonObject(dict[str, Any]):
    """An object as written; `repeated` are the keys that stand in it more than once."""

    __slots__ = ("repeated",)

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated: tuple[str, ...] = ()
        if len(self) != len(pairs):
            seen: set[str] = set()
            self.repeated = tuple(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]


class NotANumber(msgspec.Struct, frozen=True):
    """NaN, Infinity or -Infinity, which models write and JSON does not have."""

    name: str


class FoundObject(msgspec.Struct, frozen=True):
    """An object at `text[start:end]`."""

    start: int
    end: int
    value: JsonObject


class BrokenObject(msgspec.Struct, frozen=True):
    """What begins like an object at `start` and can't be read beyond `at`. `problem` is the decoder's word for it."""

    start: int
    at: int
    problem: str

    @property
    def too_deep(self) -> bool:
        """The object may be whole, but is nested beyond what can be read."""
        return self.problem == _TOO_DEEP


class ReplyObjects(msgspec.Struct, frozen=True):
    """What a reply holds, in its order; of much, the last."""

    objects: tuple[FoundObject, ...]
    broken: tuple[BrokenObject, ...]


def find_objects(text: str) -> ReplyObjects:
    """The objects of a reply that are not inside of others. Raises NotAnAction for a reply that is too long, too
    deeply nested or all braces."""
    if len(text) > MAX_REPLY_CHARS:
        raise NotAnAction(
            Fault.REPLY_TOO_LONG,
            f"The reply has {len(text)} characters; at most {MAX_REPLY_CHARS} are read. Answer with the object alone.",
        )
    objects: deque[FoundObject] = deque(maxlen=MAX_OBJECTS)
    broken: deque[BrokenObject] = deque(maxlen=_MAX_BROKEN)
    failures = line_ends = place = 0
    while found := _START.search(text, place):
        start = found.start()
        if found[1] is None:
            broken.append(BrokenObject(start, found.end(), _NO_KEY))
            place = found.end()
            continue
        outcome = object_at(text, start)
        if isinstance(outcome, BrokenObject) and _says_line_end(outcome.problem) and line_ends < _MAX_LINE_ENDS_TRIED:
            again = object_at(text, start, line_ends=True)
            if isinstance(again, FoundObject):
                outcome = again
            else:
                line_ends += 1
        if isinstance(outcome, FoundObject):
            objects.append(outcome)
            place = outcome.end
            continue
        failures += 1
        if failures > MAX_FAILURES:
            raise NotAnAction(Fault.BAD_JSON, f"The reply begins more than {MAX_FAILURES} objects. Answer with one.")
        if outcome.too_deep:
            raise NotAnAction(
                Fault.NESTED_TOO_DEEPLY, "The JSON object is nested too deeply: an action has two levels."
            )
        broken.append(outcome)
        place = outcome.at
    return ReplyObjects(tuple(objects), tuple(broken))


def object_at(text: str, start: int, *, line_ends: bool = False) -> FoundObject | BrokenObject:
    """The object that begins with the `{` at `start`; `line_ends`: also with line ends inside of strings."""
    try:
        value, end = (_LENIENT if line_ends else _STRICT).raw_decode(text, start)
    except json.JSONDecodeError as error:
        return BrokenObject(start, max(error.pos, start + 1), error.msg)
    except RecursionError:
        return BrokenObject(start, start + 1, _TOO_DEEP)
    return FoundObject(start, end, value)


def explain(text: str, broken: BrokenObject) -> NotAnAction:
    """The error for a piece that could not be read, naming what models do wrong most."""
    rest = text[broken.at :].lstrip(_WHITE)
    if not rest or broken.problem.startswith("Unterminated string"):
        return NotAnAction(
            Fault.CUT_OFF, "The reply ends before its JSON object is closed. Answer with a whole object."
        )
    place = _Place(text[broken.start : broken.at].rstrip(_WHITE), rest[:_SEEN_CHARS], broken.problem)
    words = next((words for applies, words in _MISTAKES if applies(place)), None)
    fault = words or place.problem[:1].lower() + place.problem[1:]
    return NotAnAction(Fault.BAD_JSON, f"The JSON object can't be read at {quote(rest)}: {fault}.")


class _Place(msgspec.Struct, frozen=True):
    """Where reading failed: the text of the object up to there, what follows, and the decoder's word."""

    before: str
    rest: str
    problem: str


_COMMA: Final = "there is a comma before the closing bracket"

_MISTAKES: Final[tuple[tuple[Callable[[_Place], bool], str], ...]] = (
    (lambda at: at.before.endswith(",") and at.rest.startswith(("}", "]")), _COMMA),
    (lambda at: at.problem.startswith("Illegal trailing comma"), _COMMA),  # Python 3.13 and later
    (lambda at: at.rest.startswith("'"), "JSON strings stand in double quotes, not in single quotes"),
    (lambda at: at.rest.startswith(("“", "”", "„", "«")), 'JSON strings stand in plain double quotes (")'),
    (lambda at: at.rest.startswith(("//", "/*", "#")), "JSON has no comments"),
    (lambda at: at.rest.startswith(("True", "False", "None")), "JSON writes true, false and null"),
    (lambda at: at.rest.startswith("<"), "what stands in angle brackets is to be replaced"),
    (
        lambda at: _says_line_end(at.problem),
        r"inside of a string a line end is written \n, a control character \u00...",
    ),
    (lambda at: "escape" in at.problem, r"a backslash inside of a string is written \\"),
    (lambda at: at.problem == _NO_KEY or "property name" in at.problem, "a key in double quotes belongs here"),
    (
        lambda at: "delimiter" in at.problem and at.before.endswith('"'),
        r"a comma or a colon is missing, or a quotation mark inside of a string is not written \"",
    ),
)
"""What models do wrong, the most telling first."""


def _says_line_end(problem: str) -> bool:
    return problem.startswith("Invalid control character")


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MAX_INT_DIGITS else float(digits)


_STRICT: Final = json.JSONDecoder(object_pairs_hook=JsonObject, parse_int=_integer, parse_constant=NotANumber)
_LENIENT: Final = json.JSONDecoder(
    object_pairs_hook=JsonObject, parse_int=_integer, parse_constant=NotANumber, strict=False
)
