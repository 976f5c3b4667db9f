"""A whole universe as one JSON value, for tools and archives.

It tells everything, letters too, but for what a running game must keep to itself: what ports would settle for in open
bargains, and the state of the dice. The seed and the journal are in it, and whoever plays them again knows even that:
it is for operators, and for the public when the game is over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from starlane.records import Bargain, FlowTotal, Record
from starlane.universe import journal
from starlane.universe.store import TABLES
from starlane.universe.transaction import Look

FORMAT: Final = "starlane-universe"
VERSION: Final = 1
"""Of this form; raised when something in it is renamed or goes."""

_HIDDEN: Final[Mapping[type[Record], tuple[str, ...]]] = {Bargain: ("reserve", "patience"), FlowTotal: ("id",)}
_PLURALS: Final = {"alliance": "alliances", "bounty": "bounties", "news": "news", "seen": "seen", "flowtotal": "flows"}


def exported(sky: Look) -> dict[str, Any]:
    """The universe as plain values: `settings`, `day`, a list of each kind of record, and the `journal`."""
    whole: dict[str, Any] = {"format": FORMAT, "version": VERSION, "settings": sky.settings, "day": sky.today}
    for kind, table in TABLES.items():
        hidden = _HIDDEN.get(kind, ())
        whole[_PLURALS.get(table.name, f"{table.name}s")] = [
            {name: value for name, value in msgspec.structs.asdict(record).items() if name not in hidden}
            for record in sky.find(kind)
        ]
    whole["journal"] = [
        {"seq": seq, "day": day, "pilot": pilot, "session": session, "order": msgspec.Raw(order.encode())}
        for seq, day, pilot, session, order in journal.raw_entries(sky.connection)
    ]
    return whole
