"""Why a venue does not start: its settings, its folder, its database, its ports, looked at one by one.

Every check reads and leaves all as it was; none needs the venue to be down or up.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import socket
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from agentbbs.commands import running
from agentbbs.commands.finding import Finding, fail, ok, warn
from agentbbs.config import Address, Settings, WrongSetting
from agentbbs.store.database import Database, SchemaTooOld
from agentbbs.store.soundness import explain, faults
from agentbbs.venue_folder import LOCK_FILE, read_state

PREFIX: Final = "AGENTBBS_"

OTHERS: Final = ("AGENTBBS_TOKEN",)
"""Variables that are read by other programs of the house than the venue."""

FEW_BYTES: Final = 1024**3
"""A gibibyte: room for a million matches, and time to notice."""

TOO_FEW_BYTES: Final = 64 * 1024**2
"""Less is gone within a busy hour, and then no result can be stored."""

WRITE_WAIT_MS: Final = 2_000
"""How long the try for a write may wait: the venue's own commits take ms."""


class _Asked(Mapping[str, str]):
    """An environment that notes which variables were asked for; those in `hidden` it does not have."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.names: set[str] = set()
        self.hidden: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        if name in self.hidden:
            raise KeyError(name)
        return self._environ[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._environ)

    def __len__(self) -> int:
        return len(self._environ)


def settings(environ: Mapping[str, str]) -> tuple[Settings, list[Finding]]:
    """The settings, wrong ones replaced by their defaults, and what is to be said of them."""
    asked = _Asked(environ)
    found: list[Finding] = []
    read: Settings | None = None
    while read is None:
        try:
            read = Settings.from_env(asked)
        except WrongSetting as fault:
            asked.hidden.add(fault.variable)
            found.append(fail("settings", f"{fault}.", f"Set {fault.variable} right, or unset it for its default."))
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in asked.names and name not in OTHERS:
            near = get_close_matches(name, asked.names, 1)
            remedy = f"Did you mean {near[0]}?" if near else "Unset it; `agentbbs serve --help` lists the settings."
            found.append(warn("settings", f"{name} is set and means nothing to the venue.", remedy))
    if not found:
        given = [name for name in sorted(asked.names) if environ.get(name)]
        found.append(ok("settings", f"All settings can be used; set here: {', '.join(given) or 'none'}."))
    return read, found


def folder(data: Path) -> Iterator[Finding]:
    """The data folder: there, ours to write, with room on its disk; and whether a venue runs in it."""
    there = data
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir():
        yield fail("data folder", f"{there} is no folder.", "Name a folder in AGENTBBS_DATA.")
        return
    if not os.access(there, os.W_OK | os.X_OK):
        yield fail("data folder", f"{there} can't be written to.", "Name a folder that you own in AGENTBBS_DATA.")
        return
    if there != data:
        yield ok("data folder", f"{data} is not there yet; the venue makes it at its first start.")
    else:
        yield ok("data folder", f"{data} is there and can be written to.")
        yield _lock(data)
    yield _space(there)


def _space(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    said = f"{free / 1024**3:.1f} GiB are free on the disk of {folder}."
    if free < TOO_FEW_BYTES:
        return fail("disk space", said, "Make room: without it no result can be stored.")
    if free < FEW_BYTES:
        return warn("disk space", said, "Make room soon: a match takes about 1 KiB.")
    return ok("disk space", said)


def _lock(data: Path) -> Finding:
    state = read_state(data)
    if is_locked(data):
        who = "" if state is None else f" (process {state.pid})"
        return ok("data folder", f"A venue runs in {data}{who}; a second one can't start there.")
    if state is not None:
        return ok("data folder", f"The last venue in {data} (process {state.pid}) was killed; no harm was done.")
    return ok("data folder", f"No venue runs in {data}.")


def is_locked(data: Path) -> bool:
    """Whether a venue holds the folder."""
    try:
        with (data / LOCK_FILE).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # no folder, no lock, or not ours to open: other findings say so
        return False
    return False


def database(url: str) -> Iterator[Finding]:
    """The database: there, of this version's schema, whole, and free to be written to."""
    try:
        with Database(url, busy_timeout_ms=WRITE_WAIT_MS) as opened:
            yield _database(opened)
    except SchemaTooOld as fault:
        what, _, _ = str(fault).rpartition(": ")
        yield fail("database", f"{what}.", "Stop the venue, make a backup, then run `agentbbs db upgrade`.")
    except Exception as fault:
        sentence = explain(fault)
        if sentence is None:
            raise
        what, _, remedy = sentence.rpartition(": ")
        yield fail("database", f"{what}.", f"{remedy[:1].upper()}{remedy[1:]}.")


def _database(opened: Database) -> Finding:
    revision = opened.current_revision()
    if revision is None:
        return ok("database", f"{opened.path} is not there yet; the venue makes it at its first start.")
    with opened.connect() as conn:
        broken = faults(conn)
    if broken:
        return fail("database", f"{opened.path} is damaged: {broken[0]}.", "Stop the venue and restore a backup.")
    with opened.begin():
        pass  # that the transaction opens is the test
    return ok("database", f"{opened.path} is whole, has schema {revision} and can be written to.")


def ports(settings: Settings) -> Iterator[Finding]:
    """Each server's address: free, taken by the venue of this folder, or by whom else."""
    state = read_state(settings.data) if is_locked(settings.data) else None
    yield port("AGENTBBS_GAME_WS_ADDR", settings.game_ws_addr, None if state is None else state.game_ws)
    yield port("AGENTBBS_SSH_ADDR", settings.ssh_addr, None if state is None else state.ssh)
    yield port("AGENTBBS_TELNET_ADDR", settings.telnet_addr, None if state is None else state.telnet)
    yield port("AGENTBBS_RLOGIN_ADDR", settings.rlogin_addr, None if state is None else state.rlogin)
    yield port("AGENTBBS_WEB_ADDR", settings.web_addr, None if state is None else state.web)


def port(variable: str, address: Address | None, served_at: str | None) -> Finding:
    """One server's address; `served_at` is where the venue of this folder, if one runs, has that server."""
    if served_at is not None:
        return ok("port", f"The venue of this data folder listens on {served_at} ({variable}).")
    if address is None:
        return warn("port", f"{variable} is empty: that server is off.", f"Unset {variable} for its default.")
    try:
        _listen(address)
    except OSError as fault:
        return _taken(variable, address, fault)
    return ok("port", f"{address} ({variable}) is free.")


def _listen(address: Address) -> None:
    """Listen there for a moment, as a server would. Raises OSError."""
    family, kind, protocol, _, where = socket.getaddrinfo(
        address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(where)
        probe.listen(1)


def _taken(variable: str, address: Address, fault: OSError) -> Finding:
    where = f"{address} ({variable})"
    if isinstance(fault, socket.gaierror):
        return fail("port", f"The host of {where} is unknown.", f"Set {variable} to an address of this machine.")
    if fault.errno == errno.EACCES:
        return fail("port", f"{where} is not allowed: ports below 1024 need privileges.", "Set a higher port.")
    if fault.errno == errno.EADDRNOTAVAIL:
        return fail(
            "port", f"{where} is no address of this machine.", f"Set {variable} to one, such as 127.0.0.1:8090."
        )
    if fault.errno != errno.EADDRINUSE:
        return fail("port", f"{where} can't be listened on: {fault.strerror}.", f"Set {variable} to another address.")
    remedy = f"Stop it, or set {variable} to another port (0 takes a free one)."
    try:
        version = running.health(running.local_address(str(address))).version
    except running.NoVenue:
        return fail("port", f"{where} is taken by another program.", remedy)
    return fail("port", f"{where} is taken by a venue of another data folder (version {version}).", remedy)
