"""What was written on a BBS, as plain values: posts and letters out of the exports of hosts. Pure.

Both hosts give the form of the house: lists of records with a `type`. Numbers of records may be made anew by each
export, so a post is known by what it says, where, by whom and when; of equal ones the first, the second and so on are
told apart. What is no record of these is left out, so that a newer form with more in it can still be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec


class Post(msgspec.Struct, frozen=True, kw_only=True):
    """A message on a board. Its text is as it was written."""

    key: str
    """Of this post alone, in each export of the same BBS."""
    author: str
    area: str = ""
    subject: str = ""
    body: str = ""
    answers: str = ""
    """The key of the post that it answers; empty: it answers none."""


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    """A letter from one user to another."""

    key: str
    sender: str
    recipient: str
    subject: str = ""
    body: str = ""
    order: float = 0.0
    """Later letters have more."""


def posts(exported: object) -> tuple[Post, ...]:
    """The posts of an export of `boards`, in its order; those that were deleted are none."""
    areas = {_text(one, "id"): _text(one, "name") for one in _typed(exported, "area")}
    threads = {_text(one, "id"): one for one in _typed(exported, "thread")}
    numbers: dict[str, str] = {}
    seen: Counter[str] = Counter()
    found = []
    for one in _typed(exported, "post"):
        if one.get("deleted") not in (None, False):
            continue
        thread = threads.get(_text(one, "thread"), {})
        post = Post(
            key="",
            author=_text(one, "author"),
            area=areas.get(_text(thread, "area"), ""),
            subject=_text(one, "subject") or _text(thread, "subject"),
            body=_text(one, "body"),
            answers=numbers.get(_text(one, "replyTo"), ""),
        )
        key = _key(
            seen, post.area, _text(thread, "subject"), post.subject, post.author, _text(one, "created"), post.body
        )
        numbers[_text(one, "id")] = key
        found.append(msgspec.structs.replace(post, key=key))
    return tuple(found)


def letters(exported: object) -> tuple[Letter, ...]:
    """The letters of an export of `mail`, the oldest first; those that were deleted are none."""
    seen: Counter[str] = Counter()
    found = []
    for at, one in enumerate((*_typed(exported, "letter"), *_typed(exported, "mail"))):
        if "format" in one or one.get("deleted"):  # the record that names the form; a letter that is no more
            continue
        when = next((one[name] for name in ("sent", "created") if isinstance(one.get(name), int | float)), at)
        letter = Letter(
            key="",
            sender=_text(one, "sender", "from"),
            recipient=_text(one, "recipient", "to"),
            subject=_text(one, "subject"),
            body=_text(one, "body"),
            order=float(when),
        )
        key = _key(seen, letter.sender, letter.recipient, letter.subject, str(when), letter.body)
        found.append(msgspec.structs.replace(letter, key=key))
    return tuple(sorted(found, key=lambda one: one.order))


def _key(seen: Counter[str], *parts: str) -> str:
    """Of what it says, and which one it is of those that say the same."""
    content = msgspec.json.encode([part.encode("utf-8", "replace").decode() for part in parts]).decode()
    seen[content] += 1
    return f"{seen[content]} {content}"


def _typed(exported: object, kind: str) -> list[Mapping[str, Any]]:
    if not isinstance(exported, list | tuple):
        return []
    return [one for one in exported if isinstance(one, Mapping) and one.get("type") == kind]


def _text(one: Mapping[str, Any], *names: str) -> str:
    found = next((one[name] for name in names if one.get(name) is not None), None)
    return "" if found is None else str(found)
