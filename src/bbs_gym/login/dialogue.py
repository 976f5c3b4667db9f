"""One login, screen by screen: what to type next, whether it is done, or why it failed. Pure: no line and no clock.

The rules that keep a password off the screen, and an agent out of a registration:

* The password is given once, behind a password prompt that came after the name, and at no other moment.
* After `Unknown user`, or a second prompt for a name, nothing more is typed: what comes next would be shown.
* A registration that begins is a fault at once.
* A prompt is answered once. The same prompt counts again only after its row has changed.

What the screen *tells* counts only until the BBS has let the caller in: from then on others' words are on it. After
that it is read once more if the BBS hangs up, to say why.

| stage | waits for | goes on to |
|---|---|---|
| arriving | a prompt for the name | naming |
| naming | a prompt for the password | checking |
| checking | to be let in | entering |
| entering | pauses and questions, up to the main menu, or the door | in |
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from bbs_gym.login.fault import FaultKind, LoginFault
from bbs_gym.login.prompts import Asks, Manners, Says, Seen, View, banner_node, menu_node, recognise, told_in
from bbs_gym.node_record import SeenBy
from tty_agent.terminal.inert import inert

MAX_ANSWERS: Final = 40
"""Pauses and questions of one login: a first visit to a talkative BBS has a dozen."""

MAX_SHOWN_CHARS: Final = 60
"""Of a row that a fault quotes: enough to recognise a prompt."""


class Stage(StrEnum):
    """How far a login is."""

    ARRIVING = "arriving"
    NAMING = "naming"
    CHECKING = "checking"
    ENTERING = "entering"
    IN = "in"


class Typing(StrEnum):
    """What is to be typed."""

    NAME = "name"
    PASSWORD = "password"  # noqa: S105 - what is typed
    KEYS = "keys"


class Answer(msgspec.Struct, frozen=True):
    """Type this now. Enter comes with `KEYS` and is to be added to the other two."""

    typing: Typing
    keys: bytes = b""


class Wait(msgspec.Struct, frozen=True):
    """Nothing to do yet."""


class Arrived(msgspec.Struct, frozen=True):
    """The caller is in."""


Step = Answer | Wait | Arrived

_FAULTS: Final = {
    Says.REGISTRATION: FaultKind.UNKNOWN_USER,
    Says.UNKNOWN_USER: FaultKind.UNKNOWN_USER,
    Says.WRONG_PASSWORD: FaultKind.WRONG_PASSWORD,
    Says.NO_NODE: FaultKind.NO_NODE,
    Says.BUSY_ACCOUNT: FaultKind.BUSY_ACCOUNT,
    Says.BARRED: FaultKind.BARRED,
    Says.NO_DOOR: FaultKind.NO_DOOR,
    Says.CLOSING: FaultKind.CLOSING,
    Says.TOO_SLOW: FaultKind.TIMED_OUT,
}
"""What a BBS tells, as a fault; what is worse to go on with comes first."""

_SENTENCES: Final = {
    FaultKind.UNKNOWN_USER: "the BBS knows no {name}: provision the account, or correct its alias",
    FaultKind.WRONG_PASSWORD: "the BBS does not take the password of {name}: correct it, or provision the account",
    FaultKind.SWAPPED_FIELDS: (
        "the BBS took something else than {name} for the caller's name, and began to register somebody new: it may "
        "have shown the password, so change it, and check in which order this BBS takes the fields of rlogin"
    ),
    FaultKind.NO_NODE: "every node of the BBS is in use: wait, or end other sessions",
    FaultKind.BUSY_ACCOUNT: "{name} is on another node already: end that session; after a lost line wait two seconds",
    FaultKind.BARRED: "the BBS does not let {name} in: it is barred, tried too often, or calls from where it may not",
    FaultKind.NO_DOOR: "the BBS has no such door, or does not let {name} into it: check its code",
    FaultKind.CLOSING: "the BBS is closing: call again when it is back",
    FaultKind.TIMED_OUT: "the BBS found the login of {name} too slow: try again",
    FaultKind.NO_PASSWORD: (
        "the BBS asks for the password of {name}, and the account has none: set password_env or password_file"
    ),
    FaultKind.UNFINISHED_ACCOUNT: "the BBS asks {name} to complete the account: provision it, which fills its profile",
    FaultKind.ASTRAY: "the BBS asked {name} more than {count} things on the way in: look at the transcript",
}


class Dialogue:
    """One login. Give `look` each screen, do what it says, and tell `closed` or `late` if it comes to that."""

    def __init__(
        self,
        manners: Manners,
        *,
        name: str,
        stage: Stage = Stage.ARRIVING,
        has_password: bool = True,
        to_door: bool = False,
        named_by_line: bool = False,
    ) -> None:
        """`stage` is CHECKING where the connection itself brings name and proof. With `named_by_line` (rlogin) a
        registration of another name means that the fields were swapped. `to_door`: the call leads into a door."""
        self.manners: Final = manners
        self.stage = stage
        self.node: int | None = None
        self.seen_by: SeenBy | None = None
        self._name = name
        self._has_password = has_password
        self._to_door = to_door
        self._named_by_line = named_by_line
        self._answered: View | None = None
        self._answers = 0

    @property
    def answers(self) -> int:
        """What was typed so far."""
        return self._answers

    def look(self, view: View) -> Step:
        """What to do about this screen. Raises LoginFault; then hang up."""
        seen = recognise(view, self.manners)
        if self.stage is not Stage.ENTERING:
            self._take_node(banner_node(view, self.manners), SeenBy.BANNER)
            if Says.ACCEPTED in seen.says and self.stage is Stage.CHECKING:
                self.stage = Stage.ENTERING
            else:
                self._refuse_told(seen)
        if self._to_door and self.stage in {Stage.CHECKING, Stage.ENTERING}:
            return self._look_for_door(view, seen)
        if seen.asks is None or self._is_answered(view):
            return Wait()
        return self._answer(seen, view)

    def closed(self, view: View, why: str) -> LoginFault:
        """The connection ended: the fault that it is, by what the BBS said last, or else by `why`."""
        fault = self._told(told_in(view.rows, self.manners))
        if fault is not None:
            return fault
        return LoginFault(
            FaultKind.LOST, f"the BBS hung up while {self._name} was {self.stage} ({inert(why)}): call again"
        )

    def late(self, view: View, seconds: float) -> LoginFault:
        """The stage took too long."""
        row = view.rows[view.cursor[0]].strip()
        shown = f", at {inert(row, max_chars=MAX_SHOWN_CHARS)!r}" if row and self.stage is not Stage.CHECKING else ""
        return LoginFault(
            FaultKind.TIMED_OUT,
            f"the login of {self._name} got no further in {seconds:g} s of {self.stage}{shown}: look at the transcript",
        )

    def fault(self, kind: FaultKind) -> LoginFault:
        """A fault in words."""
        return LoginFault(kind, _SENTENCES[kind].format(name=self._name, count=MAX_ANSWERS))

    def _refuse_told(self, seen: Seen) -> None:
        fault = self._told(seen)
        if fault is not None:
            raise fault

    def _told(self, seen: Seen) -> LoginFault | None:
        kind = next((fault for says, fault in _FAULTS.items() if says in seen.says), None)
        if kind is None:
            return None
        if Says.REGISTRATION in seen.says and self._named_by_line:
            named = (seen.named or "").strip().casefold()
            if named != self._name.casefold():
                kind = FaultKind.SWAPPED_FIELDS
        return self.fault(kind)

    def _look_for_door(self, view: View, seen: Seen) -> Step:
        """In a door nothing is answered: its first pause is the agent's."""
        if Says.NO_DOOR in seen.says:
            raise self.fault(FaultKind.NO_DOOR)
        if self.stage is Stage.CHECKING and seen.asks in {Asks.NAME, Asks.PASSWORD}:
            raise self._not_taken()
        if not view.stable or view.blank:
            return Wait()
        last = told_in([row for row in view.rows if row][-1:], self.manners)
        if Says.ACCEPTED in last.says or (self.stage is Stage.CHECKING and Says.GREETING in seen.says):
            return Wait()
        self.stage = Stage.IN
        return Arrived()

    def _answer(self, seen: Seen, view: View) -> Step:
        match seen.asks, self.stage:
            case Asks.NAME, Stage.ARRIVING:
                self.stage = Stage.NAMING
                return self._typed(Answer(Typing.NAME), view)
            case Asks.PASSWORD, Stage.NAMING:
                if not self._has_password:
                    raise self.fault(FaultKind.NO_PASSWORD)
                self.stage = Stage.CHECKING
                return self._typed(Answer(Typing.PASSWORD), view)
            case Asks.NAME, Stage.NAMING:
                raise self.fault(FaultKind.UNKNOWN_USER)
            case ((Asks.NAME | Asks.PASSWORD), Stage.CHECKING):
                raise self._not_taken()
            case Asks.DETAILS, (Stage.CHECKING | Stage.ENTERING):
                raise self.fault(FaultKind.UNFINISHED_ACCOUNT)
            case Asks.MENU, (Stage.CHECKING | Stage.ENTERING):
                self._take_node(menu_node(view, self.manners), SeenBy.MENU)
                self.stage = Stage.IN
                return Arrived()
            case ((Asks.PAUSE | Asks.BULLETINS | Asks.QUESTION), _):
                return self._go_on(seen, view)
        return Wait()

    def _go_on(self, seen: Seen, view: View) -> Step:
        """Answer a pause or a question, of who is being let in; before the name is given, a pause alone."""
        pause = seen.asks is Asks.PAUSE
        if self.stage is Stage.NAMING or (self.stage is Stage.ARRIVING and not pause):
            return Wait()
        if self.stage is Stage.CHECKING:
            self.stage = Stage.ENTERING
        return self._typed(Answer(Typing.KEYS, seen.prompt.keys if seen.prompt else b""), view)

    def _typed(self, answer: Answer, view: View) -> Answer:
        self._answered = view
        self._answers += 1
        if self._answers > MAX_ANSWERS:
            raise self.fault(FaultKind.ASTRAY)
        return answer

    def _is_answered(self, view: View) -> bool:
        """This very prompt was answered, and the BBS has not come to it: its row is the same, or rewritten (a blank may
        come late) while nothing else changed."""
        before = self._answered
        if before is None or before.cursor[0] != view.cursor[0]:
            return False
        return before.revision == view.revision or before.rows == view.rows

    def _not_taken(self) -> LoginFault:
        """A name or a password is asked for again."""
        return self.fault(FaultKind.WRONG_PASSWORD if self._has_password else FaultKind.NO_PASSWORD)

    def _take_node(self, node: int | None, seen_by: SeenBy) -> None:
        if self.node is None and node is not None:
            self.node, self.seen_by = node, seen_by
