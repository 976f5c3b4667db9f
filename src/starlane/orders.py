"""Everything that can be done to a world, as values: one order is one transaction and one line of the journal.

The seed and the journal together are the world: the same orders, in the same order, make the same world bit for bit.
An order says what somebody wants, never what comes of it; `engine.perform` decides that and answers with a report.
"""

from __future__ import annotations

from typing import Final

import msgspec

from starlane.goods import Good
from starlane.records import Job, Stance


class Order(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", omit_defaults=True):
    """What is to be done."""


# Coming and going


class Enter(Order, frozen=True, kw_only=True, tag="enter"):
    """Come aboard: a stranger gets a ship, and an older session of the same pilot ends. Report: `Entered`."""

    key: str
    """See `Pilot.key`."""
    name: str
    """As the board knows the caller; made inert and unique."""


class Leave(Order, frozen=True, kw_only=True, tag="leave"):
    """Go ashore. Costs nothing. Report: `Done`."""


class Waive(Order, frozen=True, kw_only=True, tag="waive"):
    """Give up the newcomer's protection. Report: `Done`."""


# Flight


class Move(Order, frozen=True, kw_only=True, tag="move"):
    """Fly along one lane: one turn. Lifts off and leaves the port first. Report: `Moved` or `Stopped`."""

    to: int
    pay: int = 0
    """The most toll that the pilot pays to a picket there."""


class Force(Order, frozen=True, kw_only=True, tag="force"):
    """Fight the picket of the neighbour sector `to` with so many fighters, and fly in if nothing is left of it: one
    turn. With `to` the ship's own sector fight the picket there. Report: `Fought`, with `moved`."""

    to: int
    fighters: int


class Scan(Order, frozen=True, kw_only=True, tag="scan"):
    """With a scanner: look into every neighbour sector. No turn; notes their ports as seen. Report: `Scanned`."""


class Jettison(Order, frozen=True, kw_only=True, tag="jettison"):
    """Throw cargo out of the airlock. Report: `Done`."""

    good: Good
    amount: int


# Trade


class Dock(Order, frozen=True, kw_only=True, tag="dock"):
    """Dock at the sector's port: one turn. Needed to trade there. Report: `Docked`."""


class Ask(Order, frozen=True, kw_only=True, tag="ask"):
    """Docked: open a bargain for so many units of a trade good. Whether the pilot buys or sells follows from the port.
    An older bargain ends. Report: `Haggled` with the port's first price."""

    good: Good
    quantity: int


class Offer(Order, frozen=True, kw_only=True, tag="offer"):
    """Name a total price in credits in the open bargain; to name the port's own (or a better one for it) is to accept.
    Report: `Haggled`."""

    credits: int


class Walk(Order, frozen=True, kw_only=True, tag="walk"):
    """End the bargain without a deal. Report: `Done`."""


# War


class AttackShip(Order, frozen=True, kw_only=True, tag="attack-ship"):
    """Send fighters against the ship of another pilot in the sector: one turn. Report: `Fought`."""

    pilot: int
    fighters: int


class AttackThorn(Order, frozen=True, kw_only=True, tag="attack-thorn"):
    """The same against a thornship. Report: `Fought`."""

    thornship: int
    fighters: int


class AttackPlanet(Order, frozen=True, kw_only=True, tag="attack-planet"):
    """The same against the garrison of a planet in the sector; without a garrison left the planet is the attacker's.
    Report: `Fought`."""

    planet: int
    fighters: int


class Deploy(Order, frozen=True, kw_only=True, tag="deploy"):
    """Have exactly so many fighters stand as a picket in this sector, 0 to take them all aboard. Report: `Done`."""

    fighters: int
    stance: Stance


# Planets


class Land(Order, frozen=True, kw_only=True, tag="land"):
    """Land on a planet of the sector that is nobody's, one's own or an ally's: one turn. Report: `Done`."""

    planet: int


class LiftOff(Order, frozen=True, kw_only=True, tag="lift-off"):
    """Leave the planet. Report: `Done`."""


class Claim(Order, frozen=True, kw_only=True, tag="claim"):
    """Landed: make a planet of nobody one's own, with at least `MIN_SETTLERS` colonists brought along (they stay) and
    give it a name. Report: `Done`."""

    name: str


class Load(Order, frozen=True, kw_only=True, tag="load"):
    """Landed: bring so much of a good from the ship to the planet (negative: from the planet to the ship). Credits,
    trade goods, colonists and fighters. Report: `Done`."""

    good: Good
    amount: int


class Employ(Order, frozen=True, kw_only=True, tag="employ"):
    """Landed on one's own planet: what its colonists make from now on. Report: `Done`."""

    job: Job


class Build(Order, frozen=True, kw_only=True, tag="build"):
    """Landed on one's own planet: raise its works by a level, for credits aboard and tools on the planet.
    Report: `Done`."""


# The yard and the bank at Haven


class Buy(Order, frozen=True, kw_only=True, tag="buy"):
    """At Haven: buy so many holds, fighters or colonists. Report: `Done`."""

    good: Good
    amount: int


class BuyScanner(Order, frozen=True, kw_only=True, tag="buy-scanner"):
    """At Haven. Report: `Done`."""


class SellFighters(Order, frozen=True, kw_only=True, tag="sell-fighters"):
    """At Haven: the yard takes fighters back at half their price. Report: `Done`."""

    amount: int


class Bank(Order, frozen=True, kw_only=True, tag="bank"):
    """At Haven: pay credits in (negative: draw them out). Report: `Done`."""

    credits: int


class Work(Order, frozen=True, kw_only=True, tag="work"):
    """At Haven: work in the yard for so many turns, so that nobody is ever stuck without credits. Report: `Done`."""

    turns: int


# Words


class Write(Order, frozen=True, kw_only=True, tag="write"):
    """A letter to a pilot. Report: `Done`."""

    to: int
    body: str


class Burn(Order, frozen=True, kw_only=True, tag="burn"):
    """Destroy a letter that one got. Report: `Done`."""

    letter: int


class MarkRead(Order, frozen=True, kw_only=True, tag="mark-read"):
    """A letter that one got has been read. Report: `Done`."""

    letter: int


class Broadcast(Order, frozen=True, kw_only=True, tag="broadcast"):
    """A line on the radio to every pilot. Report: `Done`."""

    body: str


class Jot(Order, frozen=True, kw_only=True, tag="jot"):
    """A line into one's own log. Report: `Done`."""

    body: str


class Strike(Order, frozen=True, kw_only=True, tag="strike"):
    """Strike a line out of one's own log. Report: `Done`."""

    note: int


class Hear(Order, frozen=True, kw_only=True, tag="hear"):
    """Take the notices that wait. Report: `Heard`."""


# Alliances and bounties


class Found(Order, frozen=True, kw_only=True, tag="found"):
    """Found an alliance. Report: `Done`."""

    name: str


class Invite(Order, frozen=True, kw_only=True, tag="invite"):
    """The leader asks a pilot to join. Report: `Done`."""

    pilot: int


class Join(Order, frozen=True, kw_only=True, tag="join"):
    """Accept an invitation. Report: `Done`."""

    alliance: int


class Quit(Order, frozen=True, kw_only=True, tag="quit"):
    """Leave one's alliance; of the others the one who came to this world first leads on, the last one ends it.
    Report: `Done`."""


class Expel(Order, frozen=True, kw_only=True, tag="expel"):
    """The leader puts a member out. Report: `Done`."""

    pilot: int


class PostBounty(Order, frozen=True, kw_only=True, tag="post-bounty"):
    """At Haven: put credits on another pilot. Report: `Done`."""

    target: int
    credits: int


# Of the operator and of time; their actor is `OPERATOR`


class GrantTurns(Order, frozen=True, kw_only=True, tag="grant-turns"):
    """Give a pilot more turns (negative: fewer, not below 0), aboard or not. Report: `Done`."""

    pilot: int
    turns: int


class NewDay(Order, frozen=True, kw_only=True, tag="new-day"):
    """Maintenance: a day passes. Report: `Done`."""


PILOT_ORDERS: Final = (
    *(Enter, Leave, Waive),
    *(Move, Force, Scan, Jettison),
    *(Dock, Ask, Offer, Walk),
    *(AttackShip, AttackThorn, AttackPlanet, Deploy),
    *(Land, LiftOff, Claim, Load, Employ, Build),
    *(Buy, BuyScanner, SellFighters, Bank, Work),
    *(Write, Burn, MarkRead, Broadcast, Jot, Strike, Hear),
    *(Found, Invite, Join, Quit, Expel, PostBounty),
)
"""What a pilot may order."""

OPERATOR_ORDERS: Final = (GrantTurns, NewDay)
"""What nobody may order but the operator and the calendar."""


class Actor(msgspec.Struct, frozen=True):
    """Who gives an order: a pilot in one of its sessions."""

    pilot: int
    session: int


OPERATOR: Final = Actor(0, 0)
"""The operator; also whoever enters, for the pilot is not known before."""
