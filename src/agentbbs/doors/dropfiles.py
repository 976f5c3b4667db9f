"""What a door is told about its caller: the classic dropfiles. Pure.

Every file is lines of CP437 text, each ended by CR LF. A text that came from a caller is made inert first, so that it
is one line whatever is in it. A name that CP437 can't spell gets the account's number, so that no two callers become
one in a door that goes by names. Secrets (password, phone) are lines that stay empty.

Sources: "DOOR32 Revision 1 Specifications" (2001); GAP's DOOR.SYS of 52 lines, DORINFO1.DEF of RBBS-PC as QuickBBS
writes it, and CHAIN.TXT of WWIV 4, as Synchronet documents them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

import msgspec

from agentbbs.doors.config import Dropfile
from tty_agent.terminal.inert import inert

MAX_TEXT_CHARS: Final = 60
"""Of a line that came from outside. Doors read into strings of 80 characters, or shorter ones that they cut."""

MAX_INT16: Final = 32_767
"""Doors of the time read numbers into 16 bits, signed."""

LINE_RATE: Final = 38_400
"""Bits a second of a port that has no real rate: the highest that every FOSSIL driver knows."""

NEVER: Final = "12/31/99"
"""When an account expires."""


class DropfileFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to tell. Times are in the venue's time zone."""

    board: str
    software: str = "AgentBBS"
    sysop: str = "Sysop"
    node: int
    """From 1."""
    record: int
    """The account's number, from 1; doors know their players by it."""
    handle: str
    location: str = ""
    security: int = 50
    """0 to 255; a sysop has 255."""
    calls: int = 1
    now: datetime
    last_call: datetime | None = None
    """None: this is the first."""
    ansi: bool = True
    columns: int = 80
    rows: int = 24
    time_left_s: int = 3600
    com_port: int = 0
    """0: the local console, which is what a pseudo-terminal is to a door."""
    folder: str = "."
    """Of the dropfiles, as the door sees it."""


def dropfile(kind: Dropfile, facts: DropfileFacts) -> bytes:
    """The file's contents."""
    return b"".join(_spelled(line) + b"\r\n" for line in _WRITERS[kind](facts))


def caller_name(facts: DropfileFacts) -> str:
    """The caller as every dropfile names it: one line that CP437 can spell, and nobody else's."""
    shown = unicodedata.normalize("NFC", inert(facts.handle))
    name = shown[:MAX_TEXT_CHARS]
    if name != shown or not name.strip() or b"?" in name.replace("?", "").encode("cp437", "replace"):
        return f"{name[: MAX_TEXT_CHARS - 12]} #{facts.record}".strip()
    return name


def _spelled(line: str) -> bytes:
    return unicodedata.normalize("NFC", inert(line)).encode("cp437", "replace")


def _text(text: str) -> str:
    return inert(text)[:MAX_TEXT_CHARS]


def _door32_sys(facts: DropfileFacts) -> list[str]:
    name = caller_name(facts)
    return [
        "1" if facts.com_port else "0",  # 1 communication: 0 local, 1 serial, 2 telnet
        str(facts.com_port),  # 2 port or socket
        str(LINE_RATE),  # 3 bits a second
        _text(facts.software),  # 4 board's software and version
        str(facts.record),  # 5 user record, from 1
        name,  # 6 real name
        name,  # 7 handle
        str(facts.security),  # 8 security level
        str(_minutes(facts)),  # 9 minutes left
        "1" if facts.ansi else "0",  # 10 emulation: 0 ASCII, 1 ANSI
        str(facts.node),  # 11 node
    ]


def _door_sys(facts: DropfileFacts) -> list[str]:
    return _door_sys_of_1988(facts) + _door_sys_added(facts)


def _door_sys_of_1988(facts: DropfileFacts) -> list[str]:
    name = caller_name(facts)
    last = facts.last_call or facts.now
    return [
        f"COM{facts.com_port}:",  # 1 port; COM0: is local
        str(LINE_RATE),  # 2 bits a second
        "8",  # 3 data bits
        str(facts.node),  # 4 node
        str(LINE_RATE),  # 5 rate of the port
        "Y",  # 6 screen shown to the sysop
        "N",  # 7 printer
        "Y",  # 8 page bell
        "Y",  # 9 caller alarm
        name,  # 10 full name
        _text(facts.location),  # 11 calling from
        "",  # 12 home phone
        "",  # 13 work phone
        "",  # 14 password
        str(facts.security),  # 15 security level
        str(_short(facts.calls)),  # 16 calls so far
        _date(last),  # 17 last call
        str(_seconds(facts)),  # 18 seconds left
        str(_minutes(facts)),  # 19 minutes left
        "GR" if facts.ansi else "NG",  # 20 graphics
        str(facts.rows),  # 21 rows of the screen
        "N",  # 22 expert
        "",  # 23 conferences registered in
        "0",  # 24 conference it came from
        NEVER,  # 25 the account expires
        str(facts.record),  # 26 user record
        "Z",  # 27 default protocol
        "0",  # 28 uploads
        "0",  # 29 downloads
        "0",  # 30 KiB downloaded today
        "0",  # 31 KiB that may be downloaded in a day
    ]


def _door_sys_added(facts: DropfileFacts) -> list[str]:
    last = facts.last_call or facts.now
    return [
        "01/01/70",  # 32 birthday
        facts.folder,  # 33 the board's main folder
        facts.folder,  # 34 the board's general folder
        _text(facts.sysop),  # 35 sysop
        caller_name(facts),  # 36 handle
        "00:00",  # 37 next event
        "Y",  # 38 error correction
        "N",  # 39 ANSI although no graphics
        "Y",  # 40 record locking
        "7",  # 41 default colour
        "0",  # 42 minutes of credit
        _date(last),  # 43 last scan for new files
        f"{facts.now:%H:%M}",  # 44 time of this call
        f"{last:%H:%M}",  # 45 time of the last call
        str(MAX_INT16),  # 46 files that may be downloaded in a day
        "0",  # 47 files downloaded today
        "0",  # 48 KiB uploaded in all
        "0",  # 49 KiB downloaded in all
        "",  # 50 comment
        "0",  # 51 doors opened
        "0",  # 52 messages left
    ]


def _dorinfo1_def(facts: DropfileFacts) -> list[str]:
    sysop_first, _, sysop_last = _text(facts.sysop).partition(" ")
    first, _, last = caller_name(facts).partition(" ")
    return [
        _text(facts.board),  # 1 board
        sysop_first,  # 2
        sysop_last,  # 3
        f"COM{facts.com_port}",  # 4 port; COM0 is local
        f"{LINE_RATE} BAUD,N,8,1",  # 5
        "0",  # 6 network
        first,  # 7 caller
        last,  # 8
        _text(facts.location),  # 9
        "1" if facts.ansi else "0",  # 10 0 ASCII, 1 ANSI
        str(facts.security),  # 11 security level
        str(_minutes(facts)),  # 12 minutes left
        "-1",  # 13 FOSSIL
    ]


def _chain_txt(facts: DropfileFacts) -> list[str]:
    name = caller_name(facts)
    remote = bool(facts.com_port)
    rate = str(LINE_RATE) if remote else "KB"
    return [
        str(facts.record),  # 1 user number
        name,  # 2 alias
        name,  # 3 real name
        "",  # 4 amateur radio call
        "21",  # 5 age
        "M",  # 6 sex; doors know two
        "0",  # 7 gold
        _date(facts.last_call or facts.now),  # 8 last call
        str(facts.columns),  # 9
        str(facts.rows),  # 10
        str(facts.security),  # 11 security level
        "0",  # 12 co-sysop
        "1" if facts.security == SYSOP_SECURITY else "0",  # 13 sysop
        "1" if facts.ansi else "0",  # 14 ANSI
        "1" if remote else "0",  # 15 remote
        str(_seconds(facts)),  # 16 seconds left
        facts.folder,  # 17 folder of texts
        facts.folder,  # 18 folder of data
        "node.log",  # 19 log file
        rate,  # 20 bits a second; KB is the local keyboard
        str(facts.com_port),  # 21
        _text(facts.board),  # 22
        _text(facts.sysop),  # 23
        str(facts.now.hour * 3600 + facts.now.minute * 60 + facts.now.second),  # 24 logged on, seconds after midnight
        "0",  # 25 seconds since
        "0",  # 26 KiB uploaded
        "0",  # 27 files uploaded
        "0",  # 28 KiB downloaded
        "0",  # 29 files downloaded
        "8N1",  # 30
        str(LINE_RATE),  # 31 rate of the port
        "0",  # 32 number in a network
    ]


SYSOP_SECURITY: Final = 255

_WRITERS: Final[Mapping[Dropfile, Callable[[DropfileFacts], list[str]]]] = {
    Dropfile.DOOR32_SYS: _door32_sys,
    Dropfile.DOOR_SYS: _door_sys,
    Dropfile.DORINFO1_DEF: _dorinfo1_def,
    Dropfile.CHAIN_TXT: _chain_txt,
}


def _short(number: int) -> int:
    return min(max(number, 0), MAX_INT16)


def _seconds(facts: DropfileFacts) -> int:
    return _short(facts.time_left_s)


def _minutes(facts: DropfileFacts) -> int:
    return _short(facts.time_left_s // 60)


def _date(day: datetime) -> str:
    return f"{day:%m/%d/%y}"
