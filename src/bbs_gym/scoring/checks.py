"""Task completion: declared checks on the state of the BBS, before and after, so that only what the agent did counts.

Posts and letters count that were not there before and that the BBS names the agent's account for; a score counts as
it is after. What can't be told, because a state was not kept or a check is wrongly written, is void: it is left out of
every figure, and never counts against the participant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import msgspec

from bbs_gym.hosts.host import Score
from bbs_gym.match.settings import CheckSettings
from bbs_gym.scoring.bounded_search import PatternFault, check_pattern, found_in
from bbs_gym.scoring.door_visits import visits
from bbs_gym.scoring.result import CheckResult
from bbs_gym.scoring.written import Letter, Post, letters, posts
from tty_agent.terminal.inert import inert

MAX_DETAIL_CHARS: Final = 200
"""Of a subject or a name that a detail shows."""

_ANSWERED: Final = re.compile(r"(?:\s*(?:re|aw|sv)\s*(?:\[\d{1,3}\])?:)*\s*", re.IGNORECASE)


class CheckFault(ValueError):
    """A check that is wrongly written; the text says where and what to do."""


class BoardState(msgspec.Struct, frozen=True, kw_only=True):
    """What was exported at the two moments, by `boards`, `mail` or a game's id; what is missing was not kept."""

    before: Mapping[str, object]
    after: Mapping[str, object]
    scores: Mapping[str, tuple[Score, ...]] = MappingProxyType({})
    """Of games, after."""


class Doer(msgspec.Struct, frozen=True):
    """The participant that a check is about: its agent id, and the names that the BBS may know it by."""

    agent_id: str
    names: tuple[str, ...]

    def is_named(self, name: str) -> bool:
        """Whether the BBS means it."""
        return name.casefold() in {own.casefold() for own in self.names}


class _Untold(Exception):
    """It can't be told; the text says why."""


class _Asked(msgspec.Struct, frozen=True):
    where: Mapping[str, Any]
    doer: Doer
    state: BoardState
    everyone: tuple[Doer, ...]

    def pair(self, what: str) -> tuple[object, object]:
        for moment, kept in (("before", self.state.before), ("after", self.state.after)):
            if what not in kept:
                raise _Untold(f"the state of {what} from {moment} the match was not kept")
        return self.state.before[what], self.state.after[what]

    def names(self, wanted: str) -> set[str]:
        """`to` in a check: an agent of the match, or a name that the BBS knows."""
        agent = next((one for one in self.everyone if one.agent_id == wanted), None)
        return {name.casefold() for name in (agent.names if agent else (wanted,))}

    def matching(self, texts: Sequence[Mapping[str, str]]) -> list[int]:
        """Which of these have all the expressions of the check in their parts."""
        left = list(range(len(texts)))
        for part, pattern in self.where.items():
            if part in PATTERNS:
                found = found_in(str(pattern), [texts[at].get(part, "") for at in left])
                left = [at for at, is_in in zip(left, found, strict=True) if is_in]
        return left


PATTERNS: Final = frozenset({"area", "subject", "body"})
"""The conditions that are regular expressions, found anywhere in the text."""


def run_check(check: CheckSettings, doer: Doer, state: BoardState, *, everyone: Iterable[Doer] = ()) -> CheckResult:
    """One check on one participant. Never raises for what stands in a state."""
    name = check_name(check)
    try:
        check_settings((check,))
        passed, detail = KINDS[check.kind][1](_Asked(check.where, doer, state, tuple(everyone)))
    except (_Untold, CheckFault, PatternFault) as fault:
        return CheckResult(name=name, passed=False, detail=inert(str(fault)), void=True)
    return CheckResult(name=name, passed=passed, detail=inert(detail))


def check_name(check: CheckSettings) -> str:
    """`posted area=general subject=^Report`: the same of every run of the same match."""
    conditions = (f"{name}={check.where[name]}" for name in sorted(check.where) if name != "live")
    return inert(" ".join((check.kind, *conditions)), max_chars=MAX_DETAIL_CHARS)


def check_settings(checks: Iterable[CheckSettings]) -> None:
    """Raises CheckFault for the first that names an unknown kind or condition, lacks one, or has a wrong value."""
    for check in checks:
        if check.kind not in KINDS:
            raise CheckFault(f"there is no check {check.kind!r}: there are {', '.join(KINDS)}")
        allowed = KINDS[check.kind][0]
        for name, value in check.where.items():
            _check_condition(check.kind, name, value, allowed)
        lacking = [name for name in REQUIRED.get(check.kind, ()) if name not in check.where]
        if lacking:
            raise CheckFault(f"the check {check.kind} needs {' and '.join(lacking)} in `where`")


def _check_condition(kind: str, name: str, value: object, allowed: frozenset[str]) -> None:
    if name == "live":
        return
    if name not in allowed:
        raise CheckFault(f"the check {kind} has no condition {name!r}: it has {', '.join(sorted(allowed))}")
    if name == "score":
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise CheckFault(f"`score` of the check {kind} is a number, not {value!r}")
    elif not isinstance(value, str):
        raise CheckFault(f"`{name}` of the check {kind} is text, not {value!r}")
    elif name in PATTERNS:
        try:
            check_pattern(value)
        except PatternFault as fault:
            raise CheckFault(f"`{name}` of the check {kind}: {fault}") from fault


def _posted(asked: _Asked) -> tuple[bool, str]:
    new = new_posts(*asked.pair("boards"), asked.doer)
    found = asked.matching([{"area": one.area, "subject": one.subject, "body": one.body} for one in new])
    if not found:
        return False, _none_of(len(new), "post")
    first = new[found[0]]
    return True, f"in {_shown(first.area)}: {_shown(first.subject)}"


def _mail_sent(asked: _Asked) -> tuple[bool, str]:
    sent = _addressed(asked, new_letters(*asked.pair("mail"), asked.doer))
    found = asked.matching([{"subject": one.subject, "body": one.body} for one in sent])
    if not found:
        return False, _none_of(len(sent), "letter")
    first = sent[found[0]]
    return True, f"to {_shown(first.recipient)}: {_shown(first.subject)}"


def _mail_answered(asked: _Asked) -> tuple[bool, str]:
    before, after = asked.pair("mail")
    sent = _addressed(asked, new_letters(before, after, asked.doer))
    received = [one for one in letters(after) if asked.doer.is_named(one.recipient)]
    known = {one.key for one in received}
    received.extend(one for one in letters(before) if asked.doer.is_named(one.recipient) and one.key not in known)
    answers = [one for one in sent if any(_is_answer(one, to) for to in received)]
    found = asked.matching([{"subject": one.subject, "body": one.body} for one in answers])
    if not found:
        return False, f"{_none_of(len(sent), 'letter')} answers one that it got"
    return True, f"to {_shown(answers[found[0]].recipient)}: {_shown(answers[found[0]].subject)}"


def _door_joined(asked: _Asked) -> tuple[bool, str]:
    game = str(asked.where["game"])
    before, after = (visits(exported) for exported in asked.pair(game))
    for name, marks in after.items():
        if asked.doer.is_named(name) and marks != before.get(name):
            return True, f"{_shown(name)} was in {_shown(game)}"
    return False, f"it did nothing in {_shown(game)}"


def _score_at_least(asked: _Asked) -> tuple[bool, str]:
    game, wanted = str(asked.where["game"]), float(asked.where["score"])
    if game not in asked.state.scores:
        raise _Untold(f"the scores of {game} from after the match were not kept")
    own = [
        one.score
        for one in asked.state.scores[game]
        if one.agent_id == asked.doer.agent_id or (one.agent_id is None and asked.doer.is_named(one.player))
    ]
    return bool(own) and own[0] >= wanted, f"{own[0]:g}" if own else f"it is not in {_shown(game)}"


Judge = Callable[[_Asked], tuple[bool, str]]

KINDS: Final[Mapping[str, tuple[frozenset[str], Judge]]] = MappingProxyType(
    {
        "posted": (frozenset({"area", "subject", "body"}), _posted),
        "mail_sent": (frozenset({"to", "subject", "body"}), _mail_sent),
        "mail_answered": (frozenset({"to", "subject", "body"}), _mail_answered),
        "door_joined": (frozenset({"game"}), _door_joined),
        "score_at_least": (frozenset({"game", "score"}), _score_at_least),
    }
)
"""By kind: the conditions that it takes, and how it is told."""

REQUIRED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"door_joined": ("game",), "score_at_least": ("game", "score")}
)


def new_posts(before: object, after: object, doer: Doer) -> tuple[Post, ...]:
    """What it posted between two exports of the boards."""
    old = {one.key for one in posts(before)}
    return tuple(one for one in posts(after) if one.key not in old and doer.is_named(one.author))


def new_letters(before: object, after: object, doer: Doer) -> tuple[Letter, ...]:
    """What it sent between two exports of the mail."""
    old = {one.key for one in letters(before)}
    return tuple(one for one in letters(after) if one.key not in old and doer.is_named(one.sender))


def _addressed(asked: _Asked, sent: Iterable[Letter]) -> tuple[Letter, ...]:
    if "to" not in asked.where:
        return tuple(sent)
    names = asked.names(str(asked.where["to"]))
    return tuple(one for one in sent if one.recipient.casefold() in names)


def _is_answer(letter: Letter, to: Letter) -> bool:
    """Sent later to whoever wrote `to`, under its subject, with or without a Re: before it."""
    return (
        letter.recipient.casefold() == to.sender.casefold()
        and letter.key != to.key
        and letter.order >= to.order
        and _bare(letter.subject) == _bare(to.subject)
    )


def _bare(subject: str) -> str:
    rest = _ANSWERED.match(subject)
    return " ".join(subject[rest.end() if rest else 0 :].split()).casefold()


def _none_of(count: int, what: str) -> str:
    return f"it wrote no {what}" if not count else f"none of its {count} {what}{'s' if count > 1 else ''}"


def _shown(text: str) -> str:
    return inert(text, max_chars=MAX_DETAIL_CHARS)
