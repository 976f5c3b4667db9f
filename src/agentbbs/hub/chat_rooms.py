"""Multi-user chat: rooms, who is in which, what was said lately, and words for one person alone. Pure, but for memory.

Everything comes in by calls, and goes out through the `hear` of each chatter, at once and in one order for all who are
in a room. `hear` must not wait and must not raise. The caller of each method gives the time. Nothing here outlives the
venue, and everything is bounded.

Whoever has no account only looks on. A room but `main` is there as long as somebody is in it.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from enum import StrEnum
from typing import Final

import msgspec

MAIN: Final = "main"
"""The room that is always there."""

MAX_TEXT_CHARS: Final = 400
"""Of one line: five rows of a screen."""

MAX_ROOMS: Final = 50
"""A list that one still reads; with it and the scrollback, chat takes a few MB of memory at most."""

SCROLLBACK_LINES: Final = 100
"""Kept of a room."""

MAX_LINES: Final = 10
"""That an account may say, or rooms that it may change to, within `WINDOW_MS`: faster than anybody talks, slow enough
to be read."""

WINDOW_MS: Final = 10_000
"""See `MAX_LINES`."""

_ROOM: Final = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,18}[a-z0-9])?")


class Voice(msgspec.Struct, frozen=True):
    """Somebody who is in the chat, or writes into it. One account may be there on several nodes."""

    node: int
    account: int | None
    name: str


class Kind(StrEnum):
    """What a line is."""

    SAID = "said"
    ACTED = "acted"
    """`/me`."""
    JOINED = "joined"
    LEFT = "left"
    PRIVATE = "private"
    """For the one who hears it alone, from `name`."""
    SENT = "sent"
    """One's own private line, to `name`."""


class ChatLine(msgspec.Struct, frozen=True):
    """One line of chat; the text has no line end. Time is Unix milliseconds."""

    kind: Kind
    name: str
    text: str
    room: str
    """"" for a private line."""
    at_ms: int


class Room(msgspec.Struct, frozen=True):
    """A room, and how many are in it."""

    name: str
    members: int


class ChatFault(Exception):
    """Why something can't be done in the chat; the text says what to do."""


class RoomName(ChatFault):
    """No room can be called that."""


class TooManyRooms(ChatFault):
    """`MAX_ROOMS` are there."""


class TooFast(ChatFault):
    """`MAX_LINES` were said within `WINDOW_MS`."""


class LooksOn(ChatFault):
    """A guest can't speak."""


class _Member(msgspec.Struct):
    voice: Voice
    hear: Callable[[ChatLine], None]
    room: str


class ChatRooms:
    """The chat of one board. Belongs to one event loop; nothing in it waits."""

    def __init__(self) -> None:
        self._members: dict[int, _Member] = {}
        self._scrollback: dict[str, deque[ChatLine]] = {MAIN: deque(maxlen=SCROLLBACK_LINES)}
        self._spoke: dict[tuple[int | None, int], deque[int]] = {}
        """When an account (or, without one, a node) last did what counts against `MAX_LINES`."""

    def enter(self, voice: Voice, hear: Callable[[ChatLine], None], *, now_ms: int) -> tuple[ChatLine, ...]:
        """Somebody comes into the main room; returns what was said there lately. Its node is its own until `leave`.
        Who comes and goes all the time does so unheard."""
        if voice.node in self._members:
            raise ValueError(f"node {voice.node} is in the chat already")
        self._forget_silent(now_ms)
        self._members[voice.node] = _Member(voice, hear, MAIN)
        self._announce(Kind.JOINED, voice, MAIN, now_ms)
        return tuple(self._scrollback[MAIN])

    def leave(self, node: int, *, now_ms: int) -> None:
        """Somebody leaves the chat, if it was in it."""
        member = self._members.pop(node, None)
        if member is not None:
            self._announce(Kind.LEFT, member.voice, member.room, now_ms)
            self._close_if_empty(member.room)

    def join(self, node: int, name: str, *, now_ms: int) -> tuple[ChatLine, ...]:
        """Go to another room, which opens if it isn't there; returns what was said in it lately. Raises RoomName,
        TooManyRooms, TooFast, and LooksOn for a guest who would open one."""
        member = self._members[node]
        room = name.lower().removeprefix("#")
        if _ROOM.fullmatch(room) is None:
            raise RoomName("a room has a name of 1 to 20 letters a-z, digits and inner hyphens: choose another")
        if room not in self._scrollback:
            if member.voice.account is None:
                raise LooksOn("guests look on, and open no rooms: /rooms lists those that are there")
            if len(self._scrollback) >= MAX_ROOMS:
                raise TooManyRooms(f"there are {MAX_ROOMS} rooms already: join one of them")
        if room == member.room:
            return tuple(self._scrollback[room])
        self._count(member.voice, now_ms)
        before, member.room = member.room, ""
        self._tell(Kind.LEFT, member.voice, before, now_ms)
        self._close_if_empty(before)
        self._scrollback.setdefault(room, deque(maxlen=SCROLLBACK_LINES))
        member.room = room
        self._tell(Kind.JOINED, member.voice, room, now_ms)
        return tuple(self._scrollback[room])

    def say(self, node: int, text: str, *, acted: bool = False, now_ms: int) -> None:
        """A line for all in the room, the speaker too. Raises LooksOn and TooFast. A text without anything to see is
        not said; what is too long is cut."""
        member = self._members[node]
        text = _as_line(text)
        if text:
            self._check_voice(member.voice, now_ms)
            line = ChatLine(Kind.ACTED if acted else Kind.SAID, member.voice.name, text, member.room, now_ms)
            self._scrollback[member.room].append(line)
            self._hear(member.room, line)

    def whisper(self, voice: Voice, to: Voice, text: str, *, now_ms: int) -> ChatLine | None:
        """A line for one person alone, heard wherever in the chat that account is, and by the speaker as `SENT`.
        Neither needs to be in the chat: who is not there must be told the line, which is returned, by other means.
        None if there is nothing in it. Raises LooksOn and TooFast."""
        text = _as_line(text)
        if not text:
            return None
        self._check_voice(voice, now_ms)
        line = ChatLine(Kind.PRIVATE, voice.name, text, "", now_ms)
        for member in self._of(to):
            member.hear(line)
        if voice.node in self._members:
            self._members[voice.node].hear(ChatLine(Kind.SENT, to.name, text, "", now_ms))
        return line

    def room_of(self, node: int) -> str | None:
        """The room that the caller of a node is in; None if it is not in the chat."""
        member = self._members.get(node)
        return None if member is None else member.room

    def members(self, room: str | None = None) -> tuple[Voice, ...]:
        """Who is in a room, or in any, by node."""
        there = (self._members[node] for node in sorted(self._members))
        return tuple(member.voice for member in there if room in {None, member.room})

    def rooms(self) -> tuple[Room, ...]:
        """Every room: the main one first, the others by name."""
        names = sorted(self._scrollback, key=lambda name: (name != MAIN, name))
        return tuple(Room(name, len(self.members(name))) for name in names)

    def _of(self, voice: Voice) -> tuple[_Member, ...]:
        if voice.account is None:
            return tuple(member for member in self._members.values() if member.voice.node == voice.node)
        return tuple(member for member in self._members.values() if member.voice.account == voice.account)

    def _announce(self, kind: Kind, voice: Voice, room: str, now_ms: int) -> None:
        """Tell of somebody who came or went, unless it does so all the time."""
        try:
            self._count(voice, now_ms)
        except TooFast:
            return
        self._tell(kind, voice, room, now_ms)

    def _tell(self, kind: Kind, voice: Voice, room: str, now_ms: int) -> None:
        """Tell of it, unless the same account is there on another node, so that nothing changed for the others."""
        if not any(member.room == room and member.voice.node != voice.node for member in self._of(voice)):
            self._hear(room, ChatLine(kind, voice.name, "", room, now_ms), but=voice.node)

    def _hear(self, room: str, line: ChatLine, *, but: int | None = None) -> None:
        for member in tuple(self._members.values()):
            if member.room == room and member.voice.node != but:
                member.hear(line)

    def _check_voice(self, voice: Voice, now_ms: int) -> None:
        if voice.account is None:
            raise LooksOn("guests look on: register to take part")
        self._count(voice, now_ms)

    def _count(self, voice: Voice, now_ms: int) -> None:
        spoke = self._spoke.setdefault(_source(voice), deque(maxlen=MAX_LINES))
        if len(spoke) == MAX_LINES and spoke[0] > now_ms - WINDOW_MS:
            raise TooFast(f"{MAX_LINES} lines in {WINDOW_MS // 1000} seconds are the limit: wait a moment")
        spoke.append(now_ms)

    def _forget_silent(self, now_ms: int) -> None:
        self._spoke = {who: spoke for who, spoke in self._spoke.items() if spoke and spoke[-1] > now_ms - WINDOW_MS}

    def _close_if_empty(self, room: str) -> None:
        if room != MAIN and not any(member.room == room for member in self._members.values()):
            del self._scrollback[room]


def _source(voice: Voice) -> tuple[int | None, int]:
    return (voice.account, 0 if voice.account is not None else voice.node)


def _as_line(text: str) -> str:
    return " ".join(text.split())[:MAX_TEXT_CHARS]
