"""Quiescence: when a turn is ready, and why. Sans-I/O: it is fed bytes and the time.

The calls, in the order of a turn: `sent` for each input that goes out, `start_turn` when somebody waits for
the outcome, `received` after each piece that the screen was fed, `closed` if the line drops. In between,
`deadline` says when a call of `poll` can next give something else than None; it moves with every other call.
Output may arrive at any time, also before `start_turn` and after the turn was ready.

Stable means that neither the characters nor the colours of the screen nor the place of the cursor changed. A
repaint with what is there already is no change, nor is what a clock or a spinner does (`periodic.py`). A cursor
that leaves for a moment and comes back, as for a clock that arrives in two pieces, did not move.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

from tty_agent.observation.observation import Readiness, ReadyReason
from tty_agent.observer.changes import MAX_SMALL_ROWS, Change, Changes, Look, merged
from tty_agent.observer.pauses import Pauses
from tty_agent.observer.periodic import Regions
from tty_agent.observer.prompt_shape import looks_like_prompt
from tty_agent.observer.readiness import Evidence, PromptPattern, Rest, TurnPolicy
from tty_agent.terminal.screen import Screen

EXCURSION_S: Final = 0.1
"""How long a cursor may be away and come back as if it had not moved: the pieces of one write are nearer."""

MAX_AWAY_CHANGES: Final = 16
"""Of one excursion of the cursor; a clock that comes byte by byte makes fewer, and more is output."""

_SLACK_S: Final = 1e-6
"""A timer that was asked for a deadline may fire early by the rounding of its clock."""

_DETAILS: Final = {
    ReadyReason.STABLE: "nothing changed on the screen {while_}",
    ReadyReason.PROMPT: "the cursor rests behind a prompt that came last",
    ReadyReason.PERIODIC_REGION: "nothing changed {while_} but a clock, a spinner or the like",
    ReadyReason.BLANK: "nothing is on the screen, and nothing came {while_}",
    ReadyReason.TIMEOUT: "{limit} passed before the screen had been still for as long as asked",
    ReadyReason.CLOSED: "the connection is gone",
}


class _Effect(Enum):
    """What a piece of output did."""

    NONE = auto()
    """Nothing that anybody sees, and not where the cursor is."""
    REPAINT = auto()
    """What was there already was written again."""
    PERIODIC = auto()
    CHANGE = auto()


class Observer:
    """Watches one screen for as long as it lives. Times are seconds of one monotonic clock."""

    def __init__(self, screen: Screen, policy: TurnPolicy, prompts: Sequence[PromptPattern] = ()) -> None:
        self._screen = screen
        self._policy = policy
        self._prompts = tuple(prompts)
        self._changes = Changes(screen)
        self._regions = Regions()
        self._pauses = {rest: Pauses() for rest in Rest}
        self._started_at: float | None = None
        self._left_s: float | None = None
        self._ready: Readiness | None = None
        self._closed_at: float | None = None
        self._sent = False
        self._asked_at = 0.0
        self._asked_row = (-1, "")
        self._answered = False
        self._fresh = False
        self._bytes = 0
        self._first_byte_at: float | None = None
        self._last_byte_at: float | None = None
        self._spoke_at: float | None = None
        self._changed_at: float | None = None
        self._ticked_at: float | None = None
        self._rest = screen.cursor
        self._away: list[Change] = []
        self._away_since: float | None = None
        self._away_at = 0.0
        self._away_cursor = self._rest
        self._quiet: tuple[float, Evidence] | None = None

    def start_turn(
        self,
        now: float,
        *,
        policy: TurnPolicy | None = None,
        prompts: Sequence[PromptPattern] | None = None,
        left_s: float | None = None,
    ) -> None:
        """Somebody waits from now on. What came since the last turn was ready belongs to this one.

        A policy or prompts given here hold from this turn on. `left_s` is what the run has left: this turn is ready
        by then, if its own limit is later.
        """
        self._policy = self._policy if policy is None else policy
        self._prompts = self._prompts if prompts is None else tuple(prompts)
        if not self._sent:
            self._ask(now)
        self._started_at = now
        self._left_s = left_s
        self._ready = None
        self._quiet = None

    def sent(self, now: float) -> None:
        """Input went out; what comes from now on may be its answer. An automatic reply to a query is no input."""
        self._sent = True
        self._ask(now)

    def received(self, data: bytes, now: float) -> None:
        """The screen was fed `data`."""
        if not data:
            return
        before, self._quiet = self._quiet, None
        self._bytes += len(data)
        if self._first_byte_at is None:
            self._first_byte_at = now
        self._last_byte_at = now
        look = self._changes.look()
        effect = self._effect(look, now)
        if effect is _Effect.PERIODIC:
            self._ticked_at = now
        elif effect is not _Effect.NONE:
            self._note_speech(look, now, before[1].rest if before is not None and self._policy.reads else None)

    def closed(self, now: float) -> None:
        """The line is gone: nothing more will come."""
        if self._closed_at is None:
            self._closed_at = now

    def deadline(self) -> float | None:
        """When to call `poll` at the latest; None while no turn waits. It may lie in the past."""
        if self._started_at is None or self._ready is not None:
            return None
        if self._closed_at is not None:
            return self._started_at
        return min(self._quiet_at(), self._started_at + self._limit_s)

    def poll(self, now: float) -> Readiness | None:
        """The turn, if it is ready; then the same value until the next `start_turn`."""
        due = self.deadline()
        if due is not None and now >= due - _SLACK_S:
            self._ready = self._decide(now)
            self._sent = False
            self._bytes = 0
        return self._ready

    def _ask(self, now: float) -> None:
        self._asked_at = now
        row, _ = self._screen.cursor
        self._asked_row = (row, self._screen.line(row))
        self._answered = False
        self._fresh = False
        self._first_byte_at = None
        self._settle()
        if self._sent:
            self._regions.ask()
        self._quiet = None

    # What the last piece did.

    def _note_speech(self, look: Look, now: float, rested: Rest | None) -> None:
        """The program wrote something: the pause before it was one within its output, if no input came between.

        `rested` is how the cursor rested in that pause, if anybody asked then.
        """
        if rested is not None and self._spoke_at is not None and self._spoke_at >= self._asked_at:
            self._pauses[rested].add(now - self._spoke_at)
        self._spoke_at = now
        self._answered = True
        self._fresh = self._screen.cursor[0] in look.rows or self._away_since is not None

    def _effect(self, look: Look, now: float) -> _Effect:
        screen = self._screen
        if self._away_since is not None and now - self._away_since > EXCURSION_S:
            self._settle()
        if look.visible and not look.changes:
            self._note_change(now, screen.cursor)
            return _Effect.CHANGE
        if screen.cursor_visible and screen.cursor != self._rest:
            if len(self._away) > MAX_AWAY_CHANGES:
                self._note_change(now, screen.cursor)
                return _Effect.CHANGE
            self._away.extend(look.changes)
            self._away_since = now if self._away_since is None else self._away_since
            self._away_at, self._away_cursor = now, screen.cursor
            return _Effect.CHANGE
        changes = merged((*self._away, *look.changes)) if self._away else look.changes
        self._away_since = None
        self._away.clear()
        if not changes:
            elsewhere = screen.cursor[0] not in look.rows and len(look.rows) <= MAX_SMALL_ROWS
            return _Effect.NONE if elsewhere else _Effect.REPAINT
        if self._regions.judge(changes, screen.cursor if screen.cursor_visible else None, now):
            return _Effect.PERIODIC
        self._changed_at, self._rest = now, screen.cursor
        return _Effect.CHANGE

    def _settle(self) -> None:
        """If the cursor was away, it did not come back: it rests where it went."""
        if self._away_since is not None:
            self._note_change(self._away_at, self._away_cursor)

    def _note_change(self, at: float, cursor: tuple[int, int]) -> None:
        self._changed_at, self._rest = at, cursor
        self._away_since = None
        self._away.clear()
        self._regions.disturb()

    # What it means for the turn.

    @property
    def _limit_s(self) -> float:
        return self._policy.timeout_s if self._left_s is None else min(self._policy.timeout_s, self._left_s)

    def _quiet_at(self) -> float:
        at = self._stable_since() + self._asked_quiet()[0]
        if self._screen.mid_sequence and self._last_byte_at is not None:
            at = max(at, self._last_byte_at + self._policy.mid_sequence_s)
        return at

    def _asked_quiet(self) -> tuple[float, Evidence]:
        """The quiet time that the policy asks for as things are, and the evidence for it."""
        if self._quiet is None:
            fast = self._policy.prompt_fast or any(prompt.fast for prompt in self._prompts)
            evidence = self._evidence(row=self._policy.reads or fast)
            self._quiet = (self._policy.quiet(evidence, self._pauses[evidence.rest]), evidence)
        return self._quiet

    def _stable_since(self) -> float:
        since = self._asked_at
        if self._changed_at is not None:
            since = max(since, self._changed_at)
        return since if self._away_since is None else max(since, self._away_at)

    def _evidence(self, *, row: bool) -> Evidence:
        """The evidence of this moment; what the cursor's row says only if asked for, since it costs most."""
        screen = self._screen
        at, column = screen.cursor
        line = screen.line(at)
        rest, matched = Rest.TEXT, None
        if row:
            characters = screen.row_characters(at)
            before, after = "".join(characters[:column]), "".join(characters[column:])
            matched = self._matched(before, line)
            rest = Rest.PROMPT if matched is not None else self._rests(before, after, line)
        return Evidence(
            answered=self._answered,
            rest=rest,
            fresh=self._fresh,
            blank=not line and not any(screen.line(other) for other in range(screen.rows)),
            fast=matched is not None and (matched.fast or self._policy.prompt_fast),
            prompt=None if matched is None else matched.name,
        )

    def _matched(self, before: str, line: str) -> PromptPattern | None:
        """The first named prompt that matches; those with a fast path come first."""
        found = [prompt for prompt in self._prompts if prompt.matches(before, line)]
        return next((prompt for prompt in found if prompt.fast), found[0] if found else None)

    def _rests(self, before: str, after: str, line: str) -> Rest:
        if not line:
            return Rest.LINE_START
        if looks_like_prompt(before, after):
            return Rest.PROMPT
        asked_row, asked_line = self._asked_row
        echo = asked_row == self._screen.cursor[0] and asked_line and line.startswith(asked_line)
        return Rest.ECHO if echo else Rest.TEXT

    def _decide(self, now: float) -> Readiness:
        quiet_s, _ = self._asked_quiet()
        evidence = self._evidence(row=True)
        started_at = now if self._started_at is None else self._started_at
        changed_at = started_at if self._changed_at is None else self._changed_at
        if self._away_since is not None:
            changed_at = self._away_at
        last_byte_at = self._last_byte_at if self._bytes and self._last_byte_at is not None else started_at
        cut = self._quiet_at() > started_at + self._limit_s
        reason = self._reason(quiet_s, evidence, now, cut=cut)
        return Readiness(
            reason=reason,
            policy=self._policy.name,
            waited_ms=_ms(now - started_at),
            stable_ms=_ms(now - changed_at),
            byte_quiet_ms=_ms(now - last_byte_at),
            threshold_ms=_ms(quiet_s),
            timeout_ms=_ms(self._limit_s),
            bytes_read=self._bytes,
            first_byte_ms=None if self._first_byte_at is None else _ms(self._first_byte_at - self._asked_at),
            matched_prompt=evidence.prompt,
            periodic_rows=self._regions.rows(now),
            mid_sequence=self._screen.mid_sequence,
            detail=self._detail(reason, cut=cut),
        )

    def _detail(self, reason: ReadyReason, *, cut: bool) -> str:
        limit = "the limit of the turn" if self._limit_s == self._policy.timeout_s else "the time of the run"
        return _DETAILS[reason].format(limit=limit, while_=f"until {limit} passed" if cut else "for as long as asked")

    def _reason(self, quiet_s: float, evidence: Evidence, now: float, *, cut: bool) -> ReadyReason:
        """`cut`: the limit passed before the quiet time did. Where nothing came to wait for, that is no time-out."""
        if self._closed_at is not None:
            return ReadyReason.CLOSED
        if cut and (self._stable_since() > self._asked_at or (self._bytes and self._screen.mid_sequence)):
            return ReadyReason.TIMEOUT
        if evidence.blank:
            return ReadyReason.BLANK
        if self._policy.by_prompt(evidence):
            return ReadyReason.PROMPT
        ticked = (
            self._ticked_at is not None and self._ticked_at > self._stable_since() and now - self._ticked_at < quiet_s
        )
        return ReadyReason.PERIODIC_REGION if ticked else ReadyReason.STABLE


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))
