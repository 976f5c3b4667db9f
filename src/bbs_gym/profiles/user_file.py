"""What a file of a user's own profiles may say: its tables as values, and how a mistake in one is told."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec

from tty_agent.actions.action import ActionName
from tty_agent.observer.readiness import PromptPattern, TurnPolicy
from tty_agent.prompt_modules import AssistanceLevel
from tty_agent.terminal.inert import inert

MAX_NAME_CHARS: Final = 64
"""Of a profile: it stands in every line of a trace's list."""

MAX_NOTE_CHARS: Final = 4_000
"""Of a module of one's own: a screen and a half of text is in every prompt."""

V = TypeVar("V", bound=msgspec.Struct)


class ProfileFileError(ValueError):
    """The file describes no profiles. The text names file, table and field, and says what it should be."""


class BudgetTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits in place of the base's; 0 is no limit."""

    max_decision_ticks: int | None = None
    max_wall_seconds: float | None = None
    max_validation_failures: int | None = None
    max_tokens: int | None = None
    max_cost_usd: float | None = None


class NoteTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A module of one's own: the same text at every turn."""

    name: str
    level: AssistanceLevel
    text: str
    title: str = ""


class ProfileTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One profile. What is left out is as of the base."""

    base: str = "stability-only"
    objective: str | None = None
    actions: tuple[ActionName, ...] | None = None
    keys: tuple[str, ...] | None = None
    max_text_chars: int | None = None
    max_lines: int | None = None
    max_line_chars: int | None = None
    max_wait_s: float | None = None
    max_raw_bytes: int | None = None
    pace_ms: int | None = None
    modules: tuple[str, ...] | None = None
    """Exactly these; else those of the base."""
    assistance: AssistanceLevel | None = None
    """No module above that level."""
    add_modules: tuple[str, ...] = ()
    drop_modules: tuple[str, ...] = ()
    notes: tuple[NoteTable, ...] = ()
    prompts: tuple[PromptPattern, ...] = ()
    """Before those of the base."""
    turn: TurnPolicy | None = None
    guidance: str | None = None
    budget: BudgetTable = BudgetTable()
    done_when: tuple[str, ...] = ()
    failed_when: tuple[str, ...] = ()


class RouteTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One route: of `game`, `prompts` and `row` exactly one."""

    name: str
    profile: str
    game: str | None = None
    """That game waits for input: `tw2`, `starlane`."""
    prompts: tuple[str, ...] = ()
    """One of these known prompts is live."""
    row: str | None = None
    """A regular expression for the live row up to the cursor."""


class RouteSetTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One route set."""

    default: str
    routes: tuple[RouteTable, ...] = ()


def converted(where: str, table: object, kind: type[V]) -> V:
    """A table as a value. Raises ProfileFileError, which names the place and the field."""
    if not isinstance(table, dict):
        raise ProfileFileError(f"{where}: it is a table of settings")
    known = [field.name for field in msgspec.structs.fields(kind)]
    for name in table:
        if name not in known:
            raise ProfileFileError(f"{where}: {unknown('field', name, known)}")
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as fault:
        raise ProfileFileError(f"{where}: {inert(str(fault))}") from fault


def unknown(kind: str, name: str, known: Mapping[str, Any] | list[str]) -> str:
    """What to tell of a name that is none, with those that are near, or all there are."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=2)
    rest = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names)}"
    return f"there is no {kind} {inert(repr(name[:MAX_NAME_CHARS]))}: {rest}"
