"""A model's reply to an action.

Models write prose around the object, put it into code fences, draft one and write another. The last object that has
the shape of an action counts; all others are named in `Parsed.ignored_objects`, so none is passed over silently. Prose,
and a field such as `reason`, is kept as the reason. Small departures are read as what they plainly mean and noted:
arguments beside `action` in place of under `arguments`, a number for a digit, a line end at the end of submit_line. All
others are errors that name the fault, for the repair prompt.
"""

from __future__ import annotations

import difflib
import re
from typing import Any, Final

import msgspec

from tty_agent.actions.action import Action, ActionName, SubmitLine, Wait
from tty_agent.actions.errors import Fault, NotAnAction, WrongShape, quote
from tty_agent.actions.forms import FORMS, ActionForm, ArgumentKind
from tty_agent.actions.policy import ActionPolicy
from tty_agent.actions.reply_objects import (
    BrokenObject,
    FoundObject,
    JsonObject,
    NotANumber,
    ReplyObjects,
    explain,
    find_objects,
)

MAX_REASON_CHARS: Final = 2_000
"""How much prose is kept; the raw reply is in the trace."""

MAX_IGNORED_CHARS: Final = 300
"""How much is kept of an object that did not count."""

_MAX_NAMED_FIELDS: Final = 5
"""How many fields an error or a note names."""

_MAX_NAME_CHARS: Final = 40
"""How much of an unknown action's name is compared with those that exist."""

_REASON_FIELDS: Final = frozenset(
    {
        *("reason", "reasons", "reasoning", "rationale", "explanation", "thought", "thoughts", "thinking"),
        *("analysis", "comment", "comments", "plan", "note", "notes"),
    }
)

_FENCE: Final = re.compile(r"```[a-zA-Z0-9_+-]*|~~~[a-zA-Z0-9_+-]*")
_LONE: Final = re.compile("[\ud800-\udfff]")
_ACTION: Final = re.compile(r"\baction\b", re.IGNORECASE)
_NAME_SEPARATORS: Final = re.compile(r"[-_\s]+")

_NAMES: Final = {name.replace("_", ""): name for name in ActionName}


class Parsed(msgspec.Struct, frozen=True, kw_only=True):
    """A reply that holds an action which the policy allows."""

    action: Action
    object_text: str
    """The object that counted, as written."""
    reason: str = ""
    """What the model wrote around it, and in its reason field; at most MAX_REASON_CHARS."""
    ignored_objects: tuple[str, ...] = ()
    """The other objects, whole or broken, in their order, each cut to MAX_IGNORED_CHARS."""
    notes: tuple[str, ...] = ()
    """Where the reply departed from the form and was understood all the same."""


def parse(text: str, policy: ActionPolicy) -> Parsed:
    """The action in a reply, after the model's output filter. Raises NotAnAction, WrongShape or Refused.

    If the last action of the reply is refused by the policy, it is not replaced by an earlier one.
    """
    text = _LONE.sub("\ufffd", text)
    found = find_objects(text)
    faults: dict[int, WrongShape] = {}
    for candidate in reversed(found.objects):
        try:
            action, notes = _read(candidate.value, policy)
        except WrongShape as error:
            faults[candidate.start] = error
            continue
        policy.check(action)
        return Parsed(
            action=action,
            object_text=text[candidate.start : candidate.end],
            reason=_reason(text, found.objects, candidate.value),
            ignored_objects=_ignored(text, found, candidate),
            notes=notes,
        )
    raise _fault(text, found, faults)


def _fault(text: str, found: ReplyObjects, faults: dict[int, WrongShape]) -> NotAnAction:
    """The error of the last piece that was meant as an action, or else of the last object."""
    pieces = _pieces(text, found)
    if not pieces:
        form = 'Answer with one JSON object: {"action": NAME, "arguments": {...}}.'
        if not text.strip():
            return NotAnAction(Fault.EMPTY_REPLY, f"The reply is empty. {form}")
        return NotAnAction(Fault.NO_JSON, f"The reply holds no JSON object. {form}")
    last = found.objects[-1] if found.objects else pieces[-1].object
    meant = next((piece.object for piece in reversed(pieces) if piece.like_an_action), last)
    return explain(text, meant) if isinstance(meant, BrokenObject) else faults[meant.start]


class _Piece(msgspec.Struct, frozen=True):
    """An object, whole or broken, with the beginning of its text."""

    object: FoundObject | BrokenObject
    text: str

    @property
    def like_an_action(self) -> bool:
        if isinstance(self.object, FoundObject):
            return "action" in self.object.value
        return _ACTION.search(self.text) is not None


def _pieces(text: str, found: ReplyObjects) -> list[_Piece]:
    """In their order. Nobody knows where a broken one was to end: it goes to the next at most."""
    objects: list[FoundObject | BrokenObject] = [*found.objects, *found.broken]
    objects.sort(key=lambda piece: piece.start)
    nexts = [*(piece.start for piece in objects[1:]), len(text)][: len(objects)]
    ends = [piece.end if isinstance(piece, FoundObject) else after for piece, after in zip(objects, nexts, strict=True)]
    return [
        _Piece(piece, text[piece.start : min(end, piece.start + MAX_IGNORED_CHARS)])
        for piece, end in zip(objects, ends, strict=True)
    ]


def _ignored(text: str, found: ReplyObjects, counted: FoundObject) -> tuple[str, ...]:
    """Braces that don't hold an object and say nothing of an action are prose."""
    return tuple(
        piece.text
        for piece in _pieces(text, found)
        if piece.object is not counted and (isinstance(piece.object, FoundObject) or piece.like_an_action)
    )


def _reason(text: str, objects: tuple[FoundObject, ...], counted: JsonObject) -> str:
    """The prose without objects, fences and lines of signs alone, then the reason fields of the object that counted."""
    prose, place = [], 0
    for other in objects:
        prose.append(text[place : other.start])
        place = other.end
    prose.append(text[place:])
    arguments = counted.get("arguments")
    parts = [part.strip() for part in _FENCE.sub("", "\n".join(prose)).split("\n")]
    for fields in (counted, arguments if isinstance(arguments, JsonObject) else {}):
        parts.extend(value for name, value in fields.items() if name in _REASON_FIELDS and isinstance(value, str))
    reason = _LONE.sub("\ufffd", "\n".join(part for part in parts if any(map(str.isalnum, part))))
    return reason if len(reason) <= MAX_REASON_CHARS else reason[: MAX_REASON_CHARS - 1] + "…"


def _read(written: JsonObject, policy: ActionPolicy) -> tuple[Action, tuple[str, ...]]:
    """The action that an object is, and notes on its form. Raises WrongShape, and Refused for an action that is not
    available, whatever its arguments are."""
    _refuse_repeated(written)
    notes: list[str] = []
    form = _form(written, policy, notes)
    policy.check_allowed(form.name)
    arguments = _arguments(written, form, notes)
    if form.argument is None:
        return form.value(), tuple(notes)
    argument = arguments.get(form.argument)
    if argument is None and form.optional:
        default = Wait(min(Wait().seconds, policy.max_wait_s)) if form.value is Wait else form.value()
        return default, tuple(notes)
    return form.value(_converted(form, form.argument, argument, notes)), tuple(notes)


def _refuse_repeated(written: JsonObject) -> None:
    if written.repeated:
        raise WrongShape(
            Fault.DUPLICATE_KEY, f"The key {quote(written.repeated[0])} stands twice in one object; write it once."
        )


def _form(written: JsonObject, policy: ActionPolicy, notes: list[str]) -> ActionForm:
    if "action" not in written:
        others = _listed([field for field in written if field not in _REASON_FIELDS])
        wrong = f" {others}." if others else ""
        raise WrongShape(
            Fault.MISSING_FIELD,
            f'The field `action` is missing.{wrong} An answer is {{"action": NAME, "arguments": {{...}}}}.',
        )
    name = written["action"]
    allowed = ", ".join(policy.allowed)
    if not isinstance(name, str):
        raise WrongShape(Fault.WRONG_TYPE, f"`action` is {_type(name)}; it is a string, one of: {allowed}.")
    known = _NAMES.get(_NAME_SEPARATORS.sub("", name).lower())
    if known is None:
        near = difflib.get_close_matches(name[:_MAX_NAME_CHARS], policy.allowed, n=1)
        meant = f" Did you mean {near[0]}?" if near else ""
        raise WrongShape(
            Fault.UNKNOWN_ACTION, f"There is no action {quote(name)}.{meant} `action` is one of: {allowed}."
        )
    if known != name:
        notes.append(f"the action is spelled {quote(name)}")
    return FORMS[known]


def _arguments(written: JsonObject, form: ActionForm, notes: list[str]) -> JsonObject:
    """The arguments as written, the one that the action needs among them. It may stand beside `action`."""
    arguments = written.get("arguments")
    if arguments is not None and not isinstance(arguments, JsonObject):
        raise WrongShape(Fault.WRONG_TYPE, f"`arguments` is {_type(arguments)}; it is an object: {_example(form)}.")
    arguments = arguments or JsonObject([])
    _refuse_repeated(arguments)
    beside = [field for field in written if field not in {"action", "arguments"} and field not in _REASON_FIELDS]
    if form.argument in beside and form.argument not in arguments:
        notes.append(f"`{form.argument}` stands beside `action`, not under `arguments`")
        arguments[form.argument] = written[form.argument]
        beside.remove(form.argument)
    _check_fields(form, arguments, beside)
    if beside:
        notes.append(f"ignored beside `action`: {_names(beside)}")
    return arguments


def _check_fields(form: ActionForm, arguments: JsonObject, beside: list[str]) -> None:
    unknown = [field for field in arguments if field != form.argument and field not in _REASON_FIELDS]
    if form.argument is not None and not form.optional and arguments.get(form.argument) is None:
        wrong = _listed(unknown or beside)
        raise WrongShape(
            Fault.MISSING_FIELD,
            f"{form.name} lacks its argument `{form.argument}`.{' ' + wrong + '.' if wrong else ''}"
            f" Write {_example(form)}.",
        )
    if unknown:
        takes = f"only `{form.argument}`" if form.argument else "no arguments"
        raise WrongShape(Fault.UNKNOWN_FIELD, f"{_listed(unknown)}: {form.name} takes {takes}.")


def _converted(form: ActionForm, name: str, value: object, notes: list[str]) -> Any:
    match form.kind:
        case ArgumentKind.SECONDS:
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise WrongShape(Fault.WRONG_TYPE, f"`{name}` is {_type(value)}; it is a number.")
            return float(value)
        case ArgumentKind.LINES:
            return _lines(name, value)
        case ArgumentKind.KEY | ArgumentKind.TEXT if isinstance(value, int) and not isinstance(value, bool):
            notes.append(f"`{name}` is a number, not a string")
            return str(value)
    if not isinstance(value, str):
        raise WrongShape(Fault.WRONG_TYPE, f"`{name}` is {_type(value)}; it is a string.")
    if form.value is SubmitLine and value.endswith(("\n", "\r")):
        notes.append("a line end at the end of `text` was left out: submit_line presses Enter")
        return value.removesuffix("\n").removesuffix("\r")
    return value


def _lines(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise WrongShape(Fault.WRONG_TYPE, f"`{name}` is {_type(value)}; it is an array of strings.")
    for number, line in enumerate(value):
        if not isinstance(line, str):
            raise WrongShape(Fault.WRONG_TYPE, f"`{name}[{number}]` is {_type(line)}; it is a string.")
    return tuple(value)


def _example(form: ActionForm) -> str:
    return f'{{"{form.argument}": {form.placeholder}}}' if form.argument else "{}"


def _listed(fields: list[str]) -> str:
    """`a` and `b` are not fields, as a clause; empty for none."""
    if not fields:
        return ""
    return f"{_names(fields)} {'is not a field' if len(fields) == 1 else 'are not fields'}"


def _names(fields: list[str]) -> str:
    shown = ", ".join(quote(field) for field in fields[:_MAX_NAMED_FIELDS])
    more = len(fields) - _MAX_NAMED_FIELDS
    return f"{shown} and {more} more" if more > 0 else shown


def _type(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f"the string {quote(value)}"
    if isinstance(value, NotANumber):
        return f"{value.name}, which JSON does not have"
    return "a number" if isinstance(value, int | float) else "an array" if isinstance(value, list) else "an object"
