"""Settings from the environment, checked before anything starts.

A wrong setting stops the start with one line that names the variable, the value and what it should be.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

DATABASE_FILE: Final = "agentbbs.db"
"""The SQLite file in the data folder."""


MAX_PORT: Final = 65535

_ADDRESS: Final = re.compile(r"(?:\[(?P<bracketed>[\w.:%-]+)\]|(?P<bare>[\w.-]+)):(?P<port>[0-9]{1,5})")
"""A name or an IPv4 address, or an IPv6 address in brackets, and a port."""


HTTPS_PORT: Final = 443
FIRST_FREE_PORT: Final = 1024
"""Below it are services that no agent is: mail, SSH, databases of old."""

_PORTS: Final = re.compile(r"(?P<first>[0-9]{1,5})(?:-(?P<last>[0-9]{1,5}))?")
_BASE_URL: Final = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+(?:/[A-Za-z0-9._~/-]*)?")


class WrongSetting(ValueError):
    """A setting that can't be used; the text is the line to show."""

    def __init__(self, variable: str, value: str, expected: str) -> None:
        super().__init__(f"{variable}={value!r} is wrong: it should be {expected}")
        self.variable = variable


class Address(msgspec.Struct, frozen=True):
    """Where a server listens. Port 0 takes a free one."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine reaches it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host.lower() == "localhost"

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class ArenaSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the referee calls endpoints."""

    deadline_ms: int = 10_000
    matches_per_hour: int = 30
    ports: tuple[tuple[int, int], ...] = ((443, 443), (8443, 8443))
    """First and last of each range."""
    dev: bool = False
    """For development: endpoints on this machine, and `ca_file`."""
    ca_file: Path | None = None


class Settings(msgspec.Struct, frozen=True):
    """All settings of the venue. An address that is None: that server is off."""

    data: Path
    database_url: str
    game_ws_addr: Address | None
    ssh_addr: Address | None
    telnet_addr: Address | None
    rlogin_addr: Address | None
    web_addr: Address | None
    public_url: str
    """Base of every absolute link, without a slash at its end; empty: `http://` and where the pages listen."""
    arena: ArenaSettings
    api_reads_per_minute: int
    """Of the API, for one account or one address."""
    runs: Path
    """Where finished runs of the gym are, for the pages."""
    nodes: int
    registration: str
    plaintext_login: bool
    move_timeout_s: float
    queue_wait_s: float
    resume_grace_s: float
    drain_s: float
    trusted_proxies: tuple[str, ...]
    log_format: str
    log_level: str

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the variables of `environ` (the process's own by default). Raises WrongSetting."""
        env = os.environ if environ is None else environ
        data = Path(env.get("AGENTBBS_DATA", "") or "data")
        hub = {
            "ssh_addr": _address(env, "AGENTBBS_SSH_ADDR", "127.0.0.1:2222"),
            "telnet_addr": _address(env, "AGENTBBS_TELNET_ADDR", "127.0.0.1:2323"),
            "rlogin_addr": _address(env, "AGENTBBS_RLOGIN_ADDR", "127.0.0.1:2513"),
        }
        local = all(address is None or address.is_loopback for address in hub.values())
        return cls(
            data=data,
            database_url=env.get("AGENTBBS_DATABASE_URL", "") or f"sqlite:///{data / DATABASE_FILE}",
            game_ws_addr=_address(env, "AGENTBBS_GAME_WS_ADDR", "127.0.0.1:8090"),
            **hub,
            web_addr=_address(env, "AGENTBBS_WEB_ADDR", "127.0.0.1:8080"),
            public_url=_public_url(env),
            arena=_arena(env),
            api_reads_per_minute=_count(env, "AGENTBBS_API_READS_PER_MINUTE", "600", at_most=MAX_READS_PER_MINUTE),
            runs=Path(env.get("AGENTBBS_RUNS", "") or "runtime/runs"),
            nodes=_count(env, "AGENTBBS_NODES", "32", at_most=MAX_NODES),
            registration=_choice(env, "AGENTBBS_REGISTRATION", "open" if local else "invite", REGISTRATION),
            plaintext_login=_choice(env, "AGENTBBS_PLAINTEXT_LOGIN", "0", ("0", "1")) == "1",
            move_timeout_s=_seconds(env, "AGENTBBS_GAME_MOVE_TIMEOUT", "15", at_least=0.01),
            queue_wait_s=_seconds(env, "AGENTBBS_GAME_QUEUE_WAIT", "120", at_least=0.01),
            resume_grace_s=_seconds(env, "AGENTBBS_GAME_RESUME_GRACE", "0", at_least=0.0),
            drain_s=_seconds(env, "AGENTBBS_DRAIN", "10", at_least=0.0),
            trusted_proxies=_networks(env, "AGENTBBS_TRUSTED_PROXIES"),
            log_format=_choice(env, "AGENTBBS_LOG_FORMAT", "console", ("console", "json")),
            log_level=_choice(env, "AGENTBBS_LOG_LEVEL", "info", ("debug", "info", "warning", "error")),
        )

    @property
    def move_timeout_ms(self) -> int:
        """The per-move deadline in whole ms, as it is sent."""
        return round(self.move_timeout_s * 1000)


MAX_MATCHES_PER_HOUR: Final = 3600
"""One a second: as good as none."""

MAX_READS_PER_MINUTE: Final = 1_000_000
"""As good as no limit."""

MAX_NODES: Final = 1000
"""As many as the switchboard puts through."""

REGISTRATION: Final = ("open", "invite", "closed")
"""Who may make an account; open by default only where all doors of the BBS are on this machine alone."""

MAX_SECONDS: Final = 86_400.0
"""A day: anything longer is a slip of the keyboard."""


def _seconds(env: Mapping[str, str], variable: str, default: str, *, at_least: float) -> float:
    text = env.get(variable, "") or default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not at_least <= value <= MAX_SECONDS:
        raise WrongSetting(variable, text, f"seconds from {at_least:g} to {MAX_SECONDS:g}, such as {default}")
    return value


def _address(env: Mapping[str, str], variable: str, default: str) -> Address | None:
    text = env.get(variable, default)
    if not text:
        return None
    match = _ADDRESS.fullmatch(text)
    if match is None or int(match["port"]) > MAX_PORT:
        raise WrongSetting(
            variable, text, f"HOST:PORT, such as {default}, with port 0 for a free one, or empty for off"
        )
    return Address(match["bracketed"] or match["bare"], int(match["port"]))


def _count(env: Mapping[str, str], variable: str, default: str, *, at_most: int) -> int:
    text = env.get(variable, "") or default
    if not text.isdecimal() or not text.isascii() or not 1 <= int(text[:9]) <= at_most:
        raise WrongSetting(variable, text, f"a whole number from 1 to {at_most}, such as {default}")
    return int(text)


def _networks(env: Mapping[str, str], variable: str) -> tuple[str, ...]:
    text = env.get(variable, "")
    networks = tuple(text.replace(",", " ").split())
    for network in networks:
        try:
            ipaddress.ip_network(network, strict=False)
        except ValueError as fault:
            raise WrongSetting(variable, text, "addresses or networks, such as 127.0.0.1 10.0.0.0/8") from fault
    return networks


def _choice(env: Mapping[str, str], variable: str, default: str, choices: tuple[str, ...]) -> str:
    text = env.get(variable, "") or default
    if text not in choices:
        raise WrongSetting(variable, text, f"one of {', '.join(choices)}")
    return text


def _arena(env: Mapping[str, str]) -> ArenaSettings:
    dev = _choice(env, "AGENTBBS_ARENA_DEV", "0", ("0", "1")) == "1"
    ca_file = env.get("AGENTBBS_ARENA_CA_FILE", "")
    if ca_file and not dev:
        raise WrongSetting("AGENTBBS_ARENA_CA_FILE", ca_file, "empty, or set together with AGENTBBS_ARENA_DEV=1")
    if ca_file and not Path(ca_file).is_file():
        raise WrongSetting("AGENTBBS_ARENA_CA_FILE", ca_file, "a file of certificates (PEM)")
    return ArenaSettings(
        deadline_ms=_count(env, "AGENTBBS_ARENA_DEADLINE_MS", "10000", at_most=round(MAX_SECONDS * 1000)),
        matches_per_hour=_count(env, "AGENTBBS_ARENA_MATCHES_PER_HOUR", "30", at_most=MAX_MATCHES_PER_HOUR),
        ports=_ports(env, "AGENTBBS_ARENA_PORTS", "443 8443"),
        dev=dev,
        ca_file=Path(ca_file) if ca_file else None,
    )


def _ports(env: Mapping[str, str], variable: str, default: str) -> tuple[tuple[int, int], ...]:
    text = env.get(variable, "") or default
    found = []
    for part in text.replace(",", " ").split():
        match = _PORTS.fullmatch(part)
        first = int(match["first"]) if match else 0
        last = int(match["last"] or first) if match else 0
        if (first, last) != (HTTPS_PORT, HTTPS_PORT) and not FIRST_FREE_PORT <= first <= last <= MAX_PORT:
            raise WrongSetting(variable, text, "443, and ports or ranges from 1024 on, such as 443 8443 9000-9100")
        found.append((first, last))
    return tuple(found)


def _public_url(env: Mapping[str, str]) -> str:
    text = env.get("AGENTBBS_PUBLIC_URL", "")
    if text and not _BASE_URL.fullmatch(text):
        raise WrongSetting("AGENTBBS_PUBLIC_URL", text, "the address of the pages, such as https://arena.example")
    return text.rstrip("/")
