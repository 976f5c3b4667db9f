"""The server's end of a telnet line, without the line: bytes of the wire in, terminal bytes and replies out.

Options are negotiated by the Q method of RFC 1143: an answer is sent when the state of an option changes and never
else, and a refusal once an option, so that two ends cannot keep each other talking. Nothing is waited for: a client
that negotiates nothing is a terminal all the same, and one that does so late is heard. Bytes may be cut anywhere.

| RFC | what is kept of it |
|---|---|
| 854 | commands, IAC doubled both ways, CR NUL for CR alone on the way out (not in binary) |
| 856, 857, 858 | BINARY and SUPPRESS-GO-AHEAD both ways, ECHO by us |
| 860 | TIMING-MARK: a client that flushes its output shows nothing until it is answered |
| 1073 | NAWS; 0 means that the client does not know |
| 1091 | TTYPE, the first name |
| 1143 | the states below; we never end an option, so WANTNO and the queue bits cannot come up |

What comes in stays as it is: CR, CR LF, CR NUL and LF are the business of whoever reads the keys.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from tty_agent.transports.option_side import IAC, OptionSide, OptionState

DONT: Final = 254
DO: Final = 253
WONT: Final = 252
WILL: Final = 251
SB: Final = 250
ERASE_LINE: Final = 248
ERASE_CHARACTER: Final = 247
ARE_YOU_THERE: Final = 246
INTERRUPT: Final = 244
SE: Final = 240

BINARY: Final = 0
ECHO: Final = 1
SUPPRESS_GO_AHEAD: Final = 3
TIMING_MARK: Final = 6
TERMINAL_TYPE: Final = 24
WINDOW_SIZE: Final = 31

WE_MAY: Final = frozenset({BINARY, ECHO, SUPPRESS_GO_AHEAD})
"""What we agree to do."""

THEY_MAY: Final = frozenset({BINARY, SUPPRESS_GO_AHEAD, TERMINAL_TYPE, WINDOW_SIZE})
"""What we agree that the client does. The rest (NEW-ENVIRON, LINEMODE, COMPRESS2, …) is refused."""

KEYS: Final = {INTERRUPT: b"\x03", ERASE_CHARACTER: b"\x08", ERASE_LINE: b"\x15"}
"""Commands that some clients send in place of the key."""

I_AM_HERE: Final = b"\r\n[Yes]\r\n"
"""The answer to ARE-YOU-THERE, as most servers give it."""

MAX_SUBNEGOTIATION_BYTES: Final = 64
"""Of a longer one the rest is dropped unread: a window takes 5, a terminal's name at most 40 and two more."""

MAX_ANSWERS_IN_A_ROW: Final = 64
"""Without a byte of the terminal between them: more than any client asks for at once. A peer that turns an option on
and off with each answer is answered no further until it types something."""

MAX_COMMAND_BYTES_IN_A_ROW: Final = 256 * 1024
"""Without a byte of the terminal between them: a window that is dragged to 25,000 sizes, or a keepalive each 10 s
for two weeks. Whoever sends more is not negotiating."""

_FIRST_COMMAND: Final = 236
"""EOF (236), SUSP, ABORT, EOR, SE: below it IAC is no command at all, but a 0xFF that was not doubled."""

_TTYPE_IS: Final = 0
_TTYPE_SEND: Final = 1
_CR: Final = 13
_LF: Final = b"\n"


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
    """One line's state. Send `opening()` first."""

    def __init__(self) -> None:
        self.terminal_type: str | None = None
        """As the client named it, once it did: at most 64 characters of Latin-1."""
        self.window: tuple[int, int] | None = None
        """Columns and rows as last told, each 0 if the client does not know; None before."""
        self._us = OptionSide(WE_MAY, agree=WILL, refuse=WONT)
        self._them = OptionSide(THEY_MAY, agree=DO, refuse=DONT)
        self._asked_type = False
        self._place = _Place.DATA
        self._verb = 0
        self._subnegotiation = bytearray()
        self._sent_cr = False
        self._answers_in_a_row = 0
        self._command_bytes = 0

    @property
    def settled(self) -> bool:
        """Whether the client has told its terminal's name and its window's size, or refused to."""
        return self._has_answered(TERMINAL_TYPE, self.terminal_type) and self._has_answered(WINDOW_SIZE, self.window)

    @property
    def flooding(self) -> bool:
        """Whether the client sends commands without end: hang up."""
        return self._command_bytes > MAX_COMMAND_BYTES_IN_A_ROW

    @property
    def binary_out(self) -> bool:
        """Whether CR goes out as it is."""
        return self._us.on(BINARY)

    def opening(self) -> bytes:
        """What the server asks for, all at once and first of all."""
        us = (ECHO, SUPPRESS_GO_AHEAD, BINARY)
        them = (SUPPRESS_GO_AHEAD, TERMINAL_TYPE, WINDOW_SIZE, BINARY)
        return b"".join([*map(self._us.request, us), *map(self._them.request, them)])

    def send(self, data: bytes) -> bytes:
        """Terminal bytes as the wire has them: 0xFF doubled; CR as CR NUL where no LF follows, not in binary. The
        NUL of a CR at the very end goes before the next byte, since it may be the LF."""
        wire = data.replace(b"\xff", b"\xff\xff")
        if self.binary_out or not data:
            self._sent_cr = self._sent_cr and not data
            return wire
        if self._sent_cr and not wire.startswith(_LF):
            wire = b"\0" + wire
        self._sent_cr = wire[-1] == _CR
        if b"\r" in wire:
            wire = wire.replace(b"\r", b"\r\0").replace(b"\r\0\n", b"\r\n")
        return wire[:-1] if self._sent_cr else wire

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
                self._command_bytes += 1
                self._command(data[position], terminal, replies)
                position += 1
        return bytes(terminal), bytes(replies)

    def _has_answered(self, option: int, told: object | None) -> bool:
        return told is not None or self._them.state(option) is OptionState.NO

    def _data(self, data: bytes, position: int, terminal: bytearray) -> int:
        found = data.find(IAC, position)
        end = len(data) if found < 0 else found
        self._keep(data[position:end], terminal)
        if found < 0:
            return end
        self._place = _Place.COMMAND
        self._command_bytes += 1
        return found + 1

    def _keep(self, run: bytes, terminal: bytearray) -> None:
        if run:
            self._answers_in_a_row = self._command_bytes = 0
            terminal += run

    def _parameters(self, data: bytes, position: int) -> int:
        found = data.find(IAC, position)
        end = len(data) if found < 0 else found
        self._parameter(data[position:end])
        self._command_bytes += end - position
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
            self._parameter(b"\xff")
        elif self._place is _Place.SUBNEGOTIATION_COMMAND and byte == SE:
            self._place = _Place.DATA
            self._told(bytes(self._subnegotiation))
        else:  # a command; in a subnegotiation it breaks off what was never ended
            self._begin(byte, terminal)
            replies += I_AM_HERE if byte == ARE_YOU_THERE and heard else b""
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
        elif byte in KEYS:
            self._keep(KEYS[byte], terminal)
        elif byte < _FIRST_COMMAND:
            self._keep(bytes((IAC, byte)), terminal)
        # else GA, NOP, DM, BRK, AO and their kin, which ask nothing of us

    def _negotiate(self, verb: int, option: int) -> bytes:
        if verb == DO and option == TIMING_MARK:
            return bytes((IAC, WILL, TIMING_MARK))
        if verb == DO:
            return self._us.told_on(option)
        if verb == DONT:
            return self._us.told_off(option)
        if verb == WONT:
            return self._them.told_off(option)
        answer = self._them.told_on(option)
        if option == TERMINAL_TYPE and not self._asked_type:
            self._asked_type = True
            answer += bytes((IAC, SB, TERMINAL_TYPE, _TTYPE_SEND, IAC, SE))
        return answer

    def _told(self, parameters: bytes) -> None:
        """A subnegotiation ended; what is malformed says nothing."""
        if len(parameters) == 5 and parameters[0] == WINDOW_SIZE:
            self.window = (int.from_bytes(parameters[1:3], "big"), int.from_bytes(parameters[3:5], "big"))
        elif parameters[:2] == bytes((TERMINAL_TYPE, _TTYPE_IS)) and self.terminal_type is None:
            self.terminal_type = parameters[2:].decode("latin-1")
