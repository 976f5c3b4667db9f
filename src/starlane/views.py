"""What a pilot can see, as values: the same for the screens of the door, the bots in process and the exports.

`engine.looking` makes them; nothing in them is hidden from the pilot that they are made for.
"""

from __future__ import annotations

import msgspec

from starlane.goods import Good
from starlane.records import Job, Kind, Stance


class View(msgspec.Struct, frozen=True, kw_only=True):
    """Something to see."""


class LaneView(View, frozen=True, kw_only=True):
    """A lane out of a sector."""

    to: int
    seen: bool
    """The pilot has been there."""
    one_way: bool
    """No lane leads straight back."""


class PortLine(View, frozen=True, kw_only=True):
    """One good on a port's board."""

    good: Good
    sells: bool
    """The port sells it; else it buys."""
    open_for: int
    """Units that it will still sell, or take."""
    size: int
    unit_price: int
    """What it posts for one unit, in tenths of a credit: fair, before any haggling."""


class PortView(View, frozen=True, kw_only=True):
    """A port's board."""

    sector: int
    name: str
    letters: str
    """Its class: ice, grain and tools in this order, S where it sells and B where it buys, such as `SBB`."""
    lines: tuple[PortLine, ...]


class ShipView(View, frozen=True, kw_only=True):
    """A ship of another pilot in the sector."""

    pilot: int
    name: str
    fighters: int
    alliance: str
    protected: bool
    ally: bool
    aboard: bool


class ThornView(View, frozen=True, kw_only=True):
    """A thornship in the sector."""

    thornship: int
    name: str
    fighters: int


class PicketView(View, frozen=True, kw_only=True):
    """Fighters deployed in the sector."""

    owner: int
    owner_name: str
    fighters: int
    stance: Stance
    friendly: bool
    """One's own or an ally's."""


class PlanetLine(View, frozen=True, kw_only=True):
    """A planet as it is seen from space."""

    planet: int
    name: str
    kind: Kind
    owner: int
    owner_name: str
    """Empty where nobody owns it."""
    fighters: int
    friendly: bool
    """One's own or an ally's."""


class SectorView(View, frozen=True, kw_only=True):
    """The sector that a pilot is in."""

    number: int
    region: str
    safe: bool
    port: str
    """The name of its port, or nothing."""
    port_letters: str
    planets: tuple[PlanetLine, ...]
    ships: tuple[ShipView, ...]
    thorns: tuple[ThornView, ...]
    picket: PicketView | None
    lanes: tuple[LaneView, ...]


class PilotView(View, frozen=True, kw_only=True):
    """The pilot itself, its ship and its standing."""

    pilot: int
    name: str
    alliance: str
    sector: int
    day: int
    turns: int
    credits: int
    bank: int
    holds: int
    free_holds: int
    ice: int
    grain: int
    tools: int
    colonists: int
    fighters: int
    scanner: bool
    planet: str
    """The planet that it stands on, or nothing."""
    docked: bool
    protected_days: int
    """Days that the newcomer's protection lasts still, today included; 0 without it."""
    kills: int
    deaths: int
    thorns: int
    sectors_seen: int
    net_worth: int


class PlanetView(View, frozen=True, kw_only=True):
    """A planet that the pilot stands on."""

    planet: int
    name: str
    kind: Kind
    owner: int
    owner_name: str
    job: Job
    works: int
    credits: int
    ice: int
    grain: int
    tools: int
    colonists: int
    max_colonists: int
    fighters: int
    makes_per_day: int
    """Units of `job` that the coming day brings."""
    build_credits: int
    """What the next level of works costs; 0 at the highest."""
    build_tools: int


class YardView(View, frozen=True, kw_only=True):
    """The yard's price list, for this pilot."""

    hold_price: int
    """Of the next hold; each one after it costs more."""
    holds_for_sale: int
    """How many more the ship can have."""
    fighter_price: int
    colonist_price: int
    scanner_price: int


class PortReport(View, frozen=True, kw_only=True):
    """What the pilot knows of a port: as it was when the pilot saw it last."""

    day: int
    port: PortView


class RankLine(View, frozen=True, kw_only=True):
    """A pilot in the rankings."""

    rank: int
    """1 for the highest net worth; equal ones share a rank."""
    pilot: int
    name: str
    alliance: str
    net_worth: int
    kills: int
    thorns: int
    deaths: int
    sectors_seen: int


class ScoreLine(View, frozen=True, kw_only=True):
    """A pilot's score with its parts, for operators and harnesses: `starlane scores --json`."""

    rank: int
    name: str
    key: str
    alliance: str
    net_worth: int
    ship: int
    """Holds, scanner and fighters aboard."""
    credits: int
    bank: int
    cargo: int
    pickets: int
    planets: int
    """Works, garrisons, stores and people of its planets."""
    kills: int
    thorns: int
    deaths: int
    sectors_seen: int
    turns: int
    day: int


class LetterView(View, frozen=True, kw_only=True):
    """A letter in the pilot's box."""

    letter: int
    sender: int
    sender_name: str
    day: int
    body: str
    read: bool


class NoteView(View, frozen=True, kw_only=True):
    """A line of the pilot's log."""

    note: int
    day: int
    text: str


class NewsView(View, frozen=True, kw_only=True):
    """A line of the Haven Gazette."""

    day: int
    text: str


class MemberView(View, frozen=True, kw_only=True):
    """A member of an alliance."""

    pilot: int
    name: str
    leader: bool


class AllianceView(View, frozen=True, kw_only=True):
    """An alliance."""

    alliance: int
    name: str
    members: tuple[MemberView, ...]
    invited: bool
    """This pilot has an invitation to it."""


class BountyView(View, frozen=True, kw_only=True):
    """What is on a pilot's head, all posters together."""

    target: int
    name: str
    credits: int
