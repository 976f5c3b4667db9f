"""A target as people write it: `pty:COMMAND`, `telnet:HOST:PORT`, `rlogin:[USER@]HOST:PORT`, `ssh:USER@HOST:PORT`.

An IPv6 address stands in brackets: `telnet:[::1]:23`. A target goes into traces and process lists, so it never
holds a password: that comes from an environment variable or a file.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Dialect
from tty_agent.transports.pty import Pty
from tty_agent.transports.rlogin import RLOGIN_PORT, Rlogin
from tty_agent.transports.ssh import KNOWN_HOSTS, SSH_PORT, Ssh
from tty_agent.transports.telnet import TELNET_PORT, Telnet
from tty_agent.transports.transport import Transport

FORMS: Final = "pty:COMMAND, telnet:HOST:PORT, rlogin:[USER@]HOST:PORT or ssh:USER@HOST:PORT"
_PORTS: Final = {"telnet": TELNET_PORT, "rlogin": RLOGIN_PORT, "ssh": SSH_PORT}
_TERMINAL_TYPES: Final = {
    ("telnet", ANSI_BBS.name): "ansi-bbs",
    ("rlogin", ANSI_BBS.name): "ansi-bbs/115200",
    ("rlogin", XTERM.name): "xterm-256color/115200",
    ("ssh", ANSI_BBS.name): "ansi-bbs",
}
_MAX_PORT: Final = 65535
_MAX_SECRET_BYTES: Final = 4096
"""Of a secret's file: a password or a token; a longer file is the wrong one."""


class BadTarget(ValueError):
    """It can't be read as a target; the text says what is wrong and what to write. Never quotes a password."""


class NoSecret(ValueError):
    """The password is not where it should be."""


class LocalProgram(msgspec.Struct, frozen=True):
    """`pty:COMMAND`, split as a shell splits words."""

    command: tuple[str, ...]


class Remote(msgspec.Struct, frozen=True):
    """The other three."""

    transport: str
    host: str
    port: int
    user: str | None = None


Target = LocalProgram | Remote


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """What a target does not say. The two sources of a password exclude each other."""

    user: str | None = None
    """For a target without one; one in the target wins."""
    secret_variable: str | None = None
    """The environment variable that holds the password."""
    secret_file: Path | None = None
    """Its first line is the password."""
    key_file: Path | None = None
    """SSH: the private key."""
    known_hosts: Path = Path(KNOWN_HOSTS)
    accept_new: bool = False
    insecure: bool = False
    terminal_type: str | None = None
    """None: as the dialect goes by at that transport."""
    ask_binary: bool = False
    """Telnet: ask for BINARY both ways."""


def parse_target(text: str) -> Target:
    """Raises BadTarget."""
    scheme, colon, rest = text.partition(":")
    kind = scheme.strip().lower()
    if not colon or kind not in {"pty", *_PORTS}:
        raise BadTarget(f"a target is {FORMS}; {scheme!r} is no transport")
    if kind == "pty":
        return LocalProgram(_words(rest))
    user, host, port = _address(kind, rest)
    if kind == "telnet" and user is not None:
        raise BadTarget("telnet asks for the user's name on the screen: write telnet:HOST:PORT")
    return Remote(kind, host, port, user)


def open_target(
    text: str,
    *,
    dialect: Dialect | None = None,
    access: Access = Access(),  # noqa: B008 - a frozen value
    environment: Mapping[str, str] = os.environ,
) -> Transport:
    """The transport for a target; `open` it next. Raises BadTarget and NoSecret.

    `dialect` None is xterm for a local program and SSH, and ansi-bbs for telnet and rlogin.
    """
    target = parse_target(text)
    if isinstance(target, LocalProgram):
        return Pty(target.command, dialect=dialect or XTERM)
    spoken = dialect or dialect_for(target)
    terminal_type = access.terminal_type or _TERMINAL_TYPES.get((target.transport, spoken.name), "xterm-256color")
    if target.transport == "telnet":
        return Telnet(target.host, target.port, terminal_type=terminal_type, ask_binary=access.ask_binary)
    user = target.user or access.user
    if user is None:
        raise BadTarget(f"{target.transport} needs a user: write {target.transport}:USER@HOST:PORT")
    password = read_secret(access, environment)
    if target.transport == "rlogin":
        return Rlogin(target.host, target.port, user=user, password=password or "", terminal_type=terminal_type)
    return Ssh(
        target.host,
        target.port,
        user=user,
        password=password,
        key_file=access.key_file,
        known_hosts=access.known_hosts,
        accept_new=access.accept_new,
        insecure=access.insecure,
        terminal_type=terminal_type,
    )


def dialect_for(target: Target) -> Dialect:
    """What is most likely spoken there."""
    if isinstance(target, Remote) and target.transport in {"telnet", "rlogin"}:
        return ANSI_BBS
    return XTERM


def read_secret(access: Access, environment: Mapping[str, str]) -> str | None:
    """The password, None if no source is named. Raises NoSecret for a source that is named and has none."""
    if access.secret_variable is not None and access.secret_file is not None:
        raise NoSecret("the password is to come from a variable and from a file: name one")
    if access.secret_variable is not None:
        secret = environment.get(access.secret_variable)
        if not secret:
            raise NoSecret(f"the environment variable {access.secret_variable} is not set: put the password there")
        return secret
    return _first_line(access.secret_file) if access.secret_file is not None else None


def _first_line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_SECRET_BYTES + 1)
        line = content.decode().split("\n", 1)[0].rstrip("\r")
    except OSError as error:
        raise NoSecret(f"cannot read the password from {path}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise NoSecret(f"{path} holds no text: its first line is to be the password") from None
    if not line or len(content) > _MAX_SECRET_BYTES:
        raise NoSecret(f"the first line of {path} is to be the password, in at most {_MAX_SECRET_BYTES} bytes")
    return line


def _words(command: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise BadTarget(f"the command can't be split into words ({error}): close the quotes") from error
    if not words:
        raise BadTarget("there is no command: write pty:COMMAND, for example pty:bash")
    return words


def _address(kind: str, text: str) -> tuple[str | None, str, int]:
    before, at, address = text.rpartition("@")
    if ":" in before:  # the rest of it may be a password: it is quoted nowhere
        raise BadTarget(
            f"a target holds no password: write {kind}:USER@HOST:PORT and name an environment variable or a file"
        )
    if at and not before:
        raise BadTarget(f"there is no user before the @: write {kind}:USER@HOST:PORT")
    host, port = _host_and_port(kind, address.strip())
    return before or None, host, port


def _host_and_port(kind: str, address: str) -> tuple[str, int]:
    if address.startswith("["):
        host, bracket, rest = address[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise BadTarget(f"an IPv6 address stands in brackets: write {kind}:[::1]:PORT")
        port = rest[1:] if rest else ""
        colon = bool(rest)
    else:
        host, mark, port = address.partition(":")
        colon = bool(mark)
        if ":" in port:
            raise BadTarget(f"{address!r} has too many colons: an IPv6 address stands in brackets, {kind}:[::1]:PORT")
    if not host:
        raise BadTarget(f"there is no host: write {kind}:HOST:PORT")
    return host, _port(kind, port) if colon else _PORTS[kind]


def _port(kind: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 0 < int(text) <= _MAX_PORT):
        raise BadTarget(f"{text!r} is no port: write {kind}:HOST:PORT with a number from 1 to {_MAX_PORT}")
    return int(text)
