"""What a universe holds, a kind of record each. A record is a value: a change makes a new one, and `put` keeps it.

The store derives its tables from these structs: a field is a column, `KEYS` names the key of each, `INDEXED` what it is
looked up by. Amounts are whole numbers from 0 to `MAX_AMOUNT`; days are days of the world, 0 the day of its making.
Names and texts have been through `inert` before they stand in a record.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

from starlane.goods import TRADE_GOODS, Good

NOBODY: Final = 0
"""Stands for no pilot, no planet or no alliance where a number of one is expected."""
HAVEN: Final = 1
"""The number of the sector where everybody starts, with the yard and the bank."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A record of a universe."""


class Sector(Record, frozen=True, kw_only=True):
    """A place. Its lanes out are in `Lanes`."""

    number: int
    region: str
    """The name of the part of space that it lies in."""
    safe: bool = False
    """Patrolled by the Haven Watch: nobody fights or deploys here."""


class Lane(Record, frozen=True, kw_only=True):
    """A way from one sector to another; a two-way lane is two of these."""

    id: int
    source: int
    target: int


class Port(Record, frozen=True, kw_only=True):
    """A trading port, one a sector at most.

    `…_sells` says whether the port sells the good (else it buys it). `…_stock` lies in the port: what it can still sell
    of a good that it sells; of one that it buys, `…_size` - `…_stock` is what it still takes.
    """

    sector: int
    name: str
    ice_sells: bool
    ice_size: int
    ice_stock: int
    grain_sells: bool
    grain_size: int
    grain_stock: int
    tools_sells: bool
    tools_size: int
    tools_stock: int

    def sells(self, good: Good) -> bool:
        """Whether the port sells `good`, one of TRADE_GOODS; else it buys it."""
        return bool(getattr(self, f"{good}_sells"))

    def letters(self) -> str:
        """The class of the port, such as `SBB`: whether it sells or buys ice, grain and tools, in this order."""
        return "".join("S" if self.sells(good) else "B" for good in TRADE_GOODS)

    def size(self, good: Good) -> int:
        """The most of `good` that the port can hold."""
        return int(getattr(self, f"{good}_size"))

    def stock(self, good: Good) -> int:
        """What the port holds of `good`."""
        return int(getattr(self, f"{good}_stock"))

    def open_for(self, good: Good) -> int:
        """How many units the port will still trade: sell from its stock, or take into its room."""
        return self.stock(good) if self.sells(good) else self.size(good) - self.stock(good)

    def traded(self, good: Good, change: int) -> Port:
        """This port with `change` more units of `good` in stock."""
        return msgspec.structs.replace(self, **{f"{good}_stock": self.stock(good) + change})


class Pilot(Record, frozen=True, kw_only=True):
    """A player and the ship that it flies."""

    id: int
    key: str
    """Who it is to the board: `#17` for the account 17 of a dropfile, `name:ada` for a player known by name alone."""
    name: str
    sector: int
    credits: int = 0
    bank: int = 0
    """Credits in the Haven bank."""
    holds: int = 0
    ice: int = 0
    grain: int = 0
    tools: int = 0
    colonists: int = 0
    fighters: int = 0
    scanner: bool = False
    turns: int = 0
    turns_day: int = 0
    """The day that `turns` were given for."""
    arrived_day: int = 0
    protected_until: int = 0
    """Newcomer's protection lasts while the day is below this."""
    planet: int = NOBODY
    """The planet that the ship stands on."""
    docked: bool = False
    """In the sector's port."""
    spoilt: int = 0
    """Bargains opened since the ship docked that have not come to a deal; ports remember, and open worse each time."""
    alliance: int = NOBODY
    kills: int = 0
    deaths: int = 0
    thorns: int = 0
    """Thornships shot down."""
    sectors_seen: int = 0
    session: int = 0
    """Counts entries; an order of an older session is refused, so that a lost line never blocks its pilot."""
    aboard: bool = False
    """Entered and not left. After a lost line it stays so until the next entry or the next day; nothing depends on it
    but what others are shown."""

    def free_holds(self) -> int:
        """Holds with nothing in them."""
        return self.holds - self.ice - self.grain - self.tools - self.colonists

    def amount(self, good: Good) -> int:
        """What the ship has of `good`."""
        return int(getattr(self, good.value))

    def with_more(self, **changes: int) -> Pilot:
        """This pilot with so much more (or, negative, less) of the named fields."""
        return msgspec.structs.replace(self, **{field: getattr(self, field) + more for field, more in changes.items()})

    def protected(self, today: int) -> bool:
        """Whether the newcomer's protection holds."""
        return today < self.protected_until


class Kind(StrEnum):
    """Kinds of planets; `rules.planets` says what each is good for."""

    OCEAN = "ocean"
    PRAIRIE = "prairie"
    MOUNTAIN = "mountain"
    FROST = "frost"
    ASH = "ash"


class Job(StrEnum):
    """What the colonists of a planet make."""

    ICE = "ice"
    GRAIN = "grain"
    TOOLS = "tools"
    FIGHTERS = "fighters"


class Planet(Record, frozen=True, kw_only=True):
    """A planet; several may share a sector."""

    id: int
    sector: int
    name: str
    kind: Kind
    owner: int = NOBODY
    job: Job = Job.GRAIN
    works: int = 0
    """0 to MAX_WORKS: each level makes more and defends better."""
    credits: int = 0
    ice: int = 0
    grain: int = 0
    tools: int = 0
    colonists: int = 0
    fighters: int = 0
    """The garrison."""

    def amount(self, good: Good) -> int:
        """What lies on the planet of `good`."""
        return int(getattr(self, good.value))

    def with_more(self, **changes: int) -> Planet:
        """As `Pilot.with_more`."""
        return msgspec.structs.replace(self, **{field: getattr(self, field) + more for field, more in changes.items()})


class Stance(StrEnum):
    """What deployed fighters do with a stranger who comes along."""

    TOLL = "toll"
    """Let in whoever pays."""
    GUARD = "guard"
    """Let in nobody; whoever wants in must fight."""
    HUNT = "hunt"
    """As GUARD, and shoot at whoever was stopped."""


class Picket(Record, frozen=True, kw_only=True):
    """Fighters that a pilot has deployed in a sector, one pilot's a sector at most."""

    sector: int
    owner: int
    fighters: int
    stance: Stance


class Thornship(Record, frozen=True, kw_only=True):
    """A ship of the Thorn, the empire that no player flies for."""

    id: int
    name: str
    sector: int
    fighters: int


class Alliance(Record, frozen=True, kw_only=True):
    """Pilots who let each other pass, land and trade on their planets, and don't fight each other."""

    id: int
    name: str
    leader: int
    founded_day: int


class Invitation(Record, frozen=True, kw_only=True):
    """An alliance has asked a pilot to join."""

    id: int
    alliance: int
    pilot: int


class Bounty(Record, frozen=True, kw_only=True):
    """Credits that a pilot has put on another; they lie here until somebody earns them."""

    id: int
    target: int
    poster: int
    credits: int


class Bargain(Record, frozen=True, kw_only=True):
    """The haggling that a pilot is in, one a pilot at most. `reserve` is what the port keeps to itself."""

    pilot: int
    sector: int
    good: Good
    buying: bool
    """The pilot buys, the port sells."""
    quantity: int
    fair: int
    """What the quantity was worth on the port's board when the bargain was opened, in credits."""
    ask: int
    """What the port named last, for the whole quantity, in credits."""
    reserve: int
    """The worst total that the port accepts: least when it sells, most when it buys."""
    patience: int
    """Offers that it will still hear; at 0 `ask` is its last word, to be taken or left."""
    best: int = 0
    """The pilot's best offer so far; 0 before the first."""


class Seen(Record, frozen=True, kw_only=True):
    """A pilot has been in a sector, or looked into it; and what its port had then (`day` -1 where there is none)."""

    id: int
    pilot: int
    sector: int
    day: int = -1
    ice_stock: int = 0
    grain_stock: int = 0
    tools_stock: int = 0
    visited: bool = True
    """The pilot has been there; else only its scanner has looked in."""


class Letter(Record, frozen=True, kw_only=True):
    """Mail from a pilot to another."""

    id: int
    sender: int
    reader: int
    day: int
    body: str
    read: bool = False


class Notice(Record, frozen=True, kw_only=True):
    """A line that a pilot is to be told before the next prompt, then it goes."""

    id: int
    pilot: int
    day: int
    text: str


class News(Record, frozen=True, kw_only=True):
    """A line of the Haven Gazette."""

    id: int
    day: int
    text: str


class Note(Record, frozen=True, kw_only=True):
    """A line of a pilot's own log."""

    id: int
    pilot: int
    day: int
    text: str


class FlowTotal(Record, frozen=True, kw_only=True):
    """What has come into the world (positive) or left it by one flow, of one good."""

    id: int
    flow: str
    good: Good
    amount: int


KEYS: Final[Mapping[type[Record], str]] = {
    Sector: "number",
    Lane: "id",
    Port: "sector",
    Pilot: "id",
    Planet: "id",
    Picket: "sector",
    Thornship: "id",
    Alliance: "id",
    Invitation: "id",
    Bounty: "id",
    Bargain: "pilot",
    Seen: "id",
    Letter: "id",
    Notice: "id",
    News: "id",
    Note: "id",
    FlowTotal: "id",
}
"""The key of each kind. One that is called `id` is given by the store: the next whole number, never used again."""

INDEXED: Final[Mapping[type[Record], tuple[str, ...]]] = {
    Lane: ("source",),
    Pilot: ("key", "name", "sector", "alliance", "planet"),
    Planet: ("sector", "owner"),
    Picket: ("owner",),
    Thornship: ("sector",),
    Invitation: ("alliance", "pilot"),
    Bounty: ("target", "poster"),
    Seen: ("pilot sector",),
    Letter: ("reader", "sender"),
    Notice: ("pilot",),
    News: ("day",),
    Note: ("pilot",),
    FlowTotal: ("flow",),
}
"""What else a kind is looked up by. Fields named together are looked up together, or the first of them alone."""
