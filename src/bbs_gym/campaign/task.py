"""One match of a campaign as it is given to a worker, and what comes back."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from bbs_gym.hosts.host import Snapshot
from bbs_gym.match.settings import MatchSettings

RESULT_FILE: Final = "campaign-result.json"
"""In the folder of a match: the last that its worker writes."""

ABOUT_FILE: Final = "campaign-match.json"
"""In the same: which match of which campaign it is, and with which models. The first that is written."""

MAX_RESULT_BYTES: Final = 16 * 1024 * 1024
"""Far above what two hundred participants take."""

_FILE_MODE: Final = 0o600


class MatchTask(msgspec.Struct, frozen=True, kw_only=True):
    """All that a worker has to know. It holds no secret."""

    match_id: str
    token: str
    """Of this attempt; the result names it."""
    folder: Path
    """Of the run: there is none yet."""
    settings: MatchSettings
    snapshot: Snapshot | None = None
    """What the BBS is brought to first."""
    memory: Mapping[str, str] | None = None
    """By agent: the campaign memory of before, as its file has it. None: agents have no memory."""
    about: Mapping[str, Any] = {}
    """Campaign, turn, round, seats and models, hash of the schedule."""
    limit_s: float | None = None
    """From start to end; None: no limit."""


class MatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a match ended."""

    token: str
    void: tuple[str, ...] = ()
    """Agents whose run is void: infrastructure failed."""
    refused: str | None = None
    """The settings, or what they name, can't be played at all: no other attempt will do better."""
    stopped_by: str = ""
    cost_usd: float = 0.0
    wall_seconds: float = 0.0
    decisions: int = 0
    detail: str = ""


class WorkerLost(Exception):
    """The worker ended without a result: killed, crashed, or over the limit of time. Infrastructure; nobody's play."""


class Crew(Protocol):
    """Workers, each for one match at a time."""

    size: int

    async def play(self, task: MatchTask) -> MatchResult:
        """Have a match played; its folder is complete afterwards. Raises WorkerLost. Cancelled, it ends the worker
        first. Of more than `size` at once, the rest waits."""

    async def close(self) -> None:
        """End what is left."""


def write_result(folder: Path, result: MatchResult) -> None:
    """Whole or not at all, and on the disk. Raises OSError."""
    _write(folder / RESULT_FILE, msgspec.json.encode(result))


def read_result(folder: Path, token: str) -> MatchResult | None:
    """The result of that attempt; None if there is none, or another's."""
    try:
        with (folder / RESULT_FILE).open("rb") as file:
            found = msgspec.json.decode(file.read(MAX_RESULT_BYTES), type=MatchResult)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):  # then the match is played anew
        return None
    return found if found.token == token else None


def write_about(folder: Path, about: Mapping[str, Any]) -> None:
    """The same of what the match is. Raises OSError."""
    _write(folder / ABOUT_FILE, msgspec.json.format(msgspec.json.encode(about), indent=2) + b"\n")


def _write(place: Path, content: bytes) -> None:
    draft = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    try:
        fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _FILE_MODE)
        with os.fdopen(fd, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(fd)
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)
