"""How an account wants its terminal treated."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec
from sqlalchemy import Connection, insert, select, update

from agentbbs.store.schema import preferences


class Encoding(StrEnum):
    """What bytes the caller's terminal speaks."""

    AUTO = "auto"
    """As it is found out at the beginning of a visit."""
    CP437 = "cp437"
    UTF8 = "utf-8"


class Ansi(StrEnum):
    """Whether colours and cursor movements are sent."""

    AUTO = "auto"
    YES = "yes"
    NO = "no"


class Preferences(msgspec.Struct, frozen=True):
    """The preferences of one account; these defaults are those of one that never chose. None means: as the terminal
    says. `page_rows` is after how many rows a listing pauses; 0 is never."""

    encoding: Encoding = Encoding.AUTO
    ansi: Ansi = Ansi.AUTO
    columns: int | None = None
    rows: int | None = None
    page_rows: int | None = None
    hotkeys: bool = True
    tour_seen: bool = False


def of_account(conn: Connection, account_id: int) -> Preferences:
    """What the account chose. A word that a later version stored and this one does not know counts as `auto`."""
    row = conn.execute(select(preferences).where(preferences.c.account_id == account_id)).one_or_none()
    if row is None:
        return Preferences()
    return Preferences(
        _ENCODINGS.get(row.encoding, Encoding.AUTO),
        _ANSI.get(row.ansi, Ansi.AUTO),
        row.columns,
        row.rows,
        row.page_rows,
        row.hotkeys,
        row.tour_seen,
    )


def save(conn: Connection, account_id: int, chosen: Preferences) -> None:
    """Keep what the account chose."""
    values = {**msgspec.structs.asdict(chosen), "encoding": chosen.encoding.value, "ansi": chosen.ansi.value}
    here = preferences.c.account_id == account_id
    if conn.execute(update(preferences).where(here).values(values)).rowcount == 0:
        conn.execute(insert(preferences).values(account_id=account_id, **values))


_ENCODINGS: Final = {word.value: word for word in Encoding}
_ANSI: Final = {word.value: word for word in Ansi}
