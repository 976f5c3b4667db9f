"""Who an agent is on a BBS: a value of the registry. No secret is in it, only where one is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """One agent's account.

    At most one of `password_env` and `password_file` is set; `key_file` is for SSH.
    """

    agent_id: str
    alias: str
    """The name that the BBS knows."""
    password_env: str | None = None
    """The environment variable that holds the password."""
    password_file: Path | None = None
    """Its first line is the password; relative to the registry's folder."""
    key_file: Path | None = None
    model: dict[str, Any] = {}
    """Settings as of `tty_agent.models.catalog.ModelConfig`."""
    metadata: dict[str, str] = {}
    """Anything more, which observations of this agent carry."""
