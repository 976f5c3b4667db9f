"""One match from its settings to its end: `run_match`."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

from bbs_gym.accounts.account import Account
from bbs_gym.hosts.host import Host, Snapshot
from bbs_gym.match.config import check_match
from bbs_gym.match.events import EventLine
from bbs_gym.match.match import Keep, Match
from bbs_gym.match.outcome import MatchOutcome
from bbs_gym.match.preparing import accounts_for
from bbs_gym.match.roster import resolve
from bbs_gym.match.settings import MatchSettings
from bbs_gym.match.wiring import Wiring
from tty_agent.runner.settings import SYSTEM_CLOCK, Clock
from tty_agent.trace.records import Record


def new_match_id(name: str) -> str:
    """`20260131T140509-duel-1a2b3c`: sorted by time, unique, and fit for a folder."""
    plain = "".join(one if one.isascii() and one.isalnum() else "-" for one in name)[:40].strip("-")
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{plain or 'match'}-{secrets.token_hex(3)}"


async def run_match(
    settings: MatchSettings,
    folder: Path,
    *,
    host: Host,
    accounts: Iterable[Account] | None = None,
    wiring: Wiring = Wiring(),  # noqa: B008 - a frozen value
    clock: Clock = SYSTEM_CLOCK,
    watch: Callable[[EventLine], None] | None = None,
    watch_records: Callable[[str, Record], None] | None = None,
    match_id: str | None = None,
    memory: Path | None = None,
    snapshot: Snapshot | None = None,
    keep: Keep | None = None,
) -> MatchOutcome:
    """Play a match and write it down in `folder`, which has none yet; `match_id` is the folder's name unless given.

    `accounts` is the registry; None makes accounts on a private BBS. `memory` is a folder with the campaign memory of
    each agent, which the match reads and adds to. `snapshot` is the state that the host was brought to, for the record.
    `watch` gets each event, `watch_records` each record of a trace. The host is started here, and is the caller's to
    stop. What fails at the BBS makes the outcome void, and is no exception.

    Raises BadMatch, HostFault, JournalFault, MemoryFault, ProviderFault, OSError before anybody plays; JournalFault if
    the record can't be gone on with; CancelledError once the match was stopped and all is on record.
    """
    check_match(settings)
    known = accounts_for(settings, host, accounts)
    match = Match(
        settings,
        folder,
        entrants=resolve(settings, known, wiring),
        host=host,
        wiring=wiring,
        clock=clock,
        watch=watch,
        watch_records=watch_records,
        match_id=match_id or folder.name,
        memory=memory,
        keep=keep,
    )
    return await match.run(known, snapshot)
