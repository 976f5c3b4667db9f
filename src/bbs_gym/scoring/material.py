"""What a judge reads of a participant: its posts, letters and chat, each with what it answers. All of it is data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from bbs_gym.scoring.checks import BoardState, Doer, new_letters, new_posts
from bbs_gym.scoring.rubric import Source
from bbs_gym.scoring.written import letters, posts
from tty_agent.quoting import one_line, quote
from tty_agent.trace.records import DecisionRecord, TraceFault, read_trace

MAX_EXCERPT_CHARS: Final = 4_000
"""Of one post, and of what it answers: of a longer one the end is kept."""

MAX_MATERIAL_CHARS: Final = 32_000
"""Of one participant: some 10,000 tokens, of which a judge reads two at a time."""

CHAT: Final = "chat"
"""In the name of a profile: what is typed there is talk."""

_TYPING: Final = frozenset({"submit_line", "submit_lines", "type_text"})


class Excerpt(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a participant wrote."""

    source: Source
    text: str
    heading: str = ""
    """Area and subject, or to whom and about what: data too."""
    answers: str = ""
    """What it answers, by somebody else; empty: nothing that is known."""


def excerpts(state: BoardState, doer: Doer, traces: Iterable[Path], sources: Collection[Source]) -> tuple[Excerpt, ...]:
    """What `doer` wrote during the match, by source, each in its order. A state that was not kept has nothing."""
    found: list[Excerpt] = []
    if Source.POSTS in sources and "boards" in state.after:
        found.extend(_posts(state, doer))
    if Source.LETTERS in sources and "mail" in state.after:
        found.extend(_letters(state, doer))
    if Source.CHAT in sources:
        found.extend(Excerpt(source=Source.CHAT, text=text) for path in traces for text in _typed(path))
    return tuple(found)


def shown(parts: Iterable[Excerpt]) -> str:
    """The excerpts for a prompt: every word that others wrote stands fenced. What is too much is left out at the
    beginning, whole excerpts at a time, and said."""
    blocks = [_block(number, one) for number, one in enumerate(parts, 1)]
    kept: list[str] = []
    room = MAX_MATERIAL_CHARS
    while blocks and (len(blocks[-1]) <= room or not kept):
        kept.append(blocks.pop())
        room -= len(kept[-1])
    if blocks:
        kept.append(f"({len(blocks)} earlier ones are left out.)")
    return "\n\n".join(reversed(kept)) or "(It wrote nothing.)"


def _block(number: int, one: Excerpt) -> str:
    lines = [f"{number}. {one.source.value}"]
    if one.heading:
        lines.append(quote(one_line(one.heading), "heading"))
    if one.answers:
        lines.extend(("It answers this, which somebody else wrote:", _quoted(one.answers, "other")))
        lines.append("It wrote:")
    return "\n".join((*lines, _quoted(one.text, "text")))


def _quoted(text: str, label: str) -> str:
    return quote(text, label, max_chars=MAX_EXCERPT_CHARS)


def _posts(state: BoardState, doer: Doer) -> Iterator[Excerpt]:
    after = state.after["boards"]
    by_key = {one.key: one for one in posts(after)}
    for one in new_posts(state.before.get("boards"), after, doer):
        other = by_key.get(one.answers)
        yield Excerpt(
            source=Source.POSTS,
            heading=f"{one.area}: {one.subject}",
            text=one.body,
            answers="" if other is None or doer.is_named(other.author) else other.body,
        )


def _letters(state: BoardState, doer: Doer) -> Iterator[Excerpt]:
    after = state.after["mail"]
    received = [one for one in letters(after) if doer.is_named(one.recipient)]
    for one in new_letters(state.before.get("mail"), after, doer):
        earlier = [
            letter.body
            for letter in received
            if letter.sender.casefold() == one.recipient.casefold() and letter.order <= one.order
        ]
        yield Excerpt(
            source=Source.LETTERS,
            heading=f"to {one.recipient}: {one.subject}",
            text=one.body,
            answers=earlier[-1] if earlier else "",
        )


def _typed(trace: Path) -> Iterator[str]:
    """What was typed in chat; a trace that is damaged tells as far as it goes."""
    try:
        for record in read_trace(trace):
            if isinstance(record, DecisionRecord) and CHAT in record.active_profile and record.action:
                yield from _text_of(record.action)
    except (TraceFault, OSError):
        return


def _text_of(action: Mapping[str, Any]) -> Iterator[str]:
    arguments = action.get("arguments")
    if action.get("action") not in _TYPING or not isinstance(arguments, Mapping):
        return
    lines = arguments.get("lines", [arguments.get("text", "")])
    text = "\n".join(str(line) for line in lines if line) if isinstance(lines, list | tuple) else ""
    if text.strip():
        yield text
