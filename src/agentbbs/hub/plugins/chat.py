"""Chat: everybody who is in it writes line by line, and sees what the others in the room write.

Each message is one line, `<name> text`, above the line that is being typed. What is longer than the screen is wide goes
on in an indented row: so no text can look like another's line.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import msgspec

from agentbbs.hub import moments
from agentbbs.hub.chat_rooms import MAIN, MAX_TEXT_CHARS, ChatFault, ChatLine, ChatRooms, Kind, Voice
from agentbbs.hub.line_editor import Edit, LineEditor
from agentbbs.hub.paint import Look, fitted
from agentbbs.hub.plugin import Access
from agentbbs.hub.presence import Presence, Present
from agentbbs.hub.prompts import LineField
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import put_bar
from agentbbs.hub.visit import Visit
from agentbbs.hub.wrapping import Row, wrap
from agentbbs.hub.writing import sentence
from tty_agent.terminal.dialect import Encoding

BACKLOG_LINES: Final = 15
"""Shown of what was said before one came: most of a screen of 24 rows."""

INDENT: Final = "  "
"""Before the rows that a long line goes on in."""

NOTICE_COLUMNS: Final = 72
"""Of a private line for somebody who is not in the chat, whose screen is not known here: less than 80."""


class Chat:
    """The plugin."""

    id = "chat"
    title = "Chat"
    key = "C"
    access = Access.GUEST

    async def run(self, visit: Visit) -> None:
        """One stay, from `main` to `/quit`."""
        await _Talk(visit).run()


PLUGIN: Final = Chat()


def shown(line: ChatLine) -> Text:
    """What a line looks like."""
    name = Span(line.name, Style.NAME)
    match line.kind:
        case Kind.SAID:
            return ("<", name, "> ", line.text)
        case Kind.ACTED:
            return ("* ", name, " ", line.text)
        case Kind.JOINED:
            return Span(f"--> {line.name} joined {line.room}", Style.DIM)
        case Kind.LEFT:
            return Span(f"<-- {line.name} left {line.room}", Style.DIM)
        case Kind.PRIVATE:
            return (Span("[private from ", Style.LABEL), name, Span("]", Style.LABEL), " ", line.text)
        case Kind.SENT:
            return (Span("[private to ", Style.LABEL), name, Span("]", Style.LABEL), " ", line.text)


def find_present(presence: Presence, name: str) -> tuple[Present, ...]:
    """Who on the board is meant by a name in any case, or by the beginning of one: the nodes of each account, or none.
    Guests have no name of their own."""
    members = [present for present in presence.everyone() if present.account is not None]
    wanted = name.lower()
    same = tuple(present for present in members if present.name.lower() == wanted)
    return same or tuple(present for present in members if wanted and present.name.lower().startswith(wanted))


class _Slash(msgspec.Struct, frozen=True):
    """A command of the chat."""

    usage: str
    meaning: str
    do: Callable[[_Talk, str], Awaitable[None]]


class _Talk:
    """One caller in the chat."""

    def __init__(self, visit: Visit) -> None:
        visitor = visit.visitor
        name = f"{visitor.name} (node {visit.node})" if visitor.guest else visitor.name
        self._visit = visit
        self._caller = visit.caller
        self._rooms: ChatRooms = visit.board.chat
        self._voice = Voice(visit.node, visitor.account, name)
        self._last_from = ""
        self._done = False

    async def run(self) -> None:
        """Until the caller leaves."""
        backlog = self._rooms.enter(self._voice, self._hear, now_ms=self._now_ms)
        try:
            self._caller.clear()
            self._show_room(backlog)
            while not self._done:
                await self._take(await self._typed())
        finally:
            self._rooms.leave(self._voice.node, now_ms=self._now_ms)

    @property
    def _now_ms(self) -> int:
        return self._visit.board.now_ms()

    @property
    def _room(self) -> str:
        return self._rooms.room_of(self._voice.node) or MAIN

    def _hear(self, line: ChatLine) -> None:
        if line.kind is Kind.PRIVATE:
            self._last_from = line.name
        self._caller.post(self._hanging(shown(line)))

    def _hanging(self, text: Text) -> Text:
        """As the caller's screen will show it, each row but the first indented."""
        columns = self._caller.columns
        return _indented(wrap(fitted(text, self._caller.look), columns - len(INDENT), first=columns))

    def _show_room(self, backlog: Sequence[ChatLine]) -> None:
        caller, room = self._caller, self._room
        self._visit.board.presence.set_doing(self._visit.node, f"chatting in {room}")
        put_bar(caller, f"Chat: {room}", f"Node {self._visit.node}")
        for line in backlog[-BACKLOG_LINES:]:
            caller.say(self._hanging((Span(f"{moments.clock(line.at_ms)[:5]} ", Style.DIM), shown(line))))
        self._tell_who(room)
        looks_on = " You are a guest, and look on." if self._voice.account is None else ""
        caller.say(f"What you type is said when you press Enter. /help lists commands, /quit leaves.{looks_on}")

    async def _typed(self) -> str:
        """The next line that is typed. It is taken off the screen again if it is something to say: then it comes back
        as everybody sees it."""
        caller = self._caller
        caller.write(Span(f"{self._room}> ", Style.KEY))
        field = LineField(caller, LineEditor(max_chars=MAX_TEXT_CHARS))
        field.refresh()
        while True:
            edit = await field.press()
            text = field.editor.text.strip()
            if edit is Edit.DONE or (edit is Edit.CANCELLED and not text):
                break
            if edit is Edit.CANCELLED:
                field.editor.text, field.editor.cursor = "", 0
                field.refresh()
        if edit is Edit.CANCELLED:
            caller.erase_line()
            return "/quit" if await caller.yes_no("Leave the chat?", default=True) else ""
        if text.startswith("/") and not text.startswith("//"):
            field.end()
        else:
            caller.erase_line()
        return text

    async def _take(self, text: str) -> None:
        """Do what was typed."""
        try:
            if not text.startswith("/"):
                self._say(text)
            elif text.startswith("//"):
                self._say(text[1:])
            else:
                word, _, rest = text[1:].partition(" ")
                command = _COMMANDS.get(word.lower())
                if command is None:
                    self._caller.say(Span(f"There is no /{word}: /help lists what there is.", Style.BAD))
                else:
                    await command.do(self, rest.strip())
        except ChatFault as fault:
            self._caller.say(sentence(fault))

    def _say(self, text: str, *, acted: bool = False) -> None:
        self._rooms.say(self._voice.node, text, acted=acted, now_ms=self._now_ms)

    async def act(self, text: str) -> None:
        """`/me`."""
        self._say(text, acted=True)

    async def join(self, name: str) -> None:
        """`/join`."""
        if not name:
            self._caller.say(Span("Join which room? /join NAME; /rooms lists those that are there.", Style.BAD))
            return
        self._show_room(self._rooms.join(self._voice.node, name, now_ms=self._now_ms))

    async def list_rooms(self, _: str) -> None:
        """`/rooms`."""
        await self._caller.show(
            [
                (Span(room.name, Style.KEY), f": {room.members} here" + " (you too)" * (room.name == self._room))
                for room in self._rooms.rooms()
            ]
        )

    async def who(self, _: str) -> None:
        """`/who`."""
        for room in self._rooms.rooms():
            if room.members:
                self._tell_who(room.name)
        chatting = {voice.node for voice in self._rooms.members()}
        elsewhere = [present for present in self._visit.board.presence.everyone() if present.node not in chatting]
        await self._caller.show(
            [
                ("Elsewhere: ", Span(present.name, Style.NAME), f" on node {present.node}, {present.doing}")
                for present in elsewhere
            ]
        )

    async def whisper(self, rest: str) -> None:
        """`/msg`."""
        name, _, text = rest.partition(" ")
        if not text.strip():
            self._caller.say(Span("Tell whom what? /msg NAME TEXT; /who lists who is here.", Style.BAD))
            return
        there = find_present(self._visit.board.presence, name)
        names = sorted({present.name for present in there})
        if len(names) != 1:
            why = f"{', '.join(names)}: which of them?" if names else f"{name} is not on line. Mail reaches members."
            self._caller.say(Span(why, Style.BAD))
            return
        to = Voice(there[0].node, there[0].account, there[0].name)
        line = self._rooms.whisper(self._voice, to, text, now_ms=self._now_ms)
        if line is not None:
            self._tell_elsewhere(there, line)

    async def answer(self, text: str) -> None:
        """`/r`."""
        if not self._last_from:
            self._caller.say(Span("Nobody has written to you alone yet: /msg NAME TEXT begins.", Style.BAD))
            return
        await self.whisper(f"{self._last_from} {text}")

    async def help(self, _: str) -> None:
        """`/help`."""
        await self._caller.show([(Span(f"{command.usage:<16}", Style.KEY), command.meaning) for command in _HELP])

    async def quit(self, _: str) -> None:
        """`/quit`."""
        self._done = True

    def _tell_who(self, room: str) -> None:
        names = dict.fromkeys(voice.name for voice in self._rooms.members(room))
        listed: list[Text] = []
        for name in names:
            listed += [", " if listed else "", Span(name, Style.NAME)]
        self._caller.say("In ", Span(room, Style.KEY), ": ", *listed)

    def _tell_elsewhere(self, there: Sequence[Present], line: ChatLine) -> None:
        """A private line for those nodes of its recipient that are not in the chat."""
        chatting = {voice.node for voice in self._rooms.members()}
        outside = [present for present in there if present.node not in chatting]
        text = notice(line)
        for present in outside:
            self._visit.board.presence.tell(present.node, text)
        if outside and len(outside) == len(there):
            self._caller.say(Span(f"({there[0].name} is {there[0].doing}, and was told there.)", Style.DIM))


def notice(line: ChatLine) -> Text:
    """As `_Talk._hanging`, for a screen that is not known."""
    return _indented(wrap(fitted(shown(line), _ANY), NOTICE_COLUMNS))


def _indented(rows: Sequence[Row]) -> Text:
    return tuple(("\n" + INDENT if number else "", row) for number, row in enumerate(rows))


_ANY: Final = Look(encoding=Encoding.UTF_8)

_HELP: Final = (
    _Slash("/join ROOM", "go to a room; it opens if it isn't there", _Talk.join),
    _Slash("/rooms", "the rooms that are there", _Talk.list_rooms),
    _Slash("/who", "who is where", _Talk.who),
    _Slash("/msg NAME TEXT", "a word for one person alone, wherever on the board", _Talk.whisper),
    _Slash("/r TEXT", "the same to whoever last wrote to you alone", _Talk.answer),
    _Slash("/me TEXT", "say what you do: * alice waves", _Talk.act),
    _Slash("/help", "this list; // begins a text that begins with /", _Talk.help),
    _Slash("/quit", "leave the chat", _Talk.quit),
)
_COMMANDS: Final = {slash.usage.split()[0][1:]: slash for slash in _HELP}
