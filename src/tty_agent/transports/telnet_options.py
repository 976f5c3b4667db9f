"""A client's end of a telnet line, without the line: bytes in, terminal bytes and replies out.

Options are negotiated by the Q method of RFC 1143: a request is answered when it changes the state of the option,
and never else, so two ends cannot keep each other talking. A refusal is sent once an option. Since we never end an
option that is on, the method's states WANTNO and its queue bits cannot come up, and are left out. The bytes may be cut
anywhere. Nothing is offered on our own account unless asked for (`ask_binary`): to a program that speaks no telnet
the offer would be typed text. For the same reason IAC before a byte that is no command is data: doors that forget
to double 0xFF are common.

| RFC | what is kept of it |
|---|---|
| 854 | commands, IAC doubled both ways, CR NUL for CR alone, outside of binary |
| 856, 858, 857 | BINARY both ways, SUPPRESS-GO-AHEAD both ways, ECHO by the server |
| 1073 | NAWS, once DO NAWS came |
| 1091 | TTYPE, one name, repeated as often as it is asked for |
| 1143 | the states below |
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from tty_agent.transports.option_side import IAC, OptionSide

DONT: Final = 254
DO: Final = 253
WONT: Final = 252
WILL: Final = 251
SB: Final = 250
SE: Final = 240

BINARY: Final = 0
ECHO: Final = 1
SUPPRESS_GO_AHEAD: Final = 3
TERMINAL_TYPE: Final = 24
WINDOW_SIZE: Final = 31

WE_MAY: Final = frozenset({BINARY, SUPPRESS_GO_AHEAD, TERMINAL_TYPE, WINDOW_SIZE})
"""What we agree to do; the rest (TSPEED, SNDLOC, NEW-ENVIRON, …) is nobody's business."""

THEY_MAY: Final = frozenset({BINARY, SUPPRESS_GO_AHEAD, ECHO})
"""What we agree that the server does."""

MAX_SUBNEGOTIATION_BYTES: Final = 512
"""Of a longer one the rest is dropped unread: no option of ours needs more than two."""

MAX_ANSWERS_IN_A_ROW: Final = 64
"""Without a byte of the terminal between them: more than any server asks for at once. A peer that turns an option on
and off with each answer is heard no further until it has something to show."""

_FIRST_COMMAND: Final = 236
"""EOF (236), SUSP, ABORT, EOR, SE: below it IAC is no command at all."""

_TTYPE_IS: Final = 0
_TTYPE_SEND: Final = 1
_MAX_SIDE: Final = 0xFFFF
_NUL: Final = 0
_CR: Final = 13

_SENT_SPECIAL: Final = re.compile(rb"\xff|\r(?!\n)")


class _Place(Enum):
    """Where in the grammar of telnet the last byte left us."""

    DATA = 0
    COMMAND = 1
    """After IAC."""
    OPTION = 2
    """After IAC and WILL, WONT, DO or DONT."""
    SUBNEGOTIATION = 3
    SUBNEGOTIATION_COMMAND = 4
    """After IAC inside of one."""


class TelnetOptions:
    """One line's state. The terminal type is sent as it is; columns and rows are those of the window."""

    def __init__(self, terminal_type: str, columns: int, rows: int) -> None:
        self._terminal_type = terminal_type.encode("ascii")
        self._size = (columns, rows)
        self._us = OptionSide(WE_MAY, agree=WILL, refuse=WONT)
        self._them = OptionSide(THEY_MAY, agree=DO, refuse=DONT)
        self._place = _Place.DATA
        self._verb = 0
        self._subnegotiation = bytearray()
        self._after_cr = False
        self._answers_in_a_row = 0

    @property
    def binary_in(self) -> bool:
        """Whether the server sends binary: CR NUL is then two bytes of the terminal."""
        return self._them.on(BINARY)

    @property
    def binary_out(self) -> bool:
        """Whether we do."""
        return self._us.on(BINARY)

    @property
    def server_echoes(self) -> bool:
        """Whether the server shows what is typed."""
        return self._them.on(ECHO)

    @property
    def window_size_wanted(self) -> bool:
        """Whether the server asked for the size of the window."""
        return self._us.on(WINDOW_SIZE)

    def ask_binary(self) -> bytes:
        """The request for BINARY both ways; for servers that strip the eighth bit without it."""
        return self._them.request(BINARY) + self._us.request(BINARY)

    def resize(self, columns: int, rows: int) -> bytes:
        """Take a new size; returns what tells the server, b"" if it did not ask."""
        self._size = (columns, rows)
        return self._window_size() if self.window_size_wanted else b""

    def send(self, data: bytes) -> bytes:
        """Terminal bytes as the wire has them: 0xFF doubled, CR as CR NUL where no LF follows (not in binary)."""
        if self.binary_out:
            return data.replace(b"\xff", b"\xff\xff")
        return _SENT_SPECIAL.sub(lambda special: b"\xff\xff" if special[0] == b"\xff" else b"\r\0", data)

    def receive(self, data: bytes) -> tuple[bytes, bytes]:
        """Bytes of the wire, cut anywhere; returns the terminal bytes among them and the replies that are due.

        The former are at most one byte longer than `data`: an IAC of the piece before may turn out to be data.
        """
        terminal, replies = bytearray(), bytearray()
        position, end = 0, len(data)
        while position < end:
            if self._place is _Place.DATA:
                position = self._data(data, position, terminal)
            elif self._place is _Place.SUBNEGOTIATION:
                position = self._parameters(data, position)
            else:
                self._command(data[position], terminal, replies)
                position += 1
        return bytes(terminal), bytes(replies)

    def _data(self, data: bytes, position: int, terminal: bytearray) -> int:
        found = data.find(IAC, position)
        end = len(data) if found < 0 else found
        self._keep(data[position:end], terminal)
        if found < 0:
            return end
        self._place = _Place.COMMAND
        return found + 1

    def _keep(self, run: bytes, terminal: bytearray) -> None:
        """Terminal bytes, the NUL after a CR taken away. A command between the two does not part them."""
        if not run:
            return
        ends_with_cr = run[-1] == _CR
        if not self.binary_in:
            if self._after_cr and run[0] == _NUL:
                run = run[1:]
            run = run.replace(b"\r\0", b"\r")
        self._after_cr = ends_with_cr
        self._answers_in_a_row = 0
        terminal += run

    def _parameters(self, data: bytes, position: int) -> int:
        found = data.find(IAC, position)
        end = len(data) if found < 0 else found
        self._parameter(data[position:end])
        if found < 0:
            return end
        self._place = _Place.SUBNEGOTIATION_COMMAND
        return found + 1

    def _parameter(self, data: bytes) -> None:
        room = MAX_SUBNEGOTIATION_BYTES - len(self._subnegotiation)
        self._subnegotiation += data[: max(room, 0)]

    def _command(self, byte: int, terminal: bytearray, replies: bytearray) -> None:
        heard = self._answers_in_a_row < MAX_ANSWERS_IN_A_ROW
        before = len(replies)
        if self._place is _Place.OPTION:
            self._place = _Place.DATA
            replies += self._negotiate(self._verb, byte) if heard else b""
        elif self._place is _Place.SUBNEGOTIATION_COMMAND and byte == IAC:
            self._place = _Place.SUBNEGOTIATION
            self._parameter(bytes((IAC,)))
        elif self._place is _Place.SUBNEGOTIATION_COMMAND and byte == SE:
            self._place = _Place.DATA
            replies += self._answer() if heard else b""
        else:  # a command; in a subnegotiation it breaks off what was never ended
            self._begin(byte, terminal)
        if len(replies) > before:
            self._answers_in_a_row += 1

    def _begin(self, byte: int, terminal: bytearray) -> None:
        self._place = _Place.DATA
        if byte in (WILL, WONT, DO, DONT):
            self._place = _Place.OPTION
            self._verb = byte
        elif byte == SB:
            self._place = _Place.SUBNEGOTIATION
            self._subnegotiation.clear()
        elif byte == IAC:
            self._keep(b"\xff", terminal)
        elif byte < _FIRST_COMMAND:
            self._keep(bytes((IAC, byte)), terminal)
        # else GA, NOP, AYT, DM and their kin, which ask nothing of a terminal

    def _negotiate(self, verb: int, option: int) -> bytes:
        match verb:
            case 251:  # WILL
                return self._them.told_on(option)
            case 252:  # WONT
                return self._them.told_off(option)
            case 254:  # DONT
                return self._us.told_off(option)
        had_size = self.window_size_wanted
        answer = self._us.told_on(option)
        if self.window_size_wanted and not had_size:
            answer += self._window_size()
        return answer

    def _answer(self) -> bytes:
        """The reply to the subnegotiation that just ended, b"" if it asks nothing that we agreed to tell."""
        asked = bytes(self._subnegotiation)
        if asked == bytes((TERMINAL_TYPE, _TTYPE_SEND)) and self._us.on(TERMINAL_TYPE):
            return bytes((IAC, SB, TERMINAL_TYPE, _TTYPE_IS)) + self._terminal_type + bytes((IAC, SE))
        return b""

    def _window_size(self) -> bytes:
        sides = b"".join(min(max(side, 0), _MAX_SIDE).to_bytes(2, "big") for side in self._size)
        return bytes((IAC, SB, WINDOW_SIZE)) + sides.replace(b"\xff", b"\xff\xff") + bytes((IAC, SE))
