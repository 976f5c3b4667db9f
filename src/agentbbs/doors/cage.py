"""What a door runs in: bubblewrap, and an environment built from nothing. Pure but for `refusal` and looks at the disk.

A door in the cage sees the system's programs read-only, its working folder at `/door`, the node's dropfiles at `/drop`,
a `/tmp` of its own, a `/proc` and a `/dev` of its own, and what its table in `doors.toml` shares. It has no network, no
other account than its own and no process but its own; all of it ends with its first process. The signals that a hang-up
or a key sends pass bubblewrap by, so that a game can save.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from agentbbs.doors.config import Door, Limits
from tty_agent.terminal.dialect import Encoding
from tty_agent.terminal.inert import inert

INSIDE_DIRECTORY: Final = "/door"
INSIDE_DROP: Final = "/drop"
INSIDE_HOME: Final = "/tmp"  # noqa: S108 - the cage has one of its own, which is new at each stay
PATH: Final = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
"""Where programs are looked for."""

TMP_BYTES: Final = 64 * 1024 * 1024
"""Of `/tmp`, which is memory."""
PROBE_WAIT_S: Final = 10.0
"""For an empty cage to open and close; it takes some 20 ms."""

CPU_GRACE_S: Final = 5
"""Between SIGXCPU, which names the limit, and SIGKILL."""

_UID: Final = "1000"
"""Of the caller in the cage, whoever the venue is outside."""
_HELD_OFF: Final = "HUP INT QUIT TERM TSTP"
"""Signals that bubblewrap ignores and the door gets: it would die of them first and take the door with it."""
_IGNORING: Final = f"trap '' {_HELD_OFF}; exec \"$@\""
_SYSTEM_LINKS: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Folders of `/` that are links into `/usr`, or hold programs themselves on older systems."""
_SYSTEM_FILES: Final = (
    "alternatives", "bash.bashrc", "dosemu", "inputrc", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime",
    "locale.alias", "nethack", "profile", "python3", "terminfo", "timezone",
)  # fmt: skip
"""What programs read in `/etc` and everybody may know."""
_ACCOUNTS: Final = {
    "passwd": f"caller:x:{_UID}:{_UID}:Caller:{INSIDE_HOME}:/bin/sh\n",
    "group": f"caller:x:{_UID}:\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "hosts": "127.0.0.1 localhost\n",
}
"""What `/etc` says of people and hosts."""

_MIB: Final = 1024 * 1024
_NOT_LOGIN: Final = re.compile(r"[^a-z0-9]+")
_MAX_LOGIN_CHARS: Final = 20

KNOWN_TERMINALS: Final = frozenset(
    ("linux", "putty", "rxvt", "rxvt-unicode", "screen", "screen-256color", "tmux", "tmux-256color", "vt100", "vt220",
     "xterm", "xterm-color", "xterm-256color")
)  # fmt: skip
"""Names that terminfo has on every system, of terminals that speak UTF-8."""


class Stay(msgspec.Struct, frozen=True):
    """Who is in a door, and where its files are outside."""

    drop: Path
    """The node's folder."""
    node: int
    record: int
    handle: str
    caller: Encoding
    ansi: bool = True
    terminal: str = ""
    """As the caller's terminal named itself."""


def login_of(handle: str, record: int) -> str:
    """A name for programs that want one: lower case letters and digits, and the account's number makes it unique."""
    plain = _NOT_LOGIN.sub("", handle.lower())[:_MAX_LOGIN_CHARS]
    return f"{plain if plain[:1].isalpha() else 'u' + plain}_{record}"


def drop_folder(door: Door, stay: Stay) -> str:
    """The folder of the dropfiles, as the door sees it."""
    return str(stay.drop) if door.trusted else INSIDE_DROP


def command_of(door: Door, stay: Stay) -> tuple[str, ...]:
    """The door's own command, with its placeholders filled."""
    filled = _placeholders(door, stay)
    return tuple(_fill(word, filled) for word in door.command)


def environment_of(door: Door, stay: Stay) -> dict[str, str]:
    """All that the door finds in its environment; nothing of the venue's."""
    utf_8 = door.encoding is Encoding.UTF_8
    login = login_of(stay.handle, stay.record)
    environment = {
        "PATH": PATH,
        "HOME": str(door.directory) if door.trusted else INSIDE_HOME,
        "TERM": _terminal(stay),
        "LANG": "C.UTF-8" if utf_8 else "C",
        "USER": login,
        "LOGNAME": login,
        "SHELL": "/bin/sh",
        "BBS_NODE": str(stay.node),
        "BBS_DROP": drop_folder(door, stay),
        "BBS_USER": str(stay.record),
    }
    if utf_8:
        environment["NCURSES_NO_UTF8_ACS"] = "1"  # lines as characters, which can be transcoded, for any terminal
    filled = _placeholders(door, stay)
    return environment | {name: _fill(value, filled) for name, value in door.environment.items()}


def caged_command(door: Door, stay: Stay, accounts: Path, hidden: Sequence[Path]) -> tuple[str, ...]:
    """The door's command in its cage. `accounts` is the folder that `write_accounts` filled; `hidden` are folders that
    stay out of sight even where they lie within what is shared."""
    shown: list[str] = [
        "--bind", str(door.directory), INSIDE_DIRECTORY,
        "--bind", str(stay.drop), INSIDE_DROP,
    ]  # fmt: skip
    for share in door.readable:
        shown += ["--ro-bind", str(share.outside), share.inside]
    for share in door.writable:
        shown += ["--bind", str(share.outside), share.inside]
    for name in _ACCOUNTS:
        shown += ["--ro-bind", str(accounts / name), f"/etc/{name}"]
    return (
        *_bubblewrap(hidden),
        *shown,
        "--chdir", INSIDE_DIRECTORY, "--",
        "env", f"--default-signal={_HELD_OFF.replace(' ', ',')}",
        *_limits(door.limits), "--",
        *command_of(door, stay),
    )  # fmt: skip


def write_accounts(folder: Path) -> None:
    """Fill the folder with what the cage's `/etc` says of accounts. Raises OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, text in _ACCOUNTS.items():
        file = folder / name
        if not file.exists() or file.read_text() != text:  # never in the way of a cage that is open
            file.write_text(text)


def exposed(door: Door, secret: Path) -> Path | None:
    """What the door's table shares that `secret`, a resolved folder, lies in; None if nothing does."""
    shared = (door.directory, *(share.outside for share in (*door.readable, *door.writable)))
    return next((path for path in shared if secret.is_relative_to(path)), None)


async def refusal() -> str | None:
    """Why no cage can be had on this machine, and what to do; None if one opens."""
    if shutil.which("bwrap", path=PATH) is None:
        return "bubblewrap is missing: install it (Debian: apt install bubblewrap), or mark the door trusted = true"
    process = await asyncio.create_subprocess_exec(
        *_bubblewrap(()), "--", "env", "--default-signal=HUP", *_limits(Limits()), "--", "true",
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        env={"PATH": PATH},
    )  # fmt: skip
    try:
        async with asyncio.timeout(PROBE_WAIT_S):
            _, said = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        said = b"it does not answer"
    if process.returncode == 0:
        return None
    words = inert(said.decode("utf-8", "replace").strip(), max_chars=200)
    return f"bubblewrap 0.8 or newer has to run here and does not ({words}): see doors.md, or mark the door trusted"


def _bubblewrap(hidden: Sequence[Path]) -> list[str]:
    """A cage with the system and nothing else in it."""
    words = [
        "sh", "-c", _IGNORING, "sh",
        "bwrap", "--unshare-all", "--unshare-user", "--uid", _UID, "--gid", _UID, "--disable-userns",
        "--die-with-parent", "--hostname", "bbs", "--ro-bind", "/usr", "/usr",
    ]  # fmt: skip
    for name in _SYSTEM_LINKS:
        path = Path("/") / name
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    for name in _SYSTEM_FILES:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for folder in hidden:
        if folder.is_relative_to("/usr"):
            words += ["--tmpfs", str(folder)]
    return [*words, "--proc", "/proc", "--dev", "/dev", "--size", str(TMP_BYTES), "--tmpfs", INSIDE_HOME]


def _limits(limits: Limits) -> list[str]:
    return [
        "prlimit", "--core=0", f"--cpu={limits.cpu_s}:{limits.cpu_s + CPU_GRACE_S}", f"--as={limits.memory_mib * _MIB}",
        f"--nproc={limits.processes}", f"--nofile={limits.open_files}", f"--fsize={limits.file_mib * _MIB}",
    ]  # fmt: skip


def _terminal(stay: Stay) -> str:
    if not stay.ansi:
        return "dumb"
    if stay.caller is Encoding.CP437:
        return "pcansi"
    return stay.terminal if stay.terminal in KNOWN_TERMINALS else "xterm-256color"


def _placeholders(door: Door, stay: Stay) -> Mapping[str, str]:
    return {
        "{drop}": drop_folder(door, stay),
        "{directory}": str(door.directory) if door.trusted else INSIDE_DIRECTORY,
        "{node}": str(stay.node),
        "{user}": str(stay.record),
        "{login}": login_of(stay.handle, stay.record),
        "{python}": sys.executable,
    }


def _fill(word: str, filled: Mapping[str, str]) -> str:
    for placeholder, value in filled.items():
        word = word.replace(placeholder, value)
    return word
