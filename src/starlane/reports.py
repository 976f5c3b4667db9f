"""What came of an order: the value that screens and bots read. Amounts are what was moved, won or lost by it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from starlane.goods import Good
from starlane.records import Stance


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an order."""


class Done(Report, frozen=True, kw_only=True):
    """It was done as ordered."""

    text: str
    """One plain line for the pilot, up to 160 characters, with a full stop."""


class Entered(Report, frozen=True, kw_only=True):
    """A pilot is aboard."""

    pilot: int
    session: int
    name: str
    new: bool
    """The first time: offer instructions."""
    day: int
    turns: int


class Moved(Report, frozen=True, kw_only=True):
    """The ship is in another sector."""

    sector: int
    first_time: bool
    """The pilot had not been there."""
    toll: int = 0


class Stopped(Report, frozen=True, kw_only=True):
    """A picket bars the way; the ship is where it was, and no turn is gone.

    With `stance` TOLL the way in is `Move(pay=toll)`. With HUNT the picket has shot: `lost` fighters are gone, and if
    `destroyed` the ship with them.
    """

    to: int
    owner: str
    fighters: int
    stance: Stance
    toll: int = 0
    lost: int = 0
    destroyed: bool = False


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """What a scanner shows of a neighbour sector."""

    sector: int
    region: str
    port: str
    """Its class such as `SBB` (ice, grain, tools: sells or buys), or nothing."""
    planets: int
    ships: int
    picket: int
    """Fighters of a picket."""
    thorns: int
    """Fighters of thornships."""


class Scanned(Report, frozen=True, kw_only=True):
    """The neighbour sectors, in the order of their numbers."""

    sights: tuple[Sight, ...]


class Docked(Report, frozen=True, kw_only=True):
    """The ship is in port; prices are on its board (`views.PortView`)."""

    port: str


class Haggle(StrEnum):
    """How a bargain stands."""

    OPEN = "open"
    """The port has named a price, and hears more offers."""
    FINAL = "final"
    """The port has said its last word: take it, or walk."""
    DEAL = "deal"
    BROKEN = "broken"
    """No deal: the port has had enough, or cannot any more."""


class Haggled(Report, frozen=True, kw_only=True):
    """One step of a bargain."""

    state: Haggle
    good: Good
    buying: bool
    quantity: int
    ask: int
    """What the port names now; in a deal the price that was paid."""
    text: str
    """What the port says, one plain line."""


class Fought(Report, frozen=True, kw_only=True):
    """A fight is over."""

    foe: str
    """Whom it was against, as a sentence has it: `Ada's ship`, `the thornship Bramble`."""
    sent: int
    lost: int
    """Of the fighters that were sent."""
    foe_lost: int
    foe_left: int
    won: bool
    """Nothing is left of the other side."""
    salvage: Mapping[Good, int] = {}
    """What the winner took, credits with bounties and rewards included."""
    bounty: int = 0
    """Of it, bounties and rewards."""
    moved: bool = False
    """After `Force`: the ship is in."""
    destroyed: bool = False
    """The pilot's own ship was lost: hunters shot back. It starts afresh at Haven."""


class Heard(Report, frozen=True, kw_only=True):
    """The notices that waited, the oldest first."""

    texts: tuple[str, ...]
