"""Who is not let in: accounts, and addresses or whole networks, until some time or for good.

A ban that has run out counts no more and is cleared away by the next one that is made. Making and lifting one is in
the audit log; the caller makes sure that it is a sysop who does so.
"""

from __future__ import annotations

import ipaddress
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select

from agentbbs.calls import address as addresses
from agentbbs.store import accounts, audit, wording
from agentbbs.store.audit import Action
from agentbbs.store.schema import accounts as account_rows
from agentbbs.store.schema import bans

MAX_REASON_CHARS: Final = 200
"""A sentence that the banned are shown."""

MAX_BANS: Final = 10_000
"""More than a sysop makes by hand; who needs more needs a firewall."""

MIN_IPV4_BITS: Final = 8
"""A shorter prefix bans more than a 256th of the Internet: a slip."""

MIN_IPV6_BITS: Final = 16
"""The same: providers have /19 and longer."""


class Ban(msgspec.Struct, frozen=True):
    """One ban: of an account (with its name), or of a network such as `192.0.2.7/32`. `until_ms` None is for good."""

    id: int
    account: int | None
    name: str | None
    network: str | None
    until_ms: int | None
    reason: str
    made_by: int | None
    made_ms: int


class BanFault(ValueError):
    """Why somebody can't be banned; the text says what to do."""


class NotANetwork(BanFault):
    """No address and no network, or one that is far too large."""


class TooManyBans(BanFault):
    """`MAX_BANS` are there."""


class NoSuchBan(LookupError):
    """There is none with this id."""


def ban_account(
    conn: Connection, sysop_id: int | None, name: str, *, reason: str, until_ms: int | None = None, now_ms: int
) -> Ban:
    """Turn an account away until `until_ms`. Raises NoSuchAccount, BanFault if it is the sysop's own, TextFault."""
    account = accounts.find(conn, name)
    if account.id == sysop_id:
        raise BanFault("you can't ban yourself: choose another account")
    return _add(conn, sysop_id, {"account_id": account.id}, account.name, reason, until_ms, now_ms)


def ban_network(
    conn: Connection, sysop_id: int | None, network: str, *, reason: str, until_ms: int | None = None, now_ms: int
) -> Ban:
    """Turn an address (`192.0.2.7`; of IPv6 its /64) or a network (`192.0.2.0/24`) away. Raises NotANetwork,
    TooManyBans, TextFault."""
    written = _network(network)
    return _add(conn, sysop_id, {"network": written}, written, reason, until_ms, now_ms)


def lift(conn: Connection, sysop_id: int | None, ban_id: int, *, now_ms: int) -> None:
    """End a ban. Raises NoSuchBan."""
    found = conn.execute(_SELECT.where(bans.c.id == ban_id)).one_or_none()
    if found is None:
        raise NoSuchBan(f"there is no ban {ban_id}: the list shows them")
    ban = Ban(*found)
    conn.execute(delete(bans).where(bans.c.id == ban_id))
    audit.note(conn, sysop_id, Action.BAN_LIFTED, ban.name or ban.network or "", ban.reason, now_ms=now_ms)


def in_force(conn: Connection, *, now_ms: int) -> tuple[Ban, ...]:
    """All bans that count now, the newest first."""
    rows = conn.execute(_SELECT.where(_counts(now_ms)).order_by(bans.c.id.desc()))
    return tuple(Ban(*row) for row in rows)


def of_address(conn: Connection, address: str, *, now_ms: int) -> Ban | None:
    """A ban that covers this address, the one that lasts longest. A look-up of well under a ms, however many there are:
    it asks for each network that the address is in."""
    ip = addresses.parse(address)
    if ip is None:
        return None
    covering = [str(ipaddress.ip_network((ip, bits), strict=False)) for bits in range(ip.max_prefixlen + 1)]
    return _longest(conn, bans.c.network.in_(covering), now_ms)


def of_account(conn: Connection, account_id: int, *, now_ms: int) -> Ban | None:
    """The account's ban, the one that lasts longest."""
    return _longest(conn, bans.c.account_id == account_id, now_ms)


_SELECT = select(
    bans.c.id,
    bans.c.account_id,
    account_rows.c.name,
    bans.c.network,
    bans.c.until_ms,
    bans.c.reason,
    bans.c.made_by,
    bans.c.made_ms,
).outerjoin(account_rows, account_rows.c.id == bans.c.account_id)


def _counts(now_ms: int) -> ColumnElement[bool]:
    return or_(bans.c.until_ms.is_(None), bans.c.until_ms > now_ms)


def _longest(conn: Connection, whom: ColumnElement[bool], now_ms: int) -> Ban | None:
    query = _SELECT.where(whom, _counts(now_ms)).order_by(bans.c.until_ms.is_not(None), bans.c.until_ms.desc()).limit(1)
    row = conn.execute(query).one_or_none()
    return None if row is None else Ban(*row)


def _network(text: str) -> str:
    try:
        if "/" not in text:
            text = addresses.source(text.strip())
        network = ipaddress.ip_network(text.strip(), strict=False)
    except ValueError as fault:
        raise NotANetwork(
            f"{text!a} is no address and no network: give one such as 192.0.2.7 or 192.0.2.0/24"
        ) from fault
    least = MIN_IPV4_BITS if network.version == 4 else MIN_IPV6_BITS
    if network.prefixlen < least:
        raise NotANetwork(f"{network} is too large to ban: give a network of /{least} or longer")
    return str(network)


def _add(
    conn: Connection,
    sysop_id: int | None,
    whom: dict[str, Any],
    target: str,
    reason: str,
    until_ms: int | None,
    now_ms: int,
) -> Ban:
    reason = wording.one_line(reason, what="a reason", max_chars=MAX_REASON_CHARS)
    conn.execute(delete(bans).where(bans.c.until_ms <= now_ms))
    if conn.execute(select(func.count()).select_from(bans)).scalar_one() >= MAX_BANS:
        raise TooManyBans(f"{MAX_BANS} bans are the limit: lift some")
    values = {**whom, "until_ms": until_ms, "reason": reason, "made_by": sysop_id, "made_ms": now_ms}
    ban_id = conn.execute(insert(bans).values(values).returning(bans.c.id)).scalar_one()
    lasts = "for good" if until_ms is None else f"until {until_ms}"
    audit.note(conn, sysop_id, Action.BANNED, target, f"{lasts}: {reason}", now_ms=now_ms)
    return Ban(*conn.execute(_SELECT.where(bans.c.id == ban_id)).one())
