"""What was written on a Synchronet, in the form that the house exports its boards in: areas, threads and posts.

Synchronet has no threads as such: a message that answers none begins one, and an answer belongs to that of its
forebear. Ids are made here, from the order of areas and numbers of messages, so the same boards give the same records.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from bbs_gym.hosts.host import HostFault

FORMAT: Final = "agentbbs-boards"
VERSION: Final = 1

_MS: Final = 1000


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One row of `export_messages.js`."""

    number: int
    to: str
    from_: str = msgspec.field(name="from")
    subject: str
    body: str
    reply_to: int | None
    when: int
    """Seconds since 1970."""
    deleted: bool


class Area(msgspec.Struct, frozen=True, kw_only=True):
    """A message area with all that is in it."""

    code: str
    name: str
    messages: list[Message]


def read_areas(rows: object) -> tuple[Area, ...]:
    """The areas of an answer of `export_messages.js`. Raises HostFault for anything else."""
    try:
        areas = msgspec.convert(rows, list[Area])
    except msgspec.ValidationError as fault:
        raise HostFault(
            f"what Synchronet says of its messages is not understood ({fault}): is it another version?"
        ) from (fault)
    return tuple(msgspec.structs.replace(area, messages=sorted(area.messages, key=_number)) for area in areas)


def board_records(areas: Iterable[Area]) -> list[dict[str, Any]]:
    """`boards`: the records that `agentbbs boards export --json` has, as far as Synchronet knows them."""
    shown: list[dict[str, Any]] = []
    threads: list[dict[str, Any]] = []
    posts: list[dict[str, Any]] = []
    for area_id, area in enumerate(areas, 1):
        shown.append({"type": "area", "id": area_id, "name": area.name, "code": area.code})
        _add_messages(area_id, area.messages, threads, posts)
    return [{"type": "boards", "format": FORMAT, "version": VERSION}, *shown, *threads, *posts]


def mail_records(areas: Iterable[Area]) -> list[dict[str, Any]]:
    """`mail`: one record a letter, in the order in which they were written."""
    return [
        {
            "type": "mail",
            "id": message.number,
            "from": _text(message.from_),
            "to": _text(message.to),
            "subject": _text(message.subject),
            "body": None if message.deleted else _text(message.body),
            "replyTo": message.reply_to,
            "created": message.when * _MS,
            "deleted": message.deleted,
        }
        for area in areas
        for message in area.messages
    ]


def _add_messages(
    area_id: int, messages: Iterable[Message], threads: list[dict[str, Any]], posts: list[dict[str, Any]]
) -> None:
    placed: dict[int, tuple[int, int]] = {}
    for message in messages:
        forebear = placed.get(message.reply_to) if message.reply_to is not None else None
        created = message.when * _MS
        thread = forebear[1] if forebear else len(threads) + 1
        if forebear is None:
            threads.append(
                {
                    "type": "thread",
                    "id": thread,
                    "area": area_id,
                    "subject": _text(message.subject),
                    "author": _text(message.from_),
                    "created": created,
                }
            )
        post = len(posts) + 1
        placed[message.number] = (post, thread)
        posts.append(
            {
                "type": "post",
                "id": post,
                "thread": thread,
                "replyTo": forebear[0] if forebear else None,
                "author": _text(message.from_),
                "subject": _text(message.subject),
                "body": None if message.deleted else _text(message.body),
                "created": created,
                "deleted": created if message.deleted else None,
            }
        )


def _number(message: Message) -> int:
    return message.number


def _text(raw: str) -> str:
    """Text of Synchronet's JavaScript holds one byte a character: CP437, or UTF-8 where it is valid as such."""
    try:
        content = raw.encode("latin-1")
    except UnicodeEncodeError:
        return raw
    if raw.isascii():
        return raw.replace("\r\n", "\n")
    try:
        return content.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return content.decode("cp437").replace("\r\n", "\n")
