"""What does this screen ask? Pure: the screen as a value in, what it asks and tells out.

How each kind of BBS words it is data (`Manners`), at the end of this file. What is *asked* is found in the row of the
cursor alone, and only where nothing stands behind the cursor: older text is never taken for a prompt. What is *told* is
a whole row, from edge to edge, above the cursor, so that it is complete: others may have written part of a row, hardly
ever a whole one. Whoever looks decides which of it counts at that moment (`dialogue.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Final

import msgspec

from tty_agent.terminal.screen import Screen


class Asks(StrEnum):
    """What the row of the cursor asks."""

    NAME = "name"
    PASSWORD = "password"  # noqa: S105 - what is asked
    PAUSE = "pause"
    """Any key."""
    BULLETINS = "bulletins"
    """A number, or to go on."""
    QUESTION = "question"
    """Yes or no."""
    DETAILS = "details"
    """Something about the caller, as of who is new."""
    MENU = "menu"
    """The main menu: the caller is in."""


class Says(StrEnum):
    """What a whole row tells."""

    GREETING = "greeting"
    """The BBS is there; nobody has been let in."""
    ACCEPTED = "accepted"
    UNKNOWN_USER = "unknown_user"
    REGISTRATION = "registration"
    """Somebody new is being registered; the name, if the row has it, is the group `name`."""
    WRONG_PASSWORD = "wrong_password"  # noqa: S105 - what is told
    NO_NODE = "no_node"
    BUSY_ACCOUNT = "busy_account"
    BARRED = "barred"
    NO_DOOR = "no_door"
    CLOSING = "closing"
    TOO_SLOW = "too_slow"


class Prompt(msgspec.Struct, frozen=True):
    """A prompt, and the keys that lead on from it."""

    asks: Asks
    pattern: str
    """A regular expression for the row up to the cursor, searched; it ends with the blank that ends the prompt."""
    keys: bytes = b""
    """What leads on; b"" where that is somebody's name or secret, or nothing."""


class Notice(msgspec.Struct, frozen=True):
    """A row that tells something."""

    says: Says
    pattern: str
    """A regular expression for the whole row, blanks at its ends taken away."""


class Manners(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """How one kind of BBS words its login. Compared by identity: what a row tells is remembered by it."""

    kind: str
    """As `Host.kind`."""
    prompts: tuple[Prompt, ...]
    """In order: the first that matches is it."""
    notices: tuple[Notice, ...]
    banner_nodes: tuple[str, ...]
    """Patterns of a row of the banner, with the group `node`."""
    menu_nodes: tuple[str, ...]
    """The same, of the main menu."""
    log_off: bytes
    """Keys that log off at the main menu."""


class View(msgspec.Struct, frozen=True):
    """What a terminal shows, as far as a login cares."""

    rows: tuple[str, ...]
    """The text of each row, without the blanks at its end."""
    cursor: tuple[int, int]
    """Row, column."""
    revision: int = 0
    """Of the cursor's row: another number, another content."""
    stable: bool = True
    """It has not changed for a while; else look at prompts alone."""

    @property
    def prompt_row(self) -> str | None:
        """The cursor's row up to the cursor; None where something stands behind it. A prompt ends in a blank: by it one
        that is complete is told from one that is being written or taken away. Of a screen at rest it is assumed."""
        row, column = self.cursor
        text = self.rows[row]
        if text[column:].strip():
            return None
        return f"{text[:column].rstrip()} " if self.stable else text[:column].ljust(column)

    @property
    def text(self) -> str:
        """All rows."""
        return "\n".join(self.rows)

    @property
    def blank(self) -> bool:
        """Nothing is shown."""
        return not any(self.rows)


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What was recognised."""

    prompt: Prompt | None = None
    says: frozenset[Says] = frozenset()
    named: str | None = None
    """The name that a registration is begun for, as the BBS shows it."""

    @property
    def asks(self) -> Asks | None:
        """What the prompt asks."""
        return None if self.prompt is None else self.prompt.asks


def view_of(screen: Screen, *, stable: bool = True) -> View:
    """The screen as it is now."""
    row, column = screen.cursor
    return View(tuple(screen.lines()), (row, column), screen.row_revisions[row], stable)


def recognise(view: View, manners: Manners) -> Seen:
    """What the screen asks and tells."""
    told = told_in(view.rows[: view.cursor[0]], manners)
    return msgspec.structs.replace(told, prompt=prompt_of(view, manners))


def told_in(rows: Sequence[str], manners: Manners) -> Seen:
    """What these rows tell; they are complete."""
    found = [told for row in rows if row for told in _row_tells(row, manners)]
    named = next((name for _, name in reversed(found) if name), None)
    return Seen(says=frozenset(says for says, _ in found), named=named)


@lru_cache(maxsize=4096)
def _row_tells(row: str, manners: Manners) -> tuple[tuple[Says, str | None], ...]:
    text = row.strip()
    matches = [(notice.says, _compiled(notice.pattern).fullmatch(text)) for notice in manners.notices]
    return tuple((says, match.groupdict().get("name")) for says, match in matches if match is not None)


def prompt_of(view: View, manners: Manners) -> Prompt | None:
    """The prompt that the cursor stands behind."""
    before = view.prompt_row
    if before is None:
        return None
    return next((prompt for prompt in manners.prompts if _compiled(prompt.pattern).search(before)), None)


def banner_node(view: View, manners: Manners) -> int | None:
    """The node that a banner names."""
    return _node(view.rows[: view.cursor[0]], manners.banner_nodes)


def menu_node(view: View, manners: Manners) -> int | None:
    """The node that the main menu names."""
    return _node(view.rows, manners.menu_nodes)


def _node(rows: Sequence[str], patterns: Sequence[str]) -> int | None:
    for row in rows:
        for pattern in patterns:
            if (match := _compiled(pattern).search(row)) is not None:
                return int(match["node"])
    return None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_ENTER: Final = b"\r"
"""Never with LF: by rlogin that is another key."""

_NO_NODE: Final = r"Sorry, all (?:terminal|\d+) nodes are in use.*"

SYNCHRONET: Final = Manners(
    kind="synchronet",
    prompts=(
        Prompt(Asks.NAME, r"^(?:Login|Enter User Name(?: or Number)?|NN): $"),
        Prompt(Asks.PASSWORD, r"^(?:Password|PW): $"),
        Prompt(Asks.PAUSE, r"\[Hit a key\] $", _ENTER),
        Prompt(Asks.BULLETINS, r"^Enter number of bulletin or \[\(?Q\)?uit\]: $", b"q"),
        Prompt(Asks.QUESTION, r"\? *(?:\[Yes\] No|\[No\] Yes|Yes \[No\]|No \[Yes\]) $", b"n"),
        Prompt(Asks.DETAILS, r"^\W*(?:Enter|Please enter|Please confirm|Choose) your\b.*: $"),
        Prompt(Asks.MENU, r"^\W*Main\W.*\d:\d\d:\d\d\b.*: $"),
    ),
    notices=(
        Notice(Says.GREETING, r"Synchronet BBS for .*|(?:Telnet|RLogin|SSH) connection from: .*"),
        Notice(Says.ACCEPTED, r"Logging on to .+ as .+"),
        Notice(Says.UNKNOWN_USER, r"Unknown user"),
        Notice(Says.REGISTRATION, r"UNKNOWN USER: *(?P<name>.*)|Starting new user registration\W*"),
        Notice(Says.WRONG_PASSWORD, r"Invalid Log[io]n"),
        Notice(Says.NO_NODE, _NO_NODE),
        Notice(Says.BUSY_ACCOUNT, r"You can't possibly be in two places at the same time\."),
        Notice(Says.NO_DOOR, r".*Error: Invalid external program specified.*"),
        Notice(Says.BARRED, r"You have exceeded the maximum number of logons.*|Sorry, your account has expired.*"),
    ),
    banner_nodes=(r"^ *NODE: +(?P<node>\d{1,5}) \(of \d+\)",),
    menu_nodes=(r"\bNode +(?P<node>\d{1,5}) +Up\b",),
    log_off=b"/o",
)
"""Synchronet 3.2x with its stock texts. `/o` logs off without a question."""

HOUSE: Final = Manners(
    kind="house",
    prompts=(
        Prompt(Asks.NAME, r"^Login: $"),
        Prompt(Asks.PASSWORD, r"^Password: $"),
        Prompt(Asks.PAUSE, r"^\[Hit a key\] $", _ENTER),
        Prompt(Asks.QUESTION, r"\[(?:Y/n|y/N)\] $", b"n"),
        Prompt(Asks.DETAILS, r"^(?:Name|Invite|Once more): $"),
        Prompt(Asks.MENU, r"^Main menu: $"),
    ),
    notices=(
        Notice(Says.GREETING, r"Node \d+ of \d+, (?:ssh|telnet|rlogin), .*"),
        Notice(Says.ACCEPTED, r"Welcome back, [^ ]+\.|Welcome, [^ ]+\. This is your first visit,.*"),
        Notice(Says.REGISTRATION, r"Choose a name: .*|You need an invite to register here\..*"),
        Notice(Says.WRONG_PASSWORD, r"Invalid Logon"),
        Notice(Says.NO_NODE, rf"{_NO_NODE}|Too many callers (?:from your address )?are on the line\..*"),
        Notice(Says.BUSY_ACCOUNT, r"You are on nodes [\d, ]+ already, which is the limit.*"),
        Notice(
            Says.BARRED,
            r"Too many tries have failed\..*|Your (?:account|address) is banned .*|Your account was removed\."
            r"|Passwords (?:in the clear )?are not taken .*",
        ),
        Notice(
            Says.NO_DOOR,
            r"There is no such door here\.|Guests can't enter doors: .*|.+ can't be run at the moment\..*"
            r"|.+ is not free: .+\.",
        ),
        Notice(Says.CLOSING, r"The BBS closes .*"),
        Notice(Says.TOO_SLOW, r"Logging in took too long\. .*"),
    ),
    banner_nodes=(r"^Node (?P<node>\d{1,5}) of \d+, (?:ssh|telnet|rlogin), ",),
    menu_nodes=(r"  Node (?P<node>\d{1,5})  ",),
    log_off=b"qy",
)
"""The BBS of this project."""

ANY: Final = Manners(
    kind="any",
    prompts=tuple(dict.fromkeys((*SYNCHRONET.prompts, *HOUSE.prompts))),
    notices=(*SYNCHRONET.notices, *HOUSE.notices),
    banner_nodes=(*SYNCHRONET.banner_nodes, *HOUSE.banner_nodes),
    menu_nodes=(*SYNCHRONET.menu_nodes, *HOUSE.menu_nodes),
    log_off=b"",
)
"""A BBS of which nothing is known but that it is one of these."""

MANNERS: Final = {manners.kind: manners for manners in (SYNCHRONET, HOUSE, ANY)}


def manners_of(kind: str | None) -> Manners:
    """Of a kind of host; of one that nobody described, all that is known."""
    return MANNERS.get(kind or ANY.kind, ANY)


def log_off_keys(view: View) -> bytes:
    """What logs off from here; b"" where no main menu is shown."""
    for manners in (SYNCHRONET, HOUSE):
        prompt = prompt_of(view, manners)
        if prompt is not None and prompt.asks is Asks.MENU:
            return manners.log_off
    return b""
