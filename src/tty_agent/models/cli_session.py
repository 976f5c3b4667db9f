"""The session of a command-line provider that is resumed from call to call, and its file.

A file is an optimisation: it lets another run go on in the same session. One that can't be read, or that belongs to
another model, is not used, and is replaced.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Final

import msgspec

from tty_agent.models.model import Usage

VERSION: Final = 1


class CliSession(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a session after a call."""

    session_id: str
    provider: str
    model: str
    system_sha256: str
    """Of the system text that the session has been told."""
    totals: Usage = Usage()
    """Tokens of the whole session, for providers that count them so."""
    version: int = VERSION


def sha256_of(system: str) -> str:
    """The digest of a system text, as a session keeps it."""
    return hashlib.sha256(system.encode("utf-8", "replace")).hexdigest()


def load_session(path: Path, *, provider: str, model: str) -> tuple[CliSession | None, str | None]:
    """The session in a file, or None; and a note if there is a file that can't be used."""
    try:
        session = msgspec.json.decode(path.read_bytes(), type=CliSession)
    except FileNotFoundError:
        return None, None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        return None, f"the session file can't be read ({type(error).__name__}): a new session begins"
    if (session.provider, session.model, session.version) != (provider, model, VERSION):
        return None, f"the session file is of {session.provider} {session.model}: a new session begins"
    return session, None


def save_session(path: Path, session: CliSession) -> None:
    """Write the file anew, whole or not at all: a reader sees the old session or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with fresh.open("wb") as file:
        file.write(msgspec.json.encode(session))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
