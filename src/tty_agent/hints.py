"""What can be read off a turn: the live prompt, the kind of input it wants, and what the last action did.

A screen keeps old text, and an old prompt above looks like a live one. So there is one rule: the active prompt is the
row of the cursor, and nothing else is ever called so. All of it is drawn from `Observation` values, which hold what
the agent itself can see; text in here is as the program wrote it, and becomes inert where it is shown.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum
from typing import Final

import msgspec
from wcwidth import wcwidth

from tty_agent.actions.action import Action, PressKey, SubmitLine, SubmitLines, TypeText
from tty_agent.input_mode import InputMode, classify
from tty_agent.observation.observation import Observation
from tty_agent.quoting import one_line

MAX_RECENT_OUTPUT_CHARS: Final = 4_000
"""Two screens of 80x25; what is older stands in the transcript."""

MAX_STALE_PROMPTS: Final = 3
"""The nearest ones are those that mislead."""

_MAX_SHOWN_PROMPT_CHARS: Final = 80
_MAX_EXCERPT_CHARS: Final = 140
"""Of output in the line that histories keep of a turn: its last two or three lines."""

_STAYED_SHARE: Final = 1 / 3
"""If so much of the earlier text stands where it stood, the screen did not scroll."""

_MAX_ANSWER_CHARS: Final = 24
"""A longer text behind a question mark is no answer to a prompt."""

_MAX_ERASED_CHARS: Final = 8
"""Behind a prompt in the output: a key that was refused, written and erased again."""

_MIN_ROWS_TO_CLEAR: Final = 3
_LEFT_OVER_SHARE: Final = 0.1
"""So much of the earlier screen may stand by chance on a new one: frames, a name."""


_WITHOUT_STALE: Final = frozenset({InputMode.FULL_SCREEN, InputMode.MENU, InputMode.CLOSED})
"""There the text above is what the program is about, not what it asked before; so is a page of a pager."""


class Effect(StrEnum):
    """What the last action visibly did."""

    NO_OUTPUT = "no_output"
    """The program wrote nothing."""
    SCREEN_UNCHANGED = "screen_unchanged"
    """Text and cursor are as they were."""
    CURSOR_MOVED = "cursor_moved"
    """The cursor moved, and no text changed."""
    HIGHLIGHT_MOVED = "highlight_moved"
    """Another item is marked by colour."""
    ECHOED = "echoed"
    """The program wrote the input back."""
    MASKED = "masked"
    """It wrote stars in its place."""
    ONLY_ECHOED = "only_echoed"
    """It wrote the input back and nothing more: it may wait for Enter."""
    TAKEN_BACK = "taken_back"
    """It wrote the input back and erased it again: it does not take that here."""
    NEW_LINES = "new_lines"
    SCREEN_CLEARED = "screen_cleared"
    """Almost nothing of the earlier screen is left."""
    SAME_PROMPT = "same_prompt"
    """The active prompt reads as before."""
    BELL = "bell"
    CLOSED = "closed"


class StalePrompt(msgspec.Struct, frozen=True):
    """A row above the active one that looks like a prompt, and is none any more."""

    row: int
    text: str


class ObservationHints(msgspec.Struct, frozen=True, kw_only=True):
    """The hints of one turn. Rows and columns count from 0."""

    recent_output: str
    """What came since the last action: as text if it came as lines, else the rows that it changed."""
    output_is_rows: bool = False
    """`recent_output` holds changed rows of a screen that was painted upon, `row N: text` each."""
    active_row: int
    active_prompt: str
    """The row of the cursor up to the cursor, typed input left out, blanks at the end removed; "" if empty."""
    typed_input: str = ""
    """What the last action typed and is still standing before the cursor, not sent yet."""
    after_cursor: str = ""
    """The rest of the row."""
    line_above: str = ""
    """The nearest row above with text, if the cursor's row has none. It may be old."""
    input_mode: InputMode
    input_mode_evidence: str = ""
    effects: tuple[Effect, ...] = ()
    """In the order of `Effect`; none at the first turn."""
    new_lines: int = 0
    """Lines with text that came since the last action, its echo and the prompt left out; 0 if `output_is_rows`."""
    changed_rows: int = 0
    """Rows that changed, if `output_is_rows`."""
    excerpt: str = ""
    """The end of what came, echo and prompt left out, in one line."""
    stale_prompts: tuple[StalePrompt, ...] = ()
    """From the top down."""

    @property
    def result(self) -> str:
        """One inert line for histories: what the action did, and the prompt now."""
        said = [effect.replace("_", " ") for effect in self.effects if effect is not Effect.NEW_LINES]
        for count, what in ((self.new_lines, "new line"), (self.changed_rows, "changed row")):
            if count:
                said.append(f"{count} {what}{'s' if count > 1 else ''}: {self.excerpt}")
        prompt = one_line(self.active_prompt, max_chars=_MAX_SHOWN_PROMPT_CHARS) if self.active_prompt else ""
        said.append(f"prompt now: {prompt}" if prompt else "no text before the cursor now")
        return "; ".join(said)


class _Output(msgspec.Struct, frozen=True):
    """What came since the last action, as text or as changed rows."""

    text: str
    lines: tuple[str, ...]
    """With text, echo and prompt left out; of a painted screen the changed rows."""
    is_rows: bool = False


def extract(
    observation: Observation, *, last_action: Action | None = None, previous: Observation | None = None
) -> ObservationHints:
    """The hints of `observation`. `last_action` is what was done before it, at the screen `previous`; both None at
    the first turn, and `last_action` None after a decision without an action."""
    rows = observation.pretty_screen.split("\n")
    row = min(max(observation.cursor[0], 0), len(rows) - 1)
    left, after = _split(rows[row], observation.cursor[1])
    above = "" if rows[row].strip() else next((text for text in reversed(rows[:row]) if text.strip()), "")
    written = _tidy(observation.new_text)
    echo = _echo(written, last_action)
    prompt, typed = _without_typed(left, written, echo, last_action)
    mode, evidence = _mode(observation, rows, row, prompt, after)
    output = _output(written, echo, rows, left if rows[row].strip() else above, previous)
    lines = 0 if output.is_rows else len(output.lines)
    quiet = mode in _WITHOUT_STALE or (mode is InputMode.PAGER and _is_full(rows, row))
    return ObservationHints(
        recent_output=output.text,
        output_is_rows=output.is_rows,
        active_row=row,
        active_prompt=prompt.rstrip(),
        typed_input=typed,
        after_cursor=after.rstrip(),
        line_above=above,
        input_mode=mode,
        input_mode_evidence=evidence,
        effects=_effects(observation, previous, last_action, echo=echo, written=written, lines=lines),
        new_lines=0 if last_action is None else lines,
        changed_rows=len(output.lines) if output.is_rows else 0,
        excerpt=_excerpt(output.lines),
        stale_prompts=() if quiet else _stale(rows[:row], left.strip(), above),
    )


def _mode(observation: Observation, rows: list[str], row: int, prompt: str, after: str) -> tuple[InputMode, str]:
    if observation.closed is not None:
        return InputMode.CLOSED, "the connection is closed"
    mark = observation.highlighted
    marked_prompt = mark is not None and mark.row == row and prompt.strip().endswith(mark.text.strip())
    if marked_prompt and _is_full(rows, row):
        return InputMode.PAGER, "the foot of a full screen is marked, with the cursor behind it"
    guess = classify(
        prompt,
        after,
        rows_below=sum(1 for below in rows[row + 1 :] if below.strip()),
        line_above=rows[row - 1] if row else "",
        highlighted=mark is not None and not marked_prompt,
    )
    return guess.mode, guess.evidence


def _is_full(rows: list[str], row: int) -> bool:
    """The cursor is in the last row, and every row above but the first has text."""
    return row == len(rows) - 1 and all(text.strip() for text in rows[1:row])


def _split(line: str, column: int) -> tuple[str, str]:
    """A row before and from a column of cells on; what is before is padded with blanks to the cursor."""
    if line.isascii():
        return line[:column].ljust(column), line[column:]
    cells = 0
    for index, char in enumerate(line):
        width = max(wcwidth(char), 0)
        if cells >= column and width:
            return line[:index], line[index:]
        cells += width
    return line + " " * max(0, column - cells), ""


def _without_typed(left: str, written: str, echo: str, action: Action | None) -> tuple[str, str]:
    """The prompt, and the text behind it that was typed and not sent: an echo that still stands at the cursor."""
    standing = isinstance(action, TypeText) or (isinstance(action, PressKey) and written.strip() == echo)
    shown = left.rstrip()
    if not echo or not standing or not shown.endswith(echo):
        return left, ""
    return shown.removesuffix(echo), echo


_BLANK_RUN: Final = re.compile(r"\n{3,}")


def _tidy(text: str) -> str:
    """Plain text without blanks at the ends of its lines, and with at most one blank line in a row."""
    lines = [line.rstrip() for line in text.split("\n")]
    return _BLANK_RUN.sub("\n\n", "\n".join(lines)).strip("\n")


def _typed_by(action: Action | None) -> str:
    """What an action puts on a screen, if the program writes it back."""
    match action:
        case PressKey(key=key) if len(key) == 1:
            return key
        case TypeText(text=text) | SubmitLine(text=text):
            return text
        case SubmitLines(lines=lines) if lines:
            return lines[0]
    return ""


def _echo(written: str, action: Action | None) -> str:
    """How the input stands at the beginning of what was written: as itself, as stars; "" if it does not."""
    typed = _typed_by(action).strip()
    start = written.lstrip()
    stars = "*" * len(typed)
    if not typed or start[len(typed) : len(typed) + 1].isalnum():
        return ""  # `C` is no echo of itself at the beginning of `Command`
    if start[: len(typed)].lower() == typed.lower():
        return start[: len(typed)]
    return stars if start.startswith(stars) else ""


def _ends_at(written: str, line: str) -> bool:
    """Whether the output ends with the text before the cursor, as output does that comes line by line."""
    last, line = written.rpartition("\n")[2].strip(), line.strip()
    if line.endswith(last):
        return True
    return bool(line) and line in last[-len(line) - _MAX_ERASED_CHARS :]


def _output(written: str, echo: str, rows: list[str], line: str, previous: Observation | None) -> _Output:
    """Output that came as lines is text; output that painted upon the screen is told as the rows that changed: it
    does not end with `line`, the text at the cursor, or has more lines than rows changed while others stayed."""
    texts = [text for text in written.split("\n")[1 if echo else 0 :] if text.strip()]
    if texts and texts[-1].strip() == line.strip():
        texts.pop()
    if previous is not None:
        old = previous.pretty_screen.split("\n")
        old += [""] * (len(rows) - len(old))
        changed = [n for n, now in enumerate(rows) if now != old[n]]
        stayed = sum(1 for now, before in zip(rows, old, strict=False) if now == before and now.strip())
        painted = len(texts) > len(changed) and stayed >= _STAYED_SHARE * sum(1 for text in old if text.strip())
        if painted or not _ends_at(written, line):
            told = "\n".join(f"row {n}: {rows[n]}" for n in changed)
            return _Output(told[:MAX_RECENT_OUTPUT_CHARS], tuple(rows[n] for n in changed), is_rows=True)
    return _Output(written[-MAX_RECENT_OUTPUT_CHARS:], tuple(texts))


def _excerpt(lines: tuple[str, ...]) -> str:
    """The last lines, as many as there is room for; at least a piece of the last."""
    chosen: list[str] = []
    room = _MAX_EXCERPT_CHARS
    for line in reversed(lines):
        text = one_line(line, max_chars=_MAX_EXCERPT_CHARS)
        room -= len(text) + len(" / ")
        if chosen and room < 0:
            break
        chosen.append(text)
    return " / ".join(filter(None, reversed(chosen)))


def _effects(
    observation: Observation,
    previous: Observation | None,
    action: Action | None,
    *,
    echo: str,
    written: str,
    lines: int,
) -> tuple[Effect, ...]:
    if action is None:
        return ()
    found = _screen_effects(observation, previous) if previous else set()
    found |= _echo_effects(action, echo, written, unchanged=Effect.SCREEN_UNCHANGED in found)
    found |= {
        effect
        for effect, holds in (
            (Effect.NO_OUTPUT, observation.bytes_read == 0),
            (Effect.NEW_LINES, lines > 0),
            (Effect.BELL, observation.bells > 0),
            (Effect.CLOSED, observation.closed is not None),
        )
        if holds
    }
    return tuple(effect for effect in Effect if effect in found)


def _echo_effects(action: Action, echo: str, written: str, *, unchanged: bool) -> set[Effect]:
    if not echo:
        return set()
    if unchanged:
        return {Effect.TAKEN_BACK}
    masked = not echo.strip("*") and bool(_typed_by(action).strip().strip("*"))
    found = {Effect.MASKED if masked else Effect.ECHOED}
    return found | {Effect.ONLY_ECHOED} if written.strip() == echo else found


def _screen_effects(now: Observation, before: Observation) -> set[Effect]:
    same_text = now.pretty_screen == before.pretty_screen
    same_cursor = now.cursor == before.cursor
    same_highlight = now.highlighted == before.highlighted
    found: set[Effect] = set()
    if same_text and same_cursor and same_highlight:
        found.add(Effect.SCREEN_UNCHANGED)
    elif same_text and not same_cursor:
        found.add(Effect.CURSOR_MOVED)
    if not same_highlight:
        found.add(Effect.HIGHLIGHT_MOVED)
    if _cleared(now.pretty_screen, before.pretty_screen, now.new_text):
        found.add(Effect.SCREEN_CLEARED)
    prompt = _cursor_row(now).strip()
    if prompt and not same_text and prompt == _cursor_row(before).strip():
        found.add(Effect.SAME_PROMPT)
    return found


def _cursor_row(observation: Observation) -> str:
    rows = observation.pretty_screen.split("\n")
    row, column = observation.cursor
    return _split(rows[row], column)[0] if 0 <= row < len(rows) else ""


def _cleared(now: str, before: str, new_text: str) -> bool:
    """Whether the earlier lines are gone without having been scrolled off by as many new ones."""
    if new_text.count("\n") > before.count("\n") + 1:
        return False
    old = [line for line in map(str.strip, before.split("\n")) if line]
    if len(old) < _MIN_ROWS_TO_CLEAR:
        return False
    here = Counter(map(str.strip, now.split("\n")))
    left = 0
    for line in old:
        if here.get(line, 0) > 0:
            here[line] -= 1
            left += 1
            if left > len(old) * _LEFT_OVER_SHARE:
                return False
    return True


_ASKED: Final = re.compile(
    rf"^(?P<prompt>.*?(?:\?(?=\s|$)|[\])]\s*:(?=\s|$)))\s*\S{{0,{_MAX_ANSWER_CHARS}}}$|^.*[:>$#]$"
)
_ENDINGS: Final = ":>$#"
_WITHIN: Final = frozenset("?])")
"""One of these is in, or one of those ends, whatever `_ASKED` matches."""


def _stale(rows: list[str], live: str, above: str) -> tuple[StalePrompt, ...]:
    """Rows above that ask for something: those that end so, and those with a short answer behind. A row that reads as
    the live prompt does is left out, and so is `above`, the one that may be live if the cursor's row is empty."""
    found: list[StalePrompt] = []
    for row in range(len(rows) - 1, -1, -1):
        text = rows[row].strip()
        if not text or (text[-1] not in _ENDINGS and _WITHIN.isdisjoint(text)):  # most rows, and cheaper to see
            continue
        if not _ASKED.match(text) or (live and text.startswith(live)):
            continue
        if not live and rows[row] == above:
            continue
        found.append(StalePrompt(row, text))
        if len(found) == MAX_STALE_PROMPTS:
            break
    return tuple(reversed(found))
