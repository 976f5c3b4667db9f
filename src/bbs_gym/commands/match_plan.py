"""What a match would be, without starting anything: `run-match --dry-run`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from bbs_gym.accounts.account import Account
from bbs_gym.commands.match_play import registered
from bbs_gym.hosts.catalog import make_host
from bbs_gym.match.config import BadMatch
from bbs_gym.match.roster import Entrant, resolve
from bbs_gym.match.settings import MatchSettings
from bbs_gym.match.wiring import Wiring
from tty_agent.commands.failure import Failed


def plan(matches: tuple[MatchSettings, ...]) -> dict[str, Any]:
    """Who would play what, as plain values; the matches differ by their seeds. Raises Failed, HostFault and
    AccountFault."""
    settings = matches[0]
    with tempfile.TemporaryDirectory(prefix="bbs-gym-plan-") as nothing:  # a host keeps nothing before it is started
        accounts = registered(settings, make_host(settings.host, Path(nothing)))
    if accounts is None:
        accounts = tuple(Account(agent_id=one.agent_id, alias=one.agent_id) for one in settings.participants)
    try:
        entrants = resolve(settings, {account.agent_id: account for account in accounts}, Wiring())
    except BadMatch as fault:
        raise Failed(str(fault)) from fault
    return {
        "name": settings.name,
        "scheduler": settings.scheduler,
        "order": settings.order,
        "host": settings.host.kind,
        "seeds": [one.seed for one in matches],
        "participants": [_told(entrant) for entrant in entrants],
    }


def _told(entrant: Entrant) -> dict[str, Any]:
    return {
        "agent_id": entrant.agent_id,
        "alias": entrant.account.alias,
        "model": entrant.model.model or str(entrant.model.provider),
        "activity": entrant.activity.name,
        "profiles": [profile.name for profile in entrant.profiles],
        "transport": entrant.transport,
        "objective": entrant.objective,
    }
