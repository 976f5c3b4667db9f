"""Whether those who came in may still be here: asked again when accounts, keys or tokens have changed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import structlog

from agentbbs.play.session import Session

WHY: Final = "the token or key that let you in was taken away, or the account removed"

_log = structlog.get_logger(__name__)


async def recheck(sessions: Mapping[Session, str], check: Callable[[str], Awaitable[object | None]]) -> None:
    """Expel every session whose credential (token or fingerprint) `check` does not know any more: at once,
    or when the match that it is in has ended."""
    there = tuple(sessions.items())
    for (session, _), principal in zip(
        there, await asyncio.gather(*(check(credential) for _, credential in there)), strict=True
    ):
        if principal is None:
            _log.info("session_expelled", account=session.account, name=session.player.name)
            session.expel(WHY)
