"""From an account to a session that is logged in."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.secrets import password_of
from bbs_gym.hosts.host import Endpoint, Host, Transport
from bbs_gym.login.call import Call
from bbs_gym.login.fault import FaultKind, LoginFault
from bbs_gym.login.prompts import Manners, manners_of
from bbs_gym.login.rlogin import rlogin_call
from bbs_gym.login.session import BbsSession, LoginPace
from bbs_gym.login.ssh import ssh_call
from bbs_gym.login.telnet import telnet_call
from bbs_gym.node_record import NodeRecord
from tty_agent.observer.readiness import Fixed, PromptPattern, TurnPolicy
from tty_agent.transcript.transcript import Transcript


async def connect(
    account: Account,
    endpoint: Endpoint,
    transport: Transport | str,
    *,
    host: Host | None = None,
    node: int | None = None,
    allocated: int | None = None,
    transcript: Path | None = None,
    policy: TurnPolicy = Fixed(),  # noqa: B008 - a frozen value
    prompts: Sequence[PromptPattern] = (),
    columns: int = 80,
    rows: int = 24,
    door: str | None = None,
    metadata: Mapping[str, object] | None = None,
    kind: str | None = None,
    accept_new_host_key: bool = False,
    environment: Mapping[str, str] = os.environ,
    pace: LoginPace = LoginPace(),  # noqa: B008 - a frozen value
) -> BbsSession:
    """Call, log in, and find out the node; `close` the session in the end. Parameters as of `bbs_session`.

    Raises LoginFault, AccountFault and TranscriptError, and leaves nothing open then.
    """
    session = bbs_session(
        account,
        endpoint,
        transport,
        host=host,
        node=node,
        allocated=allocated,
        transcript=transcript,
        policy=policy,
        prompts=prompts,
        columns=columns,
        rows=rows,
        door=door,
        metadata=metadata,
        kind=kind,
        accept_new_host_key=accept_new_host_key,
        environment=environment,
        pace=pace,
    )
    await session.open()
    return session


def bbs_session(
    account: Account,
    endpoint: Endpoint,
    transport: Transport | str,
    *,
    host: Host | None = None,
    node: int | None = None,
    allocated: int | None = None,
    transcript: Path | None = None,
    policy: TurnPolicy = Fixed(),  # noqa: B008 - a frozen value
    prompts: Sequence[PromptPattern] = (),
    columns: int = 80,
    rows: int = 24,
    door: str | None = None,
    metadata: Mapping[str, object] | None = None,
    kind: str | None = None,
    accept_new_host_key: bool = False,
    environment: Mapping[str, str] = os.environ,
    pace: LoginPace = LoginPace(),  # noqa: B008 - a frozen value
) -> BbsSession:
    """The session of such a call, not open yet; opening it logs in.

    `node` is what was requested and `allocated` what the pool gave: both are noted, a BBS gives the node that it gives.
    `kind` is how the BBS words its login where there is no `host` to say so; without either, any that is known.
    `transcript` may be there already: it is appended to. `door` goes straight into a door, by rlogin alone.
    Raises AccountFault, LoginFault and TranscriptError.
    """
    manners = manners_of(kind if host is None else host.kind)
    call = _call(
        account,
        endpoint,
        Transport(transport),
        manners,
        door=door,
        accept_new=accept_new_host_key,
        environment=environment,
    )
    return BbsSession(
        call,
        agent_id=account.agent_id,
        node=NodeRecord(requested=node, allocated=allocated),
        host=host,
        columns=columns,
        rows=rows,
        transcript=Transcript(transcript) if transcript is not None else None,
        policy=policy,
        prompts=prompts,
        metadata={**account.metadata, **(metadata or {})},
        pace=pace,
    )


def _call(
    account: Account,
    endpoint: Endpoint,
    transport: Transport,
    manners: Manners,
    *,
    door: str | None,
    accept_new: bool,
    environment: Mapping[str, str],
) -> Call:
    if door is not None and transport is not Transport.RLOGIN:
        raise LoginFault(FaultKind.NO_DOOR, f"a call leads straight into a door by rlogin alone, not by {transport}")
    if transport is Transport.SSH and account.key_file is not None:
        password = None
    else:
        password = password_of(account, environment)
    match transport:
        case Transport.TELNET:
            return telnet_call(account.alias, password, endpoint, manners)
        case Transport.RLOGIN:
            return rlogin_call(account.alias, password, endpoint, manners, door=door)
        case Transport.SSH:
            return ssh_call(
                account.alias, password, endpoint, manners, key_file=account.key_file, accept_new=accept_new
            )
