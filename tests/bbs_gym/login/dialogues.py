"""Scripted logins, and a way to hold them with a dialogue: at every byte, or wherever a test looks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bbs_gym.login.dialogue import Answer, Arrived, Dialogue, Typing
from bbs_gym.login.prompts import view_of
from tty_agent.terminal.screen import Screen

ALIAS = "alice"
PASSWORD = "secret-Pa55"

TYPED = {Typing.NAME: f"{ALIAS}\r".encode(), Typing.PASSWORD: f"{PASSWORD}\r".encode()}


class Says(bytes):
    """The BBS writes it."""


class Hears(bytes):
    """It must be typed now."""


Script = Sequence[Says | Hears]

SYNCHRONET_BANNER = Says(
    b"\x1b[2J\x1b[H  Synchronet BBS for Linux  Version 3.22  Copyright\r\n"
    b"CLIENT CONN: Telnet\r\n       TERM: 80x24 CP437 / ANSI\r\n"
    b"       NODE: 3 (of 8) - Debian GNU/Linux 12\r\n"
    b'If you are a new user to the system, type "New" now.\r\n'
    b"Enter User Name or 'New'\r\nLogin: "
)
SYNCHRONET_WAY_IN: Script = (
    Says(
        b"***********\r\nLogging on to Loopback BBS as alice ...\r\n"
        b"\x0c\x1b[1;31m$$$$\r\n \xdb\xdb\r\n\x1b[0;1;31m[Hit a key] "
    ),
    Hears(b"\r"),
    Says(b"\x08 \x08" * 12 + b"\x0cBulletins\r\n1 Statistics\r\n\x1b[1mEnter number of bulletin or [Quit]: "),
    Hears(b"q"),
    Says(
        b"Quit\r\nLast few callers:\r\n2  36  agent003  Nowhere, NA\r\n"
        b"[\xfb] Search all groups for new messages? [Yes] No "
    ),
    Hears(b"n"),
    Says(
        b"\x08" * 9 + b"No\x1b[K\r\n\x0c\xdc\xdc Last On: Nov30'26  Node    3 Up 0m\r\n"
        b"\xfe Main \xfe 3:59:58 [1] Local [1] Notices: "
    ),
)
SYNCHRONET_TELNET: Script = (
    SYNCHRONET_BANNER,
    Hears(b"alice\r"),
    Says(b"Alice\r\nPassword: "),
    Hears(TYPED[Typing.PASSWORD]),
    *SYNCHRONET_WAY_IN,
)

HOUSE_WAY_IN: Script = (
    Says(
        b"***********\r\n\r\nWelcome back, alice.\r\nHere now: eve.\r\n"
        b"On the wall: Invalid Logon (eve)\r\n\x1b[33m[Hit a key]\x1b[m "
    ),
    Hears(b"\r"),
    Says(b"\r\x1b[K\x1b[2J\x1b[H AgentBBS          alice  Node 2  2 here  13:45 \r\n [Q] Log off\r\n\r\nMain menu: "),
)
HOUSE_TELNET: Script = (
    Says(
        b"\x1b[2J\x1b[HAgentBBS\r\nNode 2 of 32, telnet, ANSI 80x24 CP437\r\n\r\n"
        b"Enter your name, new to register, guest to look around.\r\n\r\nLogin: "
    ),
    Hears(b"alice\r"),
    Says(b"alice\r\nPassword: "),
    Hears(TYPED[Typing.PASSWORD]),
    *HOUSE_WAY_IN,
)


def converse(
    dialogue: Dialogue, script: Script, looks: Callable[[int], bool] = lambda _: True, *, columns: int = 80
) -> bool:
    """Hold the dialogue, looking after each byte for which `looks` says so and whenever the BBS waits. Returns whether
    it arrived. Raises LoginFault as the dialogue does, and AssertionError where something else was typed."""
    screen = Screen(columns, 24)
    offset = 0
    said: list[Answer] = []
    for step in script:
        if isinstance(step, Hears):
            assert said, f"nothing was typed where {step!r} was due"
            (answer,) = said
            assert TYPED.get(answer.typing, answer.keys) == step
            said = []
            continue
        assert not said, f"{said} were typed too early"
        for byte in step:
            screen.feed(bytes((byte,)))
            offset += 1
            if looks(offset):
                found = dialogue.look(view_of(screen, stable=False))
                said += [found] if isinstance(found, Answer) else []
                if isinstance(found, Arrived):
                    return True
        found = dialogue.look(view_of(screen))
        said += [found] if isinstance(found, Answer) else []
        if isinstance(found, Arrived):
            return True
    assert not said, f"{said} were typed, and nobody asked"
    return False
